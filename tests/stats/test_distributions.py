"""Distributions against scipy, up to a million trials."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special  # type: ignore[import-untyped]
from scipy import stats as oracle

from hinglishbench.stats import distributions as d


@pytest.mark.parametrize("n", [1, 2, 10, 82, 1_000, 1_000_000])
@pytest.mark.parametrize("p", [0.5, 0.01, 0.93])
def test_binomial_agrees_with_scipy_in_the_centre_and_in_both_tails(n: int, p: float) -> None:
    """Relative error stays under 1e-10 where scipy itself is not 0."""
    near = {0, 1, n // 3, n // 2, n - 1, n, int(n * p), min(n, int(n * p + 4 * math.sqrt(n)))}
    for k in near:
        assert d.binomial_pmf(k, n, p) == pytest.approx(oracle.binom.pmf(k, n, p), rel=1e-10)
        assert d.binomial_cdf(k, n, p) == pytest.approx(oracle.binom.cdf(k, n, p), rel=1e-10)
        assert d.binomial_sf(k, n, p) == pytest.approx(oracle.binom.sf(k - 1, n, p), rel=1e-9)


@settings(max_examples=200)
@given(st.integers(1, 5_000), st.floats(0.001, 0.999), st.floats(0.01, 0.99))
def test_binomial_quantile_is_the_smallest_k_that_reaches_the_probability(
    n: int, q: float, p: float
) -> None:
    """The defining inequality holds on both sides of the answer."""
    k = d.binomial_quantile(q, n, p)
    assert d.binomial_cdf(k, n, p) >= q
    assert k == 0 or d.binomial_cdf(k - 1, n, p) < q


def test_binomial_quantile_agrees_with_scipy_at_a_million() -> None:
    """The rank of a million-pair median interval comes from here."""
    assert d.binomial_quantile(0.025, 1_000_000) == oracle.binom.ppf(0.025, 1_000_000, 0.5)


def test_binomial_outside_its_range_is_0_or_1() -> None:
    """No error at the ends and for a sure or an impossible event."""
    assert d.binomial_pmf(-1, 3) == 0.0
    assert d.binomial_pmf(4, 3) == 0.0
    assert d.binomial_cdf(-1, 3) == 0.0
    assert d.binomial_cdf(3, 3) == 1.0
    assert d.binomial_pmf(3, 3, 1.0) == d.binomial_pmf(0, 3, 0.0) == 1.0
    assert d.binomial_cdf(1, 3, 0.0) == 1.0
    assert d.binomial_cdf(1, 3, 1.0) == 0.0
    assert (d.binomial_quantile(0.0, 5), d.binomial_quantile(1.0, 5)) == (0, 5)


@pytest.mark.parametrize("df", [1, 2, 3.5, 9, 30, 299, 1e5, 1e6])
def test_student_t_agrees_with_scipy(df: float) -> None:
    """Tail and quantile, also far out and for a million degrees of freedom."""
    for x in (0.0, 1e-6, 0.1, 1.0, 1.96, 5.0, 40.0):
        assert d.t_sf(x, df) == pytest.approx(oracle.t.sf(x, df), rel=1e-9)
        assert d.t_cdf(x, df) == pytest.approx(oracle.t.cdf(x, df), rel=1e-9)
    for q in (0.01, 0.5, 0.6, 0.9, 0.975, 0.9999):
        assert d.t_quantile(q, df) == pytest.approx(oracle.t.ppf(q, df), rel=1e-9, abs=1e-12)


@given(st.floats(0.0, 1.0), st.floats(0.05, 200), st.floats(0.05, 200))
def test_incomplete_beta_agrees_with_scipy(x: float, a: float, b: float) -> None:
    """Both branches of the continued fraction."""
    assert d.incomplete_beta(x, a, b) == pytest.approx(special.betainc(a, b, x), abs=1e-11)


@given(st.floats(1e-9, 1 - 1e-9))
def test_normal_quantile_inverts_the_normal_cdf(p: float) -> None:
    """Round trip, and the known 1.96."""
    assert d.normal_cdf(d.normal_quantile(p)) == pytest.approx(p, rel=1e-9)
    assert d.critical_z(0.95) == pytest.approx(1.959963984540054, rel=1e-12)
