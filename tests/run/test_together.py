"""Two runs and three readers on one ledger at once."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable

import pytest

from hinglishbench.run.feeder import Feeder
from tests.conftest import Hbench, asking
from tests.fakeprovider import FakeProvider

# Polls as a person with a second terminal does, until a file appears; any error at all ends it.
READER = """
import json, pathlib, time
from hinglishbench.ledger.reader import Ledger
from hinglishbench.errors import NoLedgerError
seen, over = [0], False
while not over:
    over = pathlib.Path("over").exists()
    try:
        ledger = Ledger()
        [row] = ledger.cost().dicts()
        ledger.sql("select count(*) from answers where outcome is not null")
    except NoLedgerError:
        continue
    if row["attempts"] != seen[-1]:
        assert row["attempts"] > seen[-1], "a count went back"
        seen.append(row["attempts"])
    time.sleep(0.2)
print(json.dumps(seen))
"""


def test_case_76_two_runs_and_three_readers_share_a_ledger(
    hbench: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """Every cell is asked once in sum, readers read throughout, and the ledger holds together."""
    server = provider(latency_s=0.35)
    hbench.pairs(45)
    command = asking(server, "--suite", "pairs.jsonl", "--concurrency", 4, "--json")
    readers = [hbench.python("-c", READER) for _ in range(3)]
    first = hbench.start(*command)
    second = hbench.start(*command, "--limit", 30)
    said = [hbench.finish(process, 60) for process in (first, second)]
    (hbench.folder / "over").touch()
    assert [done.code for done in said] == [0, 0]
    for reader in readers:
        seen = json.loads(hbench.finish(reader).out)
        assert seen[-1] == 90
        assert len(seen) > 2  # also while the runs were going on
    assert sum(done.json["asked"] for done in said) == 90 == server.bill()["requests"]
    shared = sum(done.json["claimed_elsewhere"] + done.json["reused"] for done in said)
    assert shared == 60
    assert hbench.one("select count(*) from answers where outcome = 'correct'") == 90
    [cost] = hbench("cost", "--json").json
    assert (cost["attempts"], cost["maybe_billed_attempts"]) == (90, 0)
    hbench.sound()


HOLDER = """
import sys
from pathlib import Path
from hinglishbench.ledger.store import connect
with connect(Path("ledger.duckdb"), write=True):
    print("in", flush=True)
    sys.stdin.read()
"""


def test_a_ledger_that_is_held_to_the_end_does_not_fail_a_run(
    hbench: Hbench, provider: Callable[..., FakeProvider], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It journals on, says who holds the ledger, and the next command takes the rest in."""
    real = Feeder.feed
    monkeypatch.setattr(Feeder, "feed", lambda self, *, wait_s: real(self, wait_s=wait_s / 50))
    holders: list[subprocess.Popen[str]] = []

    def answer(_: object) -> str:
        if not holders:  # someone opens the ledger while the first answer is on its way
            holders.append(hbench.python("-c", HOLDER))
            assert holders[0].stdout is not None
            assert holders[0].stdout.readline() == "in\n"
        return "42"

    server = provider(answer)
    command = asking(server, "--suite", hbench.pairs(2), "--json")
    started = time.monotonic()
    done = hbench(*command)
    assert time.monotonic() - started < 8
    assert done.json["status"] == "done"
    assert f"held by process {holders[0].pid}" in done.err
    assert "the next command takes it in" in done.err
    hbench.finish(holders[0])
    assert hbench.one("select count(*) from answers where outcome = 'correct'") == 4
    assert hbench(*command).json["asked"] == 0
    assert server.bill()["requests"] == 4
