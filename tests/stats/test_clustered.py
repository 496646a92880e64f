"""The median tax over clusters."""

from __future__ import annotations

import random

import pytest
from scipy import stats as oracle  # type: ignore[import-untyped]

from hinglishbench.stats.clustered import clustered_median_ratio, clustered_rank
from hinglishbench.stats.ratio import Reading, median_rank, median_ratio


def _exact(ratios: list[float]) -> list[Reading]:
    return [Reading(r, r, r) for r in ratios]


def test_clusters_of_identical_items_are_as_wide_as_one_item_each() -> None:
    """30 ratios, each ten times: about the interval of 30 pairs, far from that of 300."""
    rng = random.Random(11)
    one = [rng.lognormvariate(0.3, 0.4) for _ in range(30)]
    tenfold = _exact([r for r in one for _ in range(10)])
    found = clustered_median_ratio(tenfold, [i // 10 for i in range(300)])
    thirty, naive = median_ratio(_exact(one)), median_ratio(tenfold)
    assert found.interval is not None
    assert thirty.interval is not None
    assert naive.interval is not None
    ordered = sorted(one)
    assert found.interval.lo in ordered[8:11]
    assert thirty.interval.lo in ordered[8:11]
    assert naive.interval.lo in ordered[12:15]


def test_never_narrower_than_for_independent_items() -> None:
    """Clusters that happen to balance each other give the independent rank, not a larger one."""
    assert clustered_rank([(10, 5.0)] * 20, 200) == median_rank(200)


def test_below_ten_clusters_neither_interval_nor_p() -> None:
    """The median stands, with the reason."""
    found = clustered_median_ratio(_exact([1.1, 1.2, 1.3] * 9), [i % 9 for i in range(27)])
    assert found.median == pytest.approx(1.2)
    assert (found.interval, found.p) == (None, None)
    assert found.reason == "9 clusters are too few for a cluster interval, 10 needed"


def test_one_sided_clusters_are_evidence() -> None:
    """Signs that agree in most clusters: p by t over clusters, by hand with scipy."""
    ratios = [1.2] * 36 + [0.8] * 4
    found = clustered_median_ratio(_exact(ratios), [i // 4 for i in range(40)])
    signs = [1.0] * 9 + [-1.0]
    assert found.p == pytest.approx(oracle.ttest_1samp(signs, 0).pvalue)


def test_clusters_that_agree_wholly_are_tested_by_their_number() -> None:
    """No spread is left for a t: each cluster is one pair of the exact sign test."""
    found = clustered_median_ratio(_exact([1.2] * 36), [i // 3 for i in range(36)])
    assert found.p == pytest.approx(oracle.binomtest(12, 12).pvalue)
    assert found.reason is None
    below = clustered_median_ratio(_exact([0.8] * 36), [i // 3 for i in range(36)])
    assert below.p == found.p


def test_clusters_without_any_sign_are_no_evidence() -> None:
    """Ratios of exactly 1 everywhere: p = 1."""
    assert clustered_median_ratio(_exact([1.0] * 36), [i // 3 for i in range(36)]).p == 1.0


def test_no_pairs() -> None:
    """The plain reason."""
    assert clustered_median_ratio([], []).reason == "no pairs"
