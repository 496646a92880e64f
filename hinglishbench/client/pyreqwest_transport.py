"""The fast transport: pyreqwest (Rust), called directly. Picked when the extra `fast` is installed."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta

import anyio.lowlevel
from pyreqwest.client import ClientBuilder
from pyreqwest.exceptions import DecodeError, DetailedPyreqwestError, RequestTimeoutError
from pyreqwest.response import Response

from hinglishbench.client.transport import (
    EVENT,
    HttpReply,
    HttpRequest,
    TransportError,
    keyless,
)

# pyreqwest calls a reset after sending a ConnectError too, and silence a connect timeout; only this
# cause, from the connector itself, proves that nothing was sent (and so that nothing is billed).
_NOT_CONNECTED = "client error (Connect)"


class PyreqwestTransport:
    """Sends through one pooled reqwest client."""

    def __init__(self) -> None:
        self._client = (
            ClientBuilder()
            .follow_redirects(enable=False)
            .referer(enable=False)
            .connect_timeout(timedelta(seconds=15))
            .build()
        )

    async def send(self, request: HttpRequest, *, timeout_s: float) -> HttpReply:
        """Send one request; see `Transport.send`.

        The first event's time is taken only of event streams: reading in one piece is a good deal
        cheaper, and the time to the first byte of a whole reply says little.
        """
        builder = (
            self._client.request(request.method, request.url)
            .headers(request.headers)
            .body_bytes(request.body)
            .timeout(timedelta(seconds=timeout_s))
        )
        status: int | None = None
        try:
            if request.stream:
                started = time.perf_counter()
                # Without this, up to 64 kB are awaited before the reply is handed over.
                async with builder.streamed_read_buffer_limit(0).build_streamed() as reply:
                    status = reply.status
                    pieces: list[bytes] = []
                    first_event_s: float | None = None
                    while chunk := await reply.body_reader.read_chunk():
                        pieces.append(bytes(chunk))
                        if first_event_s is None and EVENT in pieces[-1]:
                            first_event_s = time.perf_counter() - started
                    body = b"".join(pieces)
                    streamed = HttpReply(status, _headers(reply), body, first_event_s)
                    return keyless(streamed, request)
            reply = await builder.build().send()
            whole = HttpReply(reply.status, _headers(reply), bytes(await reply.bytes()))
            return keyless(whole, request)
        except DetailedPyreqwestError as error:
            raise _translated(error, timeout_s, status) from error
        except asyncio.CancelledError:
            # pyreqwest cancels in words of its own, which a cancel scope takes for another's wish.
            await anyio.lowlevel.checkpoint_if_cancelled()
            raise

    async def aclose(self) -> None:
        """Close the pool."""
        await self._client.close()


def _headers(reply: Response) -> dict[str, str]:
    return dict(reply.headers.items())


def _translated(
    error: DetailedPyreqwestError, timeout_s: float, status: int | None
) -> TransportError:
    causes = [cause["message"] for cause in error.details["causes"] or ()]
    text = causes[-1] if causes else str(error)
    if _NOT_CONNECTED in causes:
        return TransportError("connect", text, sent=False)
    if isinstance(error, RequestTimeoutError):
        return TransportError(
            "timeout", f"no whole reply in {timeout_s:.0f} s", sent=True, status=status
        )
    if isinstance(error, DecodeError):
        # A body that ended early, or a reply that is not HTTP (or not the encoding that it claims).
        cut = "error reading a body from connection" in causes
        return TransportError("cut" if cut else "protocol", text, sent=True, status=status)
    return TransportError("reset" if status is None else "cut", text, sent=True, status=status)
