"""Wilson's score interval for an accuracy, also when answers are repeated or clustered."""

from __future__ import annotations

import math
from collections.abc import Iterable

from hinglishbench.stats.distributions import critical_z
from hinglishbench.stats.estimates import Estimate, Interval


def wilson(successes: float, n: float, level: float = 0.95) -> tuple[float, float] | None:
    """Return Wilson's score interval (Wilson 1927), None for n = 0.

    Args:
        successes: how many of `n`; need not be whole (see `accuracy_of_scores`).
        n: trials, or the effective number of them.
        level: confidence level.
    """
    if n <= 0:
        return None
    z = critical_z(level)
    p = successes / n
    shrink = 1 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    # The limits are exactly 0 and 1 at the ends; rounding must not leave 1e-17 there.
    lo = 0.0 if successes <= 0 else max(0.0, centre - half)
    hi = 1.0 if successes >= n else min(1.0, centre + half)
    return lo, hi


def accuracy(successes: int, n: int, level: float = 0.95) -> Estimate:
    """Return the accuracy `successes / n` with Wilson's interval."""
    limits = wilson(successes, n, level)
    if limits is None:
        return Estimate(0, None, None, None, "wilson", "no answers")
    return Estimate(n, successes / n, Interval(*limits, level, "wilson"), None, "wilson")


def accuracy_of_scores(
    n: int, total: float, total_of_squares: float, samples: int = 1, level: float = 0.95
) -> Estimate:
    """Return the mean of item scores in 0..1 with Wilson's interval at the effective size.

    With several samples an item's score is its share of correct answers, and answers to one item
    resemble each other. Wilson's interval is taken at n_eff = p(1-p) / SE^2, the number of
    independent answers that would be as precise (Korn and Graubard 1998), kept between the number
    of items and the number of answers, so it stays inside 0..1 and never collapses to a point.

    Args:
        n: items.
        total: sum of the item scores.
        total_of_squares: sum of their squares.
        samples: answers an item.
        level: confidence level.
    """
    if n <= 0:
        return Estimate(0, None, None, None, "wilson", "no answers")
    mean = min(1.0, max(0.0, total / n))
    effective = float(n)
    if n > 1 and 0 < mean < 1:
        variance = max(0.0, (total_of_squares - n * mean * mean) / (n - 1))
        most = float(n * samples)
        wanted = mean * (1 - mean) * n / variance if variance > 0 else most
        effective = min(most, max(float(n), wanted))
    limits = wilson(mean * effective, effective, level)
    assert limits is not None
    method = "wilson" if samples == 1 else "wilson at effective n"
    return Estimate(n, mean, Interval(*limits, level, method), None, method)


def clustered_accuracy(
    clusters: Iterable[tuple[int, float]], n_total: int | None = None, level: float = 0.95
) -> Estimate:
    """Return an accuracy over clusters with Wilson's interval at the effective size.

    Args:
        clusters: for each cluster its number of items and the sum of their scores.
        n_total: ignored when None; else checked against the clusters.
        level: confidence level.
    """
    rows = [(size, total) for size, total in clusters if size > 0]
    n = sum(size for size, _ in rows)
    assert n_total is None or n_total == n
    method = "wilson at effective n, clustered"
    groups = len(rows)
    if groups < 2:
        return Estimate(n, None, None, None, method, "fewer than two clusters")
    mean = sum(total for _, total in rows) / n
    square = sum((total - size * mean) ** 2 for size, total in rows) * groups / (groups - 1)
    variance = square / (n * n)
    binomial = mean * (1 - mean) / n
    # A design effect below 1 is luck at few clusters: it is not used to narrow the interval.
    effective = n / max(1.0, variance / binomial) if binomial > 0 else float(n)
    limits = wilson(mean * effective, effective, level)
    assert limits is not None
    return Estimate(n, mean, Interval(*limits, level, method), None, method)
