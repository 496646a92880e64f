"""From a reply to the text that a pipeline works with, or to the reason why there is none."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from hinglishbench.grading import contract
from hinglishbench.grading.prepare import prepare
from hinglishbench.ledger.requests import Reply

_FENCE = re.compile(r"\A```[a-z]*\n(?P<text>.*?)\n?```\Z", re.DOTALL)
# "Here is the Hinglish version:", "**Translation:**", "Problem:" at the very beginning.
_LABEL = re.compile(
    r"\A[*_#\s]*(?:"
    r"(?:sure|okay|ok|here(?:'s| is|’s))\b[^\n:]{0,60}\b(?:hinglish|english|translat\w+|version|rewritten)\b[^\n:]{0,40}"
    r"|(?:the )?(?:(?:hinglish|english|translated|rewritten|romanized) ?)*(?:translation|version|problem|text)?"
    r")(?<=\w)[*_]*:[*_]*\s+",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»"}


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Why an item is left out: a reason from a fixed list, and what exactly in one sentence."""

    reason: str
    detail: str


def read(reply: Reply) -> str | Exclusion:
    """The visible text of a whole answer, reasoning stripped.

    Reasons: `error` (no answer came), `filtered`, `truncated` (cut by the token limit), `empty`.
    """
    if reply.state != "answered":
        return Exclusion(
            "error", f"{reply.error or 'no answer'}: {reply.message or ''}".rstrip(": ")
        )
    ready = prepare(contract.Reply(reply.text, reply.reasoning, reply.finish_reason))
    if ready.filtered:
        return Exclusion("filtered", f"the endpoint's filter ended it ({reply.finish_reason})")
    if not ready.whole:
        return Exclusion(
            "truncated",
            f"cut at the token limit after {reply.output_tokens or '?'} tokens ({reply.finish_reason})",
        )
    text = tidy(ready.text)
    if not text:
        return Exclusion("empty", ready.method or "the reply holds no text")
    return text


def tidy(text: str) -> str:
    """Take off what models put around a text: a fence, a label, quotes; Unicode form NFC."""
    text = unicodedata.normalize("NFC", text).strip()
    if fenced := _FENCE.match(text):
        text = fenced["text"].strip()
    text = _LABEL.sub("", text, count=1).strip()
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
        text = text[1:-1].strip()
    return text
