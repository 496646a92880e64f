"""Result types of the statistics: an estimate, its interval, its p value, or the reason for none."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval.

    Attributes:
        lo: lower limit; None where nothing bounds it from below.
        hi: upper limit; None where nothing bounds it from above (cut replies can do that).
        level: nominal confidence level, 0..1.
        method: name of the method, as printed.
    """

    lo: float | None
    hi: float | None
    level: float
    method: str

    def contains(self, value: float) -> bool:
        """Whether `value` lies inside, limits included; a missing limit excludes nothing."""
        return (self.lo is None or self.lo <= value) and (self.hi is None or value <= self.hi)

    def within(self, low: float, high: float) -> bool:
        """Whether the whole interval lies strictly between `low` and `high`."""
        return self.lo is not None and self.hi is not None and low < self.lo and self.hi < high


@dataclass(frozen=True, slots=True)
class Estimate:
    """One number with its uncertainty.

    Attributes:
        n: pairs (or trials) that it rests on.
        value: the point estimate, None when undefined.
        interval: None when undefined.
        p: two-sided p value of "no difference" (0 for a gap, 1 for a ratio); None when there is
            no such test or it is undefined.
        method: interval and test, as printed.
        reason: why something above is None; None when nothing is missing without a reason.
    """

    n: int
    value: float | None
    interval: Interval | None
    p: float | None
    method: str
    reason: str | None = None
