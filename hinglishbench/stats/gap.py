"""The accuracy gap: accuracy(form) - accuracy(baseline) on the same items.

One sample a cell: Newcombe's paired interval with McNemar's mid-p. Several samples: the items'
differences of mean correctness, with a t interval. Clusters on request: t over clusters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from hinglishbench.stats.distributions import binomial_cdf, binomial_pmf, t_quantile, t_sf
from hinglishbench.stats.estimates import Estimate, Interval
from hinglishbench.stats.proportions import wilson

FEWEST_CLUSTERS = 10
"""Below, cluster intervals undercover whatever the correction (Cameron and Miller 2015)."""


@dataclass(frozen=True, slots=True)
class PairCounts:
    """The paired 2x2 table.

    Attributes:
        both: both sides right.
        base_only: baseline right, form wrong (b).
        form_only: form right, baseline wrong (c).
        neither: both wrong.
    """

    both: int
    base_only: int
    form_only: int
    neither: int

    @property
    def n(self) -> int:
        """All pairs."""
        return self.both + self.base_only + self.form_only + self.neither


def mcnemar_exact(b: int, c: int) -> float:
    """Return McNemar's exact conditional p: twice P[Bin(b + c, 1/2) <= min(b, c)], at most 1."""
    return min(1.0, 2 * binomial_cdf(min(b, c), b + c))


def mcnemar_midp(b: int, c: int) -> float:
    """Return McNemar's mid-p: the exact p less the probability of the observed table.

    Recommended over the exact and the continuity-corrected test by Fagerland, Lydersen and
    Laake 2013 (BMC Med Res Methodol 13:91). For b = c it is 1 - P[X = b] / 2; without any
    discordant pair there is no evidence at all and p is 1.
    """
    if b + c == 0:
        return 1.0
    point = binomial_pmf(min(b, c), b + c)
    if b == c:
        return 1 - point / 2
    return min(1.0, 2 * binomial_cdf(min(b, c), b + c) - point)


def newcombe(counts: PairCounts, level: float = 0.95) -> tuple[float, float] | None:
    """Return Newcombe's hybrid score interval for the paired gap, None without pairs.

    Method 10 of R. G. Newcombe, "Improved confidence intervals for the difference between
    binomial proportions based on paired data", Statistics in Medicine 17 (1998) 2635-2650: the
    two Wilson intervals combined with the phi coefficient, which is continuity-corrected when
    positive, and 0 when a margin is empty.

    Returns:
        Limits in -1..1 for accuracy(form) - accuracy(baseline).
    """
    n = counts.n
    if n == 0:
        return None
    form, base = counts.both + counts.form_only, counts.both + counts.base_only
    form_limits, base_limits = wilson(form, n, level), wilson(base, n, level)
    assert form_limits is not None
    assert base_limits is not None
    p_form, p_base = form / n, base / n
    gap = (counts.form_only - counts.base_only) / n
    phi = _phi(counts)
    form_down, form_up = p_form - form_limits[0], form_limits[1] - p_form
    base_down, base_up = p_base - base_limits[0], base_limits[1] - p_base
    down = form_down**2 - 2 * phi * form_down * base_up + base_up**2
    up = base_down**2 - 2 * phi * base_down * form_up + form_up**2
    return (
        max(-1.0, gap - math.sqrt(max(0.0, down))),
        min(1.0, gap + math.sqrt(max(0.0, up))),
    )


def _phi(counts: PairCounts) -> float:
    """Return Newcombe's corrected correlation between the two sides."""
    form, base = counts.both + counts.form_only, counts.both + counts.base_only
    margins = form * (counts.n - form) * base * (counts.n - base)
    if margins == 0:
        return 0.0
    cross = float(counts.both * counts.neither - counts.base_only * counts.form_only)
    if cross > 0:
        cross = max(0.0, cross - counts.n / 2)
    return cross / math.sqrt(margins)


