"""Cassettes: a run's exchanges in a file, to be played again without a network.

One JSON object a line. The first says what the file is; each other is one exchange, found again by
the digest of the request (URL path and body, never headers) and its ordinal among equal requests,
so that retries and repeated samples play in the order in which they were recorded. Keys, cookies
and organisation headers never reach the file: only the reply headers of a short list are kept.

`synthetic = true` in the first line marks a file written by hand after a provider's documents.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import threading
from collections import defaultdict, deque
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hinglishbench.client.transport import (
    HttpReply,
    HttpRequest,
    Transport,
    TransportError,
    keyless,
    without_key,
)
from hinglishbench.errors import InputError, RefusedError

FORMAT = "hinglishbench-cassette/1"
_KEPT_HEADERS = frozenset({"content-type", "retry-after", "retry-after-ms", "date"})
_KEPT_PREFIXES = ("x-ratelimit", "ratelimit", "x-tokenlimit")


def request_digest(request: HttpRequest) -> str:
    """What makes two requests the same: method, path and body. The host may differ (ports do)."""
    path = urlsplit(request.url).path
    data = f"{request.method} {path}\n".encode() + request.body
    return hashlib.sha256(data).hexdigest()


def _kept(headers: dict[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in headers.items()
        if name in _KEPT_HEADERS or name.startswith(_KEPT_PREFIXES)
    }


class RecordingTransport:
    """Passes requests on and writes each exchange down.

    Raises:
        RefusedError: the file is there already; recordings are never overwritten.
    """

    def __init__(self, inner: Transport, path: Path, about: dict[str, Any]) -> None:
        """`about` describes the recording (provider, model, date); it goes to the first line."""
        self._inner = inner
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._file = path.open("x", encoding="utf-8")
        except FileExistsError:
            raise RefusedError(
                f"{path} is there already", hint="record to another file, or remove it first"
            ) from None
        self._write({"cassette": FORMAT, "synthetic": False, **about})

    def _write(self, line: dict[str, Any]) -> None:
        with self._lock:
            self._file.write(json.dumps(line, ensure_ascii=True) + "\n")
            self._file.flush()

    async def send(self, request: HttpRequest, *, timeout_s: float) -> HttpReply:
        """Send through the inner transport; the exchange is written before it is returned."""
        digest = request_digest(request)
        try:
            reply = await self._inner.send(request, timeout_s=timeout_s)
        except TransportError as error:
            fault = {
                "kind": error.kind,
                "message": without_key(str(error), request),
                "sent": error.sent,
                "status": error.status,
            }
            self._write({"request": digest, "fault": fault})
            raise
        # The inner transport blanks the key already; a file that people pass on checks once more.
        safe = keyless(reply, request)
        self._write({"request": digest, "status": safe.status, "headers": _kept(safe.headers),
                     **_body_field(safe.body), "first_byte_s": safe.first_byte_s})  # fmt: skip
        return reply

    async def aclose(self) -> None:
        """Close the file and the inner transport."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        await self._inner.aclose()


def _body_field(body: bytes) -> dict[str, str]:
    try:
        return {"body": body.decode()}
    except UnicodeDecodeError:
        return {"body_base64": base64.b64encode(body).decode()}


class ReplayTransport:
    """Answers from a cassette; asks nobody.

    Attributes:
        about: the first line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._exchanges: dict[str, deque[dict[str, Any]]] = defaultdict(deque)
        lines = _lines(path)
        self.about = lines[0]
        for exchange in lines[1:]:
            self._exchanges[exchange["request"]].append(exchange)

    async def send(self, request: HttpRequest, *, timeout_s: float) -> HttpReply:  # noqa: ARG002  part of the seam
        """Play the next exchange recorded for this request.

        Raises:
            TransportError: the recorded fault; or kind `absent` when nothing (more) was recorded.
        """
        recorded = self._exchanges.get(request_digest(request))
        if not recorded:
            raise TransportError(
                "absent",
                f"{self._path.name} holds no (further) reply to this request: another suite, prompt,"
                " model or option than when it was recorded?",
                sent=False,
            )
        exchange = recorded.popleft()
        if fault := exchange.get("fault"):
            raise TransportError(
                fault["kind"], fault["message"], sent=fault["sent"], status=fault["status"]
            )
        body = (
            base64.b64decode(exchange["body_base64"])
            if "body_base64" in exchange
            else exchange["body"].encode()
        )
        return HttpReply(
            exchange["status"], exchange.get("headers", {}), body, exchange.get("first_byte_s")
        )

    async def aclose(self) -> None:
        """Nothing to close."""


def _is_exchange(value: dict[str, Any]) -> bool:
    if not isinstance(value.get("request"), str):
        return False
    if fault := value.get("fault"):
        return isinstance(fault, dict) and {"kind", "message", "sent", "status"} <= fault.keys()
    return isinstance(value.get("status"), int) and bool({"body", "body_base64"} & value.keys())


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        raise RefusedError(
            f"there is no cassette at {path}", hint="`hbench run --record FILE` makes one"
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(path, None, "not a cassette (not UTF-8)") from error
    lines: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            value = json.loads(line)
        except ValueError as error:
            raise InputError(path, number, f"not JSON: {error}") from error
        if not isinstance(value, dict) or (number > 1 and not _is_exchange(value)):
            raise InputError(path, number, "not an exchange of a cassette")
        lines.append(value)
    if not lines or lines[0].get("cassette") != FORMAT:
        raise InputError(path, 1, f"not a cassette: the first line must say {FORMAT!r}")
    return lines
