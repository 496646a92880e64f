"""Pairs needed and smallest effects."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as oracle  # type: ignore[import-untyped]
from statsmodels.stats.power import NormalIndPower, TTestPower  # type: ignore[import-untyped]

from hinglishbench.stats import power


def test_a_mean_difference_agrees_with_statsmodels() -> None:
    """One-sample z power: d = 0.2 at 80% needs 197 (199 with t, statsmodels)."""
    n = power.pairs_for_difference(0.2, 1.0)
    assert n is not None
    exact = NormalIndPower(ddof=0).solve_power(0.2, alpha=0.05, power=0.8, ratio=0)
    assert n == math.ceil(exact)
    assert n == pytest.approx(TTestPower().solve_power(0.2, alpha=0.05, power=0.8), abs=3)


def test_more_samples_shrink_only_the_part_inside_an_item() -> None:
    """Miller's formula: w^2 stays, the rest falls with K."""
    one = power.pairs_for_difference(0.1, 0.04, within_base=0.06, within_form=0.06)
    ten = power.pairs_for_difference(0.1, 0.04, within_base=0.06, within_form=0.06, samples=10)
    between = power.pairs_for_difference(0.1, 0.04)
    assert one is not None
    assert ten is not None
    assert between is not None
    assert between < ten < one
    assert one == pytest.approx(between * 4, abs=4)


def test_connors_formula_by_hand() -> None:
    """10 points at 20% disagreement: (1.96*sqrt(.2) + .8416*sqrt(.19))^2 / .01 = 154.6."""
    assert power.pairs_for_gap(0.1, 0.2) == power.pairs_for_gap(-0.1, 0.2) == 155


def test_a_gap_needs_as_many_discordant_pairs_as_it_is_large() -> None:
    """No disagreement seen so far does not make a gap visible with few pairs."""
    assert power.pairs_for_gap(0.1, 0.0) == power.pairs_for_gap(0.1, 0.1)
    assert power.pairs_for_gap(0.0, 0.2) is None


@given(st.integers(20, 5_000), st.floats(0.0, 0.6))
def test_smallest_gap_and_pairs_for_gap_are_inverse(n: int, discordance: float) -> None:
    """The smallest gap at n needs n pairs, a little less needs more."""
    gap = power.smallest_gap(n, discordance)
    assert gap is not None
    needed = power.pairs_for_gap(gap, discordance)
    assert needed is not None
    assert needed <= n
    more = power.pairs_for_gap(gap * 0.99, discordance)
    assert more is not None
    assert more >= n


def test_too_few_pairs_show_nothing() -> None:
    """Three pairs show no gap at all, five no tax at all."""
    assert power.smallest_gap(3, 0.1) is None
    assert power.smallest_gap(0, 0.1) is None
    assert power.smallest_tax(5, 0.3) is None
    assert power.smallest_tax(50, 0.0) is None
    assert power.smallest_difference(0.0) is None


@pytest.mark.parametrize(("tax", "spread"), [(1.1, 0.3), (1.05, 0.2), (1.47, 0.4), (3.0, 0.1)])
def test_pairs_for_a_tax_give_the_power_by_the_exact_sign_test(tax: float, spread: float) -> None:
    """By scipy's tests and probabilities: 80% is reached at n and by no n a tenth smaller."""
    n = power.pairs_for_tax(tax, spread)
    assert n is not None
    above = oracle.norm.cdf(math.log(tax) / spread)

    def reached(pairs: int) -> float:
        k = oracle.binom.ppf(0.025, pairs, 0.5)  # the largest count not rejected is above k - 1
        return float(
            oracle.binom.cdf(k - 1, pairs, above) + oracle.binom.cdf(k - 1, pairs, 1 - above)
        )

    assert reached(n) >= 0.8
    assert reached(n) == pytest.approx(power.sign_power(n, above), rel=1e-9)
    assert all(reached(smaller) < 0.8 for smaller in range(1, n) if smaller >= 0.7 * n)
    smallest = power.smallest_tax(n, spread)
    assert smallest is not None
    assert smallest <= tax
    # Six pairs is the least the test can use: there the tax asked for is far above the smallest.
    assert n == 6 or smallest == pytest.approx(tax, rel=0.08)


def test_exact_and_approximate_pairs_for_a_tax_meet() -> None:
    """Just below and just above 10,000 pairs the two agree to one per cent."""
    exact, beyond = power.pairs_for_tax(1.0106, 0.3), power.pairs_for_tax(1.0105, 0.3)
    assert exact is not None
    assert beyond is not None
    assert exact < 10_050 < beyond * 1.02
    assert exact == pytest.approx(beyond, rel=0.03)
    near, far = power.smallest_tax(10_000, 0.3), power.smallest_tax(10_001, 0.3)
    assert near == pytest.approx(far, rel=1e-3)


def test_a_tax_and_its_inverse_need_the_same_pairs() -> None:
    """The log scale; a tax of 1 cannot be shown."""
    assert power.pairs_for_tax(1.25, 0.3) == power.pairs_for_tax(0.8, 0.3)
    assert power.pairs_for_tax(1.0, 0.3) is None


def test_log_spread_of_quartiles_is_the_standard_deviation_of_a_normal() -> None:
    """Quartiles at 0.6745 standard deviations."""
    q = oracle.norm.ppf(0.75) * 0.3
    assert power.log_spread_of_quartiles(math.exp(-q), math.exp(q)) == pytest.approx(0.3)
    assert power.log_spread_of_quartiles(0.0, 1.0) is None
    assert power.log_spread_of_quartiles(1.0, math.inf) is None


def test_the_t_version_asks_for_more_than_the_z_version() -> None:
    """(t + t) SE at 10 degrees of freedom, by scipy."""
    wanted = (oracle.t.ppf(0.975, 10) + oracle.t.ppf(0.8, 10)) * 0.02
    assert power.smallest_difference(0.02, 10) == pytest.approx(wanted)
    z = power.smallest_difference(0.02)
    assert z is not None
    assert z < wanted
