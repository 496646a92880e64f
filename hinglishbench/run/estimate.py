"""What a run will likely cost, before it begins: from the arm's own past, else from stated assumptions.

Every arm says on what its figures stand. `low` and `high` of a past are the 95% prediction interval of
a sum of m new calls after n old ones, m * mean -+ 1.96 * sd * sqrt(m + m^2 / n) (e.g. Hahn and Meeker,
Statistical Intervals, 1991); those of an assumption are stated bounds. Retries are in neither: a budget
holds what lost replies may cost.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from hinglishbench.ledger.claims import Ask
from hinglishbench.ledger.store import query
from hinglishbench.pricing.book import PriceBook
from hinglishbench.run.counting import Counter
from hinglishbench.run.options import HOSTED_MAX_TOKENS
from hinglishbench.run.plan import Arm, Plan, PlannedCell

if TYPE_CHECKING:
    import duckdb

# Fewer answers than this say little about the next ones.
ENOUGH = 5
# What a chat template adds to a prompt, in tokens, for an expectation (a bound has far more).
TEMPLATE_TOKENS = 10
# Tokens of a reply to a question of a benchmark, when nothing is known: a bare answer, a worked one.
ASSUMED_OUT = (40, 500)
_Z95 = 1.959964

_LEVELS = ("low", "expected", "high")


class Past(NamedTuple):
    """Tokens of earlier answers of one form."""

    kin: str
    n: int
    in_mean: float
    in_sd: float
    out_mean: float
    out_sd: float
    cap: int | None


History = Mapping[tuple[str, str, str], Past]
"""By arm digest, kin (arm, model) and form."""


def read_history(connection: duckdb.DuckDBPyConnection, arms: Sequence[Arm]) -> History:
    """What earlier answers of these arms, and of their models, came to."""
    rows = connection.execute(
        query("estimate_history"),
        {
            "digests": [arm.row.digest for arm in arms],
            "endpoints": [arm.row.endpoint.digest for arm in arms],
            "models": [arm.model for arm in arms],
            "efforts": [arm.effort for arm in arms],
        },
    ).fetchall()
    return {(digest, kin, form): Past(kin, *rest) for digest, kin, form, *rest in rows}


@dataclass
class Range:
    """A low, an expected and a high figure."""

    low: float = 0.0
    expected: float = 0.0
    high: float = 0.0

    def add(self, other: Range) -> None:
        """Add figure by figure: the parts of an arm may all be low together."""
        self.low += other.low
        self.expected += other.expected
        self.high += other.high

    def as_json(self) -> dict[str, int]:
        """Whole tokens."""
        return {level: round(getattr(self, level)) for level in _LEVELS}


@dataclass
class ArmEstimate:
    """One arm of an estimate.

    Attributes:
        usd: low, expected, high; None: it has no price.
        basis: on what the figures stand, in words, with the forms for which they do.
    """

    arm: Arm
    calls: int = 0
    tokens_in: Range = field(default_factory=Range)
    tokens_out: Range = field(default_factory=Range)
    usd: dict[str, Decimal] | None = None
    basis: dict[str, list[str]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """One object; dollars as numbers."""
        return {
            "provider": self.arm.endpoint.provider.name, "route": self.arm.endpoint.route,
            "model": self.arm.model, "effort": self.arm.effort, "calls": self.calls,
            "prompt_tokens": self.tokens_in.as_json(), "completion_tokens": self.tokens_out.as_json(),
            "usd": _numbers(self.usd), "basis": [_labelled(what, forms) for what, forms in self.basis.items()],
        }  # fmt: skip


@dataclass
class Estimate:
    """What a plan will likely come to.

    Attributes:
        blocks: blocks of which at least one cell is to be asked.
        unpriced: arms without a price; they are in no dollars.
    """

    blocks: int
    calls: int
    arms: list[ArmEstimate]

    @property
    def unpriced(self) -> int:
        """Arms with calls and without a price."""
        return sum(arm.usd is None for arm in self.arms if arm.calls)

    @property
    def usd(self) -> dict[str, Decimal] | None:
        """The sum of the priced arms; None: none has a price."""
        priced = [arm.usd for arm in self.arms if arm.calls and arm.usd is not None]
        if not priced and self.calls:
            return None
        return {level: sum((usd[level] for usd in priced), Decimal(0)) for level in _LEVELS}

    def as_json(self) -> dict[str, Any]:
        """One object."""
        tokens_in, tokens_out = Range(), Range()
        for arm in self.arms:
            tokens_in.add(arm.tokens_in)
            tokens_out.add(arm.tokens_out)
        return {
            "blocks": self.blocks, "calls": self.calls, "prompt_tokens": tokens_in.as_json(),
            "completion_tokens": tokens_out.as_json(), "usd": _numbers(self.usd),
            "unpriced_arms": self.unpriced, "arms": [arm.as_json() for arm in self.arms],
        }  # fmt: skip


def _labelled(what: str, forms: Iterable[str]) -> str:
    named = ", ".join(sorted(filter(None, forms)))
    return f"{named}: {what}" if named else what


def _numbers(usd: Mapping[str, Decimal] | None) -> dict[str, float] | None:
    return None if usd is None else {level: float(usd[level]) for level in _LEVELS}


def estimate(
    plan: Plan,
    asks: Iterable[Ask],
    books: Sequence[PriceBook],
    history: History,
    counter: Counter,
    at: datetime,
) -> Estimate:
    """Estimate what asking will come to.

    Args:
        plan: with the arms and their prompts.
        asks: what is still to be asked.
        books: the prices of each arm.
        history: as `read_history` gives it.
        counter: how tokens of a text are counted.
        at: now, naive UTC, for the price.
    """
    groups: dict[tuple[int, str], list[PlannedCell]] = {}
    blocks = set()
    for ask in asks:
        cell = plan.cell(ask.seq)
        groups.setdefault((cell.arm_index, cell.form), []).append(cell)
        blocks.add((cell.arm_index, cell.item.id, cell.sample))
    arms = [ArmEstimate(arm) for arm in plan.arms]
    for (index, form), cells in groups.items():
        _add_form(arms[index], form, cells, plan, history, counter)
    for one, book in zip(arms, books, strict=True):
        one.usd = _dollars(one, book, at)
        if one.calls and one.usd is None:
            one.basis["no price is known, so no dollars: see `hbench prices show`"] = []
    return Estimate(len(blocks), sum(arm.calls for arm in arms), arms)


def _add_form(
    one: ArmEstimate,
    form: str,
    cells: Sequence[PlannedCell],
    plan: Plan,
    history: History,
    counter: Counter,
) -> None:
    calls, cap = len(cells), one.arm.max_tokens or HOSTED_MAX_TOKENS
    one.calls += calls
    for kin in ("arm", "model"):
        past = history.get((one.arm.row.digest, kin, form))
        if past is not None and past.n >= ENOUGH:
            one.tokens_in.add(_predicted(calls, past.n, past.in_mean, past.in_sd, math.inf))
            one.tokens_out.add(_predicted(calls, past.n, past.out_mean, past.out_sd, cap))
            whose = "this arm" if kin == "arm" else "this model with other prompts or settings"
            one.basis.setdefault(f"{past.n} earlier answers of {whose}", []).append(form)
            return
    texts: dict[str, tuple[int, int]] = {}
    for cell in cells:
        if cell.item.id not in texts:
            text = _text(plan, cell)
            texts[cell.item.id] = (counter.count(text), len(text.encode("utf-8", "replace")))
        tokens, size = texts[cell.item.id]
        likely = tokens + TEMPLATE_TOKENS
        one.tokens_in.add(Range(tokens * 0.5, likely, max(likely, size)))
    low, expected = (min(cap, out) for out in ASSUMED_OUT)
    one.tokens_out.add(Range(calls * low, calls * expected, calls * cap))
    one.basis.setdefault(
        f"no earlier answers; tokens in by {counter.basis}; tokens out assumed: {low} (a bare answer),"
        f" {expected} (a worked one), {cap} (every reply cut at the cap)",
        [],
    ).append(form)


def _text(plan: Plan, cell: PlannedCell) -> str:
    """Everything that a request says, as one text."""
    messages = json.loads(plan.request(cell).body)["messages"]
    return "\n".join(str(message.get("content") or "") for message in messages)


def _predicted(m: int, n: int, mean: float, sd: float, most: float) -> Range:
    """A sum of m new values after n old ones; no value is over `most`."""
    half = _Z95 * sd * math.sqrt(m + m * m / n)
    expected = m * min(mean, most)
    return Range(max(0.0, expected - half), expected, min(expected + half, m * most))


def _dollars(one: ArmEstimate, book: PriceBook, at: datetime) -> dict[str, Decimal] | None:
    """Priced call by call of average size, so that a price by prompt size meets the right step."""
    if not one.calls:
        return dict.fromkeys(_LEVELS, Decimal(0))
    usd = {}
    for level in _LEVELS:
        tokens_in, tokens_out = getattr(one.tokens_in, level), getattr(one.tokens_out, level)
        row = book.row(at, math.ceil(tokens_in / one.calls))
        if row is None or row.input_usd is None or row.output_usd is None:
            return None
        usd[level] = (
            math.ceil(tokens_in) * row.input_usd
            + math.ceil(tokens_out) * row.output_usd
            + one.calls * (row.request_usd or 0)
        )
    return usd
