"""The accuracy gap: published examples, oracles and edges."""

from __future__ import annotations

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle  # type: ignore[import-untyped]
from statsmodels.api import OLS  # type: ignore[import-untyped]
from statsmodels.stats.contingency_tables import mcnemar  # type: ignore[import-untyped]

from hinglishbench.stats.gap import (
    PairCounts,
    gap_of_clusters,
    gap_of_counts,
    gap_of_moments,
    mcnemar_exact,
    mcnemar_midp,
    newcombe,
)

COUNTS = st.builds(PairCounts, *(st.integers(0, 60),) * 4)


def _table(a: int, b: int, c: int, d: int) -> PairCounts:
    """Return a published table of (first and second, first only, second only, neither).

    The papers' difference is first - second; ours is form - baseline, so first is the form.
    """
    return PairCounts(both=a, base_only=c, form_only=b, neither=d)


@pytest.mark.parametrize(
    ("table", "limits", "digits"),
    [
        # Newcombe 1998, Stat Med 17:2635-2650, table of examples, method 10.
        ((20, 12, 2, 16), (0.0562, 0.3292), 4),
        # Fagerland, Lydersen, Laake 2014, Stat Med 33:2850-2875: Bentur et al. 2009, airway
        # hyper-responsiveness before and after stem cell transplantation.
        ((1, 1, 7, 12), (-0.507, -0.026), 3),
        # Fagerland, Lydersen, Laake 2017, Statistical Analysis of Contingency Tables, ch. 8:
        # Cavo et al. 2012, complete response before and after consolidation therapy.
        ((59, 6, 16, 80), (-0.1186, -0.0046), 4),
    ],
)
def test_newcombe_gives_the_published_intervals(
    table: tuple[int, int, int, int], limits: tuple[float, float], digits: int
) -> None:
    """Three published tables, to the digits printed there."""
    found = newcombe(_table(*table))
    assert found is not None
    assert (round(found[0], digits), round(found[1], digits)) == limits


@pytest.mark.parametrize(
    ("b", "c", "exact", "midp"),
    [
        # Bentur et al. 2009 in Fagerland, Lydersen, Laake 2013 (BMC Med Res Methodol 13:91):
        # 2 * (1 + 8)/256 = 0.0703 and less 8/256 = 0.0391.
        (1, 7, 0.0703125, 0.0390625),
        # Cavo et al. 2012 in Fagerland, Lydersen, Laake 2017, ch. 8.
        (6, 16, 0.052479, 0.034690),
    ],
)
def test_mcnemar_gives_the_published_p_values(b: int, c: int, exact: float, midp: float) -> None:
    """Exact conditional and mid-p, either way round."""
    assert mcnemar_exact(b, c) == pytest.approx(exact, abs=5e-7)
    assert mcnemar_midp(b, c) == pytest.approx(midp, abs=5e-7)
    assert mcnemar_midp(c, b) == mcnemar_midp(b, c)


@given(st.integers(0, 3_000), st.integers(0, 3_000))
def test_mcnemar_agrees_with_statsmodels_and_with_the_formula(b: int, c: int) -> None:
    """The exact p is statsmodels'; mid-p is the exact tail less the point, from scipy."""
    assert mcnemar_exact(b, c) == pytest.approx(
        mcnemar([[5, b], [c, 5]], exact=True).pvalue, abs=1e-9
    )
    if b != c:
        tail = 2 * oracle.binom.cdf(min(b, c), b + c, 0.5)
        point = oracle.binom.pmf(min(b, c), b + c, 0.5)
        assert mcnemar_midp(b, c) == pytest.approx(tail - point, abs=1e-9)


def test_mcnemar_without_or_with_even_disagreement() -> None:
    """No discordant pair: p is 1. b = c = 2, by hand: 1 - (6/16)/2."""
    assert mcnemar_midp(0, 0) == mcnemar_exact(0, 0) == 1.0
    assert mcnemar_midp(2, 2) == pytest.approx(1 - 6 / 16 / 2)


@given(COUNTS, st.sampled_from([0.8, 0.95, 0.99]))
def test_newcombe_holds_the_gap_stays_in_range_and_mirrors(
    counts: PairCounts, level: float
) -> None:
    """Limits bracket the estimate within -1..1, and change sign when the sides change places."""
    limits = newcombe(counts, level)
    if counts.n == 0:
        assert limits is None
        return
    assert limits is not None
    gap = (counts.form_only - counts.base_only) / counts.n
    assert -1 <= limits[0] <= gap <= limits[1] <= 1
    mirrored = newcombe(
        PairCounts(counts.both, counts.form_only, counts.base_only, counts.neither), level
    )
    assert mirrored == pytest.approx((-limits[1], -limits[0]), abs=1e-12)


