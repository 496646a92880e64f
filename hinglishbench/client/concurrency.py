"""How many requests are in flight at one endpoint: found by trying, as TCP finds its window.

Slow start (one more for every success, which doubles the limit each round trip), halved when the
endpoint says that it is too much, then one more per round trip (V. Jacobson, "Congestion Avoidance
and Control", SIGCOMM 1988). Departures from it, each for a fault met by others:

- One wave of 429s is one cut: what was sent before a cut says nothing about the limit after it.
- A long wait freezes nothing: it is the limiter that pauses, and each later wave cuts again.
- After half a minute without a cut the limit doubles again, so that a bad minute does not cost
  the night.
- It grows only while it binds: successes below the limit are no evidence for a higher one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from anyio import Event

_CALM_S = 30.0
_WAVE_S = 1.0
_NOTED_GROWTH = 1.25  # growth is written down in steps of a quarter, cuts always


class Change(NamedTuple):
    """One entry of the history: when (the clock's seconds), the new limit, and why."""

    at: float
    limit: int
    reason: str


class AdaptiveLimit:
    """Slots for requests in flight.

    Args:
        start: slots at first.
        minimum: never fewer.
        maximum: never more; equal to `minimum` the limit is fixed.
        clock: seconds, monotonic.

    Attributes:
        limit: slots now.
        in_use: slots taken.
        highest: the highest limit so far.
        lowest: the lowest limit so far.
        history: every cut and every larger step of growth, oldest first.
    """

    def __init__(
        self,
        *,
        start: int = 16,
        minimum: int = 1,
        maximum: int = 256,
        clock: Callable[[], float],
    ) -> None:
        if not 1 <= minimum <= maximum:
            raise ValueError(f"need 1 <= minimum <= maximum, got {minimum} and {maximum}")
        self._clock = clock
        self._minimum = minimum
        self._maximum = maximum
        self._level = float(min(max(start, minimum), maximum))
        self._threshold = float(maximum)  # below it the limit doubles, above it grows by one
        self._last_cut = float("-inf")
        self._waiting: deque[tuple[Event, list[bool]]] = deque()
        self.limit = int(self._level)
        self.highest = self.lowest = self.limit
        self.in_use = 0
        self.history: list[Change] = [Change(clock(), self.limit, "start")]

    async def acquire(self) -> None:
        """Take a slot, waiting for one in order of arrival."""
        if self.in_use < self.limit and not self._waiting:
            self.in_use += 1
            return
        from anyio import Event  # noqa: PLC0415 - not needed where nothing waits

        event, granted = Event(), [False]
        entry = (event, granted)
        self._waiting.append(entry)
        try:
            await event.wait()
        except BaseException:
            if granted[0]:  # cancelled with a slot in hand: it goes to the next
                self.release()
            else:
                self._waiting.remove(entry)
            raise

    def release(self) -> None:
        """Give a slot back; it is handed to the one who waits longest."""
        self.in_use -= 1
        self._hand_out()

    def succeeded(self) -> None:
        """An answer came (call it before `release`): try a little more."""
        if self._level >= self._maximum or self.in_use < self.limit:
            return
        calm = self._clock() - self._last_cut > _CALM_S
        doubling = calm or self._level < self._threshold
        self._level = min(self._maximum, self._level + (1.0 if doubling else 1.0 / self._level))
        if int(self._level) > self.limit:
            self.limit = int(self._level)
            self.highest = max(self.highest, self.limit)
            if self.limit >= self.history[-1].limit * _NOTED_GROWTH or self.limit == self._maximum:
                self.history.append(Change(self._clock(), self.limit, "growth"))
            self._hand_out()

    def cut(self, reason: str = "429", *, sent_at: float | None = None) -> bool:
        """The endpoint says that it is too much: halve the limit, once per wave.

        Args:
            reason: for the history.
            sent_at: when the refused request was sent (the clock's seconds). Sent before the last
                cut, it belongs to the wave that caused it. None: a second makes a wave.

        Returns:
            Whether the limit was cut.
        """
        if self._minimum == self._maximum:
            return False
        now = self._clock()
        if (sent_at if sent_at is not None else now - _WAVE_S) < self._last_cut:
            return False
        self._last_cut = now
        # what was in flight is what the endpoint refused, which may be less than the limit
        self._level = max(float(self._minimum), min(self._level, max(self.in_use, 1)) / 2)
        self._threshold = self._level
        self.limit = max(self._minimum, int(self._level))
        self.lowest = min(self.lowest, self.limit)
        self.history.append(Change(now, self.limit, reason))
        return True

    def summary(self) -> dict[str, int]:
        """The history in five numbers: start, max, min, end, cuts."""
        cuts = sum(change.reason not in ("start", "growth") for change in self.history)
        return {"start": self.history[0].limit, "max": self.highest, "min": self.lowest,
                "end": self.limit, "cuts": cuts}  # fmt: skip

    def _hand_out(self) -> None:
        while self._waiting and self.in_use < self.limit:
            event, granted = self._waiting.popleft()
            granted[0] = True
            self.in_use += 1
            event.set()