def gap_of_counts(counts: PairCounts, level: float = 0.95) -> Estimate:
    """Return the gap of single answers: Newcombe's interval and McNemar's mid-p."""
    method = "newcombe, mcnemar mid-p"
    limits = newcombe(counts, level)
    if limits is None:
        return Estimate(0, None, None, None, method, "no pairs")
    return Estimate(
        n=counts.n,
        value=(counts.form_only - counts.base_only) / counts.n,
        interval=Interval(*limits, level, "newcombe"),
        p=mcnemar_midp(counts.base_only, counts.form_only),
        method=method,
    )


def t_estimate(
    n: int, mean: float, standard_error: float, *, df: int, level: float, method: str
) -> Estimate:
    """Return an estimate of a mean difference with a t interval and the p of "it is 0".

    A standard error of 0 gives neither: the data show no spread to learn from. A mean of 0 then
    has p = 1 all the same.
    """
    if standard_error <= 0:
        reason = "the differences do not vary, so their spread is unknown"
        return Estimate(n, mean, None, 1.0 if mean == 0 else None, method, reason)
    half = t_quantile(0.5 + level / 2, df) * standard_error
    p = min(1.0, 2 * t_sf(abs(mean) / standard_error, df))
    return Estimate(n, mean, Interval(mean - half, mean + half, level, method), p, method)


def gap_of_moments(n: int, mean: float, variance: float, level: float = 0.95) -> Estimate:
    """Return the gap of several answers an item: t on the items' differences.

    Args:
        n: items.
        mean: mean of the items' differences of mean correctness.
        variance: their sample variance (divisor n - 1); not used when n < 2.
        level: confidence level.
    """
    method = "t on item differences"
    if n == 0:
        return Estimate(0, None, None, None, method, "no pairs")
    if n < 2:
        return Estimate(n, mean, None, None, method, "one pair has no spread")
    error = math.sqrt(max(0.0, variance) / n)
    return _bounded(t_estimate(n, mean, error, df=n - 1, level=level, method=method))


def gap_of_clusters(clusters: Iterable[tuple[int, float]], level: float = 0.95) -> Estimate:
    """Return the gap with items that belong together: t over clusters.

    SE = sqrt(G/(G-1) * sum over clusters of (sum of (d - mean))^2) / n with t(G - 1): Miller 2024
    (arXiv 2411.00640), with the correction and the t that keep coverage at few clusters (measured in
    docs/statistics.md).

    Args:
        clusters: for each cluster its number of items and the sum of their differences.
        level: confidence level.
    """
    method = "t over clusters"
    rows = [(size, total) for size, total in clusters if size > 0]
    n = sum(size for size, _ in rows)
    groups = len(rows)
    if n == 0:
        return Estimate(0, None, None, None, method, "no pairs")
    mean = sum(total for _, total in rows) / n
    if groups < FEWEST_CLUSTERS:
        reason = f"{groups} clusters are too few for a cluster interval, {FEWEST_CLUSTERS} needed"
        return Estimate(n, mean, None, None, method, reason)
    square = sum((total - size * mean) ** 2 for size, total in rows) * groups / (groups - 1)
    error = math.sqrt(square) / n
    # Sums of thirds leave 1e-17 where there is no spread at all.
    error = 0.0 if error < 1e-12 else error
    return _bounded(t_estimate(n, mean, error, df=groups - 1, level=level, method=method))


def _bounded(estimate: Estimate) -> Estimate:
    """Return the estimate with its limits cut to -1..1, where a gap must lie."""
    interval = estimate.interval
    if interval is None or interval.lo is None or interval.hi is None:
        return estimate
    lo, hi = max(-1.0, interval.lo), min(1.0, interval.hi)
    bounded = Interval(lo, hi, interval.level, interval.method)
    return Estimate(
        estimate.n, estimate.value, bounded, estimate.p, estimate.method, estimate.reason
    )