def test_newcombe_without_a_discordant_pair_still_has_a_width() -> None:
    """All 82 right on both sides: 0, with an interval that is not a point."""
    estimate = gap_of_counts(PairCounts(82, 0, 0, 0))
    assert (estimate.value, estimate.p) == (0.0, 1.0)
    assert estimate.interval is not None
    assert estimate.interval.hi == pytest.approx(3.8415 / (82 + 3.8415), abs=1e-4)


def test_no_pairs_no_figures() -> None:
    """Everything is None and says why."""
    for estimate in (
        gap_of_counts(PairCounts(0, 0, 0, 0)),
        gap_of_moments(0, 0.0, 0.0),
        gap_of_clusters([]),
    ):
        assert (estimate.value, estimate.interval, estimate.p) == (None, None, None)
        assert estimate.reason == "no pairs"


@given(st.lists(st.integers(-5, 5), min_size=3, max_size=60).filter(lambda x: len(set(x)) > 1))
def test_t_on_item_differences_agrees_with_scipy(fifths: list[int]) -> None:
    """Mean, interval and p of a one-sample t test, the limits cut to -1..1."""
    d = [x / 5 for x in fifths]
    estimate = gap_of_moments(len(d), statistics.fmean(d), statistics.variance(d))
    expected = oracle.ttest_1samp(d, 0)
    interval = expected.confidence_interval(0.95)
    assert estimate.p == pytest.approx(expected.pvalue, rel=1e-6)
    assert estimate.interval is not None
    assert estimate.interval.lo == pytest.approx(max(-1, interval.low), abs=1e-9)
    assert estimate.interval.hi == pytest.approx(min(1, interval.high), abs=1e-9)


def test_differences_that_do_not_vary_have_no_interval() -> None:
    """Equal differences say nothing about their spread: None and the reason, no false certainty."""
    same, other = gap_of_moments(10, 0.0, 0.0), gap_of_moments(10, -0.2, 0.0)
    assert (same.interval, same.p) == (None, 1.0)
    assert (other.interval, other.p) == (None, None)
    assert other.reason == "the differences do not vary, so their spread is unknown"
    assert gap_of_moments(1, 0.0, 0.0).reason == "one pair has no spread"


def test_clustered_t_agrees_with_statsmodels() -> None:
    """The standard error is Miller's with G/(G-1), the reference distribution t(G-1)."""
    rng = random.Random(3)
    keys = [i % 17 for i in range(120)]
    shift = [rng.gauss(0, 0.3) for _ in range(17)]
    d = [float(rng.random() < 0.5 + shift[k]) - float(rng.random() < 0.5) for k in keys]
    sums: dict[int, list[float]] = {}
    for key, x in zip(keys, d, strict=True):
        sums.setdefault(key, []).append(x)
    estimate = gap_of_clusters((len(v), sum(v)) for v in sums.values())
    plain = OLS(d, [1.0] * 120).fit(
        cov_type="cluster", cov_kwds={"groups": keys, "use_correction": False}, use_t=True
    )
    error = plain.bse[0] * math.sqrt(17 / 16)
    half = oracle.t.ppf(0.975, 16) * error
    assert estimate.interval is not None
    assert estimate.interval.lo == pytest.approx(statistics.fmean(d) - half, rel=1e-9)
    assert estimate.p == pytest.approx(2 * oracle.t.sf(abs(statistics.fmean(d)) / error, 16))


def test_few_clusters_have_a_gap_but_no_interval() -> None:
    """Nine clusters: the reason names the number that is needed."""
    estimate = gap_of_clusters([(4, 1.0)] * 8 + [(4, -2.0)])
    assert estimate.value == pytest.approx(6 / 36)
    assert estimate.interval is None
    assert estimate.reason == "9 clusters are too few for a cluster interval, 10 needed"


def test_clusters_of_one_item_are_the_plain_t() -> None:
    """Nothing changes when every item is its own cluster."""
    d = [0.0, 1.0, -1.0, 0.0, 0.0, 1.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.5]
    one = gap_of_clusters([(1, x) for x in d])
    plain = gap_of_moments(len(d), statistics.fmean(d), statistics.variance(d))
    assert one.p == pytest.approx(plain.p)
    assert one.interval is not None
    assert plain.interval is not None
    assert one.interval.lo == pytest.approx(plain.interval.lo)
