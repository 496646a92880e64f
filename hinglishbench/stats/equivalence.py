"""Two one-sided tests: a claim of "no difference that matters" needs a margin stated beforehand.

Not finding a difference is not finding sameness. The margin is what the reader would not care
about; the null hypothesis is that the difference is at least that large (Schuirmann 1987).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from hinglishbench.stats.distributions import binomial_cdf, t_sf
from hinglishbench.stats.gap import PairCounts, newcombe
from hinglishbench.stats.ratio import Reading, Signs, count_signs


def tost_of_moments(
    n: int, mean: float, standard_error: float, margin: float, df: int
) -> float | None:
    """Return the p of "|mean| >= margin" from a mean difference and its standard error.

    The larger of the two one-sided t tests. None without spread or with fewer than two pairs.

    Args:
        n: pairs.
        mean: mean difference.
        standard_error: of that mean.
        margin: positive, in the units of the mean.
        df: degrees of freedom, n - 1 or clusters - 1.
    """
    if n < 2 or df < 1 or standard_error <= 0:
        return None
    return max(
        t_sf((mean + margin) / standard_error, df),
        t_sf((margin - mean) / standard_error, df),
    )


def tost_of_counts(counts: PairCounts, margin: float) -> float | None:
    """Return the p of "|gap| >= margin" for single answers, by inverting Newcombe's interval.

    The smallest alpha whose 1 - 2 alpha interval lies strictly within the margin, so that
    p < 0.05 says the same as the 90% interval. 1 for a gap at or beyond the margin, None without
    pairs.

    Args:
        counts: the paired table.
        margin: positive, a proportion (0.02 for 2 points).
    """
    if counts.n == 0:
        return None
    gap = (counts.form_only - counts.base_only) / counts.n
    if abs(gap) >= margin:
        return 1.0
    low, high = 0.0, 0.5
    for _ in range(40):  # to 1e-12 of alpha
        alpha = (low + high) / 2
        limits = newcombe(counts, 1 - 2 * alpha)
        assert limits is not None
        if -margin < limits[0] and limits[1] < margin:
            high = alpha
        else:
            low = alpha
    return high


def tost_of_signs(above_lower: Signs, below_upper: Signs) -> float | None:
    """Return the p of "the median ratio lies outside the margin" from sign counts.

    Two exact one-sided sign tests. A pair at a margin, or with a cut that hides on which side it
    lies, counts against equivalence. None without pairs.

    Args:
        above_lower: signs against the lower margin, 1 / (1 + m).
        below_upper: signs against the upper margin, 1 + m.
    """
    n = above_lower.above + above_lower.ties + above_lower.below + above_lower.unknown
    if n == 0:
        return None
    # P[X >= k] for X ~ Bin(n, 1/2) is P[X <= n - k].
    return max(
        binomial_cdf(n - above_lower.above, n),
        binomial_cdf(n - below_upper.below, n),
    )


def tost_of_ratios(readings: Iterable[Reading], margin: float) -> float | None:
    """Return the p of "the median tax lies outside 1/(1+m) .. 1+m".

    Args:
        readings: the pairs.
        margin: m, positive: 0.05 stands for five per cent either way, on the log scale.
    """
    rows = list(readings)
    if not math.isfinite(margin) or margin <= 0:
        raise ValueError(f"a margin must be positive: {margin}")
    lower, upper = 1 / (1 + margin), 1 + margin
    return tost_of_signs(count_signs(rows, lower), count_signs(rows, upper))
