"""HTTP/1.1 on a bare asyncio protocol: parse a request, write a reply, or break the connection.

Nothing here knows what a model is. A connection handles one request at a time; further requests
that a client has pipelined wait in the buffer. The cost of a request is a few microseconds, which
is why this is not a web framework: the server must never be the bottleneck of a benchmark.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import cast

MAX_HEAD_BYTES = 64 * 1024

Headers = Iterable[tuple[str, str]]

_REASONS = {status.value: status.phrase for status in HTTPStatus} | {
    498: "Capacity Exceeded",
    529: "Overloaded",
}
_STATUS_LINES = {
    code: f"HTTP/1.1 {code} {phrase}\r\n".encode() for code, phrase in _REASONS.items()
}
# l_onoff = 1, l_linger = 0: closing sends RST instead of FIN.
_LINGER_RST = struct.pack("ii", 1, 0)


class BadRequestError(Exception):
    """What came is not an HTTP/1.1 request that this server reads."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request, read to its end. Header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def keep_alive(self) -> bool:
        """Whether the client wants the connection to stay open."""
        return self.headers.get("connection", "").lower() != "close"


class Exchange:
    """One request and the means to answer it, once.

    Either `reply`, or `start` + `send` + `finish`, or `abort`, or nothing at all (silence).
    `on_hangup` is called when the client has gone before the reply was written out.
    """

    __slots__ = ("_chunked", "_close", "_on_written", "connection", "on_hangup", "request")

    def __init__(self, connection: Connection, request: Request) -> None:
        self.connection = connection
        self.request = request
        self.on_hangup: Callable[[], None] | None = None
        self._on_written: Callable[[], None] | None = None
        self._chunked = False
        self._close = not request.keep_alive

    def reply(
        self,
        status: int,
        headers: Headers,
        body: bytes,
        *,
        on_written: Callable[[], None] | None = None,
    ) -> None:
        """Write a whole reply; `on_written` is called once the kernel has taken all of it."""
        self.connection.write(self._head(status, headers, len(body)) + body)
        self.finish(on_written=on_written)

    def start(self, status: int, headers: Headers, *, length: int | None = None) -> None:
        """Write the head only; without `length` the body is sent in chunks."""
        self._chunked = length is None
        self.connection.write(self._head(status, headers, length))

    def send(self, data: bytes) -> None:
        """Write a part of the body, as one chunk if no length was announced."""
        if self._chunked:
            data = b"%x\r\n%b\r\n" % (len(data), data)
        self.connection.write(data)

    def finish(self, *, on_written: Callable[[], None] | None = None) -> None:
        """End the reply and let the connection read its next request."""
        if self._chunked:
            self.connection.write(b"0\r\n\r\n")
        self._on_written = on_written
        self.connection.when_drained(self._written)

    def cut(self) -> None:
        """Close in an orderly way although the reply has not ended."""
        self.connection.close(self)

    def reset(self) -> None:
        """Break the connection with a TCP reset."""
        self.connection.reset(self)

    def lost(self) -> None:
        """Tell the owner that the client has gone (called by the connection)."""
        if self.on_hangup is not None:
            hangup, self.on_hangup = self.on_hangup, None
            hangup()

    def _written(self) -> None:
        self.on_hangup = None
        if self._on_written is not None:
            self._on_written()
        self.connection.done(self, close=self._close)

    def _head(self, status: int, headers: Headers, length: int | None) -> bytes:
        lines = [_STATUS_LINES.get(status) or f"HTTP/1.1 {status} Unnamed\r\n".encode()]
        lines.extend(f"{name}: {value}\r\n".encode("latin-1") for name, value in headers)
        if length is None:
            lines.append(b"transfer-encoding: chunked\r\n")
        else:
            lines.append(b"content-length: %d\r\n" % length)
        if self._close:
            lines.append(b"connection: close\r\n")
        lines.append(b"\r\n")
        return b"".join(lines)


