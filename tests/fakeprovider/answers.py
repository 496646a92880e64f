"""The model that is none: a completion as a pure function of seed and request.

The same request always gets the same text and the same token counts, from any server with the
same settings, in any order and at any concurrency.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .asks import Ask, form_of
from .settings import Settings

_PLAIN = "First take the total, then subtract what was given away, and check it step by step. "
_HINGLISH = "Pehle total nikalte hain, phir jo diya woh ghatate hain, aur dobara check karte hain. "
_NATIVE = "पहले कुल निकालते हैं, फिर जो दिया वह घटाते हैं, और दोबारा जाँचते हैं। "
_FILLERS = {"plain": _PLAIN, "hinglish": _HINGLISH, "native": _NATIVE}
_CHARS_PER_TOKEN = 4

Answerer = Callable[[Ask], str]
"""Gives the reply text for a request, instead of the settings (in-process servers only)."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What one completion costs.

    Attributes:
        prompt: prompt tokens, the cached ones included.
        cached: prompt tokens served from a cache.
        visible: output tokens of the answer itself.
        reasoning: output tokens of the reasoning.
    """

    prompt: int
    cached: int
    visible: int
    reasoning: int

    @property
    def output(self) -> int:
        """Billable output tokens."""
        return self.visible + self.reasoning

    def part(self, share: float) -> Tokens:
        """What is used when only this share of the output was generated, reasoning first."""
        output = math.ceil(self.output * share)
        reasoning = min(output, self.reasoning)
        return Tokens(self.prompt, self.cached, output - reasoning, reasoning)


@dataclass(frozen=True, slots=True)
class Completion:
    """One answer, before it is put into the words of the protocol.

    Attributes:
        content: the text; None when every token went into the reasoning; faults may put a list
            of parts or broken text here.
        reasoning: the reasoning text, None if there is none or it is hidden.
    """

    content: str | list[dict[str, Any]] | None
    reasoning: str | None
    finish_reason: str
    tokens: Tokens


def uniforms(*parts: str | int) -> tuple[float, float, float, float]:
    """Four numbers in [0, 1) that depend on the parts alone."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")).digest()
    a, b, c, d = struct.unpack(">4Q", digest)
    return a / 2**64, b / 2**64, c / 2**64, d / 2**64


def complete(
    ask: Ask, digest: str, settings: Settings, answerer: Answerer | None = None
) -> Completion:
    """Answer a request.

    Args:
        ask: the request.
        digest: the digest of its body.
        settings: what to answer, and how long.
        answerer: replaces the settings' text.
    """
    if settings.answer_key == "messages":
        said = ask.body.get("messages") or ask.body.get("prompt")
        digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
    luck = uniforms(settings.seed, digest)
    form = form_of(ask.question)
    visible = _visible_tokens(settings, form, luck[0])
    thinks = ask.thinking or settings.thinking_switch == "ignored"
    reasoning = settings.reasoning_tokens if thinks else 0

    text = answerer(ask) if answerer else _known_answer(ask, settings)
    if text is None:
        filler = _filler(_FILLERS[form], visible * _CHARS_PER_TOKEN, luck[1])
        text = f"{filler}\n{settings.final_answer}"
    if settings.reply_bytes:
        missing = settings.reply_bytes - len(text.encode("utf-8", "surrogatepass"))
        text = _filler(_PLAIN, missing - 1, luck[1]) + "\n" + text if missing > 0 else text
    thought = _filler(_PLAIN, reasoning * _CHARS_PER_TOKEN, luck[2]) if reasoning else None

    finish_reason = "stop"
    content: str | None = text
    if ask.cap is not None and visible + reasoning > ask.cap:
        finish_reason = "length"
        reasoning = min(reasoning, ask.cap)
        room = ask.cap - reasoning
        content = text[: len(text) * room // visible] if room else None
        visible = room
        thought = thought[: reasoning * _CHARS_PER_TOKEN] if thought else None
    cached = math.floor(ask.prompt_tokens * settings.cached_share)
    return Completion(
        content=content,
        reasoning=thought,
        finish_reason=finish_reason,
        tokens=Tokens(ask.prompt_tokens, cached, visible, reasoning),
    )


def _visible_tokens(settings: Settings, form: str, luck: float) -> int:
    ratio = {"native": settings.ratio_native, "hinglish": settings.ratio_hinglish}.get(form, 1.0)
    spread = 1.0 + settings.completion_spread * (2.0 * luck - 1.0)
    return max(1, round(settings.completion_tokens * ratio * spread))


def _known_answer(ask: Ask, settings: Settings) -> str | None:
    for part, reply in settings.answers.items():
        if part in ask.question:
            return reply
    return None


def _filler(words: str, length: int, luck: float) -> str:
    """Text of `length` characters, starting at a word that depends on the request."""
    start = int(luck * len(words))
    repeats = (start + max(length, 0)) // len(words) + 1
    return (words * repeats)[start : start + max(length, 0)]
