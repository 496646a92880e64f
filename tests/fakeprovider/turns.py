"""One request on its way through the server, and what each fault does to it."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

from .answers import Completion, Tokens
from .asks import Ask
from .behaviours import FACTS, Behaviour, Fault
from .billing import Bill, Charge, Entry
from .protocol import Exchange
from .replies import (
    ERRORS,
    HTML_BODY,
    JSON_TYPE,
    completion_body,
    error_body,
    error_event,
    serialise,
    stream_events,
)
from .settings import Settings
from .waits import tell

_SLOW_PIECES = 10
_RAGGED_BYTES = 7
TIMER_TICK_S = 0.001
"""uvloop counts in milliseconds, and may fire one early: a latency is never shorter than asked."""

Headers = list[tuple[str, str]]


@dataclass(slots=True)
class Turn:
    """A readable request that was admitted: what it asked, will be told, and costs.

    Attributes:
        extra_headers: rate-limit headers and the request id, sent with every reply.
        rest_s: seconds over which the chunks of a stream are spread.
        generated: what had been streamed when the client hung up, None before the first chunk.
    """

    loop: asyncio.AbstractEventLoop
    settings: Settings
    exchange: Exchange
    bill: Bill
    entry: Entry
    ask: Ask
    completion: Completion
    behaviour: Behaviour
    extra_headers: Headers
    rest_s: float = 0.0
    generated: Tokens | None = None
    _prepared: bytes | None = None
    _pending: asyncio.Handle | asyncio.Task[None] | None = None

    @property
    def charge(self) -> Charge:
        """How it ends on the bill if all goes as planned."""
        return self.behaviour.charge(bill_5xx=self.settings.bill_5xx)

    def begin(self, latency_s: float) -> None:
        """Act on the request after the latency; streams begin after a share of it."""
        if self.ask.stream:
            first_s = latency_s * self.settings.first_token_share
            self.rest_s, latency_s = latency_s - first_s, first_s
        elif self.behaviour.fault is Fault.OK:
            # Done while the latency runs, not after it.
            self._prepared = serialise(self.body())
        self.exchange.on_hangup = self._hung_up
        act = ACTS.get(self.behaviour.fault, _refuse)
        if latency_s > 0:
            self._pending = self.loop.call_later(latency_s + TIMER_TICK_S, act, self)
        else:
            act(self)

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something that takes time; cancelled when the client hangs up."""
        self._pending = self.loop.create_task(work)

    def reply(
        self, status: int, body: bytes, headers: Headers, *, charge: Charge | None = None
    ) -> None:
        """Send a whole reply and settle when it is written."""
        charge = charge or self.charge

        def written() -> None:
            self.settle(charge, status, written=True)

        self.exchange.reply(status, [*headers, *self.extra_headers], body, on_written=written)

    def settle(
        self, charge: Charge, status: int, *, written: bool = False, tokens: Tokens | None = None
    ) -> None:
        """End the request on the bill."""
        now = time.monotonic()
        self.bill.settle(self.entry, charge, status=status, now=now, written=written, tokens=tokens)

    def body(self) -> dict[str, Any]:
        """The whole reply as JSON."""
        return completion_body(self.ask, self.completion, self.entry.ordinal, self.settings)

    def whole_body(self) -> bytes:
        """The whole reply as bytes."""
        return self._prepared or serialise(self.body())

    def _hung_up(self) -> None:
        if self._pending is not None:
            self._pending.cancel()
        billable = self.settings.bill_hangups or self.behaviour.fault is Fault.SILENCE
        charge = Charge.ABORTED if billable and self.charge is not Charge.NO else Charge.NO
        status = 0 if self.behaviour.fault is Fault.SILENCE else 499
        self.settle(charge, status, tokens=self.generated)


# --- whole replies


