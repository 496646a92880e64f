"""The tax: a median of paired token ratios, with cut replies bounded instead of believed.

A reply cut at the token limit is a censored count. With the form side cut the true ratio is at
least the observed one and may be anything above; with the English side cut it is at most the
observed one and may be anything down to 0; with both cut nothing is known. So every pair has a
low and a high reading, the median is taken at both, and the truth lies between them. The observed
median (every count as billed) always lies between the two as well and is the headline, labelled
"at cap N" when they differ.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hinglishbench.stats.distributions import binomial_cdf, binomial_quantile
from hinglishbench.stats.estimates import Interval

METHOD = "order statistics, sign test"


@dataclass(frozen=True, slots=True)
class Reading:
    """A pair's token ratio as observed, and between what bounds the true one lies.

    Attributes:
        observed: form tokens / baseline tokens as billed.
        low: smallest true ratio that agrees with what was seen; 0 when the baseline was cut.
        high: largest; infinity when the form was cut.
    """

    observed: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Signs:
    """How many pairs lie above, at and below a reference ratio; unknown where a cut hides it."""

    above: int
    ties: int
    below: int
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class MedianRatio:
    """Median tax with its interval and test.

    Attributes:
        n: pairs.
        median: median of the observed ratios; None without pairs.
        low: median at the low reading.
        high: median at the high reading; None when unbounded (half the pairs or more were cut).
        interval: distribution-free interval, lower limit from the low readings and upper limit
            from the high ones; None below six pairs. An unbounded limit is None.
        p: sign test of "as many ratios above 1 as below", at the least favourable reading.
        method: as printed.
        reason: why something above is None.
    """

    n: int
    median: float | None
    low: float | None
    high: float | None
    interval: Interval | None
    p: float | None
    method: str
    reason: str | None = None

    @property
    def at_cap(self) -> bool:
        """Whether the cut replies leave the median open, so that it must be labelled."""
        return self.n > 0 and self.low != self.high


def reading(
    base_tokens: int, form_tokens: int, *, base_cut: bool = False, form_cut: bool = False
) -> Reading | None:
    """Return the pair's ratio and its bounds; None without a token on the baseline side."""
    if base_tokens <= 0 or form_tokens < 0:
        return None
    observed = form_tokens / base_tokens
    return Reading(
        observed=observed,
        low=0.0 if base_cut else observed,
        high=math.inf if form_cut else observed,
    )


def median_rank(n: int, level: float = 0.95) -> int | None:
    """Return k such that the k-th smallest and k-th largest of n values bracket the median.

    The largest k with P[Bin(n, 1/2) <= k - 1] <= (1 - level) / 2; exact for continuous values and
    at least the level for any others. None when even the extremes do not reach the level: below
    six values at 95%. In SQL: `list_sort(r)[k]` and `list_sort(r)[n + 1 - k]`.
    """
    half_alpha = (1 - level) / 2
    # The smallest j with P[X <= j] > half_alpha; P[X <= j - 1] <= half_alpha, so k = j.
    k = binomial_quantile(half_alpha, n)
    if binomial_cdf(k, n) <= half_alpha:  # only where the cdf meets half_alpha exactly
        k += 1
    return k if k >= 1 else None


def rank_coverage(n: int, k: int) -> float:
    """Return the exact coverage of the interval of rank k for a continuous distribution."""
    return 1 - 2 * binomial_cdf(k - 1, n)


def too_few(n: int, level: float = 0.95) -> str:
    """Return the sentence for an interval that n values cannot give."""
    needed = math.ceil(1 - math.log2(1 - level))
    return f"{n} pairs are too few for a {level:.0%} interval of the median, {needed} needed"


def count_signs(readings: Iterable[Reading], reference: float = 1.0) -> Signs:
    """Count the pairs surely above, at, and surely below `reference`."""
    above = ties = below = unknown = 0
    for r in readings:
        if r.low > reference:
            above += 1
        elif r.high < reference:
            below += 1
        elif r.low == r.high:
            ties += 1
        else:
            unknown += 1
    return Signs(above, ties, below, unknown)


def sign_test(signs: Signs) -> float:
    """Return the two-sided exact sign test of "as many above as below".

    Ties carry no sign and are left out (Dixon and Mood 1946), which keeps the test exact given
    their number. Unknown signs are given to the smaller side, the reading least favourable to a
    difference. Without any sign p is 1.
    """
    smaller, larger = sorted((signs.above, signs.below))
    n = smaller + larger + signs.unknown
    smaller = min(smaller + signs.unknown, n // 2)
    return min(1.0, 2 * binomial_cdf(smaller, n))


def median_ratio(readings: Sequence[Reading], level: float = 0.95) -> MedianRatio:
    """Return the median tax of the pairs, with interval and test."""
    n = len(readings)
    if n == 0:
        return MedianRatio(0, None, None, None, None, None, METHOD, "no pairs")
    observed = sorted(r.observed for r in readings)
    lows = sorted(r.low for r in readings)
    highs = sorted(r.high for r in readings)
    k = median_rank(n, level)
    limits = None if k is None else (lows[k - 1], highs[n - k])
    return median_ratio_of_ranks(
        n,
        medians=(_middle(observed), _middle(lows), _middle(highs)),
        limits=limits,
        signs=count_signs(readings),
        level=level,
    )


def median_ratio_of_ranks(
    n: int,
    *,
    medians: tuple[float, float, float],
    limits: tuple[float, float] | None,
    signs: Signs,
    level: float = 0.95,
) -> MedianRatio:
    """Return the same from figures that a database has picked by rank.

    Args:
        n: pairs, at least 1.
        medians: median of the observed ratios, of the low and of the high readings.
        limits: the k-th smallest low reading and the k-th largest high reading, for
            k = `median_rank(n, level)`; None when there is no such k.
        signs: see `count_signs`.
        level: confidence level.
    """
    observed, low, high = medians
    interval, reasons = None, []
    if limits is None:
        reasons.append(too_few(n, level))
    else:
        hi = limits[1] if math.isfinite(limits[1]) else None
        if hi is None:
            reasons.append("cut replies leave the interval open above")
        interval = Interval(limits[0], hi, level, "order statistics")
    bounded_high = high if math.isfinite(high) else None
    if bounded_high is None:
        reasons.append("half of the form's replies or more were cut, the median is open above")
    return MedianRatio(
        n=n,
        median=observed,
        low=low,
        high=bounded_high,
        interval=interval,
        p=sign_test(signs),
        method=METHOD,
        reason="; ".join(reasons) or None,
    )


def _middle(ordered: Sequence[float]) -> float:
    """Return the median of sorted values; infinity when a middle value is infinite."""
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2
