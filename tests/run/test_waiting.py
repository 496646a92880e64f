"""Limits, pauses and deadlines of a whole run, and what a person is told of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal

import anyio
import pytest

from hinglishbench.client.concurrency import AdaptiveLimit
from hinglishbench.client.limiter import Limiter
from hinglishbench.client.mock import MockTransport, chat_reply
from hinglishbench.client.provider import Provider
from hinglishbench.client.providers import Endpoint
from hinglishbench.run.lane import Lane
from hinglishbench.run.progress import Bar, Lines
from tests.conftest import Hbench, asking
from tests.fakeprovider import FakeProvider

Make = Callable[..., FakeProvider]


def test_the_history_of_the_limit_is_kept_and_summed_up(hbench: Hbench, provider: Make) -> None:
    """Each cut is a row of `limits`, with its reason; the summary has the five numbers."""
    fp = provider(latency_s=0.002)
    fp.script([{"fault": "rate_limit", "wait_s": 0.02, "tell_wait": "retry-after-ms"}])
    done = hbench(*asking(fp, "--suite", hbench.pairs(40), "--json")).json
    [limit] = done["limits"].values()
    assert limit["start"] == 16
    assert limit["cuts"] == 1
    assert limit["min"] < limit["start"] <= limit["max"]
    rows = hbench.rows("select concurrency, reason from limits order by changed_at, concurrency")
    assert rows[0] == {"concurrency": 16, "reason": "start"}
    assert [r["concurrency"] for r in rows if r["reason"] == "rate_limited"] == [limit["min"]]
    assert done["status"] == "done"


def test_a_wait_longer_than_allowed_stops_the_endpoint(hbench: Hbench, provider: Make) -> None:
    """Case 54: 600 s is over --max-wait, so the endpoint stops with the hint to resume."""
    fp = provider()
    fp.script([{"fault": "rate_limit", "wait_s": 600}])
    done = hbench(*asking(fp, "--suite", hbench.pairs(5), "--concurrency", 1, "--json"), code=5)
    assert "asked to wait 600 s" in done.json["stopped"]["openai-compatible"]
    assert "raise --max-wait" in done.err
    assert fp.bill()["requests"] == 1


def test_a_wait_of_just_max_wait_is_honoured(hbench: Hbench, provider: Make) -> None:
    """The boundary itself is not refused."""
    fp = provider()
    fp.script([{"fault": "rate_limit", "wait_s": 1}])
    done = hbench(*asking(fp, "--suite", hbench.pairs(1), "--max-wait", 1, "--json")).json
    assert (done["status"], done["answered"]) == ("done", 2)


def test_a_deadline_admits_no_call_that_would_end_after_it(hbench: Hbench, provider: Make) -> None:
    """Exit 5, status deadline; what was in flight is kept, the same command does the rest."""
    fp = provider(latency_s=0.2)
    command = asking(fp, "--suite", hbench.pairs(30), "--concurrency", 4, "--json")
    started = time.monotonic()
    done = hbench(*command, "--deadline", 1.2, code=5)
    assert time.monotonic() - started < 2.5
    assert done.json["status"] == "deadline"
    assert 0 < done.json["answered"] < 60
    assert done.json["answered"] + done.json["left"] == 60
    assert done.json["maybe_billed_attempts"] == 0
    assert "the deadline is near" in done.err
    assert hbench.one("select status from runs") == "deadline"
    asked = fp.bill()["requests"]
    assert asked == done.json["answered"]
    hbench(*command, "--concurrency", 32)
    assert fp.bill()["requests"] == 60
    assert fp.bill()["billed_again"] == 0


def test_a_deadline_that_is_far_changes_nothing(hbench: Hbench, provider: Make) -> None:
    """It is looked at, and not reached."""
    done = hbench(*asking(provider(), "--suite", hbench.pairs(2), "--deadline", 600, "--json")).json
    assert done["status"] == "done"


def test_one_request_has_one_total_time(hbench: Hbench, provider: Make) -> None:
    """Case 67: a silent server costs --timeout in all, however many tries that makes."""
    fp = provider()
    fp.rules([{"contains": "item 1", "fault": "silence"}])
    started = time.monotonic()
    done = hbench(*asking(fp, "--suite", hbench.pairs(2), "--timeout", 1, "--json"), code=1).json
    assert time.monotonic() - started < 3
    assert (done["answered"], done["errors"]) == (3, 1)
    assert done["maybe_billed_attempts"] == 1


def lane(limiter: Limiter, clock: Callable[[], float]) -> Lane:
    return Lane(
        Endpoint(Provider("groq", "Groq"), "direct", "https://x/v1"), 1,
        MockTransport(lambda _: chat_reply("42")), iter(()), 1, limiter, AdaptiveLimit(clock=clock),
        anyio.Event(), clock,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("pause_s", "said"),
    [(89.0, "groq waits for the pause it asked for, 89 s"), (0.4, "groq waits for the pause it asked for")],
)  # fmt: skip
def test_a_lane_says_what_it_waits_for_and_how_long(pause_s: float, said: str) -> None:
    """From the limiter's state, only while somebody waits."""
    now = 1000.0

    async def scenario() -> None:
        release = anyio.Event()

        async def sleep(_: float) -> None:
            nonlocal now
            await release.wait()
            now += pause_s

        limiter = Limiter(clock=lambda: now, sleep=sleep)
        one = lane(limiter, lambda: now)
        assert one.waits() is None
        limiter.pause(now + pause_s)
        async with anyio.create_task_group() as group:
            group.start_soon(limiter.acquire, 1.0)
            await anyio.wait_all_tasks_blocked()
            assert one.waits() == said
            release.set()
        assert one.waits() is None

    anyio.run(scenario)


