"""Requests and tokens per minute at one endpoint, and its pauses.

Two token buckets that refill evenly, each no larger than half a second's quota (one request at
least): a burst of a whole minute's quota at the start is what providers answer with a 429. Tokens
are reserved before a request and settled after it. Waiters queue; only the first of them sleeps,
and wakes the next when it goes: a thousand waiters cost one timer, not a thousand wake-ups.

Time and sleep are passed in. Everything runs in one event loop; nothing here is thread-safe.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hinglishbench.client.waits import LimitsSeen

if TYPE_CHECKING:
    from anyio import Event

_BURST_S = 0.5
# A settlement can shorten a wait for tokens, so it is looked at again while it lasts.
_LOOK_AGAIN_S = 0.05
_TOKENS = "tokens per minute"
_EPSILON = 1e-9  # what rounding may leave missing in a bucket that is due


class _Bucket:
    """A quota per minute that refills evenly and holds at most half a second of it."""

    __slots__ = ("_at", "_level", "capacity", "rate")

    def __init__(self, per_minute: float, now: float) -> None:
        self.rate = per_minute / 60.0
        self.capacity = max(1.0, self.rate * _BURST_S)
        self._level = self.capacity
        self._at = now

    def _refill(self, now: float) -> None:
        if now > self._at:
            self._level = min(self.capacity, self._level + (now - self._at) * self.rate)
            self._at = now

    def delay(self, amount: float, now: float) -> float:
        """Seconds until `amount` may be taken; more than the bucket holds needs a full bucket."""
        self._refill(now)
        missing = min(amount, self.capacity) - self._level
        return missing / self.rate if missing > _EPSILON else 0.0

    def take(self, amount: float) -> None:
        """Take it, into debt if need be: the debt delays what comes next."""
        self._level -= amount

    def give_back(self, amount: float, now: float) -> None:
        """Return what was not used (or, negative, take what was used on top)."""
        self._refill(now)
        self._level = min(self.capacity, self._level + amount)


@dataclass(slots=True, eq=False)
class Reservation:
    """Tokens set aside for one request, until `Limiter.settle`."""

    tokens: float
    settled: bool = False


@dataclass(frozen=True, slots=True)
class LimiterState:
    """What the limiter is doing, for the progress bar.

    Attributes:
        waiting_for: "pause", "requests per minute", "tokens per minute", or None.
        until: when the first in the queue goes, in the clock's seconds.
        waiting: how many wait.
    """

    waiting_for: str | None
    until: float | None
    waiting: int


class Limiter:
    """Admits requests at one endpoint.

    Args:
        rpm: requests per minute; None: no limit.
        tpm: tokens per minute, prompt and output; None: no limit.
        clock: seconds, monotonic.
        sleep: waits for so many seconds.
        keep_rpm: the user has set it (or wants none), so reply headers do not change it.
        keep_tpm: the same for tokens.
    """

    def __init__(
        self,
        *,
        rpm: float | None = None,
        tpm: float | None = None,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        keep_rpm: bool = False,
        keep_tpm: bool = False,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._keep_rpm = keep_rpm
        self._keep_tpm = keep_tpm
        self._requests: _Bucket | None = None
        self._tokens: _Bucket | None = None
        self._paused_until = 0.0
        self._paused = False
        self._queue: deque[Event] = deque()
        self._reason: str | None = None
        self._until: float | None = None
        self.rpm: float | None = None
        self.tpm: float | None = None
        self.set_limits(rpm=rpm, tpm=tpm)

    # --- limits -----------------------------------------------------------------------------

    def set_limits(self, *, rpm: float | None, tpm: float | None) -> None:
        """Set both limits per minute; None takes one off. The buckets start anew."""
        now = self._clock()
        self.rpm, self.tpm = rpm, tpm
        self._requests = _Bucket(rpm, now) if rpm else None
        self._tokens = _Bucket(tpm, now) if tpm else None

    def observe(self, seen: LimitsSeen) -> bool:
        """Take over the limits that reply headers tell; True when something changed.

        A limit that the user has set stays, and so does one that differs by less than 1%.
        """
        if seen.rpm is None and seen.tpm is None:
            return False
        rpm = seen.rpm if not self._keep_rpm and _differs(seen.rpm, self.rpm) else self.rpm
        tpm = seen.tpm if not self._keep_tpm and _differs(seen.tpm, self.tpm) else self.tpm
        if rpm == self.rpm and tpm == self.tpm:
            return False
        now = self._clock()
        if rpm != self.rpm and rpm:
            self._requests, self.rpm = _Bucket(rpm, now), rpm
        if tpm != self.tpm and tpm:
            self._tokens, self.tpm = _Bucket(tpm, now), tpm
        return True

    def pause(self, until: float) -> None:
        """Admit nothing before `until` (the clock's seconds); a longer pause stays."""
        if until > self._paused_until:
            self._paused_until = until
            self._paused = True

    # --- admission --------------------------------------------------------------------------

    async def acquire(self, tokens_estimate: float | Callable[[], float] = 0.0) -> Reservation:
        """Wait for a place; with no limit and no pause this costs a microsecond.

        Args:
            tokens_estimate: prompt and output tokens that the request will likely use; a function is
                asked again when its turn comes, as those before it may have taught better.
        """
        tokens = tokens_estimate() if callable(tokens_estimate) else tokens_estimate
        if not self._queue and not self._delay(tokens):
            self._take(tokens)
            return Reservation(tokens)
        return Reservation(await self._in_turn(tokens_estimate))

    async def wait_ready(self) -> None:
        """Wait until a pause is over, without taking a place."""
        while self._paused:
            left = self._paused_until - self._clock()
            if left <= 0:
                self._paused = False
                return
            self._reason, self._until = "pause", self._paused_until
            await self._sleep(left)
            self._reason, self._until = None, None

    def settle(self, reservation: Reservation, actual_tokens: float | None) -> None:
        """Book what a request really used; None (unknown) leaves the estimate. Once only."""
        if reservation.settled:
            return
        reservation.settled = True
        if self._tokens is not None and actual_tokens is not None:
            self._tokens.give_back(reservation.tokens - actual_tokens, self._clock())

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._queue)

    def state(self) -> LimiterState:
        """What is waited for, until when, and by how many."""
        return LimiterState(self._reason, self._until, len(self._queue))

    def _delay(self, tokens: float) -> float:
        """Seconds until a request may go, with the reason noted for the bar; 0.0: now."""
        if not self._paused and self._requests is None and self._tokens is None:
            return 0.0
        now = self._clock()
        longest, reason = 0.0, None
        if self._paused:
            longest = self._paused_until - now
            if longest > 0:
                reason = "pause"
            else:
                self._paused, longest = False, 0.0
        if self._requests is not None:
            delay = self._requests.delay(1.0, now)
            if delay > longest:
                longest, reason = delay, "requests per minute"
        if self._tokens is not None:
            delay = self._tokens.delay(tokens, now)
            if delay > longest:
                longest, reason = delay, _TOKENS
        self._reason = reason
        self._until = now + longest if reason else None
        return longest

    def _take(self, tokens: float) -> None:
        if self._requests is not None:
            self._requests.take(1.0)
        if self._tokens is not None:
            self._tokens.take(tokens)

    async def _in_turn(self, estimate: float | Callable[[], float]) -> float:
        """Queue and take; the tokens taken. Sleep only as the first; wake the next on the way out, also when cancelled."""
        from anyio import Event  # noqa: PLC0415 - not needed where nothing waits

        turn = Event()
        self._queue.append(turn)
        try:
            if self._queue[0] is not turn:
                await turn.wait()
            tokens = estimate() if callable(estimate) else estimate
            while (delay := self._delay(tokens)) > 0.0:
                await self._sleep(min(delay, _LOOK_AGAIN_S) if self._reason is _TOKENS else delay)
                tokens = estimate() if callable(estimate) else estimate
            self._take(tokens)
            return tokens
        finally:
            was_first = self._queue[0] is turn
            self._queue.remove(turn)
            if not self._queue:
                self._reason, self._until = None, None
            elif was_first:
                self._queue[0].set()


def _differs(told: float | None, held: float | None) -> bool:
    if told is None or told <= 0:
        return False
    return held is None or abs(told - held) > 0.01 * held
