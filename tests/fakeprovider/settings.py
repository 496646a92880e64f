"""Every option of the fake provider, in one flat record that also travels as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args, get_type_hints

LatencyKind = Literal["fixed", "uniform", "lognormal"]
UsageShape = Literal["inside", "outside", "no_total", "inconsistent", "none"]
ReasoningField = Literal["reasoning_content", "reasoning", "both", "inline", "hidden"]
WaitForm = Literal[
    "retry-after", "retry-after-ms", "http-date", "reset-headers", "message", "silent"
]
LimitHeaders = Literal["none", "openai", "groq", "cerebras", "together", "ietf"]
ErrorShape = Literal["object", "string", "openrouter"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How one fake provider behaves; all fields have defaults, all are plain JSON values.

    Raises:
        ValueError: a field holds a value outside its list.
    """

    # --- where and for how long
    port: int = 0
    """0: any free port. The address is always 127.0.0.1."""
    max_lifetime_s: float = 900.0
    """A spawned server ends itself after this many seconds, whatever happens."""
    log_rows: int = 200_000
    """Rows kept for `/_log`; the bill counts on beyond them."""
    keep_requests: bool = False
    """Keep headers and parsed body of each request in its log row (for tests of dialects)."""

    # --- answers: a pure function of the seed and the request
    seed: int = 0
    answer_key: Literal["body", "messages"] = "body"
    """What determines an answer: the whole body as sent, or its messages alone."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """Reply text by a substring of the last user message; the first match in order wins."""
    final_answer: str = "42"
    """Last line of a reply whose question is not in `answers`."""
    completion_tokens: int = 60
    """Visible tokens of a reply, before the form's ratio, the spread and the cap."""
    completion_spread: float = 0.0
    """Share by which the visible tokens of a request go up or down, evenly distributed."""
    ratio_native: float = 1.0
    """Factor on visible tokens when the question has letters of an Indic script."""
    ratio_hinglish: float = 1.0
    """Factor on visible tokens when the question reads as romanized Hindi."""
    reply_bytes: int = 0
    """Pad the text until it has this many bytes."""
    reasoning_tokens: int = 0
    reasoning_field: ReasoningField = "reasoning_content"
    thinking_switch: Literal["honoured", "ignored"] = "honoured"
    """Whether a request may turn reasoning off (in any dialect's words)."""
    echo: Literal["full", "generated_only", "refused"] = "full"
    """`echo` with `logprobs` on /v1/completions: prompt scored, ignored, or a 500."""

    # --- usage
    usage: UsageShape = "inside"
    """Reasoning inside or outside `completion_tokens`; no `total_tokens`; a total that fits
    neither reading; or no usage at all."""
    usage_details: bool = True
    """Send `prompt_tokens_details` and `completion_tokens_details`."""
    cached_share: float = 0.0
    """Share of the prompt tokens reported as cached."""
    price_in: float = 0.0
    """US$ per million prompt tokens, for `usage.cost` and the model listing."""
    price_out: float = 0.0
    """US$ per million billable output tokens."""
    state_cost: bool = False
    """Send `usage.cost`, as OpenRouter does."""

    # --- models and access
    models: tuple[str, ...] = ("fake/model",)
    strict_models: bool = False
    """Answer 404 for a model that is not listed."""
    listing: Literal["openai", "hf"] = "openai"
    """Shape of GET /v1/models; `hf` lists providers with prices as the HF router does."""
    api_key: str | None = None
    """When set, any other bearer token gets a 401."""
    refused_fields: tuple[str, ...] = ()
    """Body fields answered with 400, as providers do for fields that a model lacks."""
    error_shape: ErrorShape = "object"

    # --- time
    latency_s: float = 0.0
    """The latency; of `uniform` the lower end, of `lognormal` the median."""
    latency_kind: LatencyKind = "fixed"
    latency_high_s: float = 0.0
    """Upper end of `uniform`."""
    latency_sigma: float = 0.5
    """Standard deviation of the logarithm, of `lognormal`."""

    # --- streaming
    stream_chunks: int = 8
    first_token_share: float = 0.25
    """Share of the latency that passes before the first chunk."""
    stream_usage: Literal["asked", "always", "never"] = "asked"
    """When the usage chunk is sent; `asked` follows `stream_options.include_usage`."""

    # --- rate limits
    rpm: float | None = None
    rpm_burst: float | None = None
    """Requests that a full bucket holds; default: one second's quota, at least 1."""
    tpm: float | None = None
    tpm_burst: float | None = None
    """Tokens that a full bucket holds; default: one minute's quota."""
    tpm_counts: Literal["actual", "requested"] = "actual"
    """Charge the token bucket with what is used, or with the prompt plus the cap asked for."""
    count_refused: bool = False
    """A refused request takes from the request bucket too."""
    tell_wait: WaitForm = "retry-after"
    """How a 429 of the limits tells the wait."""
    limit_headers: LimitHeaders = "none"
    """Family of rate-limit headers sent with every reply."""

    # --- faults and what is billed
    rates: Any = field(default_factory=dict)
    """Share by fault name, or a list of objects with `share`, `fault` and its parameters."""
    bill_hangups: bool = True
    """Bill a request whose client hung up while it was computed (Novita says that it does)."""
    bill_5xx: bool = False
    """Bill 5xx replies as computed and lost."""

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for spec in dataclasses.fields(self):
            allowed = get_args(hints[spec.name])
            value = getattr(self, spec.name)
            if allowed and isinstance(allowed[0], str) and value not in allowed:
                raise ValueError(f"{spec.name}={value!r}: use one of {', '.join(allowed)}")

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """Read settings from a JSON object.

        Raises:
            TypeError: a key is not a setting.
            ValueError: not JSON, or a value outside its list.
        """
        options = json.loads(text)
        for name in ("models", "refused_fields"):
            if name in options:
                options[name] = tuple(options[name])
        return cls(**options)

    def to_json(self) -> str:
        """Write the settings as one line of JSON."""
        return json.dumps(dataclasses.asdict(self))
