"""Errors of every shape: code, scope, bill, and a message that is safe to print."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hinglishbench.client.failures import Failure
from hinglishbench.client.messages import one_line, printable
from hinglishbench.client.normalise import from_transport_error, normalise
from hinglishbench.client.providers import SecretKey, load_providers
from hinglishbench.client.transport import FaultKind, HttpReply, TransportError

PROVIDERS = load_providers()
NOW = 1_795_000_000.0
GROQ_429 = (
    "Rate limit reached for model `llama-3.3-70b-versatile` in organization `org_01h` on tokens per "
    "minute (TPM): Limit 6000, Used 5800, Requested 729. Please try again in 5.289s. Need more "
    "tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing"
)
XAI_429 = (
    "Your team has either used all available credits or reached its monthly spending limit. To "
    "continue making API requests, please purchase more credits or raise your spending limit."
)
HTML = (
    "<html><head><title>502 Bad Gateway</title><style>b{}</style></head><body>nginx</body></html>"
)


def error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, **more}}


# provider, status, body -> code, permanent, scope, billed, ambiguous, words of the message
SHAPES: dict[str, tuple[str, int, Any, tuple[str, bool, str, str, bool], str]] = {
    "groq 429": (
        "groq", 429, error(GROQ_429, type="tokens", code="rate_limit_exceeded"),
        ("rate_limited", False, "endpoint", "no", False), "Please try again in 5.289s"),
    "case 57: xai, credits used up": (
        "openai-compatible", 429, {"code": "Some resource has been exhausted", "error": XAI_429},
        ("no_credits", True, "endpoint", "no", False), "used all available credits"),
    "case 57: openai": (
        "openai", 429,
        error("You exceeded your current quota, please check your plan and billing details.",
              type="insufficient_quota", code="insufficient_quota"),
        ("no_credits", True, "endpoint", "no", False), "current quota"),
    "case 57: the same sentence without a code": (
        "baseten", 429,
        {"error": "You exceeded your current quota, please check your plan and billing details."},
        ("no_credits", True, "endpoint", "no", False), "current quota"),
    "case 57: google says it of a limit by the minute": (
        "openai-compatible", 429,
        [error("You exceeded your current quota, please check your plan and billing details.",
               code=429, status="RESOURCE_EXHAUSTED", details=[{"retryDelay": "17s"}])],
        ("rate_limited", False, "endpoint", "no", False), "current quota"),
    "case 57: sarvam": (
        "sarvam", 429, error("Insufficient credits.", code="insufficient_quota_error"),
        ("no_credits", True, "endpoint", "no", False), "Insufficient credits"),
    "sarvam 429": (
        "sarvam", 429, error("Slow down.", code="rate_limit_exceeded_error"),
        ("rate_limited", False, "endpoint", "no", False), "Slow down"),
    "case 61: the router's credits are used up": (
        "hf", 402,
        {"error": "You have exceeded your monthly included credits for Inference Providers."},
        ("no_credits", True, "endpoint", "no", False), "monthly included credits"),
    "baseten 402": (
        "baseten", 402, {"error": "billing"}, ("no_credits", True, "endpoint", "no", False), "billing"),
    "case 63: the token may not bill the organisation": (
        "hf", 403, {"error": "This authentication method does not have sufficient permissions to call "
                             "Inference Providers on behalf of org"},
        ("forbidden", True, "endpoint", "no", False), "sufficient permissions"),
    "case 64: not enabled": (
        "hf", 400, error("The requested model 'x/y' is not supported by any provider you have enabled.",
                         type="invalid_request_error", code="model_not_supported"),
        ("unknown_model", True, "model", "no", False), "not supported by any provider"),
    "vllm: unknown model, message at the top": (
        "vllm", 404, {"object": "error", "message": "The model `x` does not exist.",
                      "type": "NotFoundError", "param": None, "code": 404},
        ("unknown_model", True, "model", "no", False), "does not exist"),
    "ollama: unknown model": (
        "ollama", 404, error('model "x" not found, try pulling it first', type="api_error"),
        ("unknown_model", True, "model", "no", False), "try pulling it first"),
    "sambanova: model gone": (
        "sambanova", 410, error("The model was removed.", type="gone"),
        ("unknown_model", True, "model", "no", False), "removed"),
    "openrouter: no endpoints": (
        "openrouter", 404, error("No endpoints found for x/y.", code=404),
        ("unknown_model", True, "model", "no", False), "No endpoints"),
    "a path that is not there": (
        "vllm", 404, {"detail": "Not Found"}, ("not_found", True, "endpoint", "no", False), "Not Found"),
    "method not allowed": ("vllm", 405, b"", ("not_found", True, "endpoint", "no", False), "HTTP 405"),
    "a redirect": ("vllm", 308, b"", ("not_found", True, "endpoint", "no", False), "HTTP 308"),
    "bad key": (
        "openai", 401, error("Incorrect API key provided: sk-abc*****XYZ1.", code="invalid_api_key"),
        ("bad_key", True, "endpoint", "no", False), "Incorrect API key provided: [key]"),
    "sarvam: a bad key is 403": (
        "sarvam", 403, error("Invalid API Key", code="invalid_api_key_error"),
        ("bad_key", True, "endpoint", "no", False), "Invalid API Key"),
    "a bad key as 400": (
        "openai-compatible", 400, error("API key not valid. Please pass a valid API key.", code=400,
                                        details=[{"reason": "API_KEY_INVALID"}]),
        ("bad_key", True, "endpoint", "no", False), "API key not valid"),
    "novita: identity": (
        "novita", 403, {"code": 403, "message": "This model needs identity verification"},
        ("forbidden", True, "model", "no", False), "identity"),
    "openrouter: moderation": (
        "openrouter", 403, error("Your chosen model requires moderation and your input was flagged", code=403),
        ("moderated", True, "request", "no", False), "flagged"),
    "azure: content filter": (
        "openai", 400, error("The response was filtered due to the prompt triggering the content "
                             "management policy.", code="content_filter"),
        ("moderated", True, "request", "no", False), "filtered"),
    "too long": (
        "openai", 400, error("This model's maximum context length is 8192 tokens.",
                             code="context_length_exceeded"),
        ("too_long", True, "request", "no", False), "maximum context length"),
    "llama.cpp: too long": (
        "llamacpp", 400, error("the request exceeds the available context size", code=400,
                               type="exceed_context_size_error"),
        ("too_long", True, "request", "no", False), "context size"),
    "body too large": ("groq", 413, b"", ("too_long", True, "request", "no", False), "HTTP 413"),
    "a field that is refused": (
        "openai", 400, error("Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                             "'max_completion_tokens' instead.", code="unsupported_parameter"),
        ("bad_request", True, "model", "no", False), "max_completion_tokens"),
    "fastapi's list": (
        "vllm", 422, {"detail": [{"loc": ["body", "max_tokens"], "msg": "must be positive", "type": "int"}]},
        ("bad_request", True, "model", "no", False), "must be positive"),
    "request timeout": ("groq", 408, b"", ("timeout", False, "request", "no", False), "HTTP 408"),
    "groq: flex tier": (
        "groq", 498, error("capacity_exceeded"), ("overloaded", False, "request", "no", False), "capacity"),
    "the client hung up": (
        "groq", 499, b"", ("client_closed", False, "request", "maybe", True), "HTTP 499"),
    "novita charges it": (
        "novita", 499, b"", ("client_closed", False, "request", "yes", True), "HTTP 499"),
    "500": ("groq", 500, error("boom"), ("server_error", False, "request", "maybe", True), "boom"),
    "novita does not charge 500": (
        "novita", 500, error("boom"), ("server_error", False, "request", "no", False), "boom"),
    "novita says nothing of 502": (
        "novita", 502, error("boom"), ("server_error", False, "request", "maybe", True), "boom"),
    "the router bills no 5xx": (
        "hf", 504, b"", ("timeout", False, "request", "no", False), "HTTP 504"),
    "html": ("groq", 502, HTML.encode(), ("server_error", False, "request", "maybe", True),
             "502 Bad Gateway nginx"),
    "503": ("together", 503, error("busy", error_type="dynamic_request_limited"),
            ("overloaded", False, "request", "maybe", False), "busy"),
    "529": ("openai-compatible", 529, error("Overloaded"),
            ("overloaded", False, "request", "maybe", False), "Overloaded"),
    "cloudflare": ("openai-compatible", 524, b"error code: 524",
                   ("timeout", False, "request", "maybe", True), "error code: 524"),
    "not implemented": ("openai-compatible", 501, b"", ("not_found", True, "endpoint", "maybe", True), "501"),
    "empty body": ("groq", 500, b"", ("server_error", False, "request", "maybe", True), "no body"),
    "cut json": ("groq", 500, b'{"error": {"mess', ("server_error", False, "request", "maybe", True), "mess"),
    "openrouter: the upstream's words": (
        "openrouter", 502, error("Provider returned error", code=502, metadata={"raw": "disk full"}),
        ("server_error", False, "request", "maybe", True), "disk full"),
}  # fmt: skip


def as_bytes(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


@pytest.mark.parametrize("name", SHAPES)
def test_error_replies(name: str) -> None:
    """Each documented error: what it is, whom it stops, whether it may be on the bill."""
    provider, status, body, expected, words = SHAPES[name]
    failure = normalise(HttpReply(status, {}, as_bytes(body)), PROVIDERS[provider], NOW)
    assert isinstance(failure, Failure)
    got = (failure.code, failure.permanent, failure.scope, failure.billed, failure.ambiguous)
    assert got == expected
    assert words in failure.message
    assert failure.status == status
    assert len(failure.message) <= 500
    assert failure.message.isprintable()


def test_case_56_the_wait_is_read_with_the_error() -> None:
    """Groq says 6 in the header and 5.289 in the message: 6."""
    body = as_bytes(error(GROQ_429))
    failure = normalise(HttpReply(429, {"retry-after": "6"}, body), PROVIDERS["groq"], NOW)
    assert isinstance(failure, Failure)
    assert failure.wait_s == 6.0
    failure = normalise(HttpReply(429, {}, body), PROVIDERS["groq"], NOW)
    assert isinstance(failure, Failure)
    assert failure.wait_s == pytest.approx(5.289)


# kind, sent, status -> code, billed, ambiguous
TRANSPORT: dict[str, tuple[FaultKind, bool, int | None, tuple[str, str, bool]]] = {
    "nothing was sent": ("connect", False, None, ("connect", "no", False)),
    "silence before sending": ("timeout", False, None, ("timeout", "no", False)),
    "case 69: silence after sending": ("timeout", True, None, ("timeout", "maybe", True)),
    "case 69: reset after sending": ("reset", True, None, ("reset", "maybe", True)),
    "a 200 with a cut body": ("cut", True, 200, ("cut", "maybe", True)),
    "a 429 with a cut body": ("cut", True, 429, ("rate_limited", "no", False)),
    "a 500 with a cut body": ("cut", True, 500, ("server_error", "maybe", True)),
    "no http": ("protocol", True, None, ("protocol", "maybe", True)),
}


@pytest.mark.parametrize("name", TRANSPORT)
def test_broken_exchanges(name: str) -> None:
    """Nothing sent is not billed, anything sent may be, a status that came decides."""
    kind, sent, status, expected = TRANSPORT[name]
    fault = TransportError(kind, "connection reset\nby peer", sent=sent, status=status)
    failure = from_transport_error(fault, PROVIDERS["groq"])
    assert (failure.code, failure.billed, failure.ambiguous) == expected
    assert not failure.permanent
    assert "connection reset by peer" in failure.message


def test_novita_does_not_charge_a_500_even_with_a_cut_body() -> None:
    """The provider's documents decide, wherever the status was seen."""
    fault = TransportError("cut", "", sent=True, status=500)
    assert from_transport_error(fault, PROVIDERS["novita"]).billed == "no"


