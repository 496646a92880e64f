"""An entry ends once, and only what the kernel has taken counts as written."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from .answers import Tokens
from .billing import Bill, Charge
from .protocol import Connection
from .service import Service
from .settings import Settings
from .test_wire import post

TOKENS = Tokens(prompt=10, cached=4, visible=20, reasoning=5)


def test_an_entry_ends_once_and_the_first_end_counts() -> None:
    bill = Bill(0.0, 10)
    entry = bill.open("/v1/chat/completions", "d", 1, 1.0)
    bill.identify(entry, "m", TOKENS, stream=False)
    bill.settle(entry, Charge.COMPLETE, status=200, now=3.5, written=True)
    bill.settle(entry, Charge.ABORTED, status=499, now=4.0)
    account = bill.as_dict()
    assert account["complete"] == {
        "requests": 1,
        "prompt_tokens": 10,
        "completion_tokens": 25,
        "reasoning_tokens": 5,
        "cached_tokens": 4,
        "seconds": 2.5,
    }
    assert account["aborted"]["requests"] == account["in_flight"] == 0
    assert account["statuses"] == {"200": 1}


def test_an_unreadable_request_costs_nothing_whatever_the_charge() -> None:
    bill = Bill(0.0, 10)
    entry = bill.open("/v1/chat/completions", "d", 1, 1.0)
    bill.settle(entry, Charge.ABORTED, status=499, now=2.0)
    assert bill.as_dict()["unbilled_requests"] == 1
    assert entry.row()["billed"] == "no"


@pytest.mark.parametrize(
    ("output", "expected"), [(0.0, (0, 0)), (0.2, (0, 5)), (0.5, (8, 5)), (1.0, (20, 5))]
)
def test_a_part_of_a_completion_is_its_reasoning_first(
    output: float, expected: tuple[int, int]
) -> None:
    part = TOKENS.part(output)
    assert (part.visible, part.reasoning) == expected
    assert (part.prompt, part.cached) == (10, 4)


class FullKernel:
    """A transport whose kernel takes nothing: every byte stays in the buffer."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._high = 64 * 1024

    def set_write_buffer_limits(self, high: int) -> None:
        self._high = high

    def is_closing(self) -> bool:
        return False

    def write(self, data: bytes) -> None:
        if len(data) > self._high:
            self._connection.pause_writing()


@pytest.fixture
def service() -> Iterator[Service]:
    loop = asyncio.new_event_loop()
    yield Service(Settings(), loop)
    loop.close()


@pytest.mark.parametrize(
    ("body", "status", "charge"), [(None, 499, "aborted"), (b"no JSON", 400, "no")]
)
def test_a_reply_that_the_kernel_did_not_take_is_not_written(
    service: Service, body: bytes | None, status: int, charge: str
) -> None:
    connection = Connection(service.handle, set())
    transport: Any = FullKernel(connection)
    connection.connection_made(transport)
    connection.data_received(post() if body is None else post(body))
    assert service.bill.in_flight == 1
    connection.connection_lost(None)
    assert service.bill.in_flight == 0
    (entry,) = service.bill.entries
    assert (entry.status, entry.written, entry.row()["billed"]) == (status, False, charge)


def test_a_reply_is_written_once_the_kernel_has_taken_it(service: Service) -> None:
    connection = Connection(service.handle, set())
    transport: Any = FullKernel(connection)
    connection.connection_made(transport)
    connection.data_received(post())
    connection.resume_writing()
    connection.connection_lost(None)
    assert service.bill.as_dict()["complete"]["requests"] == 1
    assert service.bill.entries[0].written
