"""What `hbench compare` prints, to the letter."""

from __future__ import annotations

import csv
import io

import pytest

from tests.conftest import Hbench
from tests.report.ledgers import arm, pairs, price, write
from tests.report.test_compare import AFTER
from tests.report.test_tax import EIGHT

TABLE = """
 form    pairs  before  after        points          tokens  total   dollars            tax
 ──────────────────────────────────────────────────────────────────────────────────────────
 en          7   71.4%  71.4%          +0.0           +0.0%  +0.0%  $0.00185
            -1                 -27.1..+27.1    +0.0%..+0.0%         $0.00185
                                    p 1.000         p 1.000
 cm-rom      7   57.1%  71.4%         +14.3          -10.0%  -2.9%  $0.00215  1.20 to 1.10x
            -1                 -20.4..+44.4  -10.0%..+10.0%         $0.00210   -0.13..+0.10
                                    p 1.000         p 0.750

prompt: before fair, after concise
suite s, provider p, route direct, model m, cap 512, origin live
pairs dropped: 2 unmatched
tax: before to after, its change below by percentile bootstrap of items, 2000 resamples, seed 42
p adjusted over 2 rows (Holm)
m en: accuracy: not decided at n=7; tokens: not decided at n=7
m cm-rom: accuracy: not decided at n=7; tokens: not decided at n=7
"""


@pytest.fixture(autouse=True)
def _ledger(hbench: Hbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    write(hbench.ledger, pairs(EIGHT), prices=[price()])
    write(hbench.ledger, pairs(AFTER[:7]), of=arm(prompt="concise"))


def test_the_table(hbench: Hbench) -> None:
    """Before and after, each change with its interval and p, in 100 columns."""
    out = hbench("compare", "--variant", "concise").out
    assert [line.rstrip() for line in out.splitlines()] == TABLE.splitlines()


def test_markdown_names_the_two_sides(hbench: Hbench) -> None:
    """The columns carry the values of the axis."""
    out = hbench("compare", "--variant", "concise", "--md").out
    assert out.startswith("| form | pairs | dropped | fair | concise | points | 95% |")
    assert "\n\n- prompt: before fair, after concise\n" in out


def test_csv_and_wide_hold_every_key_of_the_json(hbench: Hbench) -> None:
    """Intervals are two columns in CSV."""
    rows = hbench("compare", "--variant", "concise", "--json").json
    assert rows[1]["tokens_change_pct_ci"] == pytest.approx([-10, 10])
    _, second = csv.DictReader(io.StringIO(hbench("compare", "--variant", "concise", "--csv").out))
    assert float(second["tax_change_ci_lo"]) == rows[1]["tax_change_ci"][0]
    wide = hbench("compare", "--variant", "concise", "--wide").out
    assert {line.split()[0] for line in wide.splitlines() if line} - {"---"} == set(rows[0])


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--variant", "concise", "--effort", "low", "high"],
        ["--model", "a", "b", "--provider", "p", "q"],
        ["--variant", "fair"],
    ],
)
def test_one_thing_is_compared_at_a_time(hbench: Hbench, options: list[str]) -> None:
    """Exit 2 with what may be asked."""
    assert "--effort" in hbench("compare", *options, code=2).err


def test_an_arm_that_is_not_there_is_refused_with_those_that_are(hbench: Hbench) -> None:
    """Exit 3."""
    assert "it has: m" in hbench("compare", "--model", "m", "n", code=3).err
    write(hbench.ledger, pairs(EIGHT), of=arm("n"))
    assert hbench("compare", "--model", "m", "n", "--json").json[0]["model"] == "m -> n"
