"""Wilson's interval."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle  # type: ignore[import-untyped]
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]

from hinglishbench.stats.proportions import (
    accuracy,
    accuracy_of_scores,
    clustered_accuracy,
    wilson,
)


@given(st.integers(1, 2_000), st.floats(0, 1), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_wilson_agrees_with_scipy_and_statsmodels(n: int, share: float, level: float) -> None:
    """All counts, the ends included."""
    k = round(n * share)
    limits = wilson(k, n, level)
    expected = oracle.binomtest(k, n).proportion_ci(level, method="wilson")
    assert limits == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert limits == pytest.approx(proportion_confint(k, n, 1 - level, "wilson"), abs=1e-12)


def test_wilson_ends_exactly_at_0_and_1() -> None:
    """No rounding dust where nothing or everything was right."""
    none, all_ = wilson(0, 7), wilson(7, 7)
    assert none is not None
    assert all_ is not None
    assert none[0] == 0.0
    assert all_[1] == 1.0


def test_an_accuracy_of_no_answers_is_undefined_with_a_reason() -> None:
    """Never NaN, never 0."""
    for estimate in (accuracy(0, 0), accuracy_of_scores(0, 0.0, 0.0)):
        assert (estimate.value, estimate.interval) == (None, None)
        assert estimate.reason == "no answers"


def test_one_sample_scores_give_the_plain_wilson_interval() -> None:
    """0/1 scores carry no more than the counts."""
    scores, counts = accuracy_of_scores(82, 79, 79), accuracy(79, 82)
    assert scores.value == counts.value == 79 / 82
    assert scores.interval is not None
    assert counts.interval is not None
    # The sample variance has n - 1 below it: the effective n is 81, kept at the 82 items.
    assert scores.interval.lo == pytest.approx(counts.interval.lo)


def test_repeated_answers_narrow_the_interval_only_as_far_as_they_differ() -> None:
    """Five identical answers an item are worth one; five independent ones are worth five."""
    same = accuracy_of_scores(100, 50, 50, samples=5)
    noisy = accuracy_of_scores(100, 50, 25, samples=5)  # every item at 1/2: no spread
    single, five = wilson(50, 100), wilson(250, 500)
    assert same.interval is not None
    assert noisy.interval is not None
    assert (same.interval.lo, same.interval.hi) == pytest.approx(single)
    assert (noisy.interval.lo, noisy.interval.hi) == pytest.approx(five)


def test_clusters_of_identical_items_count_as_one_item_each() -> None:
    """20 clusters of 5 alike: as wide as 20 items (with G/(G-1), a little wider)."""
    estimate = clustered_accuracy([(5, 5.0)] * 12 + [(5, 0.0)] * 8, 100)
    twenty = wilson(0.6 * 19, 19)
    assert estimate.value == 0.6
    assert estimate.interval is not None
    assert (estimate.interval.lo, estimate.interval.hi) == pytest.approx(twenty)


def test_a_single_cluster_has_no_interval() -> None:
    """One cluster says nothing about the spread over clusters."""
    assert clustered_accuracy([(5, 3.0)]).reason == "fewer than two clusters"
    assert clustered_accuracy([(0, 0.0)]).value is None
