"""Reading a request body into what the provider needs to know of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from .settings import Settings

Kind = Literal["chat", "completions"]
Form = Literal["plain", "hinglish", "native"]

# The Unicode blocks Devanagari to Malayalam.
_INDIC = re.compile("[\u0900-\u0d7f]")
_WORD = re.compile("[a-z]+")
# Frequent function words of romanized Hindi that are no English words.
_HINGLISH = frozenset(
    re.findall(
        _WORD,
        "hai hain tha thi ka ki ke ko mein aur kya kitne kitna kitni se par ek baad agar uske uska "
        "kul liye nahi raha rahi rahe hoga honge karta karti karte diye bache kharid",
    )
)


class UnreadableError(ValueError):
    """The body is not a request that an OpenAI-compatible endpoint accepts."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One request for a completion.

    Attributes:
        question: text of the last user message, or the prompt of /v1/completions.
        prompt_text: all message texts joined.
        cap: the token limit asked for, None if none was sent.
        thinking: False when the request turns reasoning off, in whatever dialect.
    """

    kind: Kind
    body: Mapping[str, Any]
    model: str
    question: str
    prompt_text: str
    stream: bool
    include_usage: bool
    cap: int | None
    thinking: bool

    @property
    def prompt_tokens(self) -> int:
        """About four bytes of UTF-8 a token, and three for the frame of the chat template."""
        return 3 + (len(self.prompt_text.encode("utf-8", "surrogatepass")) + 3) // 4


def read_ask(kind: Kind, raw: bytes, settings: Settings) -> Ask:
    """Read the body of a request.

    Raises:
        UnreadableError: not JSON, no model, no messages, or a field that is refused.
    """
    try:
        body = json.loads(raw)
    except ValueError as error:
        raise UnreadableError(f"the body is not JSON: {error}") from error
    if not isinstance(body, dict) or not isinstance(body.get("model"), str):
        raise UnreadableError("`model` is required and must be a string")
    for name in settings.refused_fields:
        if name in body:
            raise UnreadableError(f"Unsupported parameter: '{name}'")
    if kind == "chat":
        texts, question = _message_texts(body.get("messages"))
    else:
        prompt = body.get("prompt")
        if not isinstance(prompt, str):
            raise UnreadableError("`prompt` is required and must be a string")
        texts, question = [prompt], prompt
    cap = body.get("max_completion_tokens", body.get("max_tokens"))
    if cap is not None and (not isinstance(cap, int) or cap < 0):
        raise UnreadableError("the token limit must be a whole number")
    return Ask(
        kind=kind,
        body=body,
        model=body["model"],
        question=question,
        prompt_text="\n".join(texts),
        stream=body.get("stream") is True,
        include_usage=(body.get("stream_options") or {}).get("include_usage") is True,
        cap=cap,
        thinking=not asks_for_no_thinking(body),
    )


def form_of(text: str) -> Form:
    """Tell Indic script, romanized Hindi (two different function words) and the rest apart."""
    if not text.isascii() and _INDIC.search(text):
        return "native"
    found = _HINGLISH.intersection(_WORD.findall(text.lower()))
    return "hinglish" if len(found) >= 2 else "plain"


def asks_for_no_thinking(body: Mapping[str, Any]) -> bool:
    """Whether the request turns reasoning off, in the words of any known dialect.

    Sarvam's way of saying it is `reasoning_effort: null`, so an explicit null counts.
    """
    effort = body.get("reasoning_effort", "unset")
    if effort in ("none", None) or body.get("disable_reasoning") is True:
        return True
    reasoning = body.get("reasoning")
    if isinstance(reasoning, dict) and (
        reasoning.get("enabled") is False or reasoning.get("effort") == "none"
    ):
        return True
    for name in ("chat_template_kwargs", "chat_template_args"):
        switches = body.get(name)
        if isinstance(switches, dict) and False in (
            switches.get("enable_thinking"),
            switches.get("thinking"),
        ):
            return True
    return False


def _message_texts(messages: Any) -> tuple[list[str], str]:
    """Texts of all messages, and that of the last one of the user."""
    if not isinstance(messages, list) or not messages:
        raise UnreadableError("`messages` is required and must be a list")
    texts, question = [], ""
    for message in messages:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, list):
            content = "".join(str(part.get("text", "")) for part in content)
        if not isinstance(content, str):
            raise UnreadableError("each message must have a text as `content`")
        texts.append(content)
        if message.get("role") == "user":
            question = content
    return texts, question
