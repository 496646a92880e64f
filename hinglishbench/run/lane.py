"""A lane: one endpoint with its transport, its limits, its cells, and what has become of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import anyio

from hinglishbench.client.concurrency import AdaptiveLimit
from hinglishbench.client.limiter import Limiter, Reservation
from hinglishbench.client.providers import Endpoint
from hinglishbench.client.transport import Transport
from hinglishbench.ledger.claims import Ask
from hinglishbench.run import embedded
from hinglishbench.run.options import RunOptions
from hinglishbench.run.plan import TEMPLATE_TOKENS

START_CONCURRENCY = 16
MAX_CONCURRENCY = 256
# Before an arm has a history: what a reply may come to, so that a token limit is not overrun at once.
FIRST_OUTPUT_TOKENS = 512


class HaltedError(Exception):
    """Raised out of a wait when no new call is to be admitted."""


@dataclass
class Lane:
    """One endpoint in a run.

    Attributes:
        endpoint_id: its key in the ledger.
        asks: what is still to be asked, pulled by the lane's workers.
        workers: requests in flight at most.
        halted: set when no new call is to be admitted here.
        stopped: why it stopped for good, with what to do; None while it goes on.
        stopped_models: models that were refused, with why; other models go on.
        stopped_arms: the same for an arm whose request is refused from its first call on.
        skipped: cells of refused models and arms that were not asked, by model.
        latency_s: what an answer takes, seconds from sending to its end, a moving average.
    """

    endpoint: Endpoint
    endpoint_id: int
    transport: Transport
    asks: Iterator[Ask]
    workers: int
    limiter: Limiter
    adaptive: AdaptiveLimit
    halted: anyio.Event
    clock: Callable[[], float]
    stopped: str | None = None
    stopped_models: dict[str, str] = field(default_factory=dict)
    stopped_arms: dict[int, str] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    latency_s: float = 0.0
    _used: dict[int, tuple[int, int]] = field(default_factory=dict)
    _told: int = 0

    async def admit(self, arm_index: int, bound_in: int, bound_out: int | None) -> Reservation:
        """Wait for a slot and for the endpoint's limits.

        Raises:
            HaltedError: no new call is to be admitted.
        """
        await self.adaptive.acquire()
        if self.halted.is_set():
            self.adaptive.release()
            raise HaltedError
        try:
            return await self.limiter.acquire(
                lambda: self._estimate(arm_index, bound_in, bound_out)
            )
        except BaseException:
            self.adaptive.release()
            raise

    async def wait(self, seconds: float) -> None:
        """Wait, as long as calls are admitted.

        Raises:
            HaltedError: no new call is to be admitted.
        """
        await wait_unless(self.halted, seconds)

    def _estimate(self, arm_index: int, bound_in: int, bound_out: int | None) -> float:
        calls, tokens = self._used.get(arm_index, (0, 0))
        if calls:
            return tokens / calls
        return (bound_in - TEMPLATE_TOKENS) / 4 + min(
            bound_out or FIRST_OUTPUT_TOKENS, FIRST_OUTPUT_TOKENS
        )

    def settle(
        self, reservation: Reservation, arm_index: int, tokens: int | None, *, ok: bool
    ) -> None:
        """Give the slot back, and book the tokens that an attempt really used (None: unknown).

        The average of the arm is over its answers: a refusal that used nothing says nothing about
        what the next answer will use.
        """
        if ok and tokens is not None:
            calls, sum_ = self._used.get(arm_index, (0, 0))
            self._used[arm_index] = (calls + 1, sum_ + tokens)
        self.limiter.settle(reservation, tokens)
        # Where the endpoint's own limits bind, a success says nothing for more at once.
        if ok and not self.limiter.waiting:
            self.adaptive.succeeded()
        self.adaptive.release()

    def took(self, seconds: float) -> None:
        """Note how long an answer took."""
        self.latency_s += (seconds - self.latency_s) / 8 if self.latency_s else seconds

    def answered(self, arm_index: int) -> bool:
        """Whether an arm has had an answer here."""
        return arm_index in self._used

    @property
    def never_answered(self) -> bool:
        """Whether no answer has come from this endpoint yet."""
        return not self._used

    def skips(self, arm_index: int, model: str) -> bool:
        """Whether a cell is not to be asked, because its model or arm was refused; counts it."""
        if not self.stopped_models and not self.stopped_arms:
            return False
        if model in self.stopped_models or arm_index in self.stopped_arms:
            self.skipped[model] += 1
            return True
        return False

    def waits(self) -> str | None:
        """For what the endpoint is waited, and for how long; None when nothing waits."""
        state = self.limiter.state()
        if not state.waiting or state.waiting_for is None or state.until is None:
            return None
        what = "the pause it asked for" if state.waiting_for == "pause" else state.waiting_for
        left = state.until - self.clock()
        return f"{self.endpoint.provider.name} waits for {what}" + (
            f", {left:.0f} s" if left >= 1 else ""
        )

    def changes(self) -> list[tuple[float, int, str]]:
        """Changes of the concurrency limit since the last call: (clock, limit, reason)."""
        new = self.adaptive.history[self._told :]
        self._told += len(new)
        return [(change.at, change.limit, change.reason) for change in new]


async def wait_unless(halted: anyio.Event, seconds: float) -> None:
    """Wait `seconds`, or until the event is set.

    Raises:
        HaltedError: it is set.
    """
    if not halted.is_set():
        with anyio.move_on_after(seconds):
            await halted.wait()
    if halted.is_set():
        raise HaltedError


def open_lane(
    options: RunOptions,
    endpoint: Endpoint,
    endpoint_id: int,
    transport: Transport,
    asks: Sequence[Ask],
    *,
    clock: Callable[[], float],
) -> Lane:
    """A lane with the limits of flags, else of the provider's data.

    Args:
        options: of the run.
        endpoint: where to.
        endpoint_id: its key in the ledger.
        transport: how.
        asks: what, in order.
        clock: seconds, monotonic.
    """
    halted = anyio.Event()
    known = endpoint.provider.limits
    fixed = options.concurrency or (embedded.SLOTS if endpoint.route == "local" else None)
    most = max(1, min(fixed or known.concurrency or MAX_CONCURRENCY, len(asks)))
    # Billed to somebody else, a call may be refused although listing models works: the first goes alone.
    start = 1 if options.bill_to else START_CONCURRENCY
    adaptive = AdaptiveLimit(
        start=fixed or start, minimum=most if fixed else 1, maximum=most, clock=clock
    )
    replayed = options.replay is not None  # nobody is there to be spared
    limiter = Limiter(
        rpm=None if replayed else options.rpm or known.rpm,
        tpm=None if replayed else options.tpm or known.tpm,
        clock=clock,
        sleep=partial(wait_unless, halted),
        keep_rpm=replayed or options.rpm is not None,
        keep_tpm=replayed or options.tpm is not None,
    )
    return Lane(
        endpoint, endpoint_id, transport, iter(asks), most, limiter, adaptive, halted, clock
    )
