"""Hodges-Lehmann: selection without listing, ranks, interval."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle  # type: ignore[import-untyped]

from hinglishbench.stats.ratio import Reading
from hinglishbench.stats.walsh import hodges_lehmann, select_sum, signed_rank_quantile


def _exact(ratios: list[float]) -> list[Reading]:
    return [Reading(r, r, r) for r in ratios]


def _sums(z: list[float]) -> list[float]:
    return sorted(z[i] + z[j] for i in range(len(z)) for j in range(i, len(z)))


@given(st.lists(st.floats(-5, 5) | st.sampled_from([0.0, 1.0]), min_size=1, max_size=40))
def test_selection_finds_what_sorting_all_sums_finds(values: list[float]) -> None:
    """Every rank, ties included."""
    z = sorted(values)
    for rank, expected in enumerate(_sums(z), 1):
        assert select_sum(z, rank) == expected


@pytest.mark.parametrize("end", [-math.inf, math.inf])
def test_selection_with_infinite_values_at_one_end(end: float) -> None:
    """Cut replies: a low reading has minus infinities, a high reading infinities."""
    z = sorted([0.1, 0.2, 0.3, 0.35, end, end])
    assert [select_sum(z, k) for k in range(1, 22)] == _sums(z)


def test_selection_of_many_ties_stops() -> None:
    """A thousand equal values, and two values between which no float lies."""
    assert select_sum([0.25] * 1_000, 250_000) == 0.5
    z = [0.25] * 500 + [math.nextafter(0.25, 1)] * 500
    assert select_sum(z, 1) == 0.5


@pytest.mark.parametrize("n", [6, 7, 10, 20, 35, 50])
def test_small_samples_use_the_exact_signed_rank_distribution(n: int) -> None:
    """Exactly: P[W <= k - 1] <= 0.025 < P[W <= k], with the subsets counted another way."""
    k = signed_rank_quantile(n, 0.025)
    ways = {0: 1}
    for item in range(1, n + 1):
        longer = dict(ways)
        for total, count in ways.items():
            longer[total + item] = longer.get(total + item, 0) + count
        ways = longer
    below = sum(count for total, count in ways.items() if total <= k - 1)
    assert below / 2**n <= 0.025 < (below + ways[k]) / 2**n


def test_textbook_ranks() -> None:
    """Wilcoxon's table at two-sided 5%: critical values 0, 2, 8, 52 for n = 6, 7, 10, 20."""
    assert [signed_rank_quantile(n, 0.025) - 1 for n in (6, 7, 10, 20)] == [0, 2, 8, 52]
    assert signed_rank_quantile(5, 0.025) == 0


@pytest.mark.parametrize("n", [12, 40, 200])
def test_the_interval_is_what_wilcoxons_test_does_not_reject(n: int) -> None:
    """Just inside the limits p is above 0.05, just outside below (scipy, exact or normal)."""
    rng = random.Random(n)
    logs = [rng.gauss(0.2, 0.4) for _ in range(n)]
    found = hodges_lehmann(_exact([math.exp(z) for z in logs]))
    assert found.interval is not None
    assert found.interval.lo is not None
    assert found.interval.hi is not None
    mode = "exact" if n <= 50 else "asymptotic"
    for limit, inwards in ((math.log(found.interval.lo), 1), (math.log(found.interval.hi), -1)):
        near = 1e-9 * inwards
        inside = oracle.wilcoxon([z - limit - near for z in logs], method=mode).pvalue
        outside = oracle.wilcoxon([z - limit + near for z in logs], method=mode).pvalue
        assert inside > 0.05 - 1e-3 * (mode == "asymptotic")
        assert outside < 0.05 + 1e-3 * (mode == "asymptotic")


@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=40))
def test_the_estimate_is_the_median_of_all_walsh_averages(ratios: list[float]) -> None:
    """By brute force on the logs."""
    sums = _sums(sorted(math.log(r) for r in ratios))
    middle = (sums[(len(sums) - 1) // 2] + sums[len(sums) // 2]) / 4
    assert hodges_lehmann(_exact(ratios)).value == pytest.approx(math.exp(middle))


def test_cut_replies_open_the_interval_and_not_the_estimate() -> None:
    """Two of eight form replies cut: value as observed, no upper limit."""
    rows = [*_exact([1.1, 1.2, 1.3, 1.4, 1.5, 1.6]), *[Reading(8.0, 8.0, math.inf)] * 2]
    found = hodges_lehmann(rows)
    assert found.value is not None
    assert found.interval is not None
    assert found.interval.hi is None
    assert found.interval.lo == pytest.approx(
        math.exp((math.log(1.1) + math.log(1.4)) / 2), rel=0.1
    )
    assert found.reason == "cut replies leave the interval open above"


def test_undefined_cases_say_why() -> None:
    """None, too few, too many."""
    assert hodges_lehmann([]).reason == "no pairs"
    assert "6 needed" in str(hodges_lehmann(_exact([1.0] * 5)).reason)
    many = hodges_lehmann(_exact([1.0] * 5_001))
    assert (many.value, many.reason) == (None, "only up to 5,000 pairs")
