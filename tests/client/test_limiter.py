"""The limiter: rates, bursts, pauses and the queue, in virtual time."""

from __future__ import annotations

import heapq
from collections.abc import Awaitable, Callable
from itertools import count

import anyio
import anyio.lowlevel
import pytest

from hinglishbench.client.limiter import Limiter
from hinglishbench.client.waits import LimitsSeen


class VirtualTime:
    """A clock that jumps to the next sleeper when everybody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.sleeps = 0
        self._heap: list[tuple[float, int, anyio.Event]] = []
        self._order = count()

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.sleeps += 1
        event = anyio.Event()
        heapq.heappush(self._heap, (self.now + seconds, next(self._order), event))
        await event.wait()

    def limiter(self, *, rpm: float | None = None, tpm: float | None = None) -> Limiter:
        return Limiter(rpm=rpm, tpm=tpm, clock=self.clock, sleep=self.sleep)

    def run(self, main: Callable[[], Awaitable[None]]) -> None:
        anyio.run(self._drive, main)

    async def _drive(self, main: Callable[[], Awaitable[None]]) -> None:
        finished = False

        async def watched() -> None:
            nonlocal finished
            await main()
            finished = True

        async with anyio.create_task_group() as group:
            group.start_soon(watched)
            while True:
                for _ in range(12):  # let everybody who can run do so
                    await anyio.lowlevel.checkpoint()
                if finished:
                    break
                if not self._heap:
                    continue
                at, _, event = heapq.heappop(self._heap)
                self.now = max(self.now, at)
                event.set()


async def pull(
    limiter: Limiter, n: int, workers: int, each: Callable[[], None], tokens: float
) -> None:
    """`workers` workers take `n` places in all."""
    places = iter(range(n))

    async def worker() -> None:
        for _ in places:
            await limiter.acquire(tokens)
            each()

    async with anyio.create_task_group() as group:
        for _ in range(workers):
            group.start_soon(worker)


def issue(
    time: VirtualTime, limiter: Limiter, n: int, *, workers: int = 8, tokens: float = 0.0
) -> list[float]:
    """Times at which `n` requests were admitted."""
    times: list[float] = []

    async def main() -> None:
        await pull(limiter, n, workers, lambda: times.append(time.now), tokens)

    time.run(main)
    return times


def test_without_limits_nothing_sleeps() -> None:
    """No limit: every place is free at once."""
    time = VirtualTime()
    assert issue(time, time.limiter(), 1000) == [0.0] * 1000
    assert time.sleeps == 0


def test_600_per_minute_is_used_up_and_never_passed() -> None:
    """600 RPM, 300 requests: a server with the same bucket refuses none, and under 3% is lost."""
    time = VirtualTime()
    times = issue(time, time.limiter(rpm=600), 300, workers=64)
    level, at = 5.0, 0.0  # a server that grants half a second at once
    for now in times:
        level = min(5.0, level + (now - at) * 10)
        at = now
        level -= 1
        assert level > -1e-6
    assert times[-1] <= 1.03 * (300 - 5) / 10


def test_low_limits_are_spaced_one_by_one() -> None:
    """15 RPM: half a second's quota is less than one request, so one goes every four seconds."""
    time = VirtualTime()
    assert issue(time, time.limiter(rpm=15), 4) == pytest.approx([0.0, 4.0, 8.0, 12.0])


def test_tokens_are_reserved_before_and_settled_after() -> None:
    """6,000 TPM, 100 tokens reserved each, 50 used: settling gives half of the rate back."""
    time = VirtualTime()
    limiter = time.limiter(tpm=6000)
    times: list[float] = []

    async def main() -> None:
        for _ in range(41):
            place = await limiter.acquire(100)
            times.append(time.now)
            limiter.settle(place, 50)

    time.run(main)
    assert times[-1] == pytest.approx(40 * 50 / 100, rel=0.03)


def test_more_used_than_reserved_delays_the_next() -> None:
    """A debt of tokens is worked off before the next request goes."""
    time = VirtualTime()
    limiter = time.limiter(tpm=6000)
    times: list[float] = []

    async def main() -> None:
        place = await limiter.acquire(10)
        limiter.settle(place, 500)
        limiter.settle(place, 9000)  # settled already: no effect
        await limiter.acquire(50)
        times.append(time.now)

    time.run(main)
    assert times == [pytest.approx(5.0)]  # level 50 - 500 = -450, needs 50: 500 tokens at 100/s


def test_a_request_larger_than_the_bucket_goes_when_it_is_full() -> None:
    """An estimate over half a second's quota is admitted, and the long run keeps the rate."""
    time = VirtualTime()
    times = issue(time, time.limiter(tpm=6000), 5, workers=1, tokens=400)
    assert times[0] == 0.0
    assert times[-1] == pytest.approx(16.0)  # 4 x 400 tokens at 100 a second


