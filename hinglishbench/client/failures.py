"""Every way an attempt can fail, read into one shape: what it was, for whom, and what it cost.

Pure, and never raises. Error bodies come as `{"error": {...}}`, `{"error": "text"}`, a message at
the top, FastAPI's `detail`, a list, HTML, or nothing; statuses lie too (a 429 may mean that the
credits are used up), so code, type and message are read together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from hinglishbench.client.messages import one_line
from hinglishbench.client.provider import Billed, Provider
from hinglishbench.client.secret import SecretKey
from hinglishbench.client.transport import HttpReply, TransportError
from hinglishbench.client.usage import Usage
from hinglishbench.client.waits import told_wait

Scope = Literal["request", "model", "endpoint"]

_READ = 8000  # characters of an error that are looked at: some servers echo the whole prompt


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt that brought no answer.

    Attributes:
        code: stable slug, for tables: `rate_limited`, `no_credits`, `bad_key`, `forbidden`,
            `unknown_model`, `bad_request`, `too_long`, `moderated`, `not_found`, `server_error`,
            `overloaded`, `timeout`, `reset`, `connect`, `cut`, `protocol`, `empty_reply`,
            `bad_json`, `error_in_200`, `no_choices`, `client_closed`, `absent`.
        message: one line, at most 500 characters, no key, control characters escaped.
        permanent: asking again would bring the same.
        scope: whom it concerns: what stops if permanent, what waits if not.
        wait_s: seconds that the provider asks to wait.
        ambiguous: the request may have been computed (and billed) although nothing came.
        billed: whether this attempt is on the bill: yes, no or maybe.
        usage: what the reply says it used, where it says so.
        status: HTTP status, when one came.
    """

    code: str
    message: str
    permanent: bool
    scope: Scope
    wait_s: float | None = None
    ambiguous: bool = False
    billed: Billed = "no"
    usage: Usage | None = None
    status: int | None = None


# --- the words of an error ------------------------------------------------------------------------

