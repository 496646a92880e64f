"""What n pairs can show, and how many pairs an effect of a given size needs.

Two-sided tests at `alpha` with the given power: exact for the sign test, normal approximations for
the others (docs/statistics.md has the power reached in simulations).
"""

from __future__ import annotations

import math

from hinglishbench.stats.distributions import (
    binomial_cdf,
    binomial_sf,
    normal_cdf,
    normal_quantile,
    t_quantile,
)
from hinglishbench.stats.ratio import median_rank

_EXACT_UP_TO = 10_000  # pairs; beyond, the normal approximation is right to four digits


def _quantiles(alpha: float, power: float) -> tuple[float, float]:
    """Return the normal quantiles of the test and of the power."""
    return normal_quantile(1 - alpha / 2), normal_quantile(power)


def pairs_for_gap(
    gap: float, discordance: float, *, alpha: float = 0.05, power: float = 0.8
) -> int | None:
    """Return the pairs that McNemar's test needs to see a gap of single answers.

    n = (z_a sqrt(q) + z_b sqrt(q - gap^2))^2 / gap^2 (Connor 1987), q the share of pairs that
    disagree. A gap needs at least as many discordant pairs as it is large: q below |gap| is
    raised to it.

    Args:
        gap: difference of accuracies, a proportion, either sign.
        discordance: share of pairs right on one side only, 0..1.
        alpha: two-sided level of the test.
        power: probability of seeing it.

    Returns:
        Whole pairs, None for a gap of 0.
    """
    gap = abs(gap)
    if gap == 0:
        return None
    q = min(1.0, max(discordance, gap))
    z_test, z_power = _quantiles(alpha, power)
    root = z_test * math.sqrt(q) + z_power * math.sqrt(max(0.0, q - gap * gap))
    return math.ceil(root * root / (gap * gap) - 1e-9)


def smallest_gap(
    n: int, discordance: float, *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Return the smallest gap (a proportion) that n pairs of single answers show; see above.

    None when even a gap of 100 points needs more pairs.
    """
    needed = pairs_for_gap(1.0, discordance, alpha=alpha, power=power)
    if n <= 0 or needed is None or needed > n:
        return None
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        wanted = pairs_for_gap(middle, discordance, alpha=alpha, power=power)
        if wanted is not None and wanted <= n:
            high = middle
        else:
            low = middle
    return high


def smallest_difference(
    standard_error: float, df: int | None = None, *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Return the smallest mean difference that a t or z test with this standard error shows.

    (z_{1-a/2} + z_power) * SE, Miller 2024 (arXiv 2411.00640); t quantiles when `df` is given.
    None without spread.
    """
    if standard_error <= 0 or (df is not None and df < 1):
        return None
    if df is None:
        return sum(_quantiles(alpha, power)) * standard_error
    return (t_quantile(1 - alpha / 2, df) + t_quantile(power, df)) * standard_error


def pairs_for_difference(
    difference: float,
    between: float,
    *,
    within_base: float = 0.0,
    within_form: float = 0.0,
    samples: int = 1,
    alpha: float = 0.05,
    power: float = 0.8,
) -> int | None:
    """Return the items that a mean difference of several answers an item needs.

    n = (z + z)^2 (w^2 + s_base^2/K + s_form^2/K) / difference^2, Miller 2024: more samples K
    shrink only the part inside an item.

    Args:
        difference: mean difference to be seen, in the units of the scores.
        between: w^2, variance over items of the true difference.
        within_base: s_base^2, mean variance of a baseline answer inside an item.
        within_form: the same of the form.
        samples: K, answers an item and form.
        alpha: two-sided level of the test.
        power: probability of seeing it.
    """
    if difference == 0:
        return None
    variance = between + (within_base + within_form) / samples
    return math.ceil(sum(_quantiles(alpha, power)) ** 2 * variance / difference**2 - 1e-9)


def sign_power(n: int, above: float, alpha: float = 0.05) -> float:
    """Return the exact power of the two-sided sign test on n pairs.

    Args:
        n: pairs, none of them tied.
        above: probability that a ratio lies above 1, 0..1.
        alpha: two-sided level of the test.
    """
    k = median_rank(n, 1 - alpha)
    if k is None:
        return 0.0
    return binomial_cdf(k - 1, n, above) + binomial_sf(n - k + 1, n, above)


def pairs_for_tax(
    tax: float, log_spread: float, *, alpha: float = 0.05, power: float = 0.8
) -> int | None:
    """Return the pairs that the sign test needs to see a median tax.

    With log ratios spread normally around log(tax), P[ratio > 1] = Phi(|log tax| / s) = p. Up to
    10,000 pairs the smallest n whose exact binomial power reaches `power`; beyond, Noether's
    n = (z_a / 2 + z_b sqrt(p (1 - p)))^2 / (p - 1/2)^2 (1987).

    Args:
        tax: median ratio, positive; 1.1 and 1/1.1 need the same n.
        log_spread: s, standard deviation of the log ratios, positive. Best taken from quartiles
            (`log_spread_of_quartiles`), which runaway replies do not move.
        alpha: two-sided level of the test.
        power: probability of seeing it.

    Returns:
        Whole pairs; None for a tax of 1.
    """
    if tax == 1:
        return None
    above = normal_cdf(abs(math.log(tax)) / log_spread)
    about = _noether(above, alpha, power)
    if about > _EXACT_UP_TO:
        return math.ceil(about)
    n = max(1, math.floor(0.7 * about))
    while sign_power(n, above, alpha) < power:
        n += 1
    return n


def smallest_tax(
    n: int, log_spread: float, *, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Return the smallest median tax above 1 that the sign test on n pairs shows; see above.

    None when n is too small for the test to reject at all, or nothing varies.
    """
    if log_spread <= 0 or median_rank(n, 1 - alpha) is None:
        return None
    low, high = 0.5, 1.0
    for _ in range(50):
        above = (low + high) / 2
        if n > _EXACT_UP_TO:
            enough = _noether(above, alpha, power) <= n
        else:
            enough = sign_power(n, above, alpha) >= power
        low, high = (low, above) if enough else (above, high)
    return math.exp(log_spread * normal_quantile(min(high, 1 - 1e-12)))


def _noether(above: float, alpha: float, power: float) -> float:
    """Return Noether's approximate number of pairs for the sign test."""
    z_test, z_power = _quantiles(alpha, power)
    root = 0.5 * z_test + z_power * math.sqrt(above * (1 - above))
    return (root / (above - 0.5)) ** 2


def log_spread_of_quartiles(lower: float, upper: float) -> float | None:
    """Return a robust standard deviation of the log ratios from their quartiles.

    (log Q3 - log Q1) / 1.349, the value for a normal distribution; None without two positive
    finite quartiles.
    """
    if not 0 < lower <= upper < math.inf:
        return None
    return (math.log(upper) - math.log(lower)) / (2 * normal_quantile(0.75))
