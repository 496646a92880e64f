"""The whole engine in virtual time: an event loop whose clock jumps to the next timer."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import anyio

from hinglishbench.client.mock import MockTransport
from hinglishbench.client.transport import HttpReply, HttpRequest
from hinglishbench.ledger.claims import Ask
from hinglishbench.ledger.journal import Journal
from hinglishbench.run.engine import Engine
from hinglishbench.run.lane import Lane, open_lane
from hinglishbench.run.options import RunOptions
from hinglishbench.run.prepare import prepare
from hinglishbench.run.progress import Silent

Server = Callable[[float, HttpRequest], Awaitable[HttpReply]]
"""Answers a request, given the time since the start; it may sleep."""


class _Jumping(selectors.SelectSelector):
    """Waits by moving the clock."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise RuntimeError("nothing is left that could ever happen")
            self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in which waiting takes no time."""

    def __init__(self) -> None:
        self._jumping = _Jumping()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


@dataclass
class Memory:
    """A journal that is a list."""

    lines: list[dict[str, Any]] = field(default_factory=list)

    def write(self, *events: Mapping[str, Any]) -> None:
        self.lines += map(dict, events)

    def ends(self) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["e"] == "end"]


@dataclass
class Played:
    """What a run in virtual time left behind.

    Attributes:
        took_s: virtual seconds.
        sent: (when, body) of each request, by provider.
        told: (when the reply came, seconds told) of each refusal, by provider.
    """

    engine: Engine
    lanes: Sequence[Lane]
    journal: Memory
    took_s: float = 0.0
    sent: dict[str, list[float]] = field(default_factory=dict)
    told: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    most_tasks: int = 0


def play(servers: Mapping[str, Server], suite: Path, **options: Any) -> Played:
    """Carry out a run against servers that are functions; hours take milliseconds.

    Args:
        servers: by provider, each a [providers.NAME] of the working folder's hbench.toml.
        suite: a parallel file.
        options: of the run.
    """

    async def main() -> Played:
        clock = asyncio.get_running_loop().time
        plan = prepare(
            RunOptions(suite=str(suite), providers=tuple(servers), models=("m",), **options)
        ).plan
        asks: dict[str, list[Ask]] = {name: [] for name in servers}
        for seq in range(len(plan)):
            asks[plan.cell(seq).arm.endpoint.provider.name].append(Ask(seq, seq))
        journal = Memory()
        engine = Engine(
            plan, cast("Journal", journal), Silent(lambda *_: None, plan.forms), list(range(len(plan.arms))),
            now=lambda: 1.7e9 + clock(), clock=clock, rand=lambda: 0.5,
        )  # fmt: skip
        played = Played(engine, [], journal)

        def transport(name: str) -> MockTransport:
            sent, told = played.sent.setdefault(name, []), played.told.setdefault(name, [])

            async def answer(request: HttpRequest) -> HttpReply:
                sent.append(clock())
                played.most_tasks = max(played.most_tasks, len(asyncio.all_tasks()))
                reply = await servers[name](clock(), request)
                if wait := reply.headers.get("retry-after"):
                    told.append((clock(), float(wait)))
                return reply

            return MockTransport(answer)

        played.lanes = [
            open_lane(
                RunOptions(**options),
                next(a.endpoint for a in plan.arms if a.endpoint.provider.name == name),
                number, transport(name), asks[name], clock=clock,
            )
            for number, name in enumerate(servers)
        ]  # fmt: skip
        await engine.run(played.lanes)
        played.took_s = clock()
        return played

    return anyio.run(main, backend_options={"loop_factory": VirtualLoop})
