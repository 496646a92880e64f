"""Fetching the router's price list, once, so that runs can read it offline."""

from __future__ import annotations

from hinglishbench import __version__
from hinglishbench.client.transport import HttpRequest, Transport, TransportError
from hinglishbench.errors import EndpointError
from hinglishbench.pricing.router import Listing, read_listing

_TIMEOUT_S = 60.0


async def pull(transport: Transport, base_url: str) -> Listing:
    """Ask the router for its models and their prices; the list is public, so no key is sent.

    Args:
        transport: how; closed afterwards.
        base_url: of the router, up to `/v1`.

    Raises:
        EndpointError: it could not be reached, or answered with an error.
        RefusedError: what came is no list of models with providers.
    """
    request = HttpRequest(
        "GET", f"{base_url}/models", {"accept": "application/json", "user-agent": f"hinglishbench/{__version__}"}
    )  # fmt: skip
    try:
        reply = await transport.send(request, timeout_s=_TIMEOUT_S)
    except TransportError as error:
        raise EndpointError(
            f"the price list at {request.url} could not be fetched: {error.kind}: {error}",
            hint="prices that were pulled before are still used",
        ) from error
    finally:
        await transport.aclose()
    if reply.status != 200:
        raise EndpointError(
            f"the price list at {request.url} answered HTTP {reply.status}",
            hint="prices that were pulled before are still used",
        )
    return read_listing(reply.body)
