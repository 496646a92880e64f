"""A run that fails says why, and a tape knows from whom it was recorded."""

from __future__ import annotations

import socket

import pytest

from tests.conftest import Hbench, asking
from tests.fakeprovider import FakeProvider


@pytest.fixture
def closed_port() -> int:
    """A port of this machine where nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@pytest.mark.usefixtures("no_waits")
def test_an_endpoint_where_nobody_is_stops_at_its_first_request(
    hbench: Hbench, closed_port: int
) -> None:
    """The reason is printed with what to do, and the other requests are not tried."""
    done = hbench(
        "run", "--provider", "openai-compatible", "--base-url", f"http://127.0.0.1:{closed_port}/v1",
        "--model", "m", "--suite", hbench.pairs(20), "--concurrency", "1", "--json", code=5,
    )  # fmt: skip
    assert done.json["status"] == "endpoint"
    assert done.json["attempts"] == 6
    assert "refused" in done.err
    assert "hbench doctor openai-compatible" in done.err


@pytest.mark.usefixtures("no_waits")
def test_errors_are_told_by_reason(hbench: Hbench, fp: FakeProvider) -> None:
    """What the server said stands in the summary, with how many cells met it."""
    fp.rules([{"contains": " ", "fault": "server_error", "message": "the GPU is on holiday"}])
    done = hbench(*asking(fp, "--suite", hbench.pairs(1), "--json"), code=1)
    (reason,) = done.json["reasons"]
    assert reason["cells"] == 2
    assert "the GPU is on holiday" in reason["message"]
    assert f"2 x {reason['error']}: {reason['message']}" in done.err


def test_a_replay_needs_no_more_than_the_tape(hbench: Hbench, fp: FakeProvider) -> None:
    """Provider, model and address stand in the cassette's first line."""
    path = hbench.pairs(2)
    recorded = hbench(*asking(fp, "--suite", path, "--record", "tape.jsonl", "--json")).json
    replayed = hbench(
        "run", "--suite", path, "--replay", "tape.jsonl", "--ledger", "again.duckdb", "--json"
    ).json
    assert (replayed["answered"], replayed["errors"]) == (4, 0)
    assert replayed["completion_tokens"] == recorded["completion_tokens"]


def test_one_form_is_asked_with_a_word(hbench: Hbench, fp: FakeProvider) -> None:
    """It makes no pairs, which is said before the bill is."""
    done = hbench(*asking(fp, "--suite", hbench.pairs(1), "--forms", "en"))
    assert "one form makes no pairs" in done.err


def test_a_path_that_cannot_be_made_is_a_sentence(hbench: Hbench, fp: FakeProvider) -> None:
    """No traceback, and nothing was asked."""
    done = hbench(
        *asking(fp, "--suite", hbench.pairs(1), "--ledger", "/proc/nowhere/l.duckdb"), code=3
    )
    assert "/proc/nowhere" in done.err
    assert fp.bill()["requests"] == 0


def test_another_file_of_the_same_name_is_told_apart(hbench: Hbench, fp: FakeProvider) -> None:
    """Its items take the place of the first one's, which is said; an unchanged file says nothing."""
    line = '{{"id": "k1", "answer": "42", "forms": {{"en": "{0}", "cm-rom": "{0} bhai"}}}}\n'
    for folder, words in (("a", "How many?"), ("b", "Quite another question")):
        path = hbench.folder / folder
        path.mkdir()
        (path / "s.jsonl").write_text(line.format(words))
    first = hbench(*asking(fp, "--suite", "a/s.jsonl"))
    same = hbench(*asking(fp, "--suite", "a/s.jsonl"))
    other = hbench(*asking(fp, "--suite", "b/s.jsonl"))
    assert "other words" not in first.err + same.err
    assert "items of suite s that stood in this ledger with other words: 1." in other.err


@pytest.mark.parametrize("value", ["-1", "nan", "inf"])
@pytest.mark.parametrize("flag", ["--max-pair-gap", "--timeout", "--grace"])
def test_a_time_that_makes_no_sense_is_refused(hbench: Hbench, flag: str, value: str) -> None:
    """Negative, endless or no number at all: wrong usage, before a call."""
    assert flag in hbench("run", flag, value, code=2).err
