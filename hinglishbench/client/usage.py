"""Token counts and stated cost of a reply, in every shape that providers use.

Pure, and never raises: what cannot be read is None, never 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

OutputRule = Literal["inside", "outside", "assumed", "inconsistent"]

_MOST = 10**12  # no reply has more tokens, or dollars: a larger figure is damage


@dataclass(frozen=True, slots=True)
class Usage:
    """What a reply says it used.

    Attributes:
        prompt_tokens: tokens in, the cached ones included.
        completion_tokens: tokens out as reported, whichever rule holds.
        reasoning_tokens: of these, or beside these: see `output_rule`.
        cached_tokens: tokens in that came from the provider's cache.
        billable_output_tokens: tokens out that are surely billed.
        upper_output_tokens: the larger reading where the counts leave two.
        output_rule: `inside`: reasoning is part of completion_tokens · `outside`: it comes on
            top · `assumed`: no total tells, taken as inside · `inconsistent`: no reading adds up.
            None: no count of output at all.
        reported_cost_usd: what the provider says it charged, in US dollars.
        raw: the usage object as it came.
    """

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cached_tokens: int | None = None
    billable_output_tokens: int | None = None
    upper_output_tokens: int | None = None
    output_rule: OutputRule | None = None
    reported_cost_usd: Decimal | None = None
    raw: dict[str, Any] | None = None


NO_USAGE = Usage()


def read_usage(raw: Any, *, trust_cost: bool = True) -> Usage:
    """Read a usage object; anything but an object gives `NO_USAGE`.

    Args:
        raw: the value of `usage` in the reply.
        trust_cost: whether a `cost` in it is in US dollars (a fact of the provider).
    """
    if not isinstance(raw, dict) or not raw:
        return NO_USAGE
    get = raw.get
    prompt = _count(get("prompt_tokens"))
    if prompt is None:
        prompt = _count(get("input_tokens"))
    completion = _count(get("completion_tokens"))
    if completion is None:
        completion = _count(get("output_tokens"))
    total = _count(get("total_tokens"))
    details = get("completion_tokens_details") or get("output_tokens_details")
    reasoning = _count(details.get("reasoning_tokens")) if isinstance(details, dict) else None
    if reasoning is None:
        reasoning = _first(raw, "reasoning_tokens", "reasoning_output_tokens")
    billable, upper, rule = output_tokens(prompt, completion, reasoning, total)
    return Usage(
        prompt,
        completion,
        reasoning,
        _cached(raw, prompt),
        billable,
        upper,
        rule,
        _cost(raw) if trust_cost and "cost" in raw else None,
        raw,
    )


def output_tokens(
    prompt: int | None, completion: int | None, reasoning: int | None, total: int | None
) -> tuple[int | None, int | None, OutputRule | None]:
    """Billable output tokens, their upper reading, and the rule that decided.

    Which sum equals the total decides: prompt + completion (reasoning inside), or that plus
    reasoning (outside). More reasoning than completion cannot be inside, whatever the sum.

    >>> output_tokens(18, 245, 198, 263)
    (245, 245, 'inside')
    >>> output_tokens(18, 47, 198, 263)
    (245, 245, 'outside')
    >>> output_tokens(18, 47, 198, 300)
    (47, 282, 'inconsistent')
    """
    if completion is None:
        if total is None or prompt is None or total < prompt:
            return None, None, None
        return total - prompt, total - prompt, "assumed"
    thought = reasoning or 0
    if total is None or prompt is None:
        return completion, completion + thought, "assumed"
    if prompt + completion == total and thought <= completion:
        return completion, completion, "inside"
    if thought and prompt + completion + thought == total:
        return completion + thought, completion + thought, "outside"
    return completion, max(completion + thought, total - prompt), "inconsistent"


def _count(value: Any) -> int | None:
    """A token count: a whole number of at least 0, also when written as float or string."""
    if type(value) is int:
        return value if 0 <= value < _MOST else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and 0 <= value < _MOST else None
    if isinstance(value, str) and len(value) < 16 and value.isascii() and value.isdecimal():
        return _count(int(value))
    return None


def _first(raw: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        count = _count(raw.get(name))
        if count is not None:
            return count
    return None


def _cached(raw: Mapping[str, Any], prompt: int | None) -> int | None:
    """Cached prompt tokens: a part of the prompt, so never more than it."""
    details = raw.get("prompt_tokens_details") or raw.get("input_tokens_details")
    cached = None
    if isinstance(details, dict):
        cached = _count(details.get("cached_tokens"))
    if cached is None:
        cached = _first(raw, "cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens")
    return cached if cached is None or prompt is None else min(cached, prompt)


def _cost(raw: Mapping[str, Any]) -> Decimal | None:
    """The stated cost; with the user's own key at the upstream provider, what that one took too."""
    value = raw.get("cost")
    if isinstance(value, dict):
        value = value.get("total_cost")
    cost = _money(value)
    details = raw.get("cost_details")
    # Without own keys the upstream figure repeats the cost (`is_byok: false` says so).
    if cost is None or not isinstance(details, dict) or raw.get("is_byok") is False:
        return cost
    upstream = _money(details.get("upstream_inference_cost"))
    return cost if upstream is None else cost + upstream


def _money(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        amount = Decimal(str(value)[:40])
    except ArithmeticError:
        return None
    return amount if amount.is_finite() and 0 <= amount < _MOST else None