def _answer(turn: Turn) -> None:
    if turn.ask.stream:
        turn.run(_stream(turn))
        return
    counted = turn.settings.usage != "none"
    charge = turn.charge if counted or turn.charge is Charge.NO else Charge.ABORTED
    turn.reply(200, turn.whole_body(), JSON_TYPE, charge=charge)


def _altered(change: Callable[[Completion, Behaviour], Completion]) -> Callable[[Turn], None]:
    def act(turn: Turn) -> None:
        turn.completion = change(turn.completion, turn.behaviour)
        _answer(turn)

    return act


def _parts(completion: Completion, _: Behaviour) -> Completion:
    text = str(completion.content)
    half = len(text) // 2
    parts = [{"type": "text", "text": piece} for piece in (text[:half], text[half:])]
    return replace(completion, content=parts)


def _huge(completion: Completion, behaviour: Behaviour) -> Completion:
    padding = "lorem ipsum " * int(behaviour.megabytes * 1_000_000 / 12)
    return replace(completion, content=f"{padding}\n{completion.content}")


def _gzip(turn: Turn) -> None:
    headers = [*JSON_TYPE, ("content-encoding", "gzip")]
    turn.reply(200, gzip.compress(serialise(turn.body()), 1), headers)


def _wrong_type(turn: Turn) -> None:
    turn.reply(200, serialise(turn.body()), [("content-type", "text/plain")])


def _no_usage(turn: Turn) -> None:
    body = turn.body()
    body.pop("usage", None)
    turn.reply(200, serialise(body), JSON_TYPE)


def _no_choices(turn: Turn) -> None:
    body = turn.body() | {"choices": []}
    body.pop("usage", None)
    turn.reply(200, serialise(body), JSON_TYPE)