_TAG = re.compile(
    r"<(?:script|style)\b.*?</(?:script|style)>|<[^<>]{0,2000}>", re.DOTALL | re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ErrorText:
    """The parts of an error body: its message, and the words of code and type."""

    message: str
    codes: str


def read_error(document: Any, body: bytes) -> ErrorText:
    """Find message, code and type in an error body of any shape."""
    messages: list[str] = []
    codes: list[str] = []
    _collect(document, messages, codes, depth=0)
    if not messages and document is None and body:
        text = body[:_READ].decode("utf-8", "replace")
        messages.append(_TAG.sub(" ", text) if "<" in text else text)
    # a gateway wraps the provider's message: both are kept, each once
    whole = " · ".join(dict.fromkeys(messages))
    return ErrorText(whole[:_READ], " ".join(codes).lower())


def _collect(node: Any, messages: list[str], codes: list[str], depth: int) -> None:
    if depth > 4 or len(messages) > 4:
        return
    if isinstance(node, str):
        if node.strip():
            messages.append(node)
    elif isinstance(node, list):
        for item in node[:4]:
            _collect(item, messages, codes, depth + 1)
    elif isinstance(node, dict):
        for name in ("code", "type", "status", "error_type", "reason"):
            value = node.get(name)
            if isinstance(value, str | int) and not isinstance(value, bool):
                codes.append(str(value)[:100])
        for name in ("message", "msg", "error", "detail", "errors", "error_message", "title"):
            _collect(node.get(name), messages, codes, depth + 1)
        metadata = node.get("metadata")
        if isinstance(metadata, dict):  # OpenRouter keeps the upstream reply here
            _collect(metadata.get("raw"), messages, codes, depth + 1)


# --- what it was -------------------------------------------------------------------------------

_NO_CREDITS_CODES = re.compile(
    r"insufficient_quota|insufficient_(?:credit|balance|fund)|billing_hard_limit"
    r"|credits?_(?:exhaust|exceed|deplet)|out_of_credits?|payment_required|quota_exhausted"
)
_NO_CREDITS_WORDS = re.compile(
    r"(?:used(?: up)? all|used up|exhausted|exceeded|run out|ran out|out of|insufficient|no|not enough"
    r"|no more|negative|depleted|reached|zero)(?: \w+){0,5}? "
    r"(?:credits?|balance|funds?|spend(?:ing)? (?:limit|cap))\b"
    r"|\b(?:credits?|balance|funds?)(?: \w+){0,4}? "
    r"(?:exhausted|depleted|used up|exceeded|insufficient|is too low|not enough)"
    r"|purchase more credits|add (?:more )?credits|payment required",
    re.IGNORECASE,
)
_QUOTA_WORDS = re.compile(r"exceeded your current quota.{0,60}billing", re.IGNORECASE)
_KEY_CODES = re.compile(r"invalid_api_key|authentication|unauthorized|invalid_auth|api_key_error")
_KEY_WORDS = re.compile(
    r"(?:invalid|incorrect|wrong|missing|expired|bad|no|revoked)(?: \w+){0,3}? "
    r"(?:api[ _-]?key|key|token|credentials?|authentication|subscription)\b"
    r"|(?:api[ _-]?key|token)(?: \w+){0,3}? (?:not valid|invalid|expired|missing|required|revoked)",
    re.IGNORECASE,
)
_MODEL_CODES = re.compile(r"model_not_(?:found|supported|available)|unknown_model|invalid_model")
_MODEL_WORDS = re.compile(
    r"\bmodels?\b.{0,160}?(?:not (?:\w+ )?(?:supported|found|exist|available|served|deployed)"
    r"|does not exist|doesn't exist|unknown|deprecated|decommissioned|no longer|retired|removed)"
    r"|(?:unknown|invalid|no such|unsupported|cannot find|could not find)(?: the| requested)? model"
    r"|not a valid model|no endpoints found",
    re.IGNORECASE | re.DOTALL,
)
_LONG_CODES = re.compile(r"context_length|string_above_max_length|request_too_large")
_LONG_WORDS = re.compile(
    r"context (?:length|window|size)|maximum (?:context|sequence|prompt)|too many tokens"
    r"|prompt is too long|(?:longer|exceeds?) (?:than )?the (?:model|maximum|available context)",
    re.IGNORECASE,
)
_MODERATION = re.compile(
    r"content[ _](?:filter|policy|management)|moderation|flagged|safety (?:system|policy)"
    r"|responsible ?ai|prohibited_content",
    re.IGNORECASE,
)
_MODEL_GATE = re.compile(
    r"identity verification|gated|accept the (?:terms|licen)|verif", re.IGNORECASE
)

_OVERLOADED = frozenset({498, 503, 529})
_TIMEOUTS = frozenset({408, 504, 522, 524})
_TRANSIENT_4XX = frozenset({408, 409, 423, 424, 425})


def classify(status: int, error: ErrorText, provider: Provider) -> tuple[str, bool, Scope]:
    """(code, permanent, scope) of an error reply, from its status and its words."""
    words = f"{error.codes} {error.message}"
    if status == 402 or _is_no_credits(status, error):
        return "no_credits", True, "endpoint"
    if status == 429:
        return "rate_limited", False, "endpoint"
    if status >= 500:
        return _server_side(status)
    if status in _OVERLOADED:
        return "overloaded", False, "request"
    if status == 499:
        return "client_closed", False, "request"
    if status in _TRANSIENT_4XX:
        return ("timeout" if status in _TIMEOUTS else "server_error"), False, "request"
    if status in (401, 407):
        return "bad_key", True, "endpoint"
    if status == 403:
        return _forbidden(error, words, provider)
    if status < 400:
        return "not_found", True, "endpoint"  # a redirect: the address is not the API's
    return _request_side(status, error, words)


def _is_no_credits(status: int, error: ErrorText) -> bool:
    # 5xx and the other 4xx talk of balance in other senses; these three are where it is said
    if status not in (400, 403, 429):
        return False
    if _NO_CREDITS_CODES.search(error.codes) or _NO_CREDITS_WORDS.search(error.message):
        return True
    # OpenAI's sentence; Google uses the same one for a limit by the minute, with this status
    return bool(_QUOTA_WORDS.search(error.message)) and "resource_exhausted" not in error.codes


def _server_side(status: int) -> tuple[str, bool, Scope]:
    if status in (501, 505):
        return "not_found", True, "endpoint"
    if status in _OVERLOADED:
        return "overloaded", False, "request"
    if status in _TIMEOUTS:
        return "timeout", False, "request"
    return "server_error", False, "request"


def _forbidden(error: ErrorText, words: str, provider: Provider) -> tuple[str, bool, Scope]:
    if _MODERATION.search(words):
        return "moderated", True, "request"
    if (
        _KEY_CODES.search(error.codes)
        or _KEY_WORDS.search(error.message)
        or provider.name == "sarvam"  # answers 403 to a bad key
    ):
        return "bad_key", True, "endpoint"
    if _MODEL_GATE.search(error.message):
        return "forbidden", True, "model"
    return "forbidden", True, "endpoint"


def _request_side(status: int, error: ErrorText, words: str) -> tuple[str, bool, Scope]:
    if status == 413 or _LONG_CODES.search(error.codes) or _LONG_WORDS.search(error.message):
        return "too_long", True, "request"
    if _MODERATION.search(words):
        return "moderated", True, "request"
    if status == 410 or _MODEL_CODES.search(error.codes) or _MODEL_WORDS.search(error.message):
        return "unknown_model", True, "model"
    if status in (404, 405):
        return "not_found", True, "endpoint"
    if _KEY_CODES.search(error.codes) or (status == 400 and _KEY_WORDS.search(error.message)):
        return "bad_key", True, "endpoint"
    return "bad_request", True, "model"


def from_error_reply(
    reply: HttpReply,
    document: Any,
    provider: Provider,
    now: float,
    *,
    usage: Usage | None = None,
    key: SecretKey | None = None,
) -> Failure:
    """The failure that a reply with a status outside 2xx stands for."""
    error = read_error(document, reply.body)
    code, permanent, scope = classify(reply.status, error, provider)
    billed = provider.billed(reply.status)
    wait = None if permanent else told_wait(reply.headers, document, error.message, now)
    return Failure(
        code,
        one_line(f"HTTP {reply.status}: {error.message}" if error.message else _bare(reply), key),
        permanent,
        scope,
        wait,
        # 503 and its kin say that the work was not begun: asking again does not pay twice
        ambiguous=billed != "no" and code != "overloaded",
        billed=billed,
        usage=usage,
        status=reply.status,
    )


def _bare(reply: HttpReply) -> str:
    where = reply.headers.get("location")
    return (
        f"HTTP {reply.status}, redirected to {where}" if where else f"HTTP {reply.status}, no body"
    )


def from_error_in_success(
    reply: HttpReply,
    document: dict[str, Any],
    provider: Provider,
    now: float,
    *,
    usage: Usage | None = None,
    key: SecretKey | None = None,
) -> Failure:
    """An error inside a 200: its own code, read as a status, says whether to ask again.

    Generation may have begun, so it counts as billed where usage is stated and as maybe where not.
    """
    inner = document.get("error") or document
    error = read_error(inner, b"")
    stated = inner.get("code") if isinstance(inner, dict) else None
    status = stated if isinstance(stated, int) and 400 <= stated <= 599 else 500
    code, permanent, scope = classify(status, error, provider)
    wait = None if permanent else told_wait(reply.headers, document, error.message, now)
    if code in ("server_error", "bad_request"):
        code, permanent, scope = "error_in_200", False, "request"
    return Failure(
        code,
        one_line(f"error inside HTTP {reply.status}: {error.message or 'no message'}", key),
        permanent,
        scope,
        wait,
        ambiguous=not permanent,
        billed=_billed_200(usage),
        usage=usage,
        status=reply.status,
    )


def damaged(code: str, message: str, reply: HttpReply, *, usage: Usage | None = None) -> Failure:
    """A 2xx whose body holds no answer: cut, empty, no JSON, or without choices."""
    return Failure(
        code,
        one_line(message),
        permanent=False,
        scope="request",
        ambiguous=True,
        billed=_billed_200(usage),
        usage=usage,
        status=reply.status,
    )


def _billed_200(usage: Usage | None) -> Billed:
    return "yes" if usage is not None and usage.billable_output_tokens is not None else "maybe"


_FAULTS = {
    "connect": "could not connect",
    "timeout": "no complete reply in time",
    "reset": "the connection broke before a reply",
    "cut": "the reply broke off",
    "protocol": "what came was not HTTP",
    "absent": "nothing was recorded",
}


def from_transport_error(
    error: TransportError, provider: Provider, *, key: SecretKey | None = None
) -> Failure:
    """The failure that a broken exchange stands for: nothing sent, nothing billed.

    A status that had already arrived decides as it would have with its body.
    """
    status = error.status
    code: str = error.kind
    permanent = error.kind == "absent"  # a cassette holds no more however often it is asked
    scope: Scope = "request"
    billed: Billed = "maybe" if error.sent else "no"
    if status is not None and not 200 <= status < 300:
        code, permanent, scope = classify(status, ErrorText("", ""), provider)
        billed = provider.billed(status) if error.sent else "no"
    detail = str(error)
    return Failure(
        code,
        one_line(f"{_FAULTS.get(error.kind, error.kind)}: {detail}" if detail else error.kind, key),
        permanent,
        scope,
        ambiguous=billed != "no" and code != "overloaded",
        billed=billed,
        status=status,
    )
