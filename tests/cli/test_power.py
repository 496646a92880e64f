"""What `hbench power` prints, to the letter."""

from __future__ import annotations

import pytest

from tests.conftest import Hbench
from tests.report.ledgers import arm, pairs, price, write
from tests.report.test_compare import AFTER
from tests.report.test_tax import EIGHT

TABLE = """
 model, form,
 prompt            seen  disagree  for 5 pts  spread  for 1.10x         n  points    tax   $ a pair
 ──────────────────────────────────────────────────────────────────────────────────────────────────
 m                    7     28.6%        895    0.19         51         7    78.8  1.42x  $0.000564
 cm-rom, concise                     $0.5048            $0.0288  $0.00395
 m                    8     37.5%      1,175    0.21         65         8    72.2  1.49x  $0.000572
 cm-rom, fair                        $0.6727            $0.0372  $0.00458

suite s, provider p, route direct, cap 512, against en, origin live
pairs (and dollars) for 5 points and for 1.10x; points, tax: the smallest that n pairs show;
  two-sided at 0.05, power 0.8
m cm-rom concise: gap: only 2 of 7 pairs disagree: their share is hardly known
m cm-rom fair: gap: only 3 of 8 pairs disagree: their share is hardly known
"""


@pytest.fixture(autouse=True)
def _columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def test_the_table(hbench: Hbench) -> None:
    """Pairs with their dollars below, arm by arm."""
    write(hbench.ledger, pairs(EIGHT), prices=[price()])
    write(hbench.ledger, pairs(AFTER[:7]), of=arm(prompt="concise"))
    out = hbench("power").out
    assert [line.rstrip() for line in out.splitlines()] == TABLE.splitlines()


def test_stated_assumptions_need_no_ledger_and_make_none(hbench: Hbench) -> None:
    """Both must be stated; one alone needs the ledger for the other."""
    out = hbench("power", "--discordance", "0.1", "--spread", "0.4").out
    assert "as stated" in out
    assert "312" in out
    assert "227" in out
    hbench("power", "--discordance", "0.1", code=3)
    assert not hbench.ledger.exists()


def test_json_and_markdown(hbench: Hbench) -> None:
    """Numbers for programs; the same table for a page."""
    write(hbench.ledger, pairs(EIGHT))
    [row] = hbench("power", "--pairs", "300", "--json").json
    assert (row["pairs"], row["n_pairs"], row["usd_for_pairs"]) == (300, 8, None)
    assert hbench("power", "--md").out.startswith("| model | form | seen | disagree |")
    assert "stated            -" in hbench("power", "--wide").out


def test_options_that_make_no_sense(hbench: Hbench) -> None:
    """Exit 2."""
    assert "--tax 1 is no tax" in hbench("power", "--tax", "1", code=2).err
