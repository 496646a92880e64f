"""What a person may ask of the tables, checked in one place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hinglishbench.errors import RefusedError, UsageError
from hinglishbench.ledger.reader import ORIGINS, Session

ADJUST = ("holm", "bh", "none")
CLUSTER = ("topic",)
AXES = ("prompt", "effort", "model", "provider")


@dataclass(frozen=True)
class PairOptions:
    """What every table of pairs may be asked.

    Attributes:
        suite: only this suite; None: all.
        origin: live, import or replay; None: the first of these that has answers.
        baseline_form: the form that the others are set against.
        max_pair_gap_s: a pair of forms whose two calls are further apart is dropped.
        cluster: "topic": items of a topic resemble each other; None: items are independent.
        adjust: over the family of all rows: holm, bh (Benjamini-Hochberg) or none.
        margin_pts: points within which a gap does not matter; None: equivalence is not tested.
        margin_tax: the same for a ratio of tokens, 0.05 for five per cent either way.
        hodges_lehmann: whether to compute the second opinion (it costs a moment for each row).
    """

    suite: str | None = None
    origin: str | None = None
    baseline_form: str = "en"
    max_pair_gap_s: float = 3600.0
    cluster: str | None = None
    adjust: str = "holm"
    margin_pts: float | None = None
    margin_tax: float | None = None
    hodges_lehmann: bool = True

    def __post_init__(self) -> None:
        """Refuse what makes no sense, before the ledger is opened."""
        one_of("--adjust", self.adjust, ADJUST)
        if self.cluster is not None:
            one_of("--cluster", self.cluster, CLUSTER)
        if self.origin is not None:
            one_of("--origin", self.origin, ORIGINS)
        positive("--margin-pts", self.margin_pts)
        positive("--margin-tax", self.margin_tax)
        if not self.max_pair_gap_s > 0:
            raise UsageError("--max-pair-gap must be positive")

    @property
    def tax_margins(self) -> tuple[float, float]:
        """The ratios between which a tax does not matter; both 1 when no margin was asked for."""
        upper = 1 + (self.margin_tax or 0.0)
        return 1 / upper, upper


@dataclass(frozen=True)
class TaxOptions(PairOptions):
    """Options of `hbench tax`."""


@dataclass(frozen=True)
class CompareOptions(PairOptions):
    """Options of `hbench compare`.

    Attributes:
        axis: what differs between the two arms: prompt, effort, model or provider.
        baseline: its value in the arm that is compared against; for efforts, "default" is unset.
        variant: its value in the other.
        seed: of the resampling behind the change of the tax.
        resamples: how many samples to draw; fewer are drawn of very many items.
    """

    axis: str = "prompt"
    baseline: str = "fair"
    variant: str = ""
    seed: int = 42
    resamples: int = 2_000

    def __post_init__(self) -> None:
        """The same, and two different values of an axis that there is."""
        super().__post_init__()
        one_of("the comparison", self.axis, AXES)
        if not self.variant or self.baseline == self.variant:
            raise UsageError(
                f"two different {self.axis}s are needed",
                hint="--baseline fair --variant think-in-english, or --effort none low, --model A B,"
                " --provider A B",
            )
        if self.resamples < 100:
            raise UsageError("--resamples must be at least 100")


@dataclass(frozen=True)
class PowerOptions:
    """Options of `hbench power`.

    Attributes:
        gap_pts: the gap to be seen, points, either sign.
        tax: the tax to be seen, a ratio.
        pairs: for this many pairs: what is the smallest effect that they show? None: those there are.
        alpha: two-sided level of the test.
        power: probability of seeing the effect.
        discordance: stated share of pairs that only one side gets right; None: the ledger's.
        spread: stated standard deviation of the log ratios; None: the ledger's.
        suite, origin, baseline_form, max_pair_gap_s: which answers of the ledger count.
    """

    gap_pts: float = 5.0
    tax: float = 1.1
    pairs: int | None = None
    alpha: float = 0.05
    power: float = 0.8
    discordance: float | None = None
    spread: float | None = None
    suite: str | None = None
    origin: str | None = None
    baseline_form: str = "en"
    max_pair_gap_s: float = 3600.0

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        if not 0 < abs(self.gap_pts) <= 100:
            raise UsageError("--gap is in points, 0 to 100, and not 0")
        positive("--tax", self.tax)
        if self.tax == 1:
            raise UsageError("--tax 1 is no tax: there is nothing to see")
        if self.pairs is not None and self.pairs < 1:
            raise UsageError("--pairs must be at least 1")
        for name, value in (("--alpha", self.alpha), ("--power", self.power)):
            if not 0 < value < 1:
                raise UsageError(f"{name} lies between 0 and 1")
        if self.discordance is not None and not 0 < self.discordance <= 1:
            raise UsageError("--discordance is a share of pairs, above 0 and at most 1")
        positive("--spread", self.spread)

    @property
    def stated(self) -> bool:
        """Whether both assumptions are stated, so that no ledger is needed."""
        return self.discordance is not None and self.spread is not None


def positive(option: str, value: float | None) -> None:
    """Refuse a value that is not a positive finite number.

    Raises:
        UsageError: naming the option.
    """
    if value is not None and not 0 < value < math.inf:
        raise UsageError(f"{option} must be a positive number, not {value:g}")


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
