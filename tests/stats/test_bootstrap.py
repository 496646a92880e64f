"""Seeded percentile bootstrap by item and by cluster."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from scipy import stats as oracle  # type: ignore[import-untyped]

from hinglishbench.stats.bootstrap import (
    bootstrap,
    difference_of_medians,
    median_of,
    retention,
    total_ratio,
)


def _tokens(n: int, seed: int) -> list[tuple[float, float]]:
    rng = random.Random(seed)
    return [(b := rng.lognormvariate(5, 0.4), b * rng.lognormvariate(0.2, 0.3)) for _ in range(n)]


def test_the_interval_is_that_of_scipys_percentile_bootstrap() -> None:
    """Different random numbers, same limits to two per cent."""
    rows = _tokens(120, 1)
    found = bootstrap(rows, total_ratio, seed=4, resamples=4_000)
    base, form = np.array(rows).T
    expected = oracle.bootstrap(
        (base, form),
        lambda b, f, axis: f.sum(axis) / b.sum(axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=4_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    assert found.interval is not None
    assert found.interval.lo == pytest.approx(expected.low, rel=0.02)
    assert found.interval.hi == pytest.approx(expected.high, rel=0.02)


def test_a_seed_gives_the_same_interval_and_another_seed_another() -> None:
    """Nothing but the seed decides; the seed is in the method."""
    rows = _tokens(40, 2)
    one, again = (bootstrap(rows, total_ratio, seed=7, resamples=300) for _ in range(2))
    other = bootstrap(rows, total_ratio, seed=8, resamples=300)
    assert one == again
    assert one.interval != other.interval
    assert "seed 7" in one.method


def test_clusters_are_drawn_whole() -> None:
    """Ten copies of each row as a cluster: the interval of the rows, not of ten times as many."""
    rows = _tokens(30, 3)
    tenfold = [row for row in rows for _ in range(10)]
    keys = [i // 10 for i in range(300)]
    plain = bootstrap(rows, total_ratio, seed=1)
    clustered = bootstrap(tenfold, total_ratio, seed=1, clusters=keys)
    assert plain.interval is not None
    assert clustered.interval is not None
    assert clustered.interval.lo == pytest.approx(plain.interval.lo)
    assert clustered.interval.hi == pytest.approx(plain.interval.hi)


def test_retention_is_floor_adjusted() -> None:
    """By hand: English 3/4, form 1/2, floor 1/4: (1/4)/(1/2)."""
    rows = [(1.0, 1.0), (1.0, 1.0), (1.0, 0.0), (0.0, 0.0)]
    assert retention(0.25)(rows) == pytest.approx(0.5)
    assert retention(0.75)(rows) is None


def test_retention_near_the_floor_is_not_estimable() -> None:
    """English barely above chance: undefined on many resamples, so no interval at all."""
    rows = [(1.0, 1.0)] * 27 + [(0.0, 1.0)] * 3 + [(0.0, 0.0)] * 70
    found = bootstrap(rows, retention(0.25), seed=0)
    assert found.value is not None
    assert found.interval is None
    assert str(found.reason).startswith("not estimable: undefined on")


def test_difference_of_paired_medians() -> None:
    """By hand, and undefined where a median is infinite."""
    assert difference_of_medians([(1.0, 1.5), (1.2, 1.6), (2.0, 1.4)]) == pytest.approx(0.3)
    assert difference_of_medians([(1.0, math.inf)]) is None
    assert median_of([]) is None
    assert median_of([1.0, 2.0]) == 1.5


def test_infinite_readings_leave_the_limit_open() -> None:
    """A third of the replies cut: the upper limit of the median is not a number."""
    found = bootstrap([1.0, 1.1, 1.2, 1.3, math.inf, math.inf], median_of, seed=0)
    assert found.interval is not None
    assert found.interval.hi is None
    assert found.reason == "cut replies leave the interval open above"


def test_too_little_to_resample() -> None:
    """Nothing, five items, nine clusters."""
    nothing: list[tuple[float, float]] = []
    assert bootstrap(nothing, total_ratio, seed=0).reason == "not defined on these pairs"
    five = bootstrap(_tokens(5, 1), total_ratio, seed=0)
    assert five.value is not None
    assert five.reason == "5 items are too few to resample, 6 needed"
    nine = bootstrap(_tokens(90, 1), total_ratio, seed=0, clusters=[i % 9 for i in range(90)])
    assert nine.reason == "9 clusters are too few to resample, 10 needed"
