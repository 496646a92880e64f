"""What `hbench tax` prints, to the letter, and what it hands to programs."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Hbench
from tests.report.ledgers import arm, pairs, price, write

EIGHT = [
    ("correct", 100, "correct", 120),
    ("correct", 100, "wrong", 150),
    ("wrong", 200, "correct", 200),
    ("correct", 50, "correct", 100),
    ("correct", 100, "correct", 90),
    ("unparsed", 100, "wrong", 130),
    ("correct", 100, "truncated", 110),
    ("correct", 100, "correct", 140),
]


@pytest.fixture(autouse=True)
def _wide_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def lines(text: str) -> list[str]:
    """Lines without the blanks at their ends."""
    return [line.rstrip() for line in text.splitlines()]


@pytest.fixture
def ledger(hbench: Hbench) -> Path:
    """Two arms: one with an error and a cut reply, priced; one larger, without a price."""
    replies = [
        replace(r, outcome="error")
        if (r.item, r.form) == ("k8", "en")
        else replace(r, cut=(r.item, r.form) == ("k7", "cm-rom"))
        for r in pairs(EIGHT)
    ]
    write(hbench.ledger, replies, of=arm("small"), prices=[price("small")])
    return write(hbench.ledger, pairs(EIGHT * 4), of=arm("large", effort="low"))


TABLE = """
 model, form, effort  pairs     en     form           gap         tax  total   dollars
 ─────────────────────────────────────────────────────────────────────────────────────
 large                   32  75.0%    62.5%         -12.5       1.25x  1.22x         -
 cm-rom, low                                  -32.6..+9.1  1.10..1.40                -
                                                  p 0.534    p <0.001
 small                    7  71.4%    57.1%         -14.3      1.20x*  1.20x  $0.00185
 cm-rom, default         -1         14% cut  -52.3..+30.4  0.90..open         $0.00215
                                                  p 0.625     p 0.219

suite s, provider p, route direct, prompt fair, cap 512, against en, origin live
pairs dropped: 1 error
* at cap 512: cut replies leave the tax open (small cm-rom: 1.20x to 1.30x)
the two calls of a pair were 0.0 s apart (median)
32 pairs have no known price and are not in the dollars
p adjusted over 2 rows (Holm)
large cm-rom: gap: not decided at n=32 (so many pairs show 29 points or more); tax: different
small cm-rom: gap: not decided at n=7 (so many pairs show 79 points or more); tax: not decided at
  n=7
"""


@pytest.mark.usefixtures("ledger")
def test_the_table(hbench: Hbench) -> None:
    """Points, intervals, p, drops, cuts, dollars and what they decide, in 100 columns."""
    assert lines(hbench("tax").out) == lines(TABLE)


@pytest.mark.usefixtures("ledger")
def test_a_narrow_terminal_folds_words_and_never_cuts_a_figure(
    hbench: Hbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 80 columns it fits; at 40 it is wider than the terminal, with every digit."""
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, lines(hbench("tax").out))) <= 80
    monkeypatch.setenv("COLUMNS", "40")
    narrow = hbench("tax").out
    for figure in ("-52.3..+30.4", "0.90..open", "$0.00185", "p <0.001"):
        assert figure in narrow


MARKDOWN = """\
| model | form | effort | pairs | dropped | en | form | gap | 95% | p | tax | 95% | p | total | $ en | $ form |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
| large | cm-rom | low | 32 | 0 | 75.0% | 62.5% | -12.5 | -32.6..+9.1 | 0.534 | 1.25x | 1.10..1.40 | <0.001 | 1.22x | - | - |
| small | cm-rom | default | 7 | 1 | 71.4% | 57.1% 14% cut | -14.3 | -52.3..+30.4 | 0.625 | 1.20x* | 0.90..open | 0.219 | 1.20x | $0.00185 | $0.00215 |

- suite s, provider p, route direct, prompt fair, cap 512, against en, origin live
"""


@pytest.mark.usefixtures("ledger")
def test_markdown(hbench: Hbench) -> None:
    """The same figures as a Markdown table, the lines below as a list."""
    assert hbench("tax", "--md").out.startswith(MARKDOWN)


@pytest.mark.usefixtures("ledger")
def test_wide_shows_every_key_of_the_json(hbench: Hbench) -> None:
    """One block a row, one line a key."""
    rows = hbench("tax", "--json").json
    wide = hbench("tax", "--wide").out
    assert wide.count("--- ") == len(rows) == 2
    assert {line.split()[0] for line in wide.splitlines() if line} - {"---"} == set(rows[0])