def test_the_line_of_progress_says_what_is_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    """In a log: with the next line, half a minute apart; it goes when the wait is over."""
    now = 0.0
    lines = Lines(lambda *_: Decimal(0), 2, 10, clock=lambda: now)
    lines.waiting(["groq waits for tokens per minute, 12 s"])
    assert capsys.readouterr().err == ""
    now = 31.0
    lines.waiting(["groq waits for tokens per minute, 12 s"])
    assert capsys.readouterr().err.endswith(" · groq waits for tokens per minute, 12 s\n")
    now = 62.0
    lines.waiting([])
    assert "waits" not in capsys.readouterr().err


def test_a_replay_waits_for_nobody(
    hbench: Hbench, provider: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recorded pause of a second and a limit by the minute are not sat through again."""
    fp = provider()
    fp.script([{"fault": "rate_limit", "wait_s": 1}])
    (hbench.folder / "hbench.toml").write_text(
        f'[providers.one]\nbase_url = "{fp.base_url}"\nlimits = {{ rpm = 6000 }}\n'
    )
    command = ("run", "--suite", hbench.pairs(4), "--provider", "one", "--model", "m", "--json")
    hbench(*command, "--record", "tape.jsonl")

    async def no_wait(_: anyio.Event, seconds: float) -> None:
        assert seconds == 0

    monkeypatch.setattr("hinglishbench.run.lane.wait_unless", no_wait)
    (hbench.folder / "hbench.toml").write_text(
        '[providers.one]\nbase_url = "http://127.0.0.1:9/v1"\nlimits = { rpm = 1 }\n'
    )
    done = hbench(*command, "--replay", "tape.jsonl", "--ledger", "again.duckdb").json
    assert (done["answered"], done["attempts"], done["status"]) == (8, 9, "done")


def test_the_bar_says_it_too_and_does_not_move() -> None:
    """On a terminal: the words change, the count of cells does not."""
    bar = Bar(lambda *_: Decimal(0), 2, 10, 20)
    bar.waiting(["groq waits for the pause it asked for, 89 s"])
    [task] = bar._bar.tasks
    assert task.completed == 0
    assert task.description.endswith(" · groq waits for the pause it asked for, 89 s")
    bar.waiting([])
    assert "waits" not in task.description
