"""The embedded model's process ends when it should, also in the middle of an answer."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from http.client import HTTPException

import pytest

from hinglishbench.run.embedded import EmbeddedServer, model_path

pytestmark = pytest.mark.embedded


@pytest.fixture
def server() -> Iterator[EmbeddedServer]:
    """One slot, and a cap that takes many seconds to reach."""
    started = EmbeddedServer.start(model_path(), max_tokens=4000, slots=1)
    yield started
    started.stop()


def _ask_for_long(server: EmbeddedServer) -> threading.Thread:
    body = {
        "messages": [{"role": "user", "content": "Count from 1 to 2000, one number a line."}],
        "max_tokens": 4000,
        "ignore_eos": True,
    }
    request = urllib.request.Request(
        server.base_url + "/chat/completions",
        json.dumps(body).encode(),
        {"content-type": "application/json"},
    )

    def ask() -> None:
        # The server goes away, which is the point.
        with suppress(OSError, HTTPException), urllib.request.urlopen(request, timeout=60) as reply:
            reply.read()

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    time.sleep(0.3)  # the only sign that a slot is busy would be another request
    assert thread.is_alive()
    return thread


def test_stops_in_the_middle_of_an_answer(server: EmbeddedServer) -> None:
    """A stop does not wait for an answer that nobody wants any more."""
    thread = _ask_for_long(server)
    server.stop()
    thread.join(timeout=10)
    assert not thread.is_alive()
    assert server._process.returncode is not None


def test_ends_with_the_program_that_started_it(server: EmbeddedServer) -> None:
    """A parent that died closes the pipe, and nothing stays behind."""
    _ask_for_long(server)
    assert server._process.stdin is not None
    server._process.stdin.close()
    assert server._process.wait(timeout=10) == 0