@pytest.mark.usefixtures("ledger")
def test_csv_has_intervals_as_two_columns_and_nothing_for_null(hbench: Hbench) -> None:
    """`_lo` and `_hi`; an open limit is empty."""
    large, small = csv.DictReader(io.StringIO(hbench("tax", "--csv").out))
    assert (small["tax_ci_lo"], small["tax_ci_hi"]) == ("0.9", "")
    assert large["cost_base_usd"] == ""
    assert not re.search(r"\b(nan|inf|infinity|none)\b", hbench("tax", "--csv").out, re.IGNORECASE)


@pytest.mark.usefixtures("ledger")
def test_json_holds_numbers_in_the_promised_units(hbench: Hbench) -> None:
    """Rates 0..1, gaps in points, intervals as lists, drops as an object, dollars as numbers."""
    small = hbench("tax", "--json").json[1]
    assert small["acc_base"] == pytest.approx(5 / 7)
    assert small["gap_pts"] == pytest.approx(-100 / 7)
    assert small["tax_ci"] == [0.9, None]
    assert small["dropped"] == {"unanswered": 0, "error": 1, "far_apart": 0}
    assert small["cost_base_usd"] == pytest.approx(0.00185)


EMBEDDED = "this proves the pipeline; a model this small proves nothing about Hinglish"


def test_the_embedded_model_proves_nothing_about_hinglish(hbench: Hbench) -> None:
    """The line stands under a table of the embedded model alone."""
    write(hbench.ledger, pairs(EIGHT), of=arm("SmolLM2", provider="local"))
    assert EMBEDDED in hbench("tax").out
    write(hbench.ledger, pairs(EIGHT), of=arm("hosted"))
    assert EMBEDDED not in hbench("tax").out


@pytest.mark.usefixtures("ledger")
def test_published_figures_stand_beside_ours_and_are_not_ours(hbench: Hbench) -> None:
    """Same keys, origin `published`, a source in each; no interval and no p."""
    ours: list[dict[str, Any]] = []
    theirs: list[dict[str, Any]] = []
    for row in hbench("tax", "--published", "--json").json:
        (theirs if row["origin"] == "published" else ours).append(row)
    assert [row["source"] for row in ours] == [None, None]
    assert all(row["source"] and row["verified"] and row["gap_p"] is None for row in theirs)
    assert {tuple(row) for row in theirs} == {tuple(ours[0])}
    headline = next(row for row in theirs if row["model"] == "Beam-1.0-501B-A23B")
    assert (headline["n_pairs"], headline["acc_base"], headline["gap_pts"], headline["tax_median"]) == (
        82, 0.963, -1.2, 1.47,
    )  # fmt: skip
    kept = {row["form"]: row["retained"] for row in theirs if row["source"].endswith("means")}
    assert kept["hi-rom"] == 0.702  # the last of the two suites
    changed = [row["token_change_pct"] for row in theirs if row["token_change_pct"] is not None]
    assert changed == [9.9]
    table = hbench("tax", "--published").out
    assert "published by others, not measured here:" in table
    assert "1.47x" in table.split("published by others")[1]


def test_an_unknown_option_value_is_named(hbench: Hbench) -> None:
    """Exit 2 with those that there are; no ledger is needed to say so."""
    done = hbench("tax", "--adjust", "bonferroni", code=2)
    assert "one of: holm, bh, none" in done.err


def test_no_ledger_is_refused_and_none_is_made(hbench: Hbench) -> None:
    """Exit 3."""
    hbench("tax", code=3)
    assert not hbench.ledger.exists()


def test_a_suite_without_pairs_says_so(hbench: Hbench) -> None:
    """JSON is an empty list; a person gets a sentence."""
    write(hbench.ledger, [r for r in pairs(EIGHT) if r.form == "en"])
    assert hbench("tax", "--json").json == []
    assert "no pairs" in hbench("tax").err


def test_arms_that_only_their_digest_tells_apart(hbench: Hbench) -> None:
    """Two wordings under one name are two rows, each with eight characters of its arm."""
    first = arm()
    other = replace(first, prompt=replace(first.prompt, digest="prompt:sha256:other"))
    write(hbench.ledger, pairs(EIGHT), of=first)
    write(hbench.ledger, pairs(EIGHT), of=other)
    out = hbench("tax").out
    for one in (first, other):
        assert one.digest.removeprefix("arm:sha256:")[:8] in out
