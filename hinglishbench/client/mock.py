"""A transport that answers from a function: for tests, and for trying a suite without a model."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from hinglishbench.client.transport import HttpReply, HttpRequest


class MockTransport:
    """Hands each request to `answer` and keeps what it was asked.

    Attributes:
        asked: every request, in order.
    """

    def __init__(self, answer: Callable[[HttpRequest], HttpReply | Awaitable[HttpReply]]) -> None:
        """`answer` may raise TransportError, and may be async."""
        self._answer = answer
        self.asked: list[HttpRequest] = []
        self.closed = False

    async def send(self, request: HttpRequest, *, timeout_s: float) -> HttpReply:  # noqa: ARG002  part of the seam
        """Ask the function."""
        self.asked.append(request)
        reply = self._answer(request)
        return reply if isinstance(reply, HttpReply) else await reply

    async def aclose(self) -> None:
        """Remember that it was closed."""
        self.closed = True


def chat_reply(
    text: str | None,
    *,
    prompt_tokens: int = 10,
    completion_tokens: int = 5,
    finish_reason: str = "stop",
    message: dict[str, Any] | None = None,
    **more: Any,
) -> HttpReply:
    """A whole chat completion as OpenAI-compatible servers send it; `more` goes to the top level."""
    body: dict[str, Any] = {
        "id": "mock", "object": "chat.completion", "model": "mock",
        "choices": [{"index": 0, "finish_reason": finish_reason,
                     "message": {"role": "assistant", "content": text, **(message or {})}}],
        "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens,
                  "total_tokens": prompt_tokens + completion_tokens},
        **more,
    }  # fmt: skip
    return HttpReply(200, {"content-type": "application/json"}, json.dumps(body).encode())
