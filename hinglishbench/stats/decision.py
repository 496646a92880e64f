"""The finding in plain words: different, equivalent within a margin, both, or not decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Word = Literal["different", "equivalent", "different but within margin", "not decided"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What may be said of one figure.

    Attributes:
        word: the finding, for programs.
        text: the same for people, with n or the margin.
    """

    word: Word
    text: str


def decide(
    n: int,
    p_adjusted: float | None,
    *,
    p_equivalence: float | None = None,
    margin: str | None = None,
    alpha: float = 0.05,
    reason: str | None = None,
) -> Decision:
    """Return the finding from two tests.

    Args:
        n: pairs.
        p_adjusted: p of "no difference", adjusted over its family; None when undefined.
        p_equivalence: p of "at least the margin apart"; None when no margin was asked for.
        margin: the margin as printed, "2 points" or "5%"; needed with `p_equivalence`.
        alpha: both tests are at this level.
        reason: why `p_adjusted` is None.
    """
    different = p_adjusted is not None and p_adjusted < alpha
    equivalent = p_equivalence is not None and p_equivalence < alpha
    if different and equivalent:
        return Decision("different but within margin", f"different, but within {margin}")
    if different:
        return Decision("different", "different")
    if equivalent:
        return Decision("equivalent", f"equivalent within {margin}")
    if p_adjusted is None and reason:
        return Decision("not decided", f"not decided at n={n}: {reason}")
    return Decision("not decided", f"not decided at n={n}")


def sentence(gap: Decision, tax: Decision) -> str:
    """Return both findings in one line, as `hbench tax` prints them."""
    return f"gap: {gap.text}; tax: {tax.text}"
