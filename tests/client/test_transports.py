"""Both HTTP transports tell the same story of every way an exchange can end."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable

import anyio
import httpcore2
import httpx
import httpx2
import pytest
import respx

from hinglishbench.client.httpx2_transport import Httpx2Transport
from hinglishbench.client.transport import HttpReply, HttpRequest, TransportError
from hinglishbench.client.transports import chosen, new_transport
from hinglishbench.errors import UsageError
from tests.fakeprovider import FakeProvider

NAMES = ["httpx2", "pyreqwest"]
BODY = json.dumps(
    {"model": "fake/model", "messages": [{"role": "user", "content": "x"}], "max_tokens": 99}
).encode()


def exchange(
    name: str, url: str, *, timeout_s: float = 5.0, stream: bool = False, body: bytes = BODY
) -> HttpReply | TransportError:
    """One request through a transport of its own."""

    async def once() -> HttpReply | TransportError:
        transport = new_transport(name)
        headers = {"content-type": "application/json"}
        try:
            return await transport.send(
                HttpRequest("POST", url, headers, body, stream=stream), timeout_s=timeout_s
            )
        except TransportError as error:
            return error
        finally:
            await transport.aclose()

    return anyio.run(once)


def asked(name: str, fp: FakeProvider, **options: object) -> HttpReply | TransportError:
    return exchange(name, fp.base_url + "/chat/completions", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NAMES)
def test_a_reply_comes_whole(name: str, fp: FakeProvider) -> None:
    """Status, headers in lower case, body."""
    reply = asked(name, fp)
    assert isinstance(reply, HttpReply)
    assert reply.status == 200
    assert reply.headers["content-type"].startswith("application/json")
    assert json.loads(reply.body)["choices"][0]["message"]["content"].endswith("42")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("fault", "status"),
    [("server_error", 500), ("bad_request", 400), ("rate_limit", 429), ("overloaded", 529)],
)
def test_an_error_status_is_a_reply(name: str, fp: FakeProvider, fault: str, status: int) -> None:
    """What it means is decided above."""
    fp.script([fault])
    reply = asked(name, fp)
    assert isinstance(reply, HttpReply)
    assert reply.status == status


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "fault", ["gzip", "wrong_type", "lone_surrogate", "huge", "html_200", "empty_200"]
)
def test_odd_bodies_come_as_they_are(name: str, fp: FakeProvider, fault: str) -> None:
    """Decompressed, whole, unread."""
    fp.script([{"fault": fault, "megabytes": 2.0}])
    reply = asked(name, fp)
    assert isinstance(reply, HttpReply)
    assert reply.status == 200
    if fault == "huge":
        assert len(reply.body) > 2_000_000
    if fault == "gzip":
        assert json.loads(reply.body)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("fault", "kind", "status"),
    [("reset_after", "reset", None), ("reset_before", "reset", None), ("cut_body", "cut", 200)],
)
def test_a_broken_exchange_was_sent(
    name: str, fp: FakeProvider, fault: str, kind: str, status: int | None
) -> None:
    """So it may be billed (case 69)."""
    fp.script([fault])
    error = asked(name, fp)
    assert isinstance(error, TransportError)
    assert (error.kind, error.sent) == (kind, True)
    assert error.status in {status, None} if kind == "cut" else error.status == status


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_sent_where_nobody_listens(name: str) -> None:
    """A refused connection and an unknown host cost nothing."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for url in (f"http://127.0.0.1:{port}/v1", "http://no-such-host.invalid/v1"):
        error = exchange(name, url)
        assert isinstance(error, TransportError)
        assert (error.kind, error.sent) == ("connect", False)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fault", [{"fault": "silence"}, {"fault": "slow_body", "over_s": 30.0}])
def test_case_67_silence_ends_at_the_deadline_after_one_request(
    name: str, fp: FakeProvider, fault: dict[str, object]
) -> None:
    """One total deadline, no hidden retries, also while a body trickles in."""
    fp.script([fault, fault, fault])
    started = time.monotonic()
    error = asked(name, fp, timeout_s=0.4)
    assert 0.35 <= time.monotonic() - started < 2.0
    assert isinstance(error, TransportError)
    assert (error.kind, error.sent) == ("timeout", True)
    assert fp.bill()["requests"] == 1


