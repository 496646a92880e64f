"""Choosing a transport: the fast one where it is installed, else the default."""

from __future__ import annotations

import importlib.util

from hinglishbench.client.transport import Transport
from hinglishbench.errors import UsageError

NAMES = ("httpx2", "pyreqwest")


def chosen(name: str | None = None) -> str:
    """The name of the transport to use; None picks pyreqwest when the extra `fast` is installed.

    Raises:
        UsageError: no such transport, or it is not installed.
    """
    installed = importlib.util.find_spec("pyreqwest") is not None
    if name is None:
        return "pyreqwest" if installed else "httpx2"
    if name == "httpx2" or (name == "pyreqwest" and installed):
        return name
    raise UsageError(
        f"no transport {name!r} here",
        hint="one of: httpx2, pyreqwest (pip install 'hinglishbench[fast]')",
    )


def new_transport(name: str | None = None) -> Transport:
    """A transport by name, see `chosen`.

    Raises:
        UsageError: no such transport, or it is not installed.
    """
    if chosen(name) == "pyreqwest":
        from hinglishbench.client.pyreqwest_transport import PyreqwestTransport  # noqa: PLC0415  an extra

        return PyreqwestTransport()
    from hinglishbench.client.httpx2_transport import Httpx2Transport  # noqa: PLC0415  heavy

    return Httpx2Transport()
