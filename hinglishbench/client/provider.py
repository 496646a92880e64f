"""What is known of one provider: the record that `providers.toml` fills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Literal, TypeVar

Billed = Literal["yes", "no", "maybe"]
Route = Literal["direct", "hf", "local"]
StreamPolicy = Literal["never", "always", "long"]
HeaderUnit = Literal["second", "minute", "day"]


_DEFAULT_REASONING = ("reasoning_content", "reasoning")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Fact:
    """Where a statement about a provider comes from.

    Attributes:
        link: the page it was read on (for an override: the user's file).
        date: when it was read, YYYY-MM or YYYY-MM-DD.
        verified: the day it was last tried against the live service, or "never".
        note: what else a reader should know.
    """

    link: str
    date: str
    verified: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class RateLimits:
    """What the provider grants: requests and tokens per minute, requests in flight."""

    rpm: int | None = None
    tpm: int | None = None
    concurrency: int | None = None


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider as `providers.toml` and `hbench.toml` describe it.

    Attributes:
        base_url: where `/chat/completions` hangs; None: `--base-url` must say.
        key_env: environment variables that may hold the key, the first one set wins.
        effort: model pattern -> effort value -> fragment merged into the body.
        cap_field: model pattern -> name of the field that caps output tokens.
        unsupported: model pattern -> request fields that the model refuses.
        reasoning_fields: fields of the message that may hold reasoning, the usual one first.
        stream: never, always, or `long`: when the cap is over `stream_above` tokens.
        header_units: unit of the plain `x-ratelimit-limit-requests` / `-tokens` headers, for
            `requests` and `tokens`; a name that carries its unit needs none.
        billed_5xx: whether a 5xx may be on the bill; `billed_status` says otherwise by status.
        billed_499: the same for a client that hung up.
        reliable_cap: whether the cap really bounds the output, so that a budget can rely on it.
        reports_cost: whether a `cost` in the reply's usage is in US dollars and may be believed.
        hf_id: its id at the Hugging Face router; None: not there.
        price_ids: provider ids of genai-prices under which its prices may stand, in order.
        model_suffix: appended to the model id when it has none (`:groq` on the router).
        facts: key -> where it was read.
        overridden: keys that a user's file has set.
    """

    name: str
    title: str
    base_url: str | None = None
    key_env: tuple[str, ...] = ()
    key_required: bool = True
    default_model: str | None = None
    candidates: tuple[str, ...] = ()
    effort: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    cap_field: Mapping[str, str] = field(default_factory=lambda: {"*": "max_tokens"})
    unsupported: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reasoning_fields: tuple[str, ...] = _DEFAULT_REASONING
    stream: StreamPolicy = "never"
    stream_above: int = 8192
    limits: RateLimits = RateLimits()
    header_units: Mapping[str, HeaderUnit] = field(default_factory=dict)
    billed_5xx: Billed = "maybe"
    billed_499: Billed = "maybe"
    billed_status: Mapping[int, Billed] = field(default_factory=dict)
    reliable_cap: bool = True
    reports_cost: bool = True
    hf_id: str | None = None
    price_ids: tuple[str, ...] = ()
    extra_headers: Mapping[str, str] = field(default_factory=dict)
    route: Route = "direct"
    model_suffix: str = ""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    overridden: tuple[str, ...] = ()

    def effort_values(self, model: str) -> tuple[str, ...]:
        """Effort values that `model` takes here, besides leaving it unset."""
        return tuple(first_match(self.effort, model, {}))

    def cap_field_for(self, model: str) -> str:
        """Name of the request field that caps the output tokens of `model`."""
        return first_match(self.cap_field, model, "max_tokens")

    def refuses(self, model: str, request_field: str) -> bool:
        """Whether `model` answers a request that carries this field with an error."""
        return request_field in first_match(self.unsupported, model, ())

    def billed(self, status: int) -> Billed:
        """Whether an attempt that ended with this HTTP status is on the bill."""
        if status in self.billed_status:
            return self.billed_status[status]
        if status == 499:  # the client hung up, as nginx and its kin log it
            return self.billed_499
        if status >= 500:
            return self.billed_5xx
        return "maybe" if 200 <= status < 300 else "no"


def first_match(table: Mapping[str, _T], model: str, default: _T) -> _T:
    """The value of the first pattern (fnmatch, case ignored) that fits the model id."""
    lowered = model.lower()
    for pattern, value in table.items():
        if fnmatchcase(lowered, pattern.lower()):
            return value
    return default
