"""Percentile bootstrap over items or clusters, for what has no closed form.

All forms of an item travel together: a row holds everything known of one item, and whole rows
(or whole clusters of rows) are drawn with replacement (Efron and Tibshirani 1993). The same rows
and seed give the same interval on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from random import Random
from typing import TypeVar

from hinglishbench.stats.estimates import Estimate, Interval
from hinglishbench.stats.gap import FEWEST_CLUSTERS

Row = TypeVar("Row")
Statistic = Callable[[Sequence[Row]], float | None]

RESAMPLES = 2_000
FEWEST_ITEMS = 6
"""Below, the resamples are too few different ones for a 95% interval to mean anything."""


def bootstrap(
    rows: Sequence[Row],
    statistic: Statistic[Row],
    *,
    seed: int,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Estimate:
    """Return `statistic(rows)` with a percentile interval.

    Args:
        rows: one an item.
        statistic: the figure of a sample of rows, None where it is not defined.
        seed: of the resampling; print it beside the interval.
        clusters: a key for each row; rows with the same key are drawn together.
        resamples: how many samples to draw.
        level: confidence level.

    Returns:
        No p. The interval is None with a reason when the statistic is undefined on the rows or
        on more than (1 - level)/2 of the resamples (then a limit would be one of those), and
        below 6 items or 10 clusters.
    """
    unit = "items" if clusters is None else "clusters"
    method = f"percentile bootstrap of {unit}, {resamples} resamples, seed {seed}"
    value = statistic(rows) if rows else None
    if value is None:
        return Estimate(len(rows), None, None, None, method, "not defined on these pairs")
    groups = None if clusters is None else _groups(rows, clusters)
    count = len(rows) if groups is None else len(groups)
    fewest = FEWEST_ITEMS if groups is None else FEWEST_CLUSTERS
    if count < fewest:
        reason = f"{count} {unit} are too few to resample, {fewest} needed"
        return Estimate(len(rows), value, None, None, method, reason)
    random = Random(seed)  # noqa: S311 - reproducible resampling is wanted here, not secrecy
    found: list[float] = []
    for _ in range(resamples):
        if groups is None:
            sample = random.choices(rows, k=count)
        else:
            sample = [row for group in random.choices(groups, k=count) for row in group]
        figure = statistic(sample)
        if figure is not None:
            found.append(figure)
    missing = resamples - len(found)
    if missing > resamples * (1 - level) / 2:
        reason = f"not estimable: undefined on {missing} of {resamples} resamples"
        return Estimate(len(rows), value, None, None, method, reason)
    found.sort()
    lo, hi = _percentile(found, (1 - level) / 2), _percentile(found, (1 + level) / 2)
    open_above = math.isinf(hi)
    interval = Interval(lo, None if open_above else hi, level, method)
    reason_open = "cut replies leave the interval open above" if open_above else None
    return Estimate(len(rows), value, interval, None, method, reason_open)


def _groups(rows: Sequence[Row], clusters: Sequence[Hashable]) -> list[list[Row]]:
    """Return the rows of each cluster, in order of first appearance."""
    members: dict[Hashable, list[Row]] = {}
    for row, key in zip(rows, clusters, strict=True):
        members.setdefault(key, []).append(row)
    return list(members.values())


def _percentile(ordered: Sequence[float], share: float) -> float:
    """Return the value below which `share` of the sorted values lie, between neighbours."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    rest = place - below
    if rest == 0 or below + 1 == len(ordered):
        return ordered[below]
    low, high = ordered[below], ordered[below + 1]
    return low if low == high else low + rest * (high - low)


def total_ratio(rows: Sequence[tuple[float, float]]) -> float | None:
    """Statistic: sum of the second column over the sum of the first."""
    base = sum([row[0] for row in rows])
    return sum([row[1] for row in rows]) / base if base > 0 else None


def median_of(rows: Sequence[float]) -> float | None:
    """Statistic: the median; may be infinite."""
    if not rows:
        return None
    ordered = sorted(rows)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2


def difference_of_medians(rows: Sequence[tuple[float, float]]) -> float | None:
    """Statistic: median of the second column minus median of the first, on the same items."""
    first, second = median_of([r[0] for r in rows]), median_of([r[1] for r in rows])
    if first is None or second is None or math.isinf(first) or math.isinf(second):
        return None
    return second - first


def retention(floor: float) -> Statistic[tuple[float, float]]:
    """Return the statistic (accuracy of the form - floor) / (accuracy of English - floor).

    Args:
        floor: accuracy of a guess, 1/k for k options, 0 where guessing does not help.

    Returns:
        A statistic of rows (English score, form score), each 0..1; it is None where English is
        not above the floor.
    """

    def statistic(rows: Sequence[tuple[float, float]]) -> float | None:
        headroom = sum([row[0] for row in rows]) - floor * len(rows)
        if headroom <= 1e-9:
            return None
        return (sum([row[1] for row in rows]) - floor * len(rows)) / headroom

    return statistic
