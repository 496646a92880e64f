"""Rows of `hbench power`: the ledger's own spread, stated assumptions, and the bill."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from hinglishbench.errors import NoLedgerError, UsageError
from hinglishbench.ledger.reader import Ledger
from hinglishbench.report.options import PowerOptions
from hinglishbench.report.power import power_rows
from hinglishbench.stats.power import (
    pairs_for_difference,
    pairs_for_gap,
    pairs_for_tax,
    smallest_gap,
    smallest_tax,
)
from tests.report.ledgers import pairs, price, write
from tests.report.test_tax import EIGHT, sampled


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.duckdb"


def one(path: Path | None, **options: Any) -> dict[str, Any]:
    [row] = power_rows(None if path is None else Ledger(path), PowerOptions(**options))
    return row


def test_from_what_the_ledger_has_seen(path: Path) -> None:
    """Three of eight pairs disagree; the quartiles of the ratios give their spread."""
    row = one(write(path, pairs(EIGHT), prices=[price()]))
    spread = (math.log(1.425) - math.log(1.075)) / 1.3489795003921634  # Q1 and Q3 of eight ratios
    assert row["discordance"] == 3 / 8
    assert row["log_spread"] == pytest.approx(spread)
    assert row["pairs_for_gap"] == pairs_for_gap(0.05, 3 / 8)
    assert row["pairs_for_tax"] == pairs_for_tax(1.1, spread)
    assert row["pairs"] == 8
    assert row["smallest_gap_pts"] == pytest.approx(100 * (smallest_gap(8, 3 / 8) or 0))
    assert row["smallest_tax"] == pytest.approx(smallest_tax(8, spread))
    assert row["usd_per_pair"] == pytest.approx((0.0021 + 0.00248) / 8)
    assert row["usd_for_gap"] == pytest.approx(row["pairs_for_gap"] * 0.00458 / 8)
    assert row["usd_for_pairs"] == pytest.approx(0.00458)
    assert "gap: only 3 of 8 pairs disagree: their share is hardly known" in row["notes"]


def test_stated_assumptions_go_before_what_was_seen(path: Path) -> None:
    """The row says which of the two they are."""
    row = one(write(path, pairs(EIGHT)), discordance=0.1, spread=0.5, gap_pts=-2, tax=0.9)
    assert (row["discordance"], row["log_spread"]) == (0.1, 0.5)
    assert row["stated"] == ["discordance", "spread"]
    assert row["pairs_for_gap"] == pairs_for_gap(0.02, 0.1)
    assert row["pairs_for_tax"] == pairs_for_tax(0.9, 0.5)


def test_without_a_ledger_from_stated_assumptions(path: Path) -> None:
    """No dollars, for nothing is known of prices."""
    row = one(None, discordance=0.1, spread=0.4, pairs=300)
    assert (row["pairs_for_gap"], row["pairs_for_tax"]) == (312, 227)
    assert row["usd_for_gap"] is row["usd_per_pair"] is row["origin"] is None
    assert row["smallest_gap_pts"] == pytest.approx(5.09, abs=0.01)
    assert not path.exists()


def test_unpriced_arms_have_no_bill(path: Path) -> None:
    """Unknown is null with a reason."""
    row = one(write(path, pairs(EIGHT)))
    assert row["usd_for_tax"] is None
    assert "cost: no pair of this arm is priced" in row["notes"]


def test_sampled_items_use_the_variance_of_their_differences(path: Path) -> None:
    """With several samples an item the test is a t, and so is its power."""
    row = one(write(path, sampled()))
    base = [2 / 3 if r[0] == "correct" else 0.0 for r in EIGHT]
    form = [float(r[2] == "correct") for r in EIGHT]
    gaps = [f - b for b, f in zip(base, form, strict=True)]
    mean = sum(gaps) / 8
    variance = sum((d - mean) ** 2 for d in gaps) / 7
    assert row["discordance"] is None
    assert row["pairs_for_gap"] == pairs_for_difference(0.05, variance)


def test_a_gap_below_any_seen_disagreement_is_said_to_be_raised(path: Path) -> None:
    """A gap needs discordant pairs; none were seen."""
    row = one(write(path, pairs([("correct", 100, "correct", 120 + i) for i in range(20)])))
    assert row["discordance"] == 0
    assert row["pairs_for_gap"] == pairs_for_gap(0.05, 0.05)
    assert any("raised to it" in note for note in row["notes"])


def test_ratios_that_do_not_vary_have_no_spread(path: Path) -> None:
    """Null with what to do."""
    row = one(write(path, pairs([("correct", 100, "correct", 120)] * 8)))
    assert row["log_spread"] is row["pairs_for_tax"] is row["smallest_tax"] is None
    assert "tax: the spread of the ratios is not known; state a --spread" in row["notes"]


def test_no_ledger_is_refused(path: Path) -> None:
    """As every reading command does."""
    with pytest.raises(NoLedgerError):
        one(path)


@pytest.mark.parametrize(
    "wrong",
    [
        {"gap_pts": 0},
        {"gap_pts": 101},
        {"tax": 1},
        {"tax": 0},
        {"pairs": 0},
        {"alpha": 0},
        {"power": 1},
        {"discordance": 0},
        {"discordance": 1.5},
        {"spread": -1},
        {"gap_pts": math.nan},
        {"spread": math.inf},
    ],
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    """Before the ledger is opened."""
    with pytest.raises(UsageError):
        PowerOptions(**wrong)
