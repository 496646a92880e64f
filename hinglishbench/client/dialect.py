"""What is sent: the body of a chat request in each provider's dialect.

Pure: no clock, no network. The body without its messages belongs to the arm (`body_params`) and
is computed once; the request (`chat_request`) is computed per cell and costs microseconds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hinglishbench import __version__
from hinglishbench.canonical import canonical_bytes
from hinglishbench.client.endpoint import Endpoint
from hinglishbench.client.messages import printable
from hinglishbench.client.provider import Provider, first_match
from hinglishbench.client.transport import HttpRequest
from hinglishbench.errors import RefusedError

_RESERVED = frozenset({"model", "messages", "n"})  # n > 1 would buy several answers for one cell


@dataclass(frozen=True, slots=True)
class Sampling:
    """How an arm samples; None leaves the field out, so that the provider's default holds.

    Attributes:
        max_tokens: cap on output tokens, reasoning included.
        effort: "none", "low", "medium", "high" or another value that the model has.
        extra: further body fields as they are, merged last; tables one level deep.
    """

    temperature: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    effort: str | None = None
    top_p: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


def body_params(provider: Provider, model: str, sampling: Sampling) -> dict[str, Any]:
    """Everything of the JSON body but `messages`, the same for every cell of an arm.

    Raises:
        RefusedError: the model lacks the effort value, or refuses a field that is asked for; the
            hint lists what it takes.
    """
    pinned = model if ":" in model or not provider.model_suffix else model + provider.model_suffix
    body: dict[str, Any] = {"model": pinned}
    for name in ("temperature", "top_p", "seed"):
        value = getattr(sampling, name)
        if value is None:
            continue
        if provider.refuses(model, name):
            raise RefusedError(
                f"{model} at {provider.name} does not take {name}",
                hint=f"leave it out, or say otherwise in hbench.toml: "
                f"[providers.{provider.name}.unsupported]",
            )
        body[name] = value
    if sampling.max_tokens is not None:
        body[provider.cap_field_for(model)] = sampling.max_tokens
    if sampling.effort is not None:
        _merge_into(body, _effort_fragment(provider, model, sampling.effort))
    if _streams(provider, sampling.max_tokens):
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    if clash := _RESERVED & sampling.extra.keys():
        raise RefusedError(
            f"{', '.join(sorted(clash))} cannot be set as an extra field",
            hint="the plan sets model and messages; several answers are asked with --samples",
        )
    _merge_into(body, sampling.extra)
    return body


def _effort_fragment(provider: Provider, model: str, effort: str) -> Mapping[str, Any]:
    values = first_match(provider.effort, model, {})
    if effort in values:
        return values[effort]
    if not values:
        raise RefusedError(
            f"{model} at {provider.name} has no effort to set (asked for {printable(effort)})",
            hint="leave --effort out; if it has one, describe it in hbench.toml: "
            f'[providers.{provider.name}.effort."{model}"]',
        )
    raise RefusedError(
        f"{model} at {provider.name} has no effort {printable(effort)}",
        hint=f"one of: {', '.join(values)}; or leave --effort out",
    )


def _streams(provider: Provider, cap: int | None) -> bool:
    if provider.stream == "long":
        return cap is None or cap > provider.stream_above
    return provider.stream == "always"


def _merge_into(body: dict[str, Any], fragment: Mapping[str, Any]) -> None:
    for key, value in fragment.items():
        old = body.get(key)
        if isinstance(value, Mapping):  # a copy: the facts are shared by all arms
            body[key] = {**old, **value} if isinstance(old, dict) else dict(value)
        else:
            body[key] = value


def chat_request(
    endpoint: Endpoint,
    params: Mapping[str, Any],
    messages: Sequence[Mapping[str, Any]],
    bill_to: str | None = None,
) -> HttpRequest:
    """One chat completion request, ready to send.

    Args:
        endpoint: where to, with the key.
        params: as `body_params` gives them.
        messages: chat messages, in order.
        bill_to: organisation to charge on the Hugging Face router (`X-HF-Bill-To`).
    """
    return HttpRequest(
        "POST",
        endpoint.base_url + "/chat/completions",
        request_headers(endpoint, bill_to),
        canonical_bytes({**params, "messages": messages}),
        stream=params.get("stream") is True,
    )


def request_headers(endpoint: Endpoint, bill_to: str | None = None) -> dict[str, str]:
    """The headers of every request to an endpoint, the key among them; the same object each time.

    Raises:
        RefusedError: `bill_to` where nobody else can be billed.
    """
    known = endpoint.headers_cache.get(bill_to)
    if known is not None:
        return known
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "user-agent": f"hinglishbench/{__version__}",
    }
    headers |= {name.lower(): value for name, value in endpoint.provider.extra_headers.items()}
    if endpoint.key is not None:
        headers["authorization"] = f"Bearer {endpoint.key.reveal()}"
    if bill_to is not None:
        if endpoint.route != "hf":
            raise RefusedError(
                f"{endpoint.provider.name} is not reached through the Hugging Face router, "
                "so nobody else can be billed",
                hint="leave the billing option out, or use --route hf",
            )
        headers["x-hf-bill-to"] = bill_to
    endpoint.headers_cache[bill_to] = headers
    return headers


# --- a bare model on the router ----------------------------------------------------------------


def models_request(endpoint: Endpoint, model: str | None = None) -> HttpRequest:
    """`GET /models` or `GET /models/<id>`: what the endpoint serves, and by whom."""
    path = "/models" if model is None else f"/models/{model}"
    return HttpRequest("GET", endpoint.base_url + path, request_headers(endpoint))


def pin_model(model: str, reply_body: bytes, choice: str | None = None) -> str:
    """Pin a bare model of the router to one live provider.

    A floating provider would change in mid-run and break the pairs.

    Args:
        model: id without a `:provider`.
        reply_body: what `models_request(endpoint, model)` brought.
        choice: None: the first that the router lists · "fastest": the highest tokens per second ·
            "cheapest": the lowest price of output, of those that state one.

    Raises:
        RefusedError: no live provider (the hint lists what was seen), or a choice that only the
            router can make.
    """
    if choice not in (None, "fastest", "cheapest"):
        raise RefusedError(
            f"{printable(model)}:{printable(choice)} leaves the provider to the account's settings,"
            " which can change from call to call",
            hint=f"name the provider: --model {printable(model)}:PROVIDER",
        )
    live: list[tuple[float, str]] = []
    seen: list[str] = []
    for offer in _offers(reply_body):
        name = offer.get("provider")
        if not isinstance(name, str):
            continue
        rank = _rank(offer, choice) if offer.get("status") == "live" else None
        if rank is None:
            seen.append(f"{printable(name, 40)} ({printable(str(offer.get('status')))})")
        else:
            live.append((rank, name))
    if live:
        return f"{model}:{min(live, key=lambda offer: offer[0])[1]}"  # of equals the first listed
    raise RefusedError(
        f"no live provider on the router for {printable(model)}"
        + (f" says what {choice} needs" if choice and seen else ""),
        hint=f"seen: {', '.join(seen)}" if seen else "see `hbench providers hf`",
    )


def _offers(reply_body: bytes) -> list[dict[str, Any]]:
    try:
        document = json.loads(reply_body)
    except (ValueError, RecursionError):
        document = None
    data = document.get("data", document) if isinstance(document, dict) else None
    offers = data.get("providers") if isinstance(data, dict) else None
    return (
        [offer for offer in offers if isinstance(offer, dict)] if isinstance(offers, list) else []
    )


def _rank(offer: Mapping[str, Any], choice: str | None) -> float | None:
    """The lowest rank is chosen; None: the offer does not say what the choice needs."""
    if choice is None:
        return 0.0
    pricing = offer.get("pricing")
    stated = offer.get("throughput") if choice == "fastest" else (
        pricing.get("output") if isinstance(pricing, dict) else None
    )  # fmt: skip
    if isinstance(stated, bool) or not isinstance(stated, int | float):
        return None
    return -float(stated) if choice == "fastest" else float(stated)
