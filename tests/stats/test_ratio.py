"""The median tax: ranks, signs and cut replies."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle  # type: ignore[import-untyped]

from hinglishbench.stats.ratio import (
    Reading,
    Signs,
    count_signs,
    median_rank,
    median_ratio,
    median_ratio_of_ranks,
    rank_coverage,
    reading,
    sign_test,
)

TOKENS = st.integers(1, 2_000)
PAIRS = st.lists(
    st.builds(
        lambda base, form, base_cut, form_cut: reading(
            base, form, base_cut=base_cut, form_cut=form_cut
        ),
        TOKENS,
        TOKENS,
        st.booleans(),
        st.booleans(),
    ),
    min_size=1,
    max_size=60,
)


def _exact(*ratios: float) -> list[Reading]:
    return [Reading(r, r, r) for r in ratios]


def _pairs(found: list[Reading | None]) -> list[Reading]:
    return [r for r in found if r is not None]


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_the_rank_is_the_largest_that_keeps_the_level(level: float) -> None:
    """The definition, for every n to 400, by scipy's binomial."""
    half = (1 - level) / 2
    for n in range(401):
        k = median_rank(n, level)
        if k is None:
            assert oracle.binom.cdf(0, n, 0.5) > half - 1e-12
            continue
        assert oracle.binom.cdf(k - 1, n, 0.5) <= half + 1e-12
        assert oracle.binom.cdf(k, n, 0.5) > half - 1e-12
        assert rank_coverage(n, k) >= level - 1e-9


def test_known_ranks() -> None:
    """Textbook values: n = 6 takes the extremes, n = 20 the 6th; five pairs have none."""
    assert [median_rank(n) for n in (0, 5, 6, 9, 20, 82, 300)] == [None, None, 1, 2, 6, 32, 133]
    assert rank_coverage(6, 1) == pytest.approx(1 - 2 / 64)


@given(st.lists(st.floats(0.1, 10), min_size=6, max_size=200, unique=True))
def test_median_interval_and_p_agree_with_scipy(ratios: list[float]) -> None:
    """Scipy's quantile test is the same interval and, without ties, the same sign test."""
    found = median_ratio(_exact(*ratios))
    expected = oracle.quantile_test(ratios, q=1.0, p=0.5)
    interval = expected.confidence_interval(0.95)
    assert found.interval is not None
    assert (found.interval.lo, found.interval.hi) == (interval.low, interval.high)
    if 1.0 not in ratios:
        assert found.p == pytest.approx(expected.pvalue)


def test_below_six_pairs_there_is_a_median_and_a_p_but_no_interval() -> None:
    """Null with the reason."""
    found = median_ratio(_exact(1.2, 1.4, 1.3, 1.1, 1.5))
    assert (found.median, found.interval) == (1.3, None)
    assert found.p == pytest.approx(2 / 32)
    assert found.reason == "5 pairs are too few for a 95% interval of the median, 6 needed"


def test_no_pairs() -> None:
    """Nothing but the reason."""
    found = median_ratio([])
    assert (found.median, found.low, found.high, found.interval, found.p) == (None,) * 5
    assert found.reason == "no pairs"
    assert not found.at_cap


def test_ties_carry_no_sign() -> None:
    """Four above, one below, three at 1: the binomial of 1 in 5."""
    signs = count_signs(_exact(1.5, 1.2, 1.1, 1.3, 0.9, 1.0, 1.0, 1.0))
    assert signs == Signs(above=4, ties=3, below=1)
    assert sign_test(signs) == pytest.approx(oracle.binomtest(1, 5).pvalue)
    assert sign_test(Signs(0, 9, 0)) == 1.0


def test_a_cut_form_reply_bounds_the_ratio_from_below_only() -> None:
    """Form cut: at least as observed. Baseline cut: at most. Both: unknown."""
    assert reading(100, 400, form_cut=True) == Reading(4.0, 4.0, math.inf)
    assert reading(400, 100, base_cut=True) == Reading(0.25, 0.0, 0.25)
    assert reading(400, 400, base_cut=True, form_cut=True) == Reading(1.0, 0.0, math.inf)
    assert reading(0, 400) is None


