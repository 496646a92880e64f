"""Server-sent events put together into the reply that would have come in one piece.

Pure, and never raises.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any


def _finite(text: str) -> float | None:
    value = float(text)
    return value if math.isfinite(value) else None


# NaN, Infinity and 1e999 become None: no JSON writer downstream could write them back.
DECODER = json.JSONDecoder(parse_constant=lambda _: None, parse_float=_finite)
"""Reads what providers send; raises ValueError or RecursionError for what is no JSON."""


def is_stream(headers_content_type: str, body: bytes) -> bool:
    """Whether a body is an event stream, by its declared type or, if that lies, by its start."""
    if "text/event-stream" in headers_content_type:
        return True
    return body.startswith((b"data:", b"event:", b": ", b":\n", b"id: "))


def _events(text: str) -> Iterator[str]:
    """The data of each event: its `data:` lines joined by line feeds."""
    lines: list[str] = []
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if line.startswith("data:"):
            lines.append(line[5:].removeprefix(" "))
        elif not line and lines:
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)


def assemble(text: str) -> tuple[dict[str, Any] | None, bool]:
    """Put a stream's chunks together.

    Returns:
        (document, complete): the document has the shape of a reply in one piece, None when no
        chunk could be read; it is complete when `[DONE]` or a finish reason was seen, and no
        chunk before that was damaged.
    """
    builder = _Builder()
    for data in _events(text):
        stripped = data.strip()
        if stripped == "[DONE]":
            builder.done = True
            continue
        if not stripped:
            continue
        try:
            chunk = DECODER.decode(stripped)
        except (ValueError, RecursionError):
            builder.damaged |= builder.finish is None  # after it only the counts can be lost
            continue
        if isinstance(chunk, dict):
            builder.add(chunk)
    return builder.document(), (builder.done or builder.finish is not None) and not builder.damaged


class _Builder:
    """Collects chunks of the first choice."""

    def __init__(self) -> None:
        self.top: dict[str, Any] = {}
        self.texts: dict[str, list[str]] = {}
        self.extra: dict[str, Any] = {}
        self.finish: str | None = None
        self.has_choice = False
        self.done = False
        self.damaged = False

    def add(self, chunk: dict[str, Any]) -> None:
        for name in ("id", "model"):
            if isinstance(chunk.get(name), str):
                self.top.setdefault(name, chunk[name])
        if chunk.get("error"):
            self.top["error"] = chunk["error"]
        groq = chunk.get("x_groq")
        usage = chunk.get("usage") or (groq.get("usage") if isinstance(groq, dict) else None)
        if isinstance(usage, dict):
            self.top["usage"] = usage
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else []:
            if isinstance(choice, dict) and choice.get("index", 0) in (0, None):
                self._add_choice(choice)

    def _add_choice(self, choice: dict[str, Any]) -> None:
        self.has_choice = True
        if isinstance(choice.get("finish_reason"), str):
            self.finish = choice["finish_reason"]
        if choice.get("error"):
            self.top["error"] = choice["error"]
        if isinstance(choice.get("text"), str):
            self.texts.setdefault("content", []).append(choice["text"])
        delta = choice.get("delta") or choice.get("message")
        if not isinstance(delta, dict):
            return
        for name, value in delta.items():
            if name == "role":
                continue
            if isinstance(value, str):
                self.texts.setdefault(name, []).append(value)
            elif isinstance(value, list):
                kept = self.extra.setdefault(name, [])
                if isinstance(kept, list):
                    kept.extend(value)

    def document(self) -> dict[str, Any] | None:
        if not self.top and not self.has_choice:
            return None
        if not self.has_choice:
            return self.top
        message: dict[str, Any] = {
            **self.extra,
            **{name: "".join(parts) for name, parts in self.texts.items()},
        }
        return {**self.top, "choices": [{"message": message, "finish_reason": self.finish}]}
