"""One family of tests for each printed column of p values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hinglishbench.report.options import PairOptions
from hinglishbench.report.pairs import (
    Group,
    Row,
    gap_equivalence,
    gap_estimate,
    tax_equivalence,
    tax_estimate,
)
from hinglishbench.stats import decision
from hinglishbench.stats.multiplicity import benjamini_hochberg, holm


def adjusted(p_values: Sequence[float | None], how: str) -> list[float | None]:
    """The p values adjusted over the family: `holm`, `bh`, or `none` (as they are)."""
    if how == "none":
        return list(p_values)
    return holm(p_values) if how == "holm" else benjamini_hochberg(p_values)


def decide(
    rows: Sequence[Row], groups: Sequence[Group], options: PairOptions, *, gap_p: str, tax_p: str
) -> Iterator[tuple[Row, decision.Decision, decision.Decision]]:
    """Adjust the p values over the rows of a table, and say what each row decides.

    Args:
        rows: get `family_size` and both adjusted p values, as `NAME_adj`.
        groups: of the rows, in the same order.
        options: how to adjust, and within which margins a difference does not matter.
        gap_p: name of the column with the p of accuracies.
        tax_p: the same of tokens.

    Yields:
        The row, and what it decides of accuracies and of tokens.
    """
    gaps = adjusted([row[gap_p] for row in rows], options.adjust)
    taxes = adjusted([row[tax_p] for row in rows], options.adjust)
    size = sum(p is not None for p in gaps)
    pts, share = options.margin_pts, options.margin_tax
    for row, group, of_gap, of_tax in zip(rows, groups, gaps, taxes, strict=True):
        row[f"{gap_p}_adj"], row[f"{tax_p}_adj"], row["family_size"] = of_gap, of_tax, size
        yield (
            row,
            decision.decide(
                row["n_pairs"],
                of_gap,
                p_equivalence=None if pts is None else gap_equivalence(group, pts / 100),
                margin=None if pts is None else f"{pts:g} points",
                reason=gap_estimate(group).reason,
            ),
            decision.decide(
                group.sql["n_tax"],
                of_tax,
                p_equivalence=None if share is None else tax_equivalence(group),
                margin=None if share is None else f"{100 * share:g}%",
                reason=tax_estimate(group).reason,
            ),
        )