@pytest.mark.parametrize("name", NAMES)
def test_what_is_not_http_is_named_so(name: str) -> None:
    """Bytes came, but no reply; the request was sent."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def talk() -> None:
            peer, _ = server.accept()
            with peer:
                peer.recv(65536)
                peer.sendall(b"220 mail.example ESMTP ready\r\n\r\n")

        thread = threading.Thread(target=talk)
        thread.start()
        error = exchange(name, f"http://127.0.0.1:{server.getsockname()[1]}/v1", timeout_s=3)
        thread.join()
    assert isinstance(error, TransportError)
    assert error.kind in {"protocol", "reset"}
    assert error.sent


@pytest.mark.parametrize("name", NAMES)
def test_a_redirect_is_not_followed(name: str) -> None:
    """A key goes to the address that was given and to no other."""
    hits: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        head = f"HTTP/1.1 307 Moved\r\nlocation: http://127.0.0.1:{port}/other\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"

        def talk() -> None:
            peer, _ = server.accept()
            with peer:
                hits.append(peer.recv(65536))
                peer.sendall(head.encode())

        thread = threading.Thread(target=talk)
        thread.start()
        reply = exchange(name, f"http://127.0.0.1:{port}/v1", timeout_s=3)
        thread.join()
    assert isinstance(reply, HttpReply)
    assert (reply.status, len(hits)) == (307, 1)


@pytest.mark.parametrize("name", NAMES)
def test_an_event_stream_tells_its_first_byte(
    name: str, provider: Callable[..., FakeProvider]
) -> None:
    """Before the last one came."""
    fp = provider(latency_s=0.4, first_token_share=0.25)
    body = BODY[:-1] + b', "stream": true}'
    started = time.monotonic()
    reply = asked(name, fp, stream=True, body=body)
    whole = time.monotonic() - started
    assert isinstance(reply, HttpReply)
    assert reply.body.rstrip().endswith(b"data: [DONE]")
    assert reply.first_byte_s is not None
    assert 0.05 < reply.first_byte_s < whole - 0.1


@pytest.mark.parametrize("name", NAMES)
def test_a_connection_is_used_again(name: str, fp: FakeProvider) -> None:
    """Ten requests in turn go over one."""

    async def ten() -> None:
        transport = new_transport(name)
        for _ in range(10):
            await transport.send(
                HttpRequest("POST", fp.base_url + "/chat/completions", {}, BODY), timeout_s=5
            )
        await transport.aclose()

    anyio.run(ten)
    bill = fp.bill()
    assert bill["requests"] == 10
    assert max(row["connection_request"] for row in fp.log()) == 10


@pytest.mark.parametrize("name", NAMES)
def test_a_cancelled_exchange_ends_at_once(
    name: str, provider: Callable[..., FakeProvider]
) -> None:
    """The scope that cancelled it catches that, and nothing waits for the server."""
    fp = provider(latency_s=20.0)

    async def main() -> None:
        transport = new_transport(name)
        request = HttpRequest("POST", fp.base_url + "/chat/completions", {}, BODY)
        with anyio.move_on_after(0.2) as scope:
            await transport.send(request, timeout_s=30)
        assert scope.cancelled_caught
        await transport.aclose()

    started = time.monotonic()
    anyio.run(main)
    assert time.monotonic() - started < 2


def test_the_fastest_installed_transport_is_chosen() -> None:
    """By name where one is given; an unknown name is wrong usage."""
    assert chosen() == "pyreqwest"
    assert chosen("httpx2") == "httpx2"
    with pytest.raises(UsageError, match="no transport 'pigeon'"):
        new_transport("pigeon")


def test_without_the_extra_the_default_is_httpx2(monkeypatch: pytest.MonkeyPatch) -> None:
    """And asking for pyreqwest says how to get it."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert chosen() == "httpx2"
    with pytest.raises(UsageError) as caught:
        chosen("pyreqwest")
    assert "hinglishbench[fast]" in (caught.value.hint or "")


# --- httpx2, by respx --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raised", "kind", "sent"),
    [
        (httpcore2.ConnectError("refused"), "connect", False),
        (httpcore2.ConnectTimeout("no answer"), "connect", False),
        (httpcore2.ReadError("reset"), "reset", True),
        (httpcore2.WriteError("broken pipe"), "reset", True),
        (httpcore2.ReadTimeout("silence"), "timeout", True),
        (httpcore2.RemoteProtocolError("garbage"), "reset", True),
    ],
)
def test_each_error_of_httpx2_has_its_place(raised: Exception, kind: str, sent: bool) -> None:
    """By respx, on the real client."""
    with respx.mock(using="httpcore2") as router:
        router.post("https://api.example/v1").mock(side_effect=raised)
        error = exchange("httpx2", "https://api.example/v1")
    assert isinstance(error, TransportError)
    assert (error.kind, error.sent) == (kind, sent)


def test_respx_sees_what_httpx2_sends() -> None:
    """Method, address and body, unchanged."""
    with respx.mock(using="httpcore2") as router:
        route = router.post("https://api.example/v1").mock(
            return_value=httpx.Response(200, json={"ok": 1}, headers={"X-Thing": "1"})
        )
        reply = exchange("httpx2", "https://api.example/v1")
    assert isinstance(reply, HttpReply)
    assert (reply.headers["x-thing"], json.loads(reply.body)) == ("1", {"ok": 1})
    assert route.calls.last.request.content == BODY


def test_a_client_may_be_brought_along() -> None:
    """httpx2's own mock transport needs no patching."""
    client = httpx2.AsyncClient(
        transport=httpx2.MockTransport(
            lambda request: httpx2.Response(200, content=request.content)
        )
    )

    async def main() -> bytes:
        transport = Httpx2Transport(client)
        reply = await transport.send(
            HttpRequest("POST", "https://x.example/", {}, b"hi"), timeout_s=1
        )
        await transport.aclose()
        return reply.body

    assert anyio.run(main) == b"hi"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stream", [False, True])
def test_a_reply_that_repeats_the_key_comes_without_it(name: str, stream: bool) -> None:
    """Not in the body and not in a header, so nothing above the seam can keep it."""
    key = "sk-canary-7f3a91c0ffee"

    async def once(url: str) -> HttpReply:
        transport = new_transport(name)
        asked = HttpRequest("POST", url, {"authorization": f"Bearer {key}"}, b"{}", stream=stream)
        try:
            return await transport.send(asked, timeout_s=5)
        finally:
            await transport.aclose()

    with socket.create_server(("127.0.0.1", 0)) as listening:

        def echo() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65536)
                said = f'{{"content": "your key is {key}"}}'
                connection.sendall(
                    f"HTTP/1.1 200 OK\r\nretry-after: {key}\r\ncontent-length: {len(said)}\r\n"
                    f"connection: close\r\n\r\n{said}".encode()
                )

        thread = threading.Thread(target=echo, daemon=True)
        thread.start()
        reply = anyio.run(once, f"http://127.0.0.1:{listening.getsockname()[1]}/")
        thread.join()
    assert reply.body == b'{"content": "your key is [key]"}'
    assert reply.headers["retry-after"] == "[key]"
