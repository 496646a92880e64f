"""Geometric mean and ratio of totals."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle  # type: ignore[import-untyped]

from hinglishbench.stats.means import geometric_mean, ratio_of_totals


@given(st.lists(st.tuples(st.integers(1, 900), st.integers(1, 900)), min_size=3, max_size=50))
def test_geometric_mean_agrees_with_scipy(tokens: list[tuple[int, int]]) -> None:
    """scipy.stats.gmean and a paired t test on the logs."""
    ratios = [form / base for base, form in tokens]
    found = geometric_mean(ratios)
    assert found.value == pytest.approx(oracle.gmean(ratios))
    if max(ratios) / min(ratios) < 1.001:  # no spread: scipy warns, we say why
        return
    expected = oracle.ttest_rel(
        [math.log(form) for _, form in tokens], [math.log(base) for base, _ in tokens]
    )
    interval = expected.confidence_interval(0.95)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-6)
    assert found.interval is not None
    assert found.interval.lo == pytest.approx(math.exp(interval.low))
    assert found.interval.hi == pytest.approx(math.exp(interval.high))


def test_geometric_means_chain() -> None:
    """tax(A/B) * tax(B/C) = tax(A/C), which no other mean of ratios does."""
    a, b, c = [3.0, 5.0, 9.0], [2.0, 6.0, 4.0], [7.0, 1.0, 2.0]

    def tax(x: list[float], y: list[float]) -> float:
        value = geometric_mean(p / q for p, q in zip(x, y, strict=True)).value
        assert value is not None
        return value

    assert tax(a, b) * tax(b, c) == pytest.approx(tax(a, c))


def test_undefined_means_say_why() -> None:
    """No pair, one pair, no spread."""
    assert geometric_mean([]).reason == "no pairs"
    assert geometric_mean([1.2]).reason == "one pair has no spread"
    assert geometric_mean([2.0] * 8).interval is None


def test_ratio_of_totals() -> None:
    """The long answers weigh more; nothing to divide by is None."""
    assert ratio_of_totals(100 + 1_000, 200 + 1_000) == pytest.approx(1_200 / 1_100)
    assert ratio_of_totals(0, 5) is None
