"""A key reaches the provider and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.conftest import Hbench, asking, until
from tests.fakeprovider import FakeProvider

CANARY = "sk-canary-7f3a91c0ffee"


def holding(folder: Path, text: str) -> list[str]:
    """Files below a folder that hold a text, as bytes."""
    return [
        str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file() and text.encode() in p.read_bytes()
    ]  # fmt: skip


def test_a_key_is_sent_and_never_kept(
    hbench: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """Not in ledger, journal, cassette, output or process list, also when the provider repeats it."""
    server = provider(api_key=CANARY, keep_requests=True, latency_s=0.3)
    server.rules(
        [
            {"contains": "item 1", "fault": "bad_request",
             "message": f"maximum context length exceeded for key {CANARY}"},
        ]
    )  # fmt: skip
    process = hbench.start(
        *asking(server, "--suite", hbench.pairs(3), "--api-key-env", "MY_SECRET", "--record", "tape.jsonl", "--json"),
        MY_SECRET=CANARY,
    )  # fmt: skip
    until(lambda: server.bill()["in_flight"] > 0)
    assert CANARY.encode() not in Path(f"/proc/{process.pid}/cmdline").read_bytes()
    done = hbench.finish(process)
    assert (done.code, done.json["answered"]) == (1, 5)
    sent = server.log()[0]["request"]["headers"]
    assert sent["authorization"] == f"Bearer {CANARY}"
    assert CANARY not in done.out + done.err
    assert hbench.rows(
        "select count(*) as n from attempts where message like '%context length%'"
    ) == [{"n": 1}]
    hbench("export", "--out", "predictions")
    assert holding(hbench.folder, CANARY) == []
    assert holding(hbench.folder, "maximum context length") != []


def test_a_refused_key_is_not_repeated(
    hbench: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """The provider's own message quotes it; ours does not."""
    server = provider()
    server.script(
        [{"fault": "bad_key", "message": f"Incorrect API key provided: {CANARY}", "times": 99}]
    )
    process = hbench.start(
        *asking(server, "--suite", hbench.pairs(1), "--api-key-env", "MY_SECRET", "--json"),
        MY_SECRET=CANARY,
    )
    done = hbench.finish(process)
    assert (done.code, done.json["status"]) == (5, "endpoint")
    assert "Incorrect API key provided" in done.err
    assert CANARY not in done.out + done.err
    assert holding(hbench.folder, CANARY) == []
