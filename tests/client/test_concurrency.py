"""The adaptive limit: growth, cuts by wave, recovery, and slots in order."""

from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest

from hinglishbench.client.concurrency import AdaptiveLimit


class Clock:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def saturate(limit: AdaptiveLimit) -> None:
    """Take every slot that is free."""

    async def take() -> None:
        while limit.in_use < limit.limit:
            await limit.acquire()

    anyio.run(take)


def round_trip(limit: AdaptiveLimit, clock: Clock, seconds: float = 0.1) -> None:
    """Every slot is taken, then every request succeeds."""
    saturate(limit)
    clock.now += seconds
    for _ in range(limit.in_use):
        limit.succeeded()
        saturate(limit)


def test_slow_start_doubles_each_round_trip() -> None:
    """8, 16, 32, 64: and never over the maximum."""
    clock = Clock()
    limit = AdaptiveLimit(start=8, maximum=50, clock=clock)
    seen = []
    for _ in range(4):
        round_trip(limit, clock)
        seen.append(limit.limit)
    assert seen == [16, 32, 50, 50]
    assert [change.reason for change in limit.history] == [
        "start",
        *["growth"] * (len(limit.history) - 1),
    ]


def test_successes_below_the_limit_prove_nothing() -> None:
    """With slots to spare the limit does not grow."""
    limit = AdaptiveLimit(start=8, clock=Clock())
    anyio.run(limit.acquire)
    for _ in range(100):
        limit.succeeded()
    assert limit.limit == 8


def test_one_wave_of_refusals_is_one_cut() -> None:
    """64 requests refused together halve the limit once; one sent after the cut halves it again."""
    clock = Clock()
    limit = AdaptiveLimit(start=64, clock=clock)
    saturate(limit)
    clock.now = 5.0
    assert [limit.cut(sent_at=4.9) for _ in range(64)] == [True] + [False] * 63
    assert limit.limit == 32
    clock.now = 6.0
    assert limit.cut(sent_at=5.5)
    assert limit.limit == 16
    assert [(c.limit, c.reason) for c in limit.history] == [(64, "start"), (32, "429"), (16, "429")]


def test_without_send_times_a_second_makes_a_wave() -> None:
    """Refusals that do not say when they were sent count once a second."""
    clock = Clock()
    limit = AdaptiveLimit(start=64, clock=clock)
    saturate(limit)
    clock.now = 5.0
    assert [limit.cut(), limit.cut()] == [True, False]
    clock.now = 6.5
    assert limit.cut()


def test_case_58_long_waits_do_not_freeze_the_limit() -> None:
    """A 429 with Retry-After 89 every 10 s: the limit keeps falling, and recovers afterwards."""
    clock = Clock()
    limit = AdaptiveLimit(start=64, maximum=64, clock=clock)
    saturate(limit)
    falling = []
    for _ in range(8):
        clock.now += 10.0
        limit.cut("429", sent_at=clock.now - 1.0)
        falling.append(limit.limit)
    assert falling == [32, 16, 8, 4, 2, 1, 1, 1]
    while limit.in_use:
        limit.release()
    clock.now += 89.0
    for _ in range(7):
        round_trip(limit, clock)
    assert limit.limit == 64


def test_after_a_cut_growth_is_by_one_until_calm_returns() -> None:
    """Right after a cut one more per round trip; half a minute later doubling again."""
    clock = Clock()
    limit = AdaptiveLimit(start=32, maximum=256, clock=clock)
    saturate(limit)
    limit.cut(sent_at=0.0)
    while limit.in_use > limit.limit:
        limit.release()
    round_trip(limit, clock)
    assert limit.limit in (16, 17)
    clock.now += 31.0
    before = limit.limit
    round_trip(limit, clock)
    assert limit.limit == 2 * before


def test_a_fixed_limit_stays() -> None:
    """Minimum equal to maximum: neither growth nor cuts."""
    limit = AdaptiveLimit(start=4, minimum=4, maximum=4, clock=Clock())
    saturate(limit)
    limit.succeeded()
    assert not limit.cut()
    assert limit.limit == 4
    assert len(limit.history) == 1


@pytest.mark.parametrize(("minimum", "maximum"), [(0, 4), (5, 4)])
def test_senseless_bounds_are_refused(minimum: int, maximum: int) -> None:
    """The bounds must leave room for one request."""
    with pytest.raises(ValueError, match="minimum"):
        AdaptiveLimit(minimum=minimum, maximum=maximum, clock=Clock())


def test_slots_go_out_in_order_one_wake_up_each() -> None:
    """5,000 waiters: a released slot wakes exactly the one who waits longest."""
    order: list[int] = []
    limit = AdaptiveLimit(start=1, minimum=1, maximum=1, clock=Clock())

    async def one(number: int) -> None:
        await limit.acquire()
        order.append(number)

    async def main() -> None:
        await limit.acquire()
        async with anyio.create_task_group() as group:
            for number in range(5000):
                group.start_soon(one, number)
            await anyio.lowlevel.checkpoint()
            for released in range(1, 4):
                limit.release()
                for _ in range(3):
                    await anyio.lowlevel.checkpoint()
                assert len(order) == released
            group.cancel_scope.cancel()

    anyio.run(main)
    assert order == [0, 1, 2]
    assert limit.in_use == 1


def test_a_waiter_cancelled_with_a_slot_passes_it_on() -> None:
    """No slot is lost when its receiver is cancelled before it can run."""
    limit = AdaptiveLimit(start=1, minimum=1, maximum=1, clock=Clock())
    got: list[str] = []

    async def one(name: str, scope: anyio.CancelScope) -> None:
        with scope:
            await limit.acquire()
            got.append(name)

    async def main() -> None:
        await limit.acquire()
        first, second = anyio.CancelScope(), anyio.CancelScope()
        async with anyio.create_task_group() as group:
            group.start_soon(one, "first", first)
            group.start_soon(one, "second", second)
            for _ in range(3):
                await anyio.lowlevel.checkpoint()
            first.cancel()  # not yet delivered when …
            limit.release()  # … the slot is handed to it
            for _ in range(6):
                await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()

    anyio.run(main)
    assert got == ["second"]
    assert limit.in_use == 1
