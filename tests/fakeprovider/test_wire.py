"""HTTP/1.1 as clients speak it: keep-alive, pipelining, chunks, half requests, nonsense."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from .provider import FakeProvider
from .server import HOST

BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]}).encode()


@pytest.fixture(params=["fast", "asyncio"])
def fp(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeProvider]:
    """The server on uvloop where it is installed, and on asyncio's own loop."""
    if request.param == "asyncio":
        monkeypatch.setitem(sys.modules, "uvloop", None)
    with FakeProvider() as provider:
        yield provider


def post(body: bytes = BODY, *headers: str, path: str = "/v1/chat/completions") -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def talk(fp: FakeProvider, *parts: bytes) -> bytes:
    """Send the parts and read until the server closes."""
    with closing(socket.create_connection((HOST, fp.port), timeout=5)) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            sock.sendall(part)
        received = b""
        while data := sock.recv(65536):
            received += data
        return received


LAST = post(BODY, "Connection: close")


def test_one_connection_serves_one_request_after_the_other(fp: FakeProvider) -> None:
    assert talk(fp, post(), post(), LAST).count(b"HTTP/1.1 200 OK") == 3
    bill = fp.bill()
    assert (bill["requests"], bill["connections"]) == (3, 1)
    assert [row["connection_request"] for row in fp.log()] == [1, 2, 3]


def test_pipelined_requests_are_answered_in_order(fp: FakeProvider) -> None:
    fp.script(["server_error", "overloaded", "ok"])
    received = talk(fp, post() + post() + LAST)
    assert re.findall(rb"HTTP/1.1 (\d+)", received) == [b"500", b"529", b"200"]


def test_a_request_may_arrive_byte_by_byte(fp: FakeProvider) -> None:
    received = talk(fp, *(LAST[at : at + 1] for at in range(len(LAST))))
    assert received.startswith(b"HTTP/1.1 200 OK")


def test_a_request_body_may_come_in_chunks(fp: FakeProvider) -> None:
    head = b"POST /v1/chat/completions HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close"
    half = len(BODY) // 2
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in (BODY[:half], BODY[half:]))
    assert b"200 OK" in talk(fp, head + b"\r\n\r\n", chunks[:30], chunks[30:] + b"0\r\n\r\n")


def test_a_client_that_asks_first_is_told_to_go_on(fp: FakeProvider) -> None:
    head, _, body = post(BODY, "Expect: 100-continue", "Connection: close").partition(b"\r\n\r\n")
    with closing(socket.create_connection((HOST, fp.port), timeout=5)) as sock:
        sock.sendall(head + b"\r\n\r\n")
        assert sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(body)
        assert sock.recv(15) == b"HTTP/1.1 200 OK"


@pytest.mark.parametrize(
    "nonsense",
    [
        b"hello\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"x" * 70_000,
    ],
)
def test_nonsense_is_refused_and_counts_as_nothing(fp: FakeProvider, nonsense: bytes) -> None:
    assert talk(fp, nonsense).startswith(b"HTTP/1.1 400")
    assert fp.bill()["requests"] == 0


def test_any_prefix_leads_to_the_same_routes(fp: FakeProvider) -> None:
    path = "/baseten/openai/v1/chat/completions"
    assert b"200 OK" in talk(fp, post(BODY, "Connection: close", path=path))
    assert fp.bill()["by_path"] == {path: 1}


@pytest.mark.parametrize(
    ("target", "status"),
    [("/v1/models", 200), ("/v1/models/fake/model", 200), ("/v1/models/x", 404), ("/v1/x", 404)],
)
def test_other_paths_are_no_requests_on_the_bill(
    fp: FakeProvider, target: str, status: int
) -> None:
    received = talk(fp, f"GET {target} HTTP/1.1\r\nConnection: close\r\n\r\n".encode())
    assert received.startswith(b"HTTP/1.1 %d" % status)
    bill = fp.bill()
    assert (bill["requests"], bill["other_requests"]) == (0, 1)


@pytest.mark.parametrize("fault", ["reset_before", "reset_after"])
def test_a_reset_is_a_tcp_reset(fp: FakeProvider, fault: str) -> None:
    fp.script([fault])
    with pytest.raises(ConnectionResetError):
        talk(fp, LAST)


def test_a_cut_body_is_shorter_than_announced_and_ends_without_a_reset(fp: FakeProvider) -> None:
    fp.script([{"fault": "cut_body", "after": 0.25}])
    head, _, body = talk(fp, post()).partition(b"\r\n\r\n")
    length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
    assert len(body) == length // 4


def test_latency_is_never_shorter_than_asked_and_runs_side_by_side() -> None:
    with FakeProvider(latency_s=0.03) as fp:
        socks = [socket.create_connection((HOST, fp.port), timeout=5) for _ in range(20)]
        for sock in socks:
            sock.sendall(LAST)
        for sock in socks:
            assert sock.recv(15) == b"HTTP/1.1 200 OK"
            sock.close()
        bill = fp.settled_bill()
        assert bill["max_in_flight"] == 20
        assert all(row["end_s"] - row["at_s"] >= 0.03 for row in fp.log())


@pytest.mark.parametrize(
    ("kind", "low", "high"), [("uniform", 0.01, 0.02), ("lognormal", 0.0001, 0.2)]
)
def test_latency_varies_with_the_request(kind: str, low: float, high: float) -> None:
    with FakeProvider(latency_s=0.01, latency_high_s=0.02, latency_kind=kind) as fp:
        talk(fp, *[post()] * 9, LAST)
        took = [row["end_s"] - row["at_s"] for row in fp.log()]
    assert len({round(seconds, 3) for seconds in took}) > 3
    assert min(took) >= low
    assert sum(took) / len(took) < high + 0.05


def test_access_is_refused_as_providers_refuse_it() -> None:
    options: dict[str, Any] = {"api_key": "k", "strict_models": True, "refused_fields": ("top_k",)}
    with FakeProvider(**options) as fp:

        def status(key: str, **fields: object) -> bytes:
            body = json.dumps({**json.loads(BODY), **fields}).encode()
            received = talk(fp, post(body, f"Authorization: Bearer {key}", "Connection: close"))
            return received[9:12]

        assert status("wrong", model="fake/model") == b"401"
        assert status("k") == b"404"
        assert status("k", model="fake/model", top_k=3) == b"400"
        assert status("k", model="fake/model") == b"200"
        bill = fp.bill()
        assert (bill["unbilled_requests"], bill["complete"]["requests"]) == (3, 1)


def test_control_errors_are_told(fp: FakeProvider) -> None:
    received = talk(fp, b"GET /_nothing HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert received.startswith(b"HTTP/1.1 400")
    assert b"no such control" in received


def test_a_server_that_stops_drops_who_still_waits() -> None:
    with FakeProvider(latency_s=60) as fp:
        sock = socket.create_connection((HOST, fp.port), timeout=5)
        sock.sendall(post())
        while not fp.bill()["in_flight"]:
            pass
    with closing(sock), contextlib.suppress(ConnectionResetError):
        assert sock.recv(10) == b""  # closed or reset, and nothing was said
