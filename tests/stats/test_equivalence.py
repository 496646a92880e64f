"""Two one-sided tests."""

from __future__ import annotations

import math
import random
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle  # type: ignore[import-untyped]
from statsmodels.stats.weightstats import ttost_paired  # type: ignore[import-untyped]

from hinglishbench.stats.equivalence import tost_of_counts, tost_of_moments, tost_of_ratios
from hinglishbench.stats.gap import PairCounts, newcombe
from hinglishbench.stats.ratio import Reading, median_rank


def test_tost_agrees_with_statsmodels() -> None:
    """The larger of the two one-sided p values of a paired t test."""
    rng = random.Random(2)
    form = [rng.random() for _ in range(60)]
    base = [x + rng.gauss(0.01, 0.1) for x in form]
    d = [f - b for f, b in zip(form, base, strict=True)]
    error = statistics.stdev(d) / math.sqrt(60)
    found = tost_of_moments(60, statistics.fmean(d), error, 0.05, 59)
    expected = ttost_paired(np.array(form), np.array(base), -0.05, 0.05)[0]
    assert found == pytest.approx(expected)


@given(st.builds(PairCounts, *(st.integers(0, 80),) * 4), st.floats(0.01, 0.5))
def test_gap_equivalence_says_what_the_90_percent_interval_says(
    counts: PairCounts, margin: float
) -> None:
    """P < 0.05 exactly when Newcombe's 90% interval lies within the margin."""
    p = tost_of_counts(counts, margin)
    limits = newcombe(counts, 0.9)
    if limits is None:
        assert p is None
        return
    assert p is not None
    if abs(p - 0.05) > 1e-9:
        assert (p < 0.05) == (-margin < limits[0] and limits[1] < margin)


def test_not_different_is_not_equivalent() -> None:
    """15 pairs that agree are not enough for a margin of 2 points; 1,000 are."""
    few, many = PairCounts(15, 0, 0, 0), PairCounts(990, 2, 2, 6)
    p_few, p_many = tost_of_counts(few, 0.02), tost_of_counts(many, 0.02)
    assert p_few is not None
    assert p_many is not None
    assert p_few > 0.2
    assert p_many < 0.001
    assert tost_of_counts(PairCounts(50, 50, 0, 0), 0.02) == 1.0


def test_tax_equivalence_is_two_sign_tests() -> None:
    """By hand: 10 pairs, one above 1.1: P[X >= 9] of Bin(10, 1/2) = 11/1024."""
    rows = [Reading(r, r, r) for r in [1.0] * 9 + [1.5]]
    assert tost_of_ratios(rows, 0.1) == pytest.approx(11 / 1024)


@given(st.lists(st.floats(0.5, 2.0), min_size=6, max_size=80))
def test_tax_equivalence_says_what_the_interval_says(ratios: list[float]) -> None:
    """P <= 0.05 exactly when the 90% order-statistic interval lies within the margin."""
    rows = [Reading(r, r, r) for r in ratios]
    n, k = len(ratios), median_rank(len(ratios), 0.9)
    assert k is not None
    ordered = sorted(ratios)
    p = tost_of_ratios(rows, 0.1)
    assert p is not None
    inside = ordered[k - 1] > 1 / 1.1 and ordered[n - k] < 1.1
    assert (p <= 0.05) == inside
    above = sum(r > 1 / 1.1 for r in ratios)
    below = sum(r < 1.1 for r in ratios)
    expected = max(oracle.binom.sf(above - 1, n, 0.5), oracle.binom.sf(below - 1, n, 0.5))
    assert p == pytest.approx(expected)


def test_a_cut_reply_counts_against_equivalence() -> None:
    """The same observed ratios, with one form reply cut: the p is larger."""
    sure = [Reading(1.0, 1.0, 1.0)] * 10
    cut = [*sure[:9], Reading(1.0, 1.0, math.inf)]
    assert tost_of_ratios(cut, 0.1) == pytest.approx(11 / 1024)
    assert tost_of_ratios(sure, 0.1) == pytest.approx(1 / 1024)


def test_undefined_equivalence() -> None:
    """No pairs, no spread; a margin of 0 is an error, not an answer."""
    assert tost_of_ratios([], 0.1) is None
    assert tost_of_moments(1, 0.0, 0.1, 0.1, 0) is None
    assert tost_of_moments(9, 0.0, 0.0, 0.1, 8) is None
    with pytest.raises(ValueError, match="margin must be positive"):
        tost_of_ratios([], 0.0)
