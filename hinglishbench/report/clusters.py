"""The figures of a row whose items belong together by topic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hinglishbench.stats.clustered import clustered_rank, signs_of_clusters
from hinglishbench.stats.distributions import t_quantile
from hinglishbench.stats.equivalence import tost_of_moments
from hinglishbench.stats.estimates import Estimate, Interval
from hinglishbench.stats.gap import FEWEST_CLUSTERS, gap_of_clusters
from hinglishbench.stats.power import smallest_difference
from hinglishbench.stats.proportions import clustered_accuracy
from hinglishbench.stats.ratio import MedianRatio

_METHOD = "woodruff over clusters, t on signs over clusters"


@dataclass(frozen=True)
class Clusters:
    """Sums over clusters, as tax_clusters.sql gives them; each list has one entry a cluster."""

    n: Sequence[int]
    base: Sequence[float]
    form: Sequence[float]
    n_tax: Sequence[int]
    below: Sequence[float]
    signs: Sequence[float]
    signs_lower: Sequence[float]
    signs_upper: Sequence[float]

    @classmethod
    def of_sql(cls, row: Mapping[str, Any]) -> Clusters:
        """From a row of tax_clusters.sql."""
        return cls(
            row["n"], row["base"], row["form_sums"], row["n_tax"], row["below"], row["signs"],
            row["signs_lower"], row["signs_upper"],
        )  # fmt: skip

    @property
    def count(self) -> int:
        """Number of clusters."""
        return len(self.n)

    def accuracies(self) -> tuple[Estimate, Estimate]:
        """Accuracy of the baseline and of the form."""
        return (
            clustered_accuracy(zip(self.n, self.base, strict=True)),
            clustered_accuracy(zip(self.n, self.form, strict=True)),
        )

    def _differences(self) -> list[tuple[int, float]]:
        rows = zip(self.n, self.base, self.form, strict=True)
        return [(size, form - base) for size, base, form in rows]

    def gap(self) -> Estimate:
        """The gap, a proportion."""
        return gap_of_clusters(self._differences())

    def smallest_gap(self, difference: Estimate) -> float | None:
        """The smallest gap that these clusters show; None without a standard error."""
        error = _error_of(difference, self.count)
        return None if error is None else smallest_difference(error, self.count - 1)

    def gap_equivalence(self, margin: float) -> float | None:
        """The p of "the gap is at least `margin`", a proportion."""
        difference = self.gap()
        error = _error_of(difference, self.count)
        if error is None or difference.value is None:
            return None
        return tost_of_moments(difference.n, difference.value, error, margin, self.count - 1)

    def rank(self) -> int | None:
        """The k of the interval of the median."""
        rows = [(n, b) for n, b in zip(self.n_tax, self.below, strict=True) if n > 0]
        total = sum(n for n, _ in rows)
        return clustered_rank(rows, total) if total else None

    def tax(
        self, medians: tuple[float, float, float], limits: tuple[float, float] | None
    ) -> MedianRatio:
        """The median tax.

        Args:
            medians: of the observed, the low and the high readings.
            limits: the k-th smallest low and the k-th largest high reading.
        """
        signs = signs_of_clusters(zip(self.n_tax, self.signs, strict=True))
        n = sum(self.n_tax)
        interval, reason = None, signs.reason
        if limits is not None:
            hi = limits[1] if math.isfinite(limits[1]) else None
            reason = "cut replies leave the interval open above" if hi is None else reason
            interval = Interval(limits[0], hi, 0.95, "woodruff over clusters")
        elif reason is None:
            reason = f"{n} pairs in {self.count} clusters are too few for an interval of the median"
        high = medians[2] if math.isfinite(medians[2]) else None
        return MedianRatio(n, medians[0], medians[1], high, interval, signs.p, _METHOD, reason)

    def tax_equivalence(self) -> float | None:
        """The p of "the median tax lies outside the margins": two one-sided t over clusters."""
        lower = _above_zero(zip(self.n_tax, self.signs_lower, strict=True))
        upper = _above_zero(zip(self.n_tax, self.signs_upper, strict=True))
        return None if lower is None or upper is None else max(lower, upper)


def _above_zero(clusters: Iterable[tuple[int, float]]) -> float | None:
    """The one-sided p of "the mean sign is not above 0"."""
    estimate = signs_of_clusters(clusters)
    if estimate.p is None or estimate.value is None:
        return None
    return estimate.p / 2 if estimate.value > 0 else 1 - estimate.p / 2


def _error_of(difference: Estimate, clusters: int) -> float | None:
    """The standard error behind a t interval, of which one end at most was cut at -1 or 1."""
    interval = difference.interval
    if interval is None or interval.lo is None or interval.hi is None:
        return None
    assert difference.value is not None
    assert clusters >= FEWEST_CLUSTERS
    half = max(difference.value - interval.lo, interval.hi - difference.value)
    return half / t_quantile(0.975, clusters - 1)
