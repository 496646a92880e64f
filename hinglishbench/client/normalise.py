"""Replies of every provider read into one shape: an `Answer`, or a `Failure`.

Pure, and never raises for any bytes. The raw reply is kept elsewhere; here it is only read. The
text stays as received, inline reasoning included: what is stripped is the grader's decision.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from hinglishbench.client.failures import (
    Failure,
    damaged,
    from_error_in_success,
    from_error_reply,
    from_transport_error,
)
from hinglishbench.client.provider import Provider
from hinglishbench.client.secret import SecretKey
from hinglishbench.client.stream import DECODER, assemble, is_stream
from hinglishbench.client.transport import HttpReply
from hinglishbench.client.usage import Usage, read_usage
from hinglishbench.client.waits import LimitsSeen, limits_seen

__all__ = [
    "Answer",
    "Failure",
    "LimitsSeen",
    "Usage",
    "from_transport_error",
    "limits_seen",
    "normalise",
]

_SURROGATES = re.compile("[\ud800-\udfff]")
_INLINE = re.compile(
    r"</?(?:think|thinking|thought|reasoning|reflection|seed:think)>|◁/?think▷|\[/?THINK\]"
    r"|<\|channel\|>\s*analysis|<\|(?:begin|end)_of_thought\|>"
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model said.

    Attributes:
        text: the content as received (parts joined), or the refusal if that is all there is;
            None when there was no content, which is no failure: all tokens may have gone into
            reasoning, or a filter may have held it back.
        reasoning: reasoning from fields of its own; inline reasoning stays in `text`.
        finish_reason: as the provider names it: stop, length, content_filter, …
        usage: token counts and stated cost.
        model: the model as the reply names it.
        reply_id: the reply's id at the provider.
        reasoning_observed: reasoning in a field, in inline tags, or in the counts.
        refusal: the text is a refusal that came in a field of its own.
    """

    text: str | None
    reasoning: str | None
    finish_reason: str | None
    usage: Usage
    model: str | None
    reply_id: str | None
    reasoning_observed: bool
    refusal: bool


def normalise(
    reply: HttpReply, provider: Provider, now: float, *, key: SecretKey | None = None
) -> Answer | Failure:
    """Read one complete HTTP reply.

    Args:
        reply: as a transport gives it.
        provider: whose dialect it is in.
        now: seconds since the epoch, for waits given as a date.
        key: the key that was sent; it is blanked should an error message repeat it.
    """
    body = reply.body
    if not 200 <= reply.status < 300:
        return from_error_reply(reply, _parse(_text_of(body)), provider, now, key=key)
    text = _text_of(body)
    complete = True
    if is_stream(reply.headers.get("content-type", ""), body):
        document, complete = assemble(text)
        if document is None:
            return _unreadable(reply, text, streamed=True)
    else:
        document = _parse(text)
        if isinstance(document, list) and len(document) == 1:
            document = document[0]  # some gateways wrap an error in a list
        if not isinstance(document, dict):
            return _unreadable(reply, text, streamed=False, parsed=document is not None)
    if b"\\ud" in body or b"\\uD" in body:  # an escape can smuggle in half of a surrogate pair
        document = _without_surrogates(document)
    usage = read_usage(document.get("usage"), trust_cost=provider.reports_cost)
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        if document.get("error") or document.get("object") == "error":
            return from_error_in_success(reply, document, provider, now, usage=usage, key=key)
        if not complete:
            return damaged("cut", "the stream broke off before any text", reply, usage=usage)
        return damaged("no_choices", f"a reply without choices: {text[:200]}", reply, usage=usage)
    if document.get("error") or choice.get("error"):
        failed = document if document.get("error") else choice
        return from_error_in_success(reply, failed, provider, now, usage=usage, key=key)
    if not complete:
        return damaged("cut", "the stream broke off in the middle", reply, usage=usage)
    return _answer(reply, document, choice, usage, provider)


