"""The words of the protocol: completions, streams, listings and errors as bytes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from .answers import Completion, Tokens, uniforms
from .asks import Ask
from .behaviours import Fault
from .settings import ErrorShape, Settings

JSON_TYPE = [("content-type", "application/json")]
_UTF8_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
HTML_BODY = b"<html><head><title>502 Bad Gateway</title></head><body>Bad gateway</body></html>\n"

ERRORS: dict[Fault, tuple[str, str, str]] = {
    Fault.RATE_LIMIT: ("Rate limit reached.", "tokens", "rate_limit_exceeded"),
    Fault.NO_CREDITS_429: (
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
        "insufficient_quota",
    ),
    Fault.NO_CREDITS_402: (
        "You have exceeded your monthly included credits.",
        "billing_error",
        "payment_required",
    ),
    Fault.BAD_KEY: ("Incorrect API key provided.", "invalid_request_error", "invalid_api_key"),
    Fault.FORBIDDEN: (
        "This authentication method does not have sufficient permissions.",
        "permission_error",
        "forbidden",
    ),
    Fault.UNKNOWN_MODEL: (
        "The model does not exist or you do not have access to it.",
        "invalid_request_error",
        "model_not_found",
    ),
    Fault.UNSUPPORTED_MODEL: (
        "The requested model is not supported by any provider you have enabled.",
        "invalid_request_error",
        "model_not_supported",
    ),
    Fault.BAD_REQUEST: ("Bad request.", "invalid_request_error", "bad_request"),
    Fault.SERVER_ERROR: ("Internal server error.", "server_error", "internal_error"),
    Fault.UNAVAILABLE: ("The service is unavailable.", "server_error", "service_unavailable"),
    Fault.GATEWAY_TIMEOUT: ("The upstream timed out.", "server_error", "gateway_timeout"),
    Fault.OVERLOADED: ("Overloaded.", "overloaded_error", "overloaded"),
    Fault.ERROR_IN_200: ("Provider returned error.", "upstream_error", "upstream_error"),
    Fault.STREAM_ERROR: ("Provider disconnected.", "upstream_error", "upstream_error"),
}


def error_body(
    status: int, message: str, kind: str, code: str, shape: ErrorShape = "object"
) -> bytes:
    """An error in OpenAI's shape, as a bare string (HF router, Baseten) or OpenRouter's."""
    error: Any = {"message": message, "type": kind, "param": None, "code": code}
    if shape == "string":
        error = message
    elif shape == "openrouter":
        error = {"code": status, "message": message, "metadata": {"error_type": kind}}
    return json.dumps({"error": error}).encode()


def usage_of(tokens: Tokens, settings: Settings) -> dict[str, Any] | None:
    """Token counts in the chosen shape, None when the provider sends none."""
    if settings.usage == "none":
        return None
    outside = settings.usage == "outside"
    usage: dict[str, Any] = {
        "prompt_tokens": tokens.prompt,
        "completion_tokens": tokens.visible if outside else tokens.output,
    }
    if settings.usage == "inconsistent":
        usage["total_tokens"] = tokens.prompt + tokens.output + 7
    elif settings.usage != "no_total":
        usage["total_tokens"] = tokens.prompt + tokens.output
    if settings.usage_details:
        usage["prompt_tokens_details"] = {"cached_tokens": tokens.cached}
        usage["completion_tokens_details"] = {"reasoning_tokens": tokens.reasoning}
    if settings.state_cost:
        cost = tokens.prompt * settings.price_in + tokens.output * settings.price_out
        usage["cost"] = round(cost / 1e6, 12)
        usage["cost_details"] = {"upstream_inference_cost": None}
    return usage


def completion_body(
    ask: Ask, completion: Completion, ordinal: int, settings: Settings
) -> dict[str, Any]:
    """A whole reply, not yet serialised."""
    if ask.kind == "chat":
        choice: dict[str, Any] = {"index": 0, "message": _message(completion, settings)}
    else:
        choice = {"index": 0, "text": completion.content, "logprobs": None}
        if ask.body.get("echo") is True and settings.echo == "full":
            choice["text"] = ask.question + str(completion.content)
            choice["logprobs"] = _prompt_logprobs(ask, settings)
    choice["finish_reason"] = completion.finish_reason
    body = _frame(ask, ordinal, "chat.completion" if ask.kind == "chat" else "text_completion")
    body["choices"] = [choice]
    usage = usage_of(completion.tokens, settings)
    if usage is not None:
        body["usage"] = usage
    return body


def serialise(body: dict[str, Any]) -> bytes:
    """JSON as providers send it: UTF-8 as it is, half surrogate pairs as escapes."""
    try:
        return _UTF8_JSON.encode(body).encode()
    except UnicodeEncodeError:
        return json.dumps(body).encode()


def stream_events(
    ask: Ask, completion: Completion, ordinal: int, settings: Settings
) -> Iterator[tuple[bytes, float]]:
    """The events of a stream, each with the share of the output tokens written by then.

    Reasoning comes before the text, as providers send it; the last chunk carries the finish
    reason, the usage follows in a chunk without choices, then `[DONE]`.
    """
    frame = _frame(
        ask, ordinal, "chat.completion.chunk" if ask.kind == "chat" else "text_completion"
    )
    deltas = list(_deltas(completion, settings))
    for number, delta in enumerate(deltas):
        choice: dict[str, Any] = {"index": 0, "finish_reason": None}
        if ask.kind == "chat":
            choice["delta"] = {"role": "assistant", **delta} if number == 0 else delta
        else:
            choice["text"] = delta.get("content") or ""
        yield _event({**frame, "choices": [choice]}), (number + 1) / len(deltas)
    last: dict[str, Any] = {"index": 0, "finish_reason": completion.finish_reason}
    last["delta" if ask.kind == "chat" else "text"] = {} if ask.kind == "chat" else ""
    yield _event({**frame, "choices": [last]}), 1.0
    usage = usage_of(completion.tokens, settings)
    wanted = settings.stream_usage == "always" or (
        settings.stream_usage == "asked" and ask.include_usage
    )
    if usage is not None and wanted:
        yield _event({**frame, "choices": [], "usage": usage}), 1.0
    yield b"data: [DONE]\n\n", 1.0


def error_event(message: str, kind: str, code: str) -> bytes:
    """An error in the middle of a stream."""
    return b"data: " + error_body(502, message, kind, code, "openrouter") + b"\n\n"


def models_body(settings: Settings) -> dict[str, Any]:
    """The listing of models; `hf` has one provider with a price and one without."""
    return {"object": "list", "data": [model_entry(name, settings) for name in settings.models]}


def model_entry(name: str, settings: Settings) -> dict[str, Any]:
    """One model of the listing."""
    entry: dict[str, Any] = {"id": name, "object": "model", "created": 1_760_000_000}
    entry["owned_by"] = name.partition("/")[0]
    if settings.listing == "hf":
        entry["providers"] = [
            {
                "provider": "fakeprovider",
                "status": "live",
                "context_length": 131_072,
                "pricing": {"input": settings.price_in, "output": settings.price_out},
                "is_free": False,
                "supports_tools": False,
                "supports_structured_output": False,
            },
            {"provider": "unpriced", "status": "live"},
            {"provider": "broken", "status": "error"},
        ]
    return entry


def _frame(ask: Ask, ordinal: int, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{ordinal:08d}",
        "object": kind,
        "created": int(time.time()),
        "model": ask.model,
    }


def _message(completion: Completion, settings: Settings) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": completion.content}
    message.update(_reasoning_fields(completion.reasoning, settings))
    if completion.reasoning and settings.reasoning_field == "inline":
        closing = "</think>\n" if completion.content is not None else ""
        message["content"] = (
            f"<think>\n{completion.reasoning}\n{closing}{completion.content or ''}"
            if not isinstance(completion.content, list)
            else completion.content
        )
    return message


def _reasoning_fields(text: str | None, settings: Settings) -> dict[str, str]:
    field = settings.reasoning_field
    if not text or field in ("inline", "hidden"):
        return {}
    if field == "both":
        return {"reasoning": text, "reasoning_content": text}
    return {field: text}


def _deltas(completion: Completion, settings: Settings) -> Iterator[dict[str, Any]]:
    """The pieces of a stream: reasoning in fields or inline, then the text."""
    message = _message(completion, settings)
    content = message["content"]
    count = max(1, settings.stream_chunks)
    reasoning = completion.reasoning if settings.reasoning_field not in ("inline", "hidden") else ""
    for piece in _pieces(reasoning or "", count if content is None else max(1, count // 2)):
        yield _reasoning_fields(piece, settings)
    if content is None:
        yield {"content": None}
    elif isinstance(content, list):
        yield {"content": content}
    else:
        for piece in _pieces(content, count):
            yield {"content": piece}


def _pieces(text: str, count: int) -> Iterator[str]:
    size = max(1, -(-len(text) // count))
    for start in range(0, len(text), size):
        yield text[start : start + size]


def _event(body: dict[str, Any]) -> bytes:
    return b"data: " + serialise(body) + b"\n\n"


def _prompt_logprobs(ask: Ask, settings: Settings) -> dict[str, Any]:
    """Log-probabilities of the prompt's words, between -5 and 0; the first has none."""
    words = ask.question.split(" ")
    tokens = [words[0], *(f" {word}" for word in words[1:])]
    offsets = [0]
    for token in tokens[:-1]:
        offsets.append(offsets[-1] + len(token))
    scores: list[float | None] = [
        -5.0 * uniforms(settings.seed, ask.question[: offset + len(token)])[0]
        for token, offset in zip(tokens, offsets, strict=True)
    ]
    scores[0] = None
    return {
        "tokens": tokens,
        "token_logprobs": scores,
        "text_offset": offsets,
        "top_logprobs": [
            None if s is None else {t: s} for t, s in zip(tokens, scores, strict=True)
        ],
    }