class Connection(asyncio.Protocol):
    """One TCP connection of a client."""

    __slots__ = (
        "_buffer",
        "_continued",
        "_drained",
        "_exchange",
        "_handler",
        "_open",
        "_paused",
        "_pumping",
        "_transport",
        "served",
    )
    _transport: asyncio.Transport

    def __init__(
        self, handler: Callable[[Exchange], None], open_connections: set[Connection]
    ) -> None:
        self.served = 0
        """Requests that this connection has brought so far."""
        self._handler = handler
        self._open = open_connections
        self._buffer = bytearray()
        self._exchange: Exchange | None = None
        self._drained: Callable[[], None] | None = None
        self._paused = False
        self._pumping = False
        self._continued = False

    # --- called by the event loop

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are no subclasses of asyncio's.
        self._transport = cast(asyncio.Transport, transport)
        # With no write buffer allowed, "not paused after a write" means: the kernel has it all.
        self._transport.set_write_buffer_limits(high=0)
        self._open.add(self)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._pump()

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False
        if self._drained is not None:
            drained, self._drained = self._drained, None
            drained()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._open.discard(self)
        self._drained = None
        exchange, self._exchange = self._exchange, None
        if exchange is not None:
            exchange.lost()

    # --- called by exchanges

    def write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)

    def when_drained(self, callback: Callable[[], None]) -> None:
        """Call back now if the kernel has taken everything, else when it has."""
        if self._transport.is_closing():
            return  # connection_lost follows, and tells the exchange
        if self._paused:
            self._drained = callback
        else:
            callback()

    def done(self, exchange: Exchange, *, close: bool) -> None:
        if self._exchange is exchange:
            self._exchange = None
            if close:
                self._transport.close()
            else:
                self._pump()

    def close(self, exchange: Exchange) -> None:
        if self._exchange is exchange:
            self._exchange = None
            self._transport.close()

    def drop(self) -> None:
        """Close at once; a request in flight learns that its client has gone."""
        self._transport.abort()

    def reset(self, exchange: Exchange) -> None:
        if self._exchange is exchange:
            self._exchange = None
            sock = self._transport.get_extra_info("socket")
            if sock is not None and not self._transport.is_closing():
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_RST)
            self._transport.abort()

    # --- parsing

    def _pump(self) -> None:
        """Hand over the buffered requests one by one (not recursively: a reply may be instant)."""
        if self._pumping:
            return
        self._pumping = True
        try:
            while self._exchange is None and self._buffer and not self._transport.is_closing():
                request = self._next_request()
                if request is None:
                    return
                self._exchange = Exchange(self, request)
                self.served += 1
                self._handler(self._exchange)
        except BadRequestError as error:
            body = str(error).encode()
            self.write(
                b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n"
                b"content-length: %d\r\n\r\n%b" % (len(body), body)
            )
            self._transport.close()
        finally:
            self._pumping = False

    def _next_request(self) -> Request | None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > MAX_HEAD_BYTES:
                raise BadRequestError("the head of the request is too long")
            return None
        head = self._buffer[:end].decode("latin-1").split("\r\n")
        try:
            method, path, _version = head[0].split(" ")
            headers = {}
            for line in head[1:]:
                name, _, value = line.partition(":")
                headers[name.lower()] = value.strip()
            found = (
                _chunked_body(self._buffer, end + 4)
                if headers.get("transfer-encoding", "").lower() == "chunked"
                else _sized_body(self._buffer, end + 4, int(headers.get("content-length", 0)))
            )
        except ValueError as error:
            raise BadRequestError(f"not an HTTP/1.1 request: {error}") from error
        if found is None:
            if headers.get("expect", "").lower() == "100-continue" and not self._continued:
                self._continued = True
                self.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            return None
        body, used = found
        del self._buffer[:used]
        self._continued = False
        return Request(method, path, headers, body)


def _sized_body(buffer: bytearray, start: int, length: int) -> tuple[bytes, int] | None:
    """Take `length` bytes from `start` on; None while they have not all arrived."""
    if len(buffer) < start + length:
        return None
    return bytes(buffer[start : start + length]), start + length


def _chunked_body(buffer: bytearray, start: int) -> tuple[bytes, int] | None:
    """Join the chunks from `start` on (no trailers); None while the last has not arrived."""
    parts: list[bytes] = []
    while True:
        line_end = buffer.find(b"\r\n", start)
        if line_end < 0:
            return None
        size = int(bytes(buffer[start:line_end]).split(b";")[0], 16)
        start = line_end + 2
        if len(buffer) < start + size + 2:
            return None
        if size == 0:
            return b"".join(parts), start + 2
        parts.append(bytes(buffer[start : start + size]))
        start += size + 2
