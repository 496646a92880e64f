"""Storms of refusals with long waits, at their real length, in virtual time."""

from __future__ import annotations

from itertools import pairwise

import anyio
import pytest

from hinglishbench.client.mock import chat_reply
from hinglishbench.client.transport import HttpReply, HttpRequest
from tests.chaos.virtual import Played, Server, play
from tests.conftest import Hbench

TOLD_S = 89


def refusal(seconds: int = TOLD_S) -> HttpReply:
    body = (
        b'{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}'
    )
    return HttpReply(429, {"content-type": "application/json", "retry-after": str(seconds)}, body)


def stormy(start_s: float, end_s: float, told_s: int = TOLD_S) -> Server:
    """Answers in half a second, but refuses at once from `start_s` to `end_s`."""

    async def answer(now: float, _: HttpRequest) -> HttpReply:
        if start_s <= now < end_s:
            await anyio.sleep(0.05)
            return refusal(told_s)
        await anyio.sleep(0.5)
        return chat_reply("42")

    return answer


@pytest.fixture(autouse=True)
def two_providers(hbench: Hbench) -> None:
    """A working folder with two providers, the second with eight requests in flight at most."""
    (hbench.folder / "hbench.toml").write_text(
        '[providers.one]\nbase_url = "http://one.test/v1"\n'
        '[providers.two]\nbase_url = "http://two.test/v1"\nlimits = { concurrency = 8 }\n'
    )


def inside_a_wait(played: Played, name: str) -> list[float]:
    """Requests sent after a refusal was read and before its wait was over."""
    return [
        at
        for at in played.sent[name]
        if any(read < at < read + wait for read, wait in played.told[name])
    ]


def finals(played: Played) -> dict[str, int]:
    counts = {"answered": 0, "error": 0}
    for line in played.journal.ends():
        if line.get("final"):
            counts[line["final"]] += 1
    return counts


def test_case_58_a_storm_of_long_waits_neither_freezes_nor_hammers(
    hbench: Hbench,
) -> None:
    """Ten minutes of 429 with `Retry-After: 89`: every wait is kept, the limit falls, then recovers."""
    played = play({"one": stormy(5.0, 605.0)}, hbench.pairs(1500))
    assert inside_a_wait(played, "one") == []
    [lane] = played.lanes
    history = [(change.at, change.limit, change.reason) for change in lane.adaptive.history]
    cuts = [(at, limit) for at, limit, reason in history if reason == "rate_limited"]
    assert len(cuts) >= 5
    assert [limit for _, limit in cuts] == sorted((limit for _, limit in cuts), reverse=True)
    assert cuts[-1][1] <= 2
    after = min(at for at in played.sent["one"] if at > 605.0)
    assert after <= 605.0 + TOLD_S + 16.0  # the last wait and the longest jitter of the sixth try
    assert lane.adaptive.limit >= 64
    # While it lasts, waves of ever fewer requests and no more.
    assert len(played.told["one"]) <= 256 + 128 + 64 + 32 + 16 + 8 + 4
    counts = finals(played)
    assert sum(counts.values()) == 3000
    # Six tries are all that a request has: those in flight through the whole storm end in an error.
    assert counts["error"] <= len(cuts)
    assert played.took_s < 605.0 + TOLD_S + 16.0 + 120.0


def test_case_54_other_endpoints_keep_running(hbench: Hbench) -> None:
    """One endpoint's pause of 60 s is its own: the other never stops asking."""
    played = play({"one": stormy(2.0, 30.0, 60), "two": stormy(0.0, 0.0)}, hbench.pairs(300))
    assert inside_a_wait(played, "one") == []
    calm = [at for at in played.sent["two"] if 2.0 < at < 30.0]
    assert calm
    assert max(b - a for a, b in pairwise(calm)) <= 0.51
    assert sum(finals(played).values()) == 1200


def test_a_wait_over_the_bound_stops_the_endpoint_with_its_cells_left(
    hbench: Hbench,
) -> None:
    """Told 301 s where 300 are allowed: nothing more is sent there, the other goes on."""
    played = play({"one": stormy(2.0, 9e9, 301), "two": stormy(0.0, 0.0)}, hbench.pairs(500))
    one, two = played.lanes
    assert one.stopped is not None
    assert "asked to wait 301 s" in one.stopped
    assert max(played.sent["one"]) <= 2.6
    assert two.stopped is None
    assert len(played.sent["two"]) == 1000
    assert played.engine.ended == finals(played)["answered"] < 2000


def test_case_60_a_large_plan_behind_a_limit_is_a_bounded_pool(
    hbench: Hbench,
) -> None:
    """2,400 cells at 600 a minute: no task per cell, and the limit is used up and never passed."""
    played = play({"one": stormy(0.0, 0.0)}, hbench.pairs(1200), rpm=600)
    sent = played.sent["one"]
    assert len(sent) == 2400
    assert played.most_tasks <= 256 + 8
    assert played.took_s <= 1.03 * (2400 - 5) / 10
    [lane] = played.lanes
    assert lane.adaptive.limit == 16  # what waits for the limit is no evidence for more at once
    for first, last in zip(sent, sent[600:], strict=False):
        assert last - first >= 59.4  # 600 in a minute, and the burst of half a second


def test_a_token_limit_is_kept_from_the_first_call_on(hbench: Hbench) -> None:
    """30,000 tokens a minute at 15 a call: the estimate is learnt within the first answers."""
    played = play({"one": stormy(0.0, 0.0)}, hbench.pairs(500), tpm=30_000)
    assert played.took_s <= 1.05 * (1000 * 15 - 250) / 500
