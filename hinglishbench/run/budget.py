"""The budget: a call is admitted only when everything that may be billed still fits with it.

Spent is what replies say (their larger reading is held too), reserved is the bound of every call in
flight and of every call whose bill is unknown. A call that does not fit waits for those in flight:
most end far below their bounds. When nothing is in flight any more, what is left is less than the
bound of the call that waits, and the run stops. Dollars are exact decimals throughout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import anyio

from hinglishbench.client.failures import Failure
from hinglishbench.client.normalise import Answer
from hinglishbench.client.usage import Usage
from hinglishbench.clock import utc
from hinglishbench.errors import RefusedError
from hinglishbench.pricing.book import PriceBook, Tokens
from hinglishbench.pricing.sources import lines_to_paste
from hinglishbench.pricing.wanted import Wanted
from hinglishbench.run.options import HOSTED_MAX_TOKENS
from hinglishbench.run.plan import Arm

_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Hold:
    """What is reserved for one call: its bound, for the arm and the moment (s since 1970) of sending."""

    arm_index: int
    bound: Decimal
    at: float


class NotSent:
    """What became of a call that was never sent."""


class Budget:
    """Dollars of one run.

    Attributes:
        cap: dollars that this run may come to.
        spent: surely billed.
        held: may be billed: the bounds of calls whose bill is unknown, and the doubt of others.
        flying: calls in flight; `in_flight` are their bounds, in dollars.
        overrun: what was billed over its bound, in words; nothing is admitted after it.
        short: the bound of the call that did not fit when the run stopped.
    """

    def __init__(
        self,
        books: Sequence[PriceBook],
        *,
        max_usd: Decimal | None,
        max_usd_total: Decimal | None = None,
        already: Decimal = _ZERO,
    ) -> None:
        """Set the cap.

        Args:
            books: prices of each arm; each must have one now.
            max_usd: dollars that this run may come to.
            max_usd_total: dollars that the ledger may come to, this run included.
            already: dollars that the ledger may have come to before, at most.
        """
        caps = [] if max_usd is None else [max_usd]
        if max_usd_total is not None:
            caps.append(max_usd_total - already)
        self.cap = min(caps)
        self.max_usd, self.max_usd_total, self.already = max_usd, max_usd_total, already
        self.spent = self.held = self.in_flight = _ZERO
        self.flying = 0
        self.overrun: str | None = None
        self.short: Decimal | None = None
        self._books = books
        self._freed = anyio.Event()

    @property
    def reserved(self) -> Decimal:
        """Dollars in flight and in doubt."""
        return self.held + self.in_flight

    @property
    def left(self) -> Decimal:
        """Dollars that are neither spent nor reserved."""
        return self.cap - self.spent - self.held - self.in_flight

    def bound(self, arm_index: int, now: float, tokens_in: int, tokens_out: int | None) -> Decimal:
        """Dollars that a call can come to at most."""
        most = HOSTED_MAX_TOKENS if tokens_out is None else tokens_out
        bound = self._books[arm_index].bound(utc(now), tokens_in, most)
        assert bound is not None, "an arm without a price was refused at the start"
        return bound

    async def room(self, bound: Decimal) -> bool:
        """Wait until a call of this bound fits; False: it never will."""
        while self.overrun is None and bound > self.left:
            if not self.flying:
                self.short = bound
                return False
            await self._freed.wait()
        return self.overrun is None

    def reserve(self, arm_index: int, bound: Decimal, now: float) -> Hold | None:
        """Reserve at once; None: it does not fit (any more)."""
        if self.overrun is not None or bound > self.left:
            return None
        self.flying += 1
        self.in_flight += bound
        return Hold(arm_index, bound, now)

    def settle(self, hold: Hold, outcome: Answer | Failure | type[NotSent] | None) -> None:
        """Book what became of a call; None: it was cancelled, so nobody knows."""
        self.flying -= 1
        self.in_flight -= hold.bound
        sure, upper = self._billed(hold, outcome)
        self.spent += sure
        self.held += upper - sure
        if upper > hold.bound and self.overrun is None:
            self.overrun = (
                f"a call was billed up to ${_plain(upper)}, over its bound of ${_plain(hold.bound)}: the price or the"
                " cap on its tokens is not what it is taken for, so no budget can be kept"
            )
        freed, self._freed = self._freed, anyio.Event()
        freed.set()

    def _billed(
        self, hold: Hold, outcome: Answer | Failure | type[NotSent] | None
    ) -> tuple[Decimal, Decimal]:
        """Dollars surely billed, and at most."""
        if isinstance(outcome, Answer):
            return self._by_usage(hold, outcome.usage)
        if isinstance(outcome, Failure):
            if outcome.billed == "no":
                return _ZERO, _ZERO
            if outcome.billed == "yes" and outcome.usage is not None:
                return self._by_usage(hold, outcome.usage)
        if outcome is NotSent:
            return _ZERO, _ZERO
        return _ZERO, hold.bound

    def _by_usage(self, hold: Hold, usage: Usage) -> tuple[Decimal, Decimal]:
        if usage.reported_cost_usd is not None:
            return usage.reported_cost_usd, usage.reported_cost_usd
        tokens = Tokens(
            usage.prompt_tokens, usage.billable_output_tokens, usage.cached_tokens,
            usage.reasoning_tokens, usage.upper_output_tokens,
        )  # fmt: skip
        book, at = self._books[hold.arm_index], utc(hold.at)
        sure, upper = book.cost(at, tokens), book.upper(at, tokens)
        if sure is None or upper is None:
            return _ZERO, hold.bound
        return sure, upper

    def line(self) -> str:
        """For the bar: `$0.0123 spent, $0.0040 reserved of $1.00`."""
        return f"{shown(self.spent)} spent, {shown(self.reserved)} reserved of {shown(max(self.cap, _ZERO))}"

    def closing(self) -> str:
        """Why the run stopped and what to do, in one sentence."""
        if self.overrun is not None:
            return f"{self.overrun}; compare `hbench cost` with the provider's bill before going on"
        flag = "--max-usd"
        if self.max_usd_total is not None and self.cap == self.max_usd_total - self.already:
            flag = "--max-usd-total"
        short = "" if self.short is None else f"; the next call may cost up to {shown(self.short)}"
        return f"budget: {self.line()}{short}; the same command with a larger {flag} goes on"

    def as_json(self) -> dict[str, Any]:
        """For `hbench run --json`."""
        return {
            "cap_usd": float(self.cap), "spent_usd": float(self.spent),
            "reserved_usd": float(self.reserved), "left_usd": float(self.left),
            "next_bound_usd": None if self.short is None else float(self.short),
            "overrun": self.overrun,
        }  # fmt: skip


def shown(usd: Decimal) -> str:
    """Dollars with at least two places, and the first two figures of what is small."""
    if not usd:
        return "$0.00"
    places = max(4, 1 - usd.adjusted())
    return f"${usd:.{places}f}".removesuffix("00")


def _plain(usd: Decimal) -> str:
    return f"{usd.normalize():f}"


def check(
    arms: Sequence[Arm],
    wanted: Sequence[Wanted],
    books: Sequence[PriceBook],
    *,
    now: float,
    allow_unbounded: bool,
) -> None:
    """Refuse a budget that could not be kept.

    Args:
        arms: what is under test.
        wanted: how the price of each is looked up.
        books: the prices of each.
        now: seconds since 1970.
        allow_unbounded: take an endpoint whose cap on tokens is not known to hold.

    Raises:
        RefusedError: a model without a price, or an endpoint without a reliable cap.
    """
    unpriced = [
        one for one, book in zip(wanted, books, strict=True) if book.bound(utc(now), 1, 1) is None
    ]
    if unpriced:
        names = ", ".join(dict.fromkeys(f"{one.model} at {one.provider}" for one in unpriced))
        raise RefusedError(
            f"a budget needs prices, and nobody states one for {names}",
            hint="write it into prices.toml (0 means free):\n" + lines_to_paste(unpriced),
        )
    for arm in arms:
        provider = arm.endpoint.provider
        sent = arm.params.get(provider.cap_field_for(arm.model))
        if allow_unbounded or (provider.reliable_cap and sent == arm.max_tokens is not None):
            continue
        raise RefusedError(
            f"{provider.name} has no reliable cap on the tokens of a reply, so a budget cannot be kept",
            hint="--allow-unbounded takes the cap at its word: a call may then cost more than was reserved",
        )