def test_unknown_usage_leaves_the_reservation() -> None:
    """A reply that never came settles as None: its estimate stays booked."""
    time = VirtualTime()
    limiter = time.limiter(tpm=6000)
    times: list[float] = []

    async def main() -> None:
        limiter.settle(await limiter.acquire(200), None)
        await limiter.acquire(50)
        times.append(time.now)

    time.run(main)
    assert times == [pytest.approx(2.0)]


def test_a_pause_holds_everybody_and_the_longest_stays() -> None:
    """No place before the end of the longest pause; the state says for what and until when."""
    time = VirtualTime()
    limiter = time.limiter(rpm=6000)
    limiter.pause(30.0)
    limiter.pause(20.0)
    seen: list[tuple[str | None, float | None]] = []
    times: list[float] = []

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(pull, limiter, 20, 5, lambda: times.append(time.now), 0.0)
            await anyio.lowlevel.checkpoint()
            await anyio.lowlevel.checkpoint()
            state = limiter.state()
            seen.append((state.waiting_for, state.until))

    time.run(main)
    assert seen == [("pause", 30.0)]
    assert min(times) == 30.0
    assert limiter.state().waiting_for is None


def test_a_pause_that_grows_during_the_wait_is_honoured() -> None:
    """The first in the queue looks again when it wakes."""
    time = VirtualTime()
    limiter = time.limiter()
    limiter.pause(10.0)
    times: list[float] = []

    async def longer() -> None:
        await time.sleep(5.0)
        limiter.pause(60.0)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(longer)
            await limiter.acquire()
            times.append(time.now)

    time.run(main)
    assert times == [60.0]


def test_wait_ready_takes_no_place() -> None:
    """Waiting for the end of a pause leaves the quota alone."""
    time = VirtualTime()
    limiter = time.limiter(rpm=60)
    limiter.pause(7.0)
    times: list[float] = []

    async def main() -> None:
        await limiter.wait_ready()
        times.append(time.now)
        await limiter.acquire()
        times.append(time.now)

    time.run(main)
    assert times == [7.0, 7.0]


def test_case_60_waiters_do_not_wake_each_other() -> None:
    """5,000 waiters behind one limiter cost one timer per admission, not one per waiter."""
    time = VirtualTime()
    limiter = time.limiter(rpm=60_000)
    done: list[float] = []

    async def one() -> None:
        await limiter.acquire()
        done.append(time.now)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(5000):
                group.start_soon(one)

    time.run(main)
    assert len(done) == 5000
    assert time.sleeps <= 5000
    assert done[-1] == pytest.approx(4.5, rel=0.03)  # (5000 - 500) / 1000 a second


@pytest.mark.parametrize("victim", [0, 2])
def test_a_cancelled_waiter_leaves_the_queue_moving(victim: int) -> None:
    """Cancelling the first, or one in the middle, strands nobody."""
    time = VirtualTime()
    limiter = time.limiter(rpm=60)
    times: list[float] = []
    scopes = [anyio.CancelScope for _ in range(4)]

    async def main() -> None:
        await limiter.acquire()
        held = [make() for make in scopes]

        async def one(scope: anyio.CancelScope) -> None:
            with scope:
                await limiter.acquire()
                times.append(time.now)

        async with anyio.create_task_group() as group:
            for scope in held:
                group.start_soon(one, scope)
            await anyio.lowlevel.checkpoint()
            await anyio.lowlevel.checkpoint()
            held[victim].cancel()

    time.run(main)
    assert times == pytest.approx([1.0, 2.0, 3.0])


def test_headers_teach_a_limit_but_never_override_the_user() -> None:
    """A limit told by the provider is taken over unless the user has set one."""
    time = VirtualTime()
    free = time.limiter()
    assert free.observe(LimitsSeen(rpm=60.0))
    assert free.rpm == 60.0
    assert not free.observe(LimitsSeen(rpm=60.2))  # noise of a rounded header
    assert not free.observe(LimitsSeen())
    set_by_user = Limiter(rpm=30, clock=time.clock, sleep=time.sleep, keep_rpm=True)
    assert not set_by_user.observe(LimitsSeen(rpm=600.0))
    assert set_by_user.rpm == 30
    assert set_by_user.observe(LimitsSeen(rpm=600.0, tpm=6000.0))  # of tokens the user said nothing
    assert (set_by_user.rpm, set_by_user.tpm) == (30, 6000)


def test_a_bad_first_guess_does_not_hold_the_queue() -> None:
    """64 wait with a guess of 860 tokens, answers take 0.1 s and use 100: the limit is used up.

    The guess is asked again at each turn, and a settlement shortens a wait that has begun.
    """
    time = VirtualTime()
    limiter = time.limiter(tpm=60_000)
    used: list[float] = []
    places = iter(range(300))

    async def worker() -> None:
        for _ in places:
            place = await limiter.acquire(lambda: sum(used) / len(used) if used else 860.0)
            await time.sleep(0.1)
            used.append(100.0)
            limiter.settle(place, 100.0)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(64):
                group.start_soon(worker)

    time.run(main)
    assert time.now <= 1.05 * (300 * 100 - 500) / 1000
