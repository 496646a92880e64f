"""What a person may ask of the tables, checked in one place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hinglishbench.errors import RefusedError, UsageError
from hinglishbench.ledger.reader import ORIGINS, Session

ADJUST = ("holm", "bh", "none")
CLUSTER = ("topic",)


@dataclass(frozen=True)
class TaxOptions:
    """Options of `hbench tax`.

    Attributes:
        suite: only this suite; None: all.
        origin: live, import or replay; None: the first of these that has answers.
        baseline: the form that the others are set against.
        max_pair_gap_s: a pair whose two calls are further apart is dropped.
        cluster: "topic": items of a topic resemble each other; None: items are independent.
        adjust: over the family of all rows: holm, bh (Benjamini-Hochberg) or none.
        margin_pts: points within which a gap does not matter; None: equivalence is not tested.
        margin_tax: the same for the tax, 0.05 for five per cent either way.
        hodges_lehmann: whether to compute the second opinion (it costs a moment for each row).
    """

    suite: str | None = None
    origin: str | None = None
    baseline: str = "en"
    max_pair_gap_s: float = 3600.0
    cluster: str | None = None
    adjust: str = "holm"
    margin_pts: float | None = None
    margin_tax: float | None = None
    hodges_lehmann: bool = True

    def __post_init__(self) -> None:
        one_of("--adjust", self.adjust, ADJUST)
        if self.cluster is not None:
            one_of("--cluster", self.cluster, CLUSTER)
        if self.origin is not None:
            one_of("--origin", self.origin, ORIGINS)
        for name, value in (
            ("--margin-pts", self.margin_pts),
            ("--margin-tax", self.margin_tax),
            ("--max-pair-gap", self.max_pair_gap_s),
        ):
            if value is not None and not value > 0:
                raise UsageError(f"{name} must be positive, not {value:g}")
        if self.margin_tax is not None and not math.isfinite(self.margin_tax):
            raise UsageError("--margin-tax must be a number such as 0.05")

    @property
    def tax_margins(self) -> tuple[float, float]:
        """The ratios between which a tax does not matter; both 1 when no margin was asked for."""
        upper = 1 + (self.margin_tax or 0.0)
        return 1 / upper, upper


def one_of(option: str, value: str, allowed: Sequence[str]) -> None:
    """Refuse a value that is none of those allowed.

    Raises:
        UsageError: with the allowed ones.
    """
    if value not in allowed:
        raise UsageError(f"{option} has no {value!r}", hint=f"one of: {', '.join(allowed)}")


def choose_origin(session: Session, asked: str | None) -> tuple[str, bool]:
    """The origin whose answers count, and whether some item of it was asked more than once.

    Live answers go before imported ones, and those before replayed ones; what only stands in a
    plan counts where nothing is answered at all.

    Raises:
        RefusedError: the ledger has no cells (of that origin).
    """
    found = {row["origin"]: row for row in session.run("tax_origins").dicts()}
    if asked is None:
        ranked = sorted(found, key=lambda o: (found[o]["answered"] == 0, ORIGINS.index(o)))
        if not ranked:
            raise RefusedError("the ledger has no answers yet", hint="`hbench run` asks")
        asked = ranked[0]
    if asked not in found:
        raise RefusedError(
            f"the ledger has no {asked} answers",
            hint=f"it has: {', '.join(sorted(found))}" if found else "`hbench run` asks",
        )
    return asked, bool(found[asked]["sampled"])
