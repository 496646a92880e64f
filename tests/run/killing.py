"""Leaving behind what a kill leaves behind, without killing."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Hbench


class Killed(BaseException):
    """Ends the process as far as the command is concerned."""


def replay_until_claimed(hbench: Hbench, command: list[Any], whole: bytes) -> Path:
    """Run until the plan is claimed, die, and let the journal hold what an earlier one held."""
    from hinglishbench.run import runner  # noqa: PLC0415  heavy, for few tests

    def die(*_: object, **__: object) -> None:
        raise Killed

    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Killed):
        patch.setattr(runner, "_ask", die)
        hbench(*command)
    [path] = hbench.folder.glob("*.journal/*")
    header = path.read_bytes().split(b"\n", 1)[0]
    body = [line for line in whole.split(b"\n")[1:] if not line.startswith(b'{"e":"done"')]
    path.write_bytes(b"\n".join([header, *body]))
    return path
