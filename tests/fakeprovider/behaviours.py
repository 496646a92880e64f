"""What a request meets: an answer or a fault, by content, by script or by rate.

The catalogue `FACTS` says of each fault what is sent and what is billed, as real providers do it:

- refused before anything ran (4xx, the limits, a reset at the gateway): nothing is billed;
- 5xx: not billed, unless `bill_5xx` (few providers say in writing that they do not);
- computed, and the reply lost on the way or unreadable (reset after, cut body, silence, empty or
  garbled 200), or sent without its token counts: billed as `aborted`, all tokens;
- a stream cut in the middle or ended by an error: billed as `aborted`, the tokens of the chunks
  that were written;
- the client hung up: billed as `aborted` (`bill_hangups`);
- an error inside a 200: nothing is billed;
- odd but whole replies (null content, parts, filtered, gzip, huge, slow, a wrong content type,
  half a surrogate pair): billed as `complete`.

A behaviour may override this with `billed`.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .billing import Charge
from .settings import WaitForm


class Fault(StrEnum):
    """Names of what a request can meet."""

    OK = "ok"
    # refused
    RATE_LIMIT = "rate_limit"
    NO_CREDITS_429 = "no_credits_429"
    NO_CREDITS_402 = "no_credits_402"
    BAD_KEY = "bad_key"
    FORBIDDEN = "forbidden"
    UNKNOWN_MODEL = "unknown_model"
    UNSUPPORTED_MODEL = "unsupported_model"
    BAD_REQUEST = "bad_request"
    # failed
    SERVER_ERROR = "server_error"
    BAD_GATEWAY = "bad_gateway"
    UNAVAILABLE = "unavailable"
    GATEWAY_TIMEOUT = "gateway_timeout"
    OVERLOADED = "overloaded"
    RESET_BEFORE = "reset_before"  # by a gateway that passed nothing on (the log has the body)
    # computed and lost
    RESET_AFTER = "reset_after"
    CUT_BODY = "cut_body"
    STREAM_CUT = "stream_cut"
    SILENCE = "silence"
    EMPTY_200 = "empty_200"
    BAD_JSON = "bad_json"
    HTML_200 = "html_200"
    NO_CHOICES = "no_choices"
    STREAM_ERROR = "stream_error"
    NO_USAGE = "no_usage"
    # an error in disguise
    ERROR_IN_200 = "error_in_200"
    # whole but odd
    SLOW_BODY = "slow_body"
    GZIP = "gzip"
    HUGE = "huge"
    WRONG_TYPE = "wrong_type"
    NULL_CONTENT = "null_content"
    PARTS_CONTENT = "parts_content"
    CONTENT_FILTER = "content_filter"
    LONE_SURROGATE = "lone_surrogate"
    STREAM_RAGGED = "stream_ragged"


@dataclass(frozen=True, slots=True)
class Fact:
    """What a fault sends and costs; `status` 0 means that no status line is sent."""

    status: int
    charge: Charge


_NO, _LOST, _WHOLE = Charge.NO, Charge.ABORTED, Charge.COMPLETE

FACTS: Mapping[Fault, Fact] = {
    Fault.OK: Fact(200, _WHOLE),
    Fault.RATE_LIMIT: Fact(429, _NO),
    Fault.NO_CREDITS_429: Fact(429, _NO),
    Fault.NO_CREDITS_402: Fact(402, _NO),
    Fault.BAD_KEY: Fact(401, _NO),
    Fault.FORBIDDEN: Fact(403, _NO),
    Fault.UNKNOWN_MODEL: Fact(404, _NO),
    Fault.UNSUPPORTED_MODEL: Fact(400, _NO),
    Fault.BAD_REQUEST: Fact(400, _NO),
    Fault.SERVER_ERROR: Fact(500, _NO),
    Fault.BAD_GATEWAY: Fact(502, _NO),
    Fault.UNAVAILABLE: Fact(503, _NO),
    Fault.GATEWAY_TIMEOUT: Fact(504, _NO),
    Fault.OVERLOADED: Fact(529, _NO),
    Fault.RESET_BEFORE: Fact(0, _NO),
    Fault.RESET_AFTER: Fact(0, _LOST),
    Fault.CUT_BODY: Fact(200, _LOST),
    Fault.STREAM_CUT: Fact(200, _LOST),
    Fault.SILENCE: Fact(0, _LOST),
    Fault.EMPTY_200: Fact(200, _LOST),
    Fault.BAD_JSON: Fact(200, _LOST),
    Fault.HTML_200: Fact(200, _LOST),
    Fault.NO_CHOICES: Fact(200, _LOST),
    Fault.STREAM_ERROR: Fact(200, _LOST),
    Fault.NO_USAGE: Fact(200, _LOST),
    Fault.ERROR_IN_200: Fact(200, _NO),
    Fault.SLOW_BODY: Fact(200, _WHOLE),
    Fault.GZIP: Fact(200, _WHOLE),
    Fault.HUGE: Fact(200, _WHOLE),
    Fault.WRONG_TYPE: Fact(200, _WHOLE),
    Fault.NULL_CONTENT: Fact(200, _WHOLE),
    Fault.PARTS_CONTENT: Fact(200, _WHOLE),
    Fault.CONTENT_FILTER: Fact(200, _WHOLE),
    Fault.LONE_SURROGATE: Fact(200, _WHOLE),
    Fault.STREAM_RAGGED: Fact(200, _WHOLE),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """What one request meets.

    Attributes:
        fault: what happens.
        times: for how many requests (scripts only).
        wait_s: the wait that a 429, 503 or 529 tells; None tells nothing.
        tell_wait: how it tells it.
        latency_s: replaces the settings' latency.
        billed: replaces the catalogue: True bills what is not, False bills nothing.
        message: replaces the error's message.
        after: share of the body that is sent before it is cut.
        over_s: seconds over which a slow body is spread.
        megabytes: size of a huge body.
    """

    fault: Fault = Fault.OK
    times: int = 1
    wait_s: float | None = None
    tell_wait: WaitForm = "retry-after"
    latency_s: float | None = None
    billed: bool | None = None
    message: str | None = None
    after: float = 0.5
    over_s: float = 1.0
    megabytes: float = 8.0

    @classmethod
    def read(cls, value: Behaviour | str | Mapping[str, Any]) -> Behaviour:
        """Read a behaviour from its name or from a JSON object.

        Raises:
            ValueError: no such fault.
            TypeError: no such parameter.
        """
        if isinstance(value, Behaviour):
            return value
        options = {"fault": value} if isinstance(value, str) else dict(value)
        return cls(**{**options, "fault": Fault(options.get("fault", "ok"))})

    def as_dict(self) -> dict[str, Any]:
        """The behaviour as JSON."""
        return dataclasses.asdict(self)

    def charge(self, *, bill_5xx: bool) -> Charge:
        """How a request that met this ends on the bill."""
        fact = FACTS[self.fault]
        if self.billed is False:
            return Charge.NO
        if fact.charge is Charge.NO and (self.billed or (bill_5xx and fact.status >= 500)):
            return Charge.ABORTED
        return fact.charge


OK = Behaviour()


class Plan:
    """Decides what each request meets: rules first, then the script, then the rates.

    Which requests the rates hit depends on the seed, the body and how often that body came, not on
    the order of arrival: the same run meets the same faults at any concurrency.
    """

    def __init__(self, rates: Any = ()) -> None:
        self._rules: list[tuple[str, Behaviour]] = []
        self._script: deque[Behaviour] = deque()
        self._rates: list[tuple[float, Behaviour]] = []
        self.set_rates(rates)

    def add(self, behaviours: Iterable[Any]) -> None:
        """Append to the script: what the next requests meet, in order of arrival."""
        for value in behaviours:
            behaviour = Behaviour.read(value)
            self._script.extend([behaviour] * behaviour.times)

    def set_rules(self, rules: Iterable[Mapping[str, Any]]) -> None:
        """Replace the rules: objects with `contains` (text of the prompt) and a behaviour."""
        self._rules = []
        for rule in rules:
            options = dict(rule)
            text = options.pop("contains")
            self._rules.append((text, Behaviour.read(options)))

    def set_rates(self, rates: Any) -> None:
        """Replace the rates: shares by fault name, or objects with `share` and a behaviour.

        Raises:
            TypeError: an unknown parameter.
            ValueError: not rates, an unknown fault, or shares that add up to more than 1.
        """
        if isinstance(rates, Mapping):
            rates = [{"share": share, "fault": fault} for fault, share in rates.items()]
        found, total = [], 0.0
        for rate in rates:
            if not isinstance(rate, Mapping) or "share" not in rate:
                raise ValueError(f"rates: {rate!r} is no object with a `share`")
            options = dict(rate)
            total += options.pop("share")
            found.append((total, Behaviour.read(options)))
        if total > 1.0 + 1e-9:
            raise ValueError(f"the rates add up to {total:g}: more than every request")
        self._rates = found

    @property
    def scripted(self) -> int:
        """How many entries of the script are left."""
        return len(self._script)

    @property
    def draws(self) -> bool:
        """Whether the decision needs a random number."""
        return bool(self._rates)

    def choose(self, prompt_text: str, luck: float) -> Behaviour:
        """Decide for one request; `luck` is uniform in [0, 1)."""
        for text, behaviour in self._rules:
            if text in prompt_text:
                return behaviour
        if self._script:
            return self._script.popleft()
        for upto, behaviour in self._rates:
            if luck < upto:
                return behaviour
        return OK
