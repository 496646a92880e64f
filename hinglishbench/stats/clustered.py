"""The median tax when items belong together (a topic, a source document).

Within a cluster ratios resemble each other, so n items say less than n. The interval is
Woodruff's (1952): the standard error of the share of ratios below the median, taken over
clusters, says which ranks bracket the median. The test is the sign test's mean sign with a t over
clusters. Both need no seed.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence

from hinglishbench.stats.distributions import t_quantile
from hinglishbench.stats.estimates import Estimate, Interval
from hinglishbench.stats.gap import FEWEST_CLUSTERS, gap_of_clusters
from hinglishbench.stats.ratio import MedianRatio, Reading, median_rank, median_ratio

_METHOD = "woodruff over clusters, t on signs over clusters"


def clustered_rank(
    clusters: Iterable[tuple[int, float]], n: int, level: float = 0.95
) -> int | None:
    """Return k such that the k-th smallest and the k-th largest ratio bracket the median.

    k = floor(n (1/2 - t(G-1) SE)), with SE that of the share of ratios below the median,
    G/(G-1)-corrected over clusters; never narrower than for independent items. None when the
    clusters are fewer than 10, or leave no such rank.

    Args:
        clusters: for each cluster its number of pairs, and how many of their ratios lie below the
            median (one at the median counts half).
        n: all pairs.
        level: confidence level.
    """
    rows = list(clusters)
    independent = median_rank(n, level)
    groups = len(rows)
    if groups < FEWEST_CLUSTERS or independent is None:
        return None
    share = sum(below for _, below in rows) / n
    square = sum((below - size * share) ** 2 for size, below in rows) * groups / (groups - 1)
    half = t_quantile(0.5 + level / 2, groups - 1) * math.sqrt(square) / n
    k = min(independent, math.floor(n * (0.5 - half)))
    return k if k >= 1 else None


def signs_of_clusters(clusters: Iterable[tuple[int, float]]) -> Estimate:
    """Return the mean sign of the pairs (-1..1) with the p of "as many above as below".

    A t over clusters. Where every pair has the same sign there is no spread for a t, yet nothing
    speaks more clearly: then each cluster counts as one pair of the exact sign test, 2 (1/2)^G.

    Args:
        clusters: for each cluster its number of pairs, and its signs summed.
    """
    rows = [(size, total) for size, total in clusters if size > 0]
    found = gap_of_clusters(rows)
    if len(rows) < FEWEST_CLUSTERS or found.p is not None or found.value not in {-1.0, 1.0}:
        return found
    p = min(1.0, 2 * 0.5 ** len(rows))
    return Estimate(found.n, found.value, None, p, "sign test over clusters")


def clustered_median_ratio(
    readings: Sequence[Reading], clusters: Sequence[Hashable], level: float = 0.95
) -> MedianRatio:
    """Return the median tax with interval and test over clusters.

    Args:
        readings: the pairs.
        clusters: a key for each pair.
        level: confidence level.

    Returns:
        As `median_ratio`; a pair whose sign a cut hides counts as no sign. Below 10 clusters
        neither interval nor p, with the reason.
    """
    plain = median_ratio(readings, level)
    if plain.median is None:
        return plain
    members: dict[Hashable, list[Reading]] = {}
    for r, key in zip(readings, clusters, strict=True):
        members.setdefault(key, []).append(r)
    signs = signs_of_clusters(
        (len(rows), sum((r.low > 1) - (r.high < 1) for r in rows)) for rows in members.values()
    )
    n = len(readings)
    k = clustered_rank(
        ((len(rows), _below(rows, plain.median)) for rows in members.values()), n, level
    )
    interval, reason = None, signs.reason
    if k is not None:
        hi = sorted(r.high for r in readings)[n - k]
        lo = sorted(r.low for r in readings)[k - 1]
        open_above = math.isinf(hi)
        reason = "cut replies leave the interval open above" if open_above else reason
        interval = Interval(lo, None if open_above else hi, level, "woodruff over clusters")
    elif reason is None:
        reason = f"{n} pairs in {len(members)} clusters are too few for an interval of the median"
    return MedianRatio(
        n=n,
        median=plain.median,
        low=plain.low,
        high=plain.high,
        interval=interval,
        p=signs.p,
        method=_METHOD,
        reason=reason,
    )


def _below(rows: Iterable[Reading], median: float) -> float:
    """Return how many observed ratios lie below the median; one at it counts half."""
    return sum((r.observed < median) + 0.5 * (r.observed == median) for r in rows)
