"""Cassettes: recorded once, played again without a network, holding nobody's secrets."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinglishbench.client.cassette import (
    FORMAT,
    RecordingTransport,
    ReplayTransport,
    request_digest,
)
from hinglishbench.client.mock import MockTransport
from hinglishbench.client.transport import HttpReply, HttpRequest, Transport, TransportError
from hinglishbench.errors import InputError, RefusedError
from tests.conftest import Hbench, asking
from tests.fakeprovider import FakeProvider

HEAD = json.dumps({"cassette": FORMAT}) + "\n"
ASK = HttpRequest(
    "POST", "http://127.0.0.1:1/v1/chat/completions", {"authorization": "Bearer sk-1"}, b"{}"
)


def send(transport: Transport, *requests: HttpRequest) -> list[HttpReply | TransportError]:
    """What each request brings, faults as values; the transport is closed."""

    async def all_() -> list[HttpReply | TransportError]:
        got: list[HttpReply | TransportError] = []
        for request in requests:
            try:
                got.append(await transport.send(request, timeout_s=1))
            except TransportError as error:
                got.append(error)
        await transport.aclose()
        return got

    return anyio.run(all_)


def record(path: Path, replies: list[HttpReply | TransportError], *requests: HttpRequest) -> None:
    """A cassette of these exchanges."""
    left = iter(replies)

    def answer(_: HttpRequest) -> HttpReply:
        reply = next(left)
        if isinstance(reply, TransportError):
            raise reply
        return reply

    send(RecordingTransport(MockTransport(answer), path, {"provider": "x"}), *requests)


def reply(body: bytes, **headers: str) -> HttpReply:
    return HttpReply(200, headers, body, 0.25)


def test_what_was_recorded_plays_again_in_its_order(tmp_path: Path) -> None:
    """Equal requests get their replies in the order of recording, retries included."""
    tape = tmp_path / "tape"
    other = HttpRequest("POST", ASK.url, {}, b'{"other": 1}')
    record(tape, [reply(b"1"), reply(b"2"), reply(b"3")], ASK, other, ASK)
    played = send(ReplayTransport(tape), other, ASK, ASK)
    assert [r.body for r in played if isinstance(r, HttpReply)] == [b"2", b"1", b"3"]
    assert isinstance(played[0], HttpReply)
    assert played[0].first_byte_s == 0.25


@given(st.binary(max_size=60), st.integers(100, 599))
def test_any_body_comes_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, body: bytes, status: int
) -> None:
    """Also one that is not UTF-8."""
    tape = tmp_path_factory.mktemp("tapes") / "tape"
    record(tape, [HttpReply(status, {}, body)], HttpRequest("POST", ASK.url, {}, b"{}"))
    [played] = send(ReplayTransport(tape), ASK)
    assert isinstance(played, HttpReply)
    assert (played.status, played.body) == (status, body)


def test_a_fault_plays_again_as_the_same_fault(tmp_path: Path) -> None:
    """Kind, whether it was sent, and status: what decides the billing."""
    tape = tmp_path / "tape"
    record(tape, [TransportError("cut", "half a body", sent=True, status=200)], ASK)
    [fault] = send(ReplayTransport(tape), ASK)
    assert isinstance(fault, TransportError)
    assert (fault.kind, fault.sent, fault.status, str(fault)) == ("cut", True, 200, "half a body")


def test_the_host_is_no_part_of_a_request_and_all_else_is() -> None:
    """Ports change from day to day; path, body and method decide."""
    elsewhere = HttpRequest("POST", "https://x.example/v1/chat/completions", {"a": "b"}, b"{}")
    assert request_digest(elsewhere) == request_digest(ASK)
    for different in (
        HttpRequest("GET", ASK.url, {}, b"{}"),
        HttpRequest("POST", "http://127.0.0.1:1/v1/completions", {}, b"{}"),
        HttpRequest("POST", ASK.url, {}, b"{ }"),
    ):
        assert request_digest(different) != request_digest(ASK)


def test_case_83_headers_that_name_someone_are_not_recorded(tmp_path: Path) -> None:
    """Neither key nor cookie nor organisation; limits and types are kept."""
    tape = tmp_path / "tape"
    headers = {
        "content-type": "application/json", "set-cookie": "session=abc", "openai-organization": "org-77",
        "x-request-id": "req-1", "x-ratelimit-remaining-requests": "9", "retry-after": "2",
    }  # fmt: skip
    record(tape, [HttpReply(200, headers, b"{}")], ASK)
    text = tape.read_text()
    for secret in ("sk-1", "authorization", "abc", "org-77", "req-1"):
        assert secret not in text
    [played] = send(ReplayTransport(tape), ASK)
    assert isinstance(played, HttpReply)
    assert played.headers == {
        "content-type": "application/json", "x-ratelimit-remaining-requests": "9", "retry-after": "2",
    }  # fmt: skip


def test_a_key_in_a_body_or_a_message_is_blanked(tmp_path: Path) -> None:
    """Some providers quote the key that they refuse."""
    tape = tmp_path / "tape"
    record(tape, [reply(b"bad key sk-1!"), TransportError("reset", "sk-1", sent=True)], ASK, ASK)
    assert "sk-1" not in tape.read_text()


def test_a_missing_exchange_is_a_clear_error(tmp_path: Path) -> None:
    """Nothing was sent, and the message says what may differ."""
    tape = tmp_path / "tape"
    record(tape, [reply(b"1")], ASK)
    played = send(ReplayTransport(tape), ASK, ASK)
    assert isinstance(played[1], TransportError)
    assert not played[1].sent
    assert "tape holds no (further) reply to this request" in str(played[1])


def test_a_recording_is_never_overwritten(tmp_path: Path) -> None:
    """The file is left as it was."""
    tape = tmp_path / "tape"
    tape.write_text("mine")
    with pytest.raises(RefusedError, match="is there already"):
        RecordingTransport(MockTransport(lambda _: reply(b"")), tape, {})
    assert tape.read_text() == "mine"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", ":1: not a cassette"),
        ('{"id": 1}\n', ":1: not a cassette"),
        ("hello\n", ":1: not JSON"),
        (HEAD + "[1]\n", ":2: not an exchange"),
        (HEAD + '{"request": "a", "sta', ":2: not JSON"),
        (HEAD + '{"request": "a"}\n', ":2: not an exchange"),
        (HEAD + '{"request": "a", "fault": {}}\n', ":2: not an exchange"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_cassette_is_named_by_line(tmp_path: Path, text: str, says: str) -> None:
    """Before anything is asked."""
    tape = tmp_path / "tape"
    tape.write_text(text)
    with pytest.raises(InputError, match=says):
        ReplayTransport(tape)


def test_a_synthetic_cassette_may_be_written_by_hand(tmp_path: Path) -> None:
    """The least that an exchange needs."""
    tape = tmp_path / "tape"
    lines: list[dict[str, Any]] = [
        {"cassette": FORMAT, "synthetic": True},
        {"request": request_digest(ASK), "status": 200, "body": "{}"},
    ]
    tape.write_text("".join(json.dumps(line) + "\n" for line in lines))
    [played] = send(ReplayTransport(tape), ASK)
    assert isinstance(played, HttpReply)
    assert (played.headers, played.body) == ({}, b"{}")


# --- through the command -----------------------------------------------------------------------


def test_case_83_a_recorded_run_replays_offline_to_the_same_figures(
    hbench: Hbench, provider: Callable[..., FakeProvider], no_waits: None
) -> None:
    """Faults and retries included, into a ledger of its own, marked as a replay."""
    del no_waits
    with FakeProvider(completion_spread=0.5) as server:
        server.script(["server_error", {"fault": "rate_limit", "wait_s": 0.01}, "cut_body"])
        command = asking(server, "--suite", hbench.pairs(4), "--samples", 2, "--concurrency", 1)
        live = hbench(*command, "--record", "tape.jsonl", "--json").json
    replayed = hbench(*command, "--replay", "tape.jsonl", "--ledger", "two.duckdb", "--json").json
    same = (
        "cells",
        "asked",
        "answered",
        "errors",
        "attempts",
        "prompt_tokens",
        "completion_tokens",
    )
    assert {k: replayed[k] for k in same} == {k: live[k] for k in same}
    figures = (
        "select item, form, sample, text, outcome, completion_tokens from answers order by all"
    )
    first = hbench("sql", figures, "--json").json
    second = hbench("sql", figures, "--json", "--ledger", "two.duckdb").json
    assert len(first) == 16
    assert first == second
    origins = "select distinct origin from answers"
    assert hbench("sql", origins, "--csv", "--ledger", "two.duckdb").out == "origin\nreplay\n"
    [cost] = hbench("cost", "--json", "--ledger", "two.duckdb").json
    assert cost["attempts"] == 0  # a replay costs nothing
    [cost] = hbench("cost", "--origin", "replay", "--json", "--ledger", "two.duckdb").json
    assert cost["attempts"] == live["attempts"]
    del provider


def test_a_replay_of_something_else_ends_in_errors_that_say_why(
    hbench: Hbench, fp: FakeProvider, no_waits: None
) -> None:
    """Another question than was recorded: exit 1, the reason in the ledger, nobody asked."""
    del no_waits
    hbench(*asking(fp, "--suite", hbench.pairs(1), "--record", "tape.jsonl", "--quiet"))
    done = hbench(
        *asking(fp, "--suite", hbench.pairs(2), "--replay", "tape.jsonl", "--json"), code=1
    ).json
    assert (done["answered"], done["errors"]) == (2, 2)
    assert "holds no (further) reply" in hbench.one(
        "select distinct message from answers where outcome = 'error'"
    )
    assert fp.bill()["requests"] == 2


def test_a_cassette_is_not_written_over_by_a_run(hbench: Hbench, fp: FakeProvider) -> None:
    """Refused before any call and before any claim."""
    tape = hbench.folder / "tape.jsonl"
    tape.write_text("mine")
    hbench(*asking(fp, "--suite", hbench.pairs(1), "--record", tape), code=3)
    assert (tape.read_text(), fp.bill()["requests"], hbench.ledger.exists()) == ("mine", 0, False)


def test_a_kept_header_that_repeats_the_key_is_blanked(tmp_path: Path) -> None:
    """The headers that a cassette keeps are a stranger's texts too."""
    tape = tmp_path / "tape.jsonl"
    record(tape, [HttpReply(429, {"retry-after": "sk-1"}, b"{}")], ASK)
    assert "sk-1" not in tape.read_text("utf-8")
    assert '"retry-after": "[key]"' in tape.read_text("utf-8")
