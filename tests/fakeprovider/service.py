"""The provider: routes requests, applies limits and plan, keeps the bill."""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import time
from functools import partial
from statistics import NormalDist

from .answers import Answerer, complete, uniforms
from .asks import Ask, Kind, UnreadableError, read_ask
from .behaviours import FACTS, Behaviour, Fault, Plan
from .billing import Bill, Charge, Entry
from .control import Control
from .limits import Limits
from .protocol import Exchange
from .replies import ERRORS, JSON_TYPE, error_body, model_entry, models_body
from .settings import Settings
from .turns import Turn
from .waits import tell

_UNCAPPED_TOKENS = 4096
_NORMAL = NormalDist()


class Service:
    """Handles every request of one server.

    Args:
        settings: how the provider behaves.
        loop: the event loop.
        answerer: gives the reply texts instead of the settings.
    """

    def __init__(
        self,
        settings: Settings,
        loop: asyncio.AbstractEventLoop,
        answerer: Answerer | None = None,
    ) -> None:
        self.settings = settings
        self.loop = loop
        self.answerer = answerer
        # Not the loop's clock: uvloop's counts whole milliseconds.
        self.clock = time.monotonic
        self._control = Control(self)
        self.reset()

    def reset(self) -> None:
        """Start afresh: empty bill and script, full buckets.

        Requests in flight end on the bill on which they began.
        """
        now = self.clock()
        self.bill = Bill(now, self.settings.log_rows)
        self.plan = Plan(self.settings.rates)
        self.limits = Limits(self.settings, now)

    def handle(self, exchange: Exchange) -> None:
        """Answer one request, now or later."""
        method, path = exchange.request.method, exchange.request.path.partition("?")[0]
        if path.startswith("/_"):
            self._control.handle(exchange)
            return
        if exchange.connection.served == 1:
            self.bill.connections += 1
        if method == "POST" and path.endswith("/chat/completions"):
            self._complete("chat", exchange, path)
        elif method == "POST" and path.endswith("/completions"):
            self._complete("completions", exchange, path)
        else:
            self.bill.other_requests += 1
            self._list_models(exchange, method, path)

    def _list_models(self, exchange: Exchange, method: str, path: str) -> None:
        _, found, name = path.partition("/models")
        name = name.removeprefix("/")
        if method == "GET" and found and not name:
            exchange.reply(200, JSON_TYPE, json.dumps(models_body(self.settings)).encode())
        elif method == "GET" and name in self.settings.models:
            exchange.reply(200, JSON_TYPE, json.dumps(model_entry(name, self.settings)).encode())
        else:
            body = error_body(404, f"no route: {method} {path}", "not_found", "not_found")
            exchange.reply(404, JSON_TYPE, body)

    def _complete(self, kind: Kind, exchange: Exchange, path: str) -> None:
        request, settings, now = exchange.request, self.settings, self.clock()
        digest = hashlib.sha256(request.body).hexdigest()
        entry = self.bill.open(path, digest, exchange.connection.served, now)
        if settings.keep_requests:
            entry.request = {"headers": request.headers, "body": _json_or_none(request.body)}
        if settings.api_key is not None and (
            request.headers.get("authorization") != f"Bearer {settings.api_key}"
        ):
            self._refuse(exchange, entry, Fault.BAD_KEY)
            return
        try:
            ask = read_ask(kind, request.body, settings)
        except UnreadableError as error:
            self._refuse(exchange, entry, Fault.BAD_REQUEST, str(error))
            return
        if settings.strict_models and ask.model not in settings.models:
            self._refuse(exchange, entry, Fault.UNKNOWN_MODEL)
            return
        completion = complete(ask, digest, settings, self.answerer)
        tokens = completion.tokens
        self.bill.identify(entry, ask.model, tokens, stream=ask.stream)
        charged = tokens.output if settings.tpm_counts == "actual" else ask.cap or _UNCAPPED_TOKENS
        refusal = self.limits.admit(tokens.prompt + charged, now)
        if refusal is not None:
            self.bill.limited += 1
            message = f"Rate limit reached on {refusal.what} per minute: limit {refusal.limit:g}."
            self._refuse(exchange, entry, Fault.RATE_LIMIT, message, wait_s=refusal.wait_s)
            return
        luck = (
            uniforms(settings.seed, "weather", digest, entry.occurrence)
            if self.plan.draws or settings.latency_kind != "fixed"
            else (0.0, 0.0, 0.0, 0.0)
        )
        behaviour = self._choose(ask, luck[0])
        entry.fault = behaviour.fault.value
        turn = Turn(
            loop=self.loop,
            settings=settings,
            exchange=exchange,
            bill=self.bill,
            entry=entry,
            ask=ask,
            completion=completion,
            behaviour=behaviour,
            extra_headers=[("x-request-id", f"req-{entry.ordinal}"), *self.limits.headers(now)],
        )
        turn.begin(self._latency_s(behaviour, luck[1]))

    def _choose(self, ask: Ask, luck: float) -> Behaviour:
        behaviour = self.plan.choose(ask.prompt_text, luck)
        if ask.body.get("echo") is True and self.settings.echo == "refused":
            return Behaviour(fault=Fault.SERVER_ERROR, message="echo is not supported")
        return behaviour

    def _latency_s(self, behaviour: Behaviour, luck: float) -> float:
        """Seconds until the end of the reply; refusals come at once."""
        settings = self.settings
        fact = FACTS[behaviour.fault]
        if behaviour.latency_s is not None:
            return behaviour.latency_s
        if fact.charge is Charge.NO and fact.status < 500 and fact.status != 200:
            return 0.0
        if settings.latency_kind == "uniform":
            return settings.latency_s + luck * (settings.latency_high_s - settings.latency_s)
        if settings.latency_kind == "lognormal":
            z = _NORMAL.inv_cdf(min(max(luck, 1e-9), 1 - 1e-9))
            return settings.latency_s * math.exp(settings.latency_sigma * z)
        return settings.latency_s

    def _refuse(
        self,
        exchange: Exchange,
        entry: Entry,
        fault: Fault,
        message: str | None = None,
        *,
        wait_s: float | None = None,
    ) -> None:
        """Refuse a request before anything is planned for it."""
        status = FACTS[fault].status
        text, kind, code = ERRORS[fault]
        headers, sentence = tell(wait_s, self.settings.tell_wait)
        entry.fault = "limited" if wait_s is not None else fault.value
        entry.told_wait_s = wait_s
        now, bill = self.clock(), self.bill
        body = error_body(
            status, (message or text) + sentence, kind, code, self.settings.error_shape
        )

        def settle(*, written: bool) -> None:
            bill.settle(entry, Charge.NO, status=status, now=now, written=written)

        exchange.on_hangup = partial(settle, written=False)
        exchange.reply(
            status,
            [*JSON_TYPE, *headers, *self.limits.headers(now)],
            body,
            on_written=partial(settle, written=True),
        )


def _json_or_none(raw: bytes) -> object:
    try:
        return json.loads(raw)
    except ValueError:
        return None