def _answer(
    reply: HttpReply,
    document: dict[str, Any],
    choice: dict[str, Any],
    usage: Usage,
    provider: Provider,
) -> Answer | Failure:
    finish = choice.get("finish_reason")
    if not isinstance(finish, str):
        finish = None
    message = choice.get("message")
    refusal = False
    reasoning: str | None = None
    if isinstance(message, dict):
        content = message.get("content")
        inline_parts: list[str] = []
        if isinstance(content, str):
            text: str | None = content
        else:
            text, refusal = _from_parts(content, inline_parts)
        reasoning = _reasoning(message, provider, inline_parts)
        if not text:
            declined = message.get("refusal")
            if isinstance(declined, str) and declined:
                text, refusal = declined, True
    else:  # a completion: the text is in the choice
        text = message if isinstance(message, str) else choice.get("text")
        if not isinstance(text, str):
            text = None
    if text is None and reasoning is None and finish is None:
        return damaged("empty_reply", "a choice without text or finish reason", reply, usage=usage)
    model = document.get("model")
    reply_id = document.get("id")
    return Answer(
        text,
        reasoning,
        finish,
        usage,
        model if isinstance(model, str) else None,
        reply_id if isinstance(reply_id, str) else None,
        reasoning is not None
        or bool(usage.reasoning_tokens)
        or (text is not None and _has_inline(text)),
        refusal,
    )


def _has_inline(text: str) -> bool:
    # the cheap questions first: most answers hold none of these characters
    if "<" in text or "◁" in text or "THINK]" in text:
        return _INLINE.search(text) is not None
    return False


def _from_parts(content: Any, reasoning: list[str]) -> tuple[str | None, bool]:
    """Join content given as parts; thinking parts go to `reasoning`. (text, is a refusal)."""
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return None, False
    texts: list[str] = []
    refusals: list[str] = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            kind = part.get("type")
            if kind in ("thinking", "reasoning"):
                reasoning.extend(_strings(part.get("thinking") or part.get("text")))
            elif kind == "refusal":
                refusals.extend(_strings(part.get("refusal") or part.get("text")))
            else:
                texts.extend(_strings(part.get("text")))
    if texts:
        return "".join(texts), False
    return ("".join(refusals), True) if refusals else (None, False)


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [
            part["text"]
            for part in value
            if isinstance(part, dict) and isinstance(part.get("text"), str)
        ]
    return []


def _reasoning(message: dict[str, Any], provider: Provider, inline_parts: list[str]) -> str | None:
    """Reasoning from every field that may hold it; the same text in two fields counts once."""
    found: list[str] = inline_parts
    for name in provider.reasoning_fields:
        value = message.get(name)
        if value and isinstance(value, str) and value not in found:
            found.append(value)
    if not found:
        details = message.get("reasoning_details")
        for detail in details if isinstance(details, list) else []:
            if isinstance(detail, dict):
                value = detail.get("text") or detail.get("summary")
                if isinstance(value, str):
                    found.append(value)
        return "".join(found) or None
    return found[0] if len(found) == 1 else "\n".join(found)


def _text_of(body: bytes) -> str:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = body.decode("utf-8", "replace")
    return text.removeprefix("\ufeff")


def _parse(text: str) -> Any:
    """The JSON document, or None: no JSON, or one too deep or with numbers too long to be real."""
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError):
        return None


def _unreadable(reply: HttpReply, text: str, *, streamed: bool, parsed: bool = False) -> Failure:
    """A 2xx without a document: which damage it was decides what the counts mean."""
    start = text.lstrip()[:1]
    if not start:
        return damaged("empty_reply", "an empty body", reply)
    if not parsed and (streamed or start in "{["):
        return damaged("cut", f"the body broke off after {len(reply.body)} bytes", reply)
    kind = reply.headers.get("content-type", "no content type")
    return damaged("bad_json", f"not JSON ({kind}): {text[:200]}", reply)


def _without_surrogates(node: Any) -> Any:
    """The document with lone surrogates replaced by U+FFFD: they cannot be written as UTF-8."""
    if isinstance(node, str):
        return _SURROGATES.sub("\ufffd", node)
    if isinstance(node, list):
        return [_without_surrogates(item) for item in node]
    if isinstance(node, dict):
        return {_without_surrogates(k): _without_surrogates(v) for k, v in node.items()}
    return node
