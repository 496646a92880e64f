"""Normal, binomial and Student t distributions, accurate to about 1e-12 up to a million trials.

The binomial probability is Loader's saddle-point form (C. Loader, "Fast and accurate computation
of binomial probabilities", 2000): plain differences of `lgamma` lose eight digits at n = 1e6.
Student's t goes through the regularised incomplete beta function by Lentz' continued fraction
(Press et al., Numerical Recipes, 3rd ed., 6.4). scipy is the oracle of the tests.
"""

from __future__ import annotations

import math
from functools import lru_cache

_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
_TINY = 1e-300


@lru_cache(maxsize=256)
def normal_quantile(probability: float) -> float:
    """Return z with P[Z <= z] = `probability`, for 0 < probability < 1."""
    from statistics import NormalDist  # noqa: PLC0415 - costs 10 ms, a rank-only caller needs none

    return NormalDist().inv_cdf(probability)


def normal_cdf(z: float) -> float:
    """Return P[Z <= z]; keeps its digits in the lower tail."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


def critical_z(level: float) -> float:
    """Return the two-sided critical value, 1.96 for a level of 0.95."""
    return normal_quantile(0.5 + level / 2)


def _stirling_error(x: float) -> float:
    """Return log Gamma(x) minus Stirling's formula (x - 1/2) log x - x + log(2 pi)/2, x > 0."""
    if x < 16:  # below, lgamma has digits enough; above, five terms reach 1e-16
        return math.lgamma(x) - ((x - 0.5) * math.log(x) - x + _HALF_LOG_TWO_PI)
    y = 1 / (x * x)
    return (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x


def _deviance(x: float, mean: float) -> float:
    """Return x log(x / mean) + mean - x without cancellation where x is near the mean."""
    difference = x - mean
    if abs(difference) < 0.1 * (x + mean):
        v = difference / (x + mean)
        total = difference * v
        term = 2 * x * v
        step = 1
        while True:
            term *= v * v
            step += 2
            larger = total + term / step
            if larger == total:
                return total
            total = larger
    return x * math.log(x / mean) - difference


def binomial_pmf(k: int, n: int, p: float = 0.5) -> float:
    """Return P[X = k] for X ~ Bin(n, p); 0 outside 0..n."""
    if not 0 <= k <= n:
        return 0.0
    q = 1 - p
    if p <= 0 or q <= 0:
        return 1.0 if k == (n if p > 0 else 0) else 0.0
    if k == 0:
        return math.exp(n * math.log1p(-p))
    if k == n:
        return math.exp(n * math.log(p))
    exponent = (
        _stirling_error(n)
        - _stirling_error(k)
        - _stirling_error(n - k)
        - _deviance(k, n * p)
        - _deviance(n - k, n * q)
    )
    return math.exp(exponent) * math.sqrt(n / (2 * math.pi * k * (n - k)))


def binomial_cdf(k: int, n: int, p: float = 0.5) -> float:
    """Return P[X <= k] for X ~ Bin(n, p).

    Sums outwards from `k` on the side away from the mean, where the terms fall geometrically, so
    a million trials take some thousand additions.
    """
    if k < 0:
        return 0.0
    if k >= n:
        return 1.0
    if p <= 0 or p >= 1:
        return 1.0 if p <= 0 else 0.0
    if k <= n * p:
        return _tail_down(k, n, p)
    return 1 - _tail_down(n - k - 1, n, 1 - p)


def binomial_sf(k: int, n: int, p: float = 0.5) -> float:
    """Return P[X >= k] for X ~ Bin(n, p), with the digits of the upper tail."""
    return binomial_cdf(n - k, n, 1 - p)


def _tail_down(k: int, n: int, p: float) -> float:
    """Return P[X <= k] for k at or below the mean."""
    term = total = binomial_pmf(k, n, p)
    odds = (1 - p) / p
    while k > 0 and term > total * 1e-17:
        term *= odds * k / (n - k + 1)
        k -= 1
        total += term
    return min(1.0, total)


def binomial_quantile(probability: float, n: int, p: float = 0.5) -> int:
    """Return the smallest k with P[X <= k] >= `probability`, for X ~ Bin(n, p), 0 < p < 1."""
    if probability <= 0:
        return 0
    if probability >= 1:
        return n
    spread = math.sqrt(n * p * (1 - p))
    k = min(n, max(0, math.floor(n * p + normal_quantile(probability) * spread)))
    below = binomial_cdf(k, n, p)
    while below < probability and k < n:
        k += 1
        below += binomial_pmf(k, n, p)
    while k > 0 and binomial_cdf(k - 1, n, p) >= probability:
        k -= 1
    return k


def _log_beta(a: float, b: float) -> float:
    """Return log B(a, b); for a large argument the big terms cancel by hand, not in floats."""
    large, small = max(a, b), min(a, b)
    total = large + small
    return (
        math.lgamma(small)
        + _stirling_error(large)
        - _stirling_error(total)
        - (large - 0.5) * math.log1p(small / large)
        + small
        - small * math.log(total)
    )


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Return Lentz' continued fraction for the incomplete beta, for x < (a + 1)/(a + b + 2)."""
    c = 1.0
    d = 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, 100_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + numerator * d
            d = 1 / (d if abs(d) > _TINY else _TINY)
            c = 1 + numerator / c
            c = c if abs(c) > _TINY else _TINY
            value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return value


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), for 0 <= x <= 1, a and b > 0."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - _log_beta(a, b))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(x, a, b) / a
    return 1 - front * _beta_fraction(1 - x, b, a) / b


def t_sf(t: float, df: float) -> float:
    """Return P[T > t] for Student's t with `df` > 0 degrees of freedom."""
    if t < 0:
        return 1 - t_sf(-t, df)
    square = t * t
    if square < df:  # 1 - x is the accurate one of the two near the centre
        return 0.5 * (1 - incomplete_beta(square / (df + square), 0.5, df / 2))
    return 0.5 * incomplete_beta(df / (df + square), df / 2, 0.5)


def t_cdf(t: float, df: float) -> float:
    """Return P[T <= t] for Student's t."""
    return t_sf(-t, df)


@lru_cache(maxsize=1024)
def t_quantile(probability: float, df: float) -> float:
    """Return t with P[T <= t] = `probability`, for 0 < probability < 1, by bisection."""
    if probability == 0.5:
        return 0.0
    if probability < 0.5:
        return -t_quantile(1 - probability, df)
    tail = 1 - probability
    low, high = 0.0, max(1.0, normal_quantile(probability))
    while t_sf(high, df) > tail:
        low, high = high, 2 * high
    for _ in range(200):
        middle = 0.5 * (low + high)
        if middle in (low, high) or high - low < 1e-14 * high:
            break
        if t_sf(middle, df) > tail:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)
