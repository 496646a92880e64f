"""The listening socket and the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from .answers import Answerer
from .protocol import Connection
from .service import Service
from .settings import Settings

HOST = "127.0.0.1"


def new_loop() -> asyncio.AbstractEventLoop:
    """A fast event loop when uvloop is installed, else asyncio's."""
    try:
        import uvloop  # noqa: PLC0415 - optional, and costs start-up time
    except ImportError:
        return asyncio.new_event_loop()
    loop: asyncio.AbstractEventLoop = uvloop.new_event_loop()
    return loop


async def serve(
    settings: Settings,
    stop: asyncio.Event,
    ready: Callable[[int], None],
    answerer: Answerer | None = None,
) -> None:
    """Serve until `stop` is set, then drop every connection.

    Args:
        settings: how the provider behaves.
        stop: set it to end the server.
        ready: called with the port once the server listens.
        answerer: gives the reply texts instead of the settings.

    Raises:
        OSError: the port is taken.
    """
    loop = asyncio.get_running_loop()
    service = Service(settings, loop, answerer)
    connections: set[Connection] = set()
    server = await loop.create_server(
        lambda: Connection(service.handle, connections), HOST, settings.port, backlog=4096
    )
    ready(server.sockets[0].getsockname()[1])
    try:
        await stop.wait()
    finally:
        server.close()
        for connection in list(connections):
            connection.drop()
        # connection_lost comes in the next rounds of the loop; only then is everything freed.
        while connections:  # noqa: ASYNC110 - two rounds at most, not worth an event
            await asyncio.sleep(0)