def test_a_cut_far_from_the_median_does_not_move_it() -> None:
    """One long cut reply among seven: same median at both readings, interval open above."""
    rows = [*_exact(1.1, 1.2, 1.3, 1.4, 1.5, 1.6), Reading(9.0, 9.0, math.inf)]
    found = median_ratio(rows)
    assert (found.median, found.low, found.high) == (1.4, 1.4, 1.4)
    assert not found.at_cap
    assert found.interval is not None
    assert (found.interval.lo, found.interval.hi) == (1.1, None)
    assert found.reason == "cut replies leave the interval open above"


def test_cuts_near_the_median_open_it_and_label_it() -> None:
    """Both sides cut: the pair may lie anywhere, so the two readings differ."""
    rows = [*_exact(1.1, 1.2, 1.3, 1.4, 1.5), Reading(1.0, 0.0, math.inf)]
    found = median_ratio(rows)
    assert found.at_cap
    assert found.low == pytest.approx(1.25)
    assert found.high == pytest.approx(1.35)
    assert found.p == pytest.approx(oracle.binomtest(1, 6).pvalue)


def test_half_of_the_form_side_cut_leaves_the_median_open_above() -> None:
    """No number is printed for what was never seen."""
    rows = [*_exact(1.1, 1.2, 1.3), *[Reading(1.25, 1.25, math.inf)] * 3]
    found = median_ratio(rows)
    assert found.high is None
    assert found.low == pytest.approx(1.25)
    assert found.reason is not None
    assert "open above" in found.reason


@given(PAIRS)
def test_the_observed_median_lies_between_the_readings(found: list[Reading | None]) -> None:
    """Whatever is cut: low <= observed <= high, and the interval holds all three."""
    result = median_ratio(_pairs(found))
    assert result.median is not None
    assert result.low is not None
    assert result.low <= result.median
    assert result.high is None or result.median <= result.high
    if result.interval is not None:
        assert result.interval.contains(result.median)
        assert result.interval.contains(result.low)


@given(st.lists(st.tuples(TOKENS, TOKENS), min_size=1, max_size=60), st.integers(1, 2_000))
def test_the_truth_lies_between_the_readings_at_any_cap(
    tokens: list[tuple[int, int]], cap: int
) -> None:
    """Cut both sides at any cap: the uncut median is never outside."""
    truth = median_ratio(_pairs([reading(b, f) for b, f in tokens])).median
    cut = median_ratio(
        _pairs(
            [
                reading(min(b, cap), min(f, cap), base_cut=b > cap, form_cut=f > cap)
                for b, f in tokens
            ]
        )
    )
    assert truth is not None
    assert cut.low is not None
    assert cut.low <= truth + 1e-12
    assert cut.high is None or truth <= cut.high + 1e-12


@given(PAIRS)
def test_unknown_signs_never_help(found: list[Reading | None]) -> None:
    """The p with unknown signs is at least that of every way to fill them in."""
    signs = count_signs(_pairs(found))
    least = max(
        sign_test(Signs(signs.above + k, signs.ties, signs.below + signs.unknown - k))
        for k in range(signs.unknown + 1)
    )
    assert sign_test(signs) == pytest.approx(least)


def test_figures_picked_by_a_database_give_the_same_result() -> None:
    """The rank interface and the list interface agree."""
    rng = random.Random(5)
    rows = _exact(*(rng.lognormvariate(0.2, 0.3) for _ in range(83)))
    ordered = sorted(r.observed for r in rows)
    k = median_rank(83)
    assert k is not None
    by_rank = median_ratio_of_ranks(
        83,
        medians=(ordered[41],) * 3,
        limits=(ordered[k - 1], ordered[83 - k]),
        signs=count_signs(rows),
    )
    assert by_rank == median_ratio(rows)
