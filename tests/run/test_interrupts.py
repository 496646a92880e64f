"""Ending a run before its time: Ctrl-C once and twice, SIGTERM, kill -9; and what the next run does."""

from __future__ import annotations

import json
import random
import signal
import time
from collections.abc import Callable

import pytest

from tests.conftest import Hbench, asking, until
from tests.fakeprovider import FakeProvider

PRICES = (
    '[[prices]]\nprovider = "openai-compatible"\nmodel = "fake/model"\ninput = 1.0\noutput = 2.0\n'
)


@pytest.fixture
def slow(provider: Callable[..., FakeProvider]) -> FakeProvider:
    """A server that takes 0.3 s for an answer."""
    return provider(latency_s=0.3)


def test_case_72_ctrl_c_once_keeps_what_is_in_flight(hbench: Hbench, slow: FakeProvider) -> None:
    """Exit 130; the same command asks exactly the rest; a third time it asks nothing."""
    command = asking(slow, "--suite", hbench.pairs(10), "--concurrency", 3, "--json")
    process = hbench.start(*command)
    until(lambda: slow.bill()["complete"]["requests"] >= 3 and slow.bill()["in_flight"] == 3)
    process.send_signal(signal.SIGINT)
    done = hbench.finish(process)
    assert (done.code, done.json["status"]) == (130, "interrupted")
    assert "no new calls" in done.err
    first = slow.bill()
    assert done.json["answered"] == first["requests"] == first["complete"]["requests"] < 20
    assert hbench.one("select count(*) from attempts where billed <> 'yes'") == 0

    second = hbench(*command).json
    assert (second["asked"], second["reused"]) == (20 - first["requests"], first["requests"])
    assert hbench(*command).json["asked"] == 0
    assert slow.bill()["requests"] == 20
    hbench.sound()


def test_ctrl_c_twice_stops_now_and_calls_the_unfinished_maybe_billed(
    hbench: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """What was in flight is on the server's bill, and inside the ledger's bracket."""
    server = provider(latency_s=20.0)
    (hbench.folder / "prices.toml").write_text(PRICES)
    command = asking(server, "--suite", hbench.pairs(5), "--concurrency", 4, "--json")
    process = hbench.start(*command)
    until(lambda: bool(server.bill()["in_flight"] == 4))
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    while "no new calls" not in process.stderr.readline():
        pass
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    done = hbench.finish(process)
    assert time.monotonic() - started < 5
    assert (done.code, done.json["status"]) == (130, "interrupted")
    assert (done.json["attempts"], done.json["maybe_billed_attempts"]) == (4, 4)
    aborted = server.settled_bill()["aborted"]
    assert done.json["cost_usd"] == 0
    assert (
        done.json["cost_upper_usd"]
        >= (aborted["prompt_tokens"] + 2 * aborted["completion_tokens"]) / 1e6
    )
    assert hbench.one("select count(*) from cells where outcome is not null") == 0
    hbench.sound()


def test_the_grace_of_the_first_ctrl_c_ends(
    hbench: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """--grace bounds how long what is in flight is waited for."""
    server = provider(latency_s=20.0)
    process = hbench.start(*asking(server, "--suite", hbench.pairs(2), "--grace", 0.2, "--json"))
    until(lambda: server.bill()["in_flight"] > 0)
    process.send_signal(signal.SIGINT)
    done = hbench.finish(process, timeout_s=10)
    assert done.code == 130
    assert done.json["maybe_billed_attempts"] == done.json["attempts"] > 0


def test_sigterm_is_a_ctrl_c(hbench: Hbench, slow: FakeProvider) -> None:
    """A scheduler that ends the run loses nothing either."""
    process = hbench.start(*asking(slow, "--suite", hbench.pairs(10), "--concurrency", 2, "--json"))
    until(lambda: slow.bill()["in_flight"] == 2)
    process.terminate()
    done = hbench.finish(process)
    assert (done.code, done.json["status"]) == (130, "interrupted")
    assert done.json["answered"] == slow.bill()["complete"]["requests"] < 20


def test_ctrl_c_wakes_a_run_that_waits_for_a_pause(hbench: Hbench, fp: FakeProvider) -> None:
    """A pause of a minute is not waited out."""
    fp.script([{"fault": "rate_limit", "wait_s": 60, "times": 999}])
    process = hbench.start(*asking(fp, "--suite", hbench.pairs(3), "--json"))
    until(lambda: fp.bill()["limited"] + fp.bill()["faults"].get("rate_limit", 0) > 0)
    time.sleep(0.2)  # the replies are on their way; nothing else follows for a minute
    process.send_signal(signal.SIGINT)
    done = hbench.finish(process, timeout_s=10)
    assert (done.code, done.json["answered"]) == (130, 0)


def test_ctrl_c_before_the_first_call_is_130_too(hbench: Hbench, slow: FakeProvider) -> None:
    """While it plans and claims; nothing is left claimed."""
    command = asking(slow, "--suite", hbench.pairs(3), "--json")
    process = hbench.start(*command)
    until(lambda: any(hbench.folder.glob("*.journal/*")))
    process.send_signal(signal.SIGINT)
    assert hbench.finish(process).code == 130
    left = 6 - slow.bill()["complete"]["requests"]
    assert hbench(*command).json["asked"] == left
    hbench.sound()


@pytest.mark.parametrize("seed", [0, 2])
def test_kill_9_loses_no_answer_and_pays_again_only_what_was_in_flight(
    hbench: Hbench, provider: Callable[..., FakeProvider], seed: int
) -> None:
    """At a random moment (many more of them in benchmarks/kill9.py)."""
    server = provider(latency_s=0.05)
    command = asking(server, "--suite", hbench.pairs(40), "--concurrency", 4, "--json")
    process = hbench.start(*command)
    moment = random.Random(seed).randrange(1, 70)
    until(lambda: server.bill()["requests"] >= moment)
    process.kill()
    process.communicate()
    before = server.settled_bill()
    second = hbench(*command)
    bill = server.settled_bill()
    assert bill["requests"] - before["requests"] == second.json["asked"]
    assert second.json["reused"] + second.json["asked"] == 80
    [cost] = hbench("cost", "--json").json
    maybe = cost["maybe_billed_attempts"]
    assert maybe <= 4  # what was in flight at the kill, and of that all
    assert cost["attempts"] - maybe == 80
    # An attempt is written down before it is sent, so the kill may leave one that never went out.
    assert cost["attempts"] - maybe <= bill["requests"] <= cost["attempts"]
    assert bill["billed_again"] <= maybe
    assert f"{maybe} of them in flight" in second.err or maybe == 0
    hbench.sound()


def test_kill_9_before_the_first_answer_leaves_a_ledger_that_works(
    hbench: Hbench, slow: FakeProvider
) -> None:
    """Between the claim and the first reply."""
    command = asking(slow, "--suite", hbench.pairs(2), "--json")
    process = hbench.start(*command)
    until(lambda: slow.bill()["in_flight"] > 0)
    process.kill()
    process.communicate()
    [run] = json.loads(hbench("ledger", "runs", "--json").out)
    assert run["status"] == "died"
    assert hbench(*command).json["answered"] == 4
    hbench.sound()
