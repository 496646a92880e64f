"""The default transport: httpx2, no retries of its own, no redirects, a total deadline."""

from __future__ import annotations

import time

import anyio
import httpx2

from hinglishbench.client.transport import (
    EVENT,
    HttpReply,
    HttpRequest,
    TransportError,
    keyless,
)

_NOTHING_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol,
                 httpx2.InvalidURL)  # fmt: skip


class Httpx2Transport:
    """Sends through one pooled `httpx2.AsyncClient`."""

    def __init__(self, client: httpx2.AsyncClient | None = None) -> None:
        """`client` is for tests that bring a mock transport."""
        self._client = client or httpx2.AsyncClient(
            # The engine bounds what is in flight; a second bound here would only queue unseen.
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
            timeout=httpx2.Timeout(None, connect=15.0),
            follow_redirects=False,
        )

    async def send(self, request: HttpRequest, *, timeout_s: float) -> HttpReply:
        """Send one request; see `Transport.send`."""
        started = time.perf_counter()
        status: int | None = None
        first_event_s: float | None = None
        try:
            with anyio.fail_after(timeout_s):
                async with self._client.stream(
                    request.method, request.url, headers=request.headers, content=request.body
                ) as reply:
                    status = reply.status_code
                    if request.stream:
                        pieces = []
                        async for piece in reply.aiter_bytes():
                            pieces.append(piece)
                            if first_event_s is None and EVENT in piece:
                                first_event_s = time.perf_counter() - started
                        body = b"".join(pieces)
                    else:
                        body = await reply.aread()
        except TimeoutError as error:
            raise _timeout(timeout_s, status) from error
        except _NOTHING_SENT as error:
            raise TransportError("connect", _text(error), sent=False) from error
        except httpx2.TimeoutException as error:
            raise _timeout(timeout_s, status) from error
        except httpx2.DecodingError as error:
            raise TransportError("protocol", _text(error), sent=True, status=status) from error
        except httpx2.TransportError as error:
            raise TransportError(
                "reset" if status is None else "cut", _text(error), sent=True, status=status
            ) from error
        return keyless(HttpReply(status, dict(reply.headers), body, first_event_s), request)

    async def aclose(self) -> None:
        """Close the pool."""
        await self._client.aclose()


def _timeout(timeout_s: float, status: int | None) -> TransportError:
    return TransportError(
        "timeout", f"no whole reply in {timeout_s:.0f} s", sent=True, status=status
    )


def _text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
