"""Adjusted p values over a family of comparisons; None stays None and is not counted."""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Holm's step-down p values (Holm 1979): family-wise error, no assumption.

    An undefined p (None) was not tested: it stays None and does not enlarge the family.
    """
    order = _ranked(p_values)
    adjusted: list[float | None] = [None] * len(p_values)
    floor = 0.0
    for rank, (p, index) in enumerate(order):
        floor = max(floor, min(1.0, p * (len(order) - rank)))
        adjusted[index] = floor
    return adjusted


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Benjamini and Hochberg's p values (1995): false discovery rate, for grids.

    Valid for independent or positively dependent tests. None is treated as in `holm`.
    """
    order = _ranked(p_values)
    adjusted: list[float | None] = [None] * len(p_values)
    ceiling = 1.0
    for rank in range(len(order), 0, -1):
        p, index = order[rank - 1]
        ceiling = min(ceiling, p * len(order) / rank)
        adjusted[index] = ceiling
    return adjusted


def _ranked(p_values: Sequence[float | None]) -> list[tuple[float, int]]:
    """Return the defined p values with their places, smallest first."""
    return sorted((p, index) for index, p in enumerate(p_values) if p is not None)
