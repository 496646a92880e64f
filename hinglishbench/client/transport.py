"""The seam to the network: one async method, bytes in and bytes out.

Everything above it (dialects, retry, limiter, engine) sees only these types, so a cassette,
a mock and two HTTP libraries are the same small thing to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol

FaultKind = Literal["connect", "timeout", "reset", "cut", "protocol", "absent"]
"""connect: nothing was sent · timeout: silence after sending · reset: the connection broke before
a status line · cut: a status came, the body did not end · protocol: what came was not HTTP · absent: a cassette
holds no reply."""


EVENT = b"data:"
"""What the first event of a stream begins with."""

BLANK = "[key]"
"""What stands where a reply repeats the key."""


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One HTTP request, ready to send. `headers` may hold the key: never log or store them.

    Attributes:
        stream: whether an event stream is wanted, so that the time to its first byte means something.
    """

    method: str
    url: str
    headers: dict[str, str] = field(repr=False)
    body: bytes = b""
    stream: bool = False


@dataclass(frozen=True, slots=True)
class HttpReply:
    """One complete HTTP reply, body decompressed.

    Attributes:
        status: HTTP status code.
        headers: names in lower case; of repeated headers the last.
        body: the whole body.
        first_byte_s: of an event stream, seconds from sending to its first event; comments that keep
            a connection alive are no events. None for whole replies.
    """

    status: int
    headers: dict[str, str]
    body: bytes
    first_byte_s: float | None = None


def without_key(text: str, request: HttpRequest) -> str:
    """A text of the other side without the key that `request` carried."""
    key = _key_of(request)
    return text.replace(key, BLANK) if key else text


def keyless(reply: HttpReply, request: HttpRequest) -> HttpReply:
    """A reply without the key that `request` carried: some gateways repeat what they were sent.

    Here, at the seam, so that nothing above it has a key to keep.
    """
    key = _key_of(request)
    if not key:
        return reply
    raw = key.encode()
    headers = reply.headers
    if any(key in value for value in headers.values()):
        headers = {name: value.replace(key, BLANK) for name, value in headers.items()}
    body = reply.body.replace(raw, BLANK.encode()) if raw in reply.body else reply.body
    if headers is reply.headers and body is reply.body:
        return reply
    return HttpReply(reply.status, headers, body, reply.first_byte_s)


def _key_of(request: HttpRequest) -> str:
    return request.headers.get("authorization", "").removeprefix("Bearer ")


class TransportError(Exception):
    """No complete reply.

    Attributes:
        kind: see `FaultKind`.
        sent: whether any byte of the request may have reached the server (then it may be billed).
        status: the HTTP status, when one had arrived (`cut`).
    """

    def __init__(
        self, kind: FaultKind, message: str, *, sent: bool, status: int | None = None
    ) -> None:
        super().__init__(message)
        self.kind: FaultKind = kind
        self.sent = sent
        self.status = status


class Transport(Protocol):
    """Sends requests. Implementations: httpx2, pyreqwest, cassette, mock."""

    async def send(self, request: HttpRequest, *, timeout_s: float) -> HttpReply:
        """Send one request and read the whole reply.

        Raises:
            TransportError: no complete reply within `timeout_s` seconds, in total.
        """
        ...

    async def aclose(self) -> None:
        """Close connections."""
        ...