def test_no_key_reaches_a_message() -> None:
    """Known shapes are blanked by pattern, the key that was sent in any shape."""
    key = SecretKey("plain-word-key")
    texts = [
        "Incorrect API key provided: sk-proj-abcdef0123456789.",
        "token hf_AbCdEfGhIjKl0123 is not valid",
        "got Authorization: Bearer eyJhbGciOi.something",
        "gsk_0123456789abcdef and csk-0123456789abcdef",
        "the key plain-word-key is unknown",
    ]
    secrets = [
        "sk-proj",
        "abcdef0123456789",
        "hf_AbC",
        "eyJhbGci",
        "gsk_",
        "csk-",
        "plain-word-key",
    ]
    for text in texts:
        shown = one_line(text, key)
        assert "[key]" in shown
        for secret in secrets:
            assert secret not in shown
    assert "plain-word-key" not in repr(key)
    assert "plain-word-key" not in f"{key} {[key]}"


def test_a_key_echoed_by_a_provider_is_blanked() -> None:
    """`normalise` is given the key, so an echo of any shape is caught."""
    key = SecretKey("0xDEADBEEF")
    reply = HttpReply(401, {}, as_bytes(error("key 0xDEADBEEF is unknown")))
    failure = normalise(reply, PROVIDERS["groq"], NOW, key=key)
    assert isinstance(failure, Failure)
    assert failure.message == "HTTP 401: key [key] is unknown"


def test_messages_are_one_line_without_control_characters() -> None:
    """Escape sequences, line breaks and half surrogates of a stranger do not reach the terminal."""
    assert one_line("a\n\tb\x1b[31m\ud835") == "a b\\u001b[31m\\ud835"
    assert one_line("x" * 9000) == "x" * 499 + "…"
    assert printable("a\x1bb") == "a\\u001bb"
    assert printable("x" * 100, 10) == "x" * 9 + "…"
    assert "error_code" in one_line("invalid_api_key is an error_code")


@pytest.mark.parametrize(
    "words",
    ["used all ", "model ", "<script>", "the api key ", "context ", "retry 1", "sk-", "a" * 9],
)
def test_a_huge_error_is_read_at_its_beginning_only(words: str) -> None:
    """A megabyte of words that the patterns look for costs what its first 8,000 characters cost."""
    reply = HttpReply(400, {}, as_bytes(error(words * (1_000_000 // len(words)) + " credits")))
    failure = normalise(reply, PROVIDERS["groq"], NOW)
    assert isinstance(failure, Failure)
    assert failure.code != "no_credits"  # what stands at the end is not seen
    assert len(failure.message) == 500
