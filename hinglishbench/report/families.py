"""One family of tests for each printed column of p values."""

from __future__ import annotations

from collections.abc import Sequence

from hinglishbench.stats.multiplicity import benjamini_hochberg, holm


def adjusted(p_values: Sequence[float | None], how: str) -> list[float | None]:
    """The p values adjusted over the family: `holm`, `bh`, or `none` (as they are)."""
    if how == "none":
        return list(p_values)
    return holm(p_values) if how == "holm" else benjamini_hochberg(p_values)