def _bad_json(turn: Turn) -> None:
    body = serialise(turn.body())
    turn.reply(200, body[: len(body) // 2], JSON_TYPE)


def _empty(turn: Turn) -> None:
    turn.reply(200, b"", JSON_TYPE)


def _html(turn: Turn) -> None:
    turn.reply(200, HTML_BODY, [("content-type", "text/html")])


def _bad_gateway(turn: Turn) -> None:
    turn.reply(502, HTML_BODY, [("content-type", "text/html")])


def _refuse(turn: Turn) -> None:
    """Send the error of the fault, with its wait if it tells one."""
    behaviour = turn.behaviour
    status = FACTS[behaviour.fault].status
    message, kind, code = ERRORS[behaviour.fault]
    headers, sentence = tell(behaviour.wait_s, behaviour.tell_wait)
    turn.entry.told_wait_s = behaviour.wait_s
    body = error_body(
        status, (behaviour.message or message) + sentence, kind, code, turn.settings.error_shape
    )
    turn.reply(status, body, [*JSON_TYPE, *headers])


# --- broken connections


def _reset(turn: Turn) -> None:
    turn.exchange.reset()
    turn.settle(turn.charge, 0)


def _cut_body(turn: Turn) -> None:
    if turn.ask.stream:
        turn.run(_stream(turn, cut_at=turn.behaviour.after))
        return
    body = serialise(turn.body())
    sent = min(int(len(body) * turn.behaviour.after), len(body) - 1)
    turn.exchange.start(200, [*JSON_TYPE, *turn.extra_headers], length=len(body))
    turn.exchange.send(body[:sent])
    turn.exchange.cut()
    turn.settle(turn.charge, 200)


def _silence(turn: Turn) -> None:
    """Leave it: the request ends when the client hangs up."""
    del turn


# --- replies that take time


def _slow_body(turn: Turn) -> None:
    turn.run(_send_slowly(turn))


async def _send_slowly(turn: Turn) -> None:
    body = serialise(turn.body())
    size = -(-len(body) // _SLOW_PIECES)
    turn.exchange.start(200, [*JSON_TYPE, *turn.extra_headers], length=len(body))
    for start in range(0, len(body), size):
        await asyncio.sleep(turn.behaviour.over_s / _SLOW_PIECES)
        turn.exchange.send(body[start : start + size])
    turn.exchange.finish(on_written=lambda: turn.settle(turn.charge, 200, written=True))


def _ragged(turn: Turn) -> None:
    turn.run(_stream(turn, ragged=True)) if turn.ask.stream else _answer(turn)


def _stream_error(turn: Turn) -> None:
    if turn.ask.stream:
        turn.run(_stream(turn, error_at=turn.behaviour.after))
    else:
        _refuse(turn)


async def _stream(
    turn: Turn,
    *,
    cut_at: float | None = None,
    error_at: float | None = None,
    ragged: bool = False,
) -> None:
    """Send a stream over what is left of the latency, perhaps cut or ended by an error.

    Args:
        turn: the request.
        cut_at: share of the events after which the connection is closed.
        error_at: share of the events after which an error event ends the stream.
        ragged: send each event in pieces that break lines and characters.
    """
    settings, exchange, tokens = turn.settings, turn.exchange, turn.completion.tokens
    events = list(stream_events(turn.ask, turn.completion, turn.entry.ordinal, settings))
    stop_at = cut_at if cut_at is not None else error_at
    last = len(events) if stop_at is None else min(int(len(events) * stop_at), len(events) - 2)
    pause = turn.rest_s / max(1, len(events) - 1)
    headers = [("content-type", "text/event-stream; charset=utf-8"), ("cache-control", "no-cache")]
    exchange.start(200, [*headers, *turn.extra_headers])
    turn.generated = tokens.part(0.0)
    for number, (event, share) in enumerate(events[:last]):
        if number and pause:
            await asyncio.sleep(pause)
        if ragged:
            for start in range(0, len(event), _RAGGED_BYTES):
                exchange.send(event[start : start + _RAGGED_BYTES])
                await asyncio.sleep(0)
        else:
            exchange.send(event)
        turn.generated = tokens.part(share)
    if cut_at is not None:
        exchange.cut()
        turn.settle(turn.charge, 200, tokens=turn.generated)
        return
    if error_at is not None:
        message, kind, code = ERRORS[Fault.STREAM_ERROR]
        exchange.send(error_event(turn.behaviour.message or message, kind, code))
    counted = any(b'"usage"' in event for event, _ in events[:last])
    charge = turn.charge if counted or turn.charge is Charge.NO else Charge.ABORTED
    generated = turn.generated
    exchange.finish(on_written=lambda: turn.settle(charge, 200, written=True, tokens=generated))


ACTS: dict[Fault, Callable[[Turn], None]] = {
    Fault.OK: _answer,
    Fault.BAD_GATEWAY: _bad_gateway,
    Fault.RESET_BEFORE: _reset,
    Fault.RESET_AFTER: _reset,
    Fault.CUT_BODY: _cut_body,
    Fault.STREAM_CUT: _cut_body,
    Fault.SILENCE: _silence,
    Fault.EMPTY_200: _empty,
    Fault.BAD_JSON: _bad_json,
    Fault.HTML_200: _html,
    Fault.NO_CHOICES: _no_choices,
    Fault.NO_USAGE: _no_usage,
    Fault.STREAM_ERROR: _stream_error,
    Fault.SLOW_BODY: _slow_body,
    Fault.GZIP: _gzip,
    Fault.WRONG_TYPE: _wrong_type,
    Fault.HUGE: _altered(_huge),
    Fault.NULL_CONTENT: _altered(lambda answer, _: replace(answer, content=None)),
    Fault.PARTS_CONTENT: _altered(_parts),
    Fault.CONTENT_FILTER: _altered(
        lambda answer, _: replace(answer, content=None, finish_reason="content_filter")
    ),
    Fault.LONE_SURROGATE: _altered(
        lambda answer, _: replace(answer, content=f"\ud835 = {answer.content}")
    ),
    Fault.STREAM_RAGGED: _ragged,
}
"""What each fault does; a fault that is not listed sends its error from `ERRORS`."""
