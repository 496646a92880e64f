"""The test server keeps a true bill, whatever becomes of a request."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import pytest

from tests.fakeprovider import Behaviour, FakeProvider, Fault
from tests.fakeprovider.behaviours import FACTS

Json = dict[str, Any]


def chat(text: str = "What is 6 x 7?", **fields: Any) -> Json:
    return {"model": "m", "messages": [{"role": "user", "content": text}], **fields}


@pytest.fixture
def fp() -> Iterator[FakeProvider]:
    with FakeProvider(completion_tokens=40, reasoning_tokens=10, keep_requests=True) as provider:
        yield provider


@pytest.fixture
def client(fp: FakeProvider) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=fp.base_url, timeout=5.0) as http:
        yield http


def ask(client: httpx2.Client, **fields: Any) -> httpx2.Response:
    return client.post("/chat/completions", json=chat(**fields))


# What a client sees of each fault, and what the bill says; written by hand, not from the catalogue.
WHOLE, LOST, FREE = "complete", "aborted", "no"
ENDS: dict[str, tuple[int | None, str]] = {
    "ok": (200, WHOLE),
    "rate_limit": (429, FREE),
    "no_credits_429": (429, FREE),
    "no_credits_402": (402, FREE),
    "bad_key": (401, FREE),
    "forbidden": (403, FREE),
    "unknown_model": (404, FREE),
    "unsupported_model": (400, FREE),
    "bad_request": (400, FREE),
    "server_error": (500, FREE),
    "bad_gateway": (502, FREE),
    "unavailable": (503, FREE),
    "gateway_timeout": (504, FREE),
    "overloaded": (529, FREE),
    "reset_before": (None, FREE),
    "reset_after": (None, LOST),
    "cut_body": (None, LOST),
    "stream_cut": (None, LOST),
    "silence": (None, LOST),
    "empty_200": (200, LOST),
    "bad_json": (200, LOST),
    "html_200": (200, LOST),
    "no_choices": (200, LOST),
    "stream_error": (200, LOST),
    "no_usage": (200, LOST),
    "error_in_200": (200, FREE),
    "slow_body": (200, WHOLE),
    "gzip": (200, WHOLE),
    "huge": (200, WHOLE),
    "wrong_type": (200, WHOLE),
    "null_content": (200, WHOLE),
    "parts_content": (200, WHOLE),
    "content_filter": (200, WHOLE),
    "lone_surrogate": (200, WHOLE),
    "stream_ragged": (200, WHOLE),
}
SHORT = {"over_s": 0.01, "megabytes": 0.5}


def test_every_fault_is_in_the_catalogue_and_in_this_test() -> None:
    assert set(FACTS) == set(Fault)
    assert set(ENDS) == {fault.value for fault in Fault}


@pytest.mark.parametrize("fault", ENDS)
def test_each_fault_is_seen_and_billed_as_it_should(
    fault: str, fp: FakeProvider, client: httpx2.Client
) -> None:
    status, billed = ENDS[fault]
    fp.script([{"fault": fault, **SHORT}])
    timeout = 0.2 if fault == "silence" else 5.0
    if status is None:
        with pytest.raises(httpx2.TransportError):
            client.post("/chat/completions", json=chat(), timeout=timeout)
    else:
        assert client.post("/chat/completions", json=chat()).status_code == status
    bill = fp.settled_bill()
    (row,) = fp.log()
    used = {"requests": 1, "prompt_tokens": 7, "completion_tokens": 50, "reasoning_tokens": 10}
    nothing = dict.fromkeys(used, 0)
    for kind in (WHOLE, LOST):
        told = {name: bill[kind][name] for name in used}
        assert told == (used if kind == billed else nothing)
    assert bill["unbilled_requests"] == (billed == FREE)
    assert bill["requests"] == 1
    assert bill["faults"] == {fault: 1}
    assert (row["fault"], row["billed"], row["written"]) == (fault, billed, status is not None)


@pytest.mark.parametrize(
    ("fault", "share", "written"), [("stream_cut", 0.5, False), ("stream_error", 0.5, True)]
)
def test_a_broken_stream_is_billed_for_what_was_written(
    fault: str, share: float, written: bool, fp: FakeProvider, client: httpx2.Client
) -> None:
    fp.script([{"fault": fault, "after": share}])
    text = ""
    try:
        with client.stream("POST", "/chat/completions", json=chat(stream=True)) as reply:
            for line in reply.iter_lines():
                text += line + "\n"
        assert written
    except httpx2.RemoteProtocolError:
        assert not written
    assert "[DONE]" not in text
    assert ('"error"' in text) == written
    bill = fp.settled_bill()
    assert 0 < bill["aborted"]["completion_tokens"] < 50
    assert bill["aborted"]["reasoning_tokens"] == 10
    assert bill["complete"]["requests"] == 0


def test_a_whole_stream_is_complete_only_with_its_usage(
    fp: FakeProvider, client: httpx2.Client
) -> None:
    ask(client, stream=True)
    assert fp.settled_bill()["aborted"]["requests"] == 1
    ask(client, stream=True, stream_options={"include_usage": True})
    assert fp.settled_bill()["complete"]["requests"] == 1


@pytest.mark.parametrize("billed", [True, False])
def test_a_hangup_is_billed_as_aborted_unless_told_otherwise(billed: bool) -> None:
    with FakeProvider(latency_s=5.0, bill_hangups=billed) as fp:
        with pytest.raises(httpx2.ReadTimeout):
            httpx2.post(fp.base_url + "/chat/completions", json=chat(), timeout=0.05)
        bill = fp.settled_bill()
        assert bill["statuses"] == {"499": 1}
        assert bill["aborted"]["requests"] == int(billed)
        assert bill["unbilled_requests"] == int(not billed)


def test_a_client_that_leaves_in_mid_body_did_not_get_a_complete_reply(
    fp: FakeProvider, client: httpx2.Client
) -> None:
    fp.script([{"fault": "huge", "megabytes": 30}])
    with client.stream("POST", "/chat/completions", json=chat()) as reply:
        assert reply.status_code == 200
        next(reply.iter_raw(1000))
    bill = fp.settled_bill()
    assert (bill["complete"]["requests"], bill["aborted"]["requests"]) == (0, 1)
    assert fp.log()[0]["written"] is False


def test_what_a_behaviour_says_about_its_bill_wins(fp: FakeProvider, client: httpx2.Client) -> None:
    fp.script([{"fault": "server_error", "billed": True}, {"fault": "ok", "billed": False}])
    assert ask(client).status_code == 500
    assert fp.settled_bill()["aborted"]["requests"] == 1
    assert ask(client).status_code == 200
    assert fp.settled_bill()["unbilled_requests"] == 1


def test_5xx_is_billed_where_the_provider_does_so() -> None:
    with FakeProvider(bill_5xx=True) as fp:
        fp.script(["server_error", "rate_limit"])
        for _ in range(2):
            httpx2.post(fp.base_url + "/chat/completions", json=chat())
        bill = fp.settled_bill()
        assert (bill["aborted"]["requests"], bill["unbilled_requests"]) == (1, 1)


def test_sure_and_maybe_of_a_plain_client_bracket_the_bill_under_mixed_faults() -> None:
    """300 requests, of which a third meet a fault."""
    rates = {
        "server_error": 0.06,
        "unavailable": 0.04,
        "reset_before": 0.04,
        "reset_after": 0.04,
        "cut_body": 0.05,
        "rate_limit": 0.04,
        "empty_200": 0.03,
        "bad_json": 0.03,
    }
    sure, maybe = [], []

    async def one(client: httpx2.AsyncClient, number: int) -> None:
        body = chat(f"What is {number} + 1?", max_tokens=64)
        try:
            reply = await client.post("/chat/completions", json=body)
        except httpx2.TransportError:
            maybe.append(64)
            return
        if reply.status_code >= 500:
            maybe.append(64)
        elif reply.status_code == 200:
            try:
                sure.append(reply.json()["usage"]["completion_tokens"])
            except ValueError:
                maybe.append(64)

    async def all_of_them(base_url: str) -> None:
        async with httpx2.AsyncClient(base_url=base_url) as client:
            for start in range(0, 300, 20):
                await asyncio.gather(*(one(client, start + n) for n in range(20)))

    with FakeProvider(rates=rates, completion_spread=0.3, completion_tokens=40) as fp:
        asyncio.run(all_of_them(fp.base_url))
        bill = fp.settled_bill()
    assert bill["requests"] == 300
    assert set(bill["faults"]) == {"ok", *rates}
    assert sum(sure) == bill["complete"]["completion_tokens"]
    assert len(sure) == bill["complete"]["requests"]
    total = sum(sure) + bill["aborted"]["completion_tokens"]
    assert sum(sure) < total <= sum(sure) + sum(maybe)


def test_the_same_requests_meet_the_same_faults_in_any_order_and_at_any_concurrency() -> None:
    def digests_by_fault(width: int, order: list[int]) -> dict[str, set[str]]:
        async def go(base_url: str) -> None:
            async with httpx2.AsyncClient(base_url=base_url) as client:
                for start in range(0, 64, width):
                    numbers = order[start : start + width]
                    await asyncio.gather(
                        *(client.post("/chat/completions", json=chat(f"{n}?")) for n in numbers)
                    )

        with FakeProvider(rates={"server_error": 0.2, "overloaded": 0.2}, seed=3) as fp:
            asyncio.run(go(fp.base_url))
            found: dict[str, set[str]] = {}
            for row in fp.log():
                found.setdefault(row["fault"], set()).add(row["digest"])
            return found

    forwards = list(range(64))
    alone = digests_by_fault(1, forwards)
    assert {"ok", "server_error", "overloaded"} == set(alone)
    assert digests_by_fault(32, forwards[::-1]) == alone


# --- steering


def test_the_script_is_met_in_order_and_then_all_is_well(
    fp: FakeProvider, client: httpx2.Client
) -> None:
    fp.script(["server_error", Behaviour(fault=Fault.OVERLOADED, times=2), "ok", "bad_key"])
    assert [ask(client).status_code for _ in range(6)] == [500, 529, 529, 200, 401, 200]


def test_rules_hit_by_content_and_stay(fp: FakeProvider, client: httpx2.Client) -> None:
    fp.rules([{"contains": "cursed", "fault": "server_error"}])
    texts = ["a cursed item", "a plain item", "a cursed item"]
    assert [ask(client, text=text).status_code for text in texts] == [500, 200, 500]


def test_rates_may_change_in_mid_run(fp: FakeProvider, client: httpx2.Client) -> None:
    fp.rates([{"share": 1.0, "fault": "rate_limit", "wait_s": 2}])
    assert ask(client).headers["retry-after"] == "2"
    fp.rates({})
    assert ask(client).status_code == 200


@pytest.mark.parametrize(
    "script", [["no_such_fault"], [{"fault": "ok", "speed": 3}], [{"fault": "ok", "times": "x"}]]
)
def test_a_script_with_a_mistake_is_refused(fp: FakeProvider, script: list[Any]) -> None:
    with pytest.raises(ValueError, match="Error"):
        fp.script(script)


def test_rates_of_more_than_all_requests_are_refused(fp: FakeProvider) -> None:
    with pytest.raises(ValueError, match="more than every request"):
        fp.rates({"server_error": 0.6, "overloaded": 0.5})


@pytest.mark.parametrize("options", [{"usage": "sideways"}, {"tell_wait": "by letter"}])
def test_a_setting_outside_its_list_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="use one of"):
        FakeProvider(**options)


def test_a_reset_starts_afresh_and_what_was_in_flight_stays_on_the_old_bill() -> None:
    with FakeProvider(latency_s=0.1) as fp, httpx2.Client(base_url=fp.base_url) as client:
        ask(client)

        async def across_the_reset() -> None:
            async with httpx2.AsyncClient(base_url=fp.base_url) as http:
                asking = asyncio.create_task(http.post("/chat/completions", json=chat()))
                while not fp.bill()["in_flight"]:  # noqa: ASYNC110 - the server tells no one
                    await asyncio.sleep(0.001)
                fp.reset()
                assert (await asking).status_code == 200

        asyncio.run(across_the_reset())
        bill = fp.bill()
        assert (bill["requests"], bill["in_flight"], bill["complete"]["requests"]) == (0, 0, 0)
        assert fp.log() == []


def test_the_log_names_requests_and_repeats(fp: FakeProvider, client: httpx2.Client) -> None:
    for text in ("a", "b", "a"):
        client.post("/chat/completions", json=chat(text), headers={"X-HF-Bill-To": "org"})
    rows = fp.log()
    assert [row["ordinal"] for row in rows] == [1, 2, 3]
    assert [row["occurrence"] for row in rows] == [1, 1, 2]
    assert rows[0]["digest"] == rows[2]["digest"] != rows[1]["digest"]
    assert rows[1]["request"]["body"] == chat("b")
    assert rows[1]["request"]["headers"]["x-hf-bill-to"] == "org"
    assert fp.log(first=2, limit=1) == rows[1:2]
    bill = fp.bill()
    assert (bill["distinct_bodies"], bill["billed_again"], bill["connections"]) == (2, 1, 1)


def test_the_bill_counts_beyond_the_rows_that_are_kept() -> None:
    with FakeProvider(log_rows=1) as fp, httpx2.Client(base_url=fp.base_url) as client:
        ask(client)
        ask(client)
        assert (fp.bill()["requests"], fp.bill()["rows_dropped"], len(fp.log())) == (2, 1, 1)


# --- odd replies, as the client reads them


def test_odd_replies_are_what_they_say(fp: FakeProvider, client: httpx2.Client) -> None:
    def message(fault: str) -> Any:
        fp.script([{"fault": fault, **SHORT}])
        return ask(client).json()["choices"][0]

    plain = message("ok")["message"]["content"]
    assert plain.endswith("\n42")
    assert message("gzip")["message"]["content"] == plain
    assert message("wrong_type")["message"]["content"] == plain
    assert message("slow_body")["message"]["content"] == plain
    assert message("null_content")["message"]["content"] is None
    assert "".join(p["text"] for p in message("parts_content")["message"]["content"]) == plain
    filtered = message("content_filter")
    assert (filtered["finish_reason"], filtered["message"]["content"]) == ("content_filter", None)
    assert message("lone_surrogate")["message"]["content"].startswith("\ud835 = ")
    assert len(message("huge")["message"]["content"]) > 490_000


def test_garbled_replies_are_garbled(fp: FakeProvider, client: httpx2.Client) -> None:
    fp.script(["empty_200", "bad_json", "html_200", "wrong_type", "gzip", "error_in_200"])
    assert ask(client).content == b""
    with pytest.raises(ValueError, match=r"Unterminated|Expecting"):
        ask(client).json()
    assert ask(client).text.startswith("<html>")
    assert ask(client).headers["content-type"] == "text/plain"
    with client.stream("POST", "/chat/completions", json=chat()) as reply:
        assert json.loads(gzip.decompress(b"".join(reply.iter_raw())))["usage"]
    assert set(ask(client).json()) == {"error"}


def test_a_ragged_stream_holds_the_same_text(fp: FakeProvider, client: httpx2.Client) -> None:
    fp.script(["ok", "stream_ragged"])
    question = "राम के पास 5 आम हैं"

    def streamed() -> str:
        text = ""
        with client.stream("POST", "/chat/completions", json=chat(question, stream=True)) as reply:
            for line in reply.iter_lines():
                if line.startswith("data: {"):
                    for choice in json.loads(line[6:])["choices"]:
                        text += choice["delta"].get("content") or ""
        return text

    whole = streamed()
    assert "।" in whole
    assert streamed() == whole


@pytest.mark.parametrize("shape", ["object", "string", "openrouter"])
def test_errors_come_in_the_chosen_shape(shape: str) -> None:
    with FakeProvider(error_shape=shape) as fp:
        fp.script(["no_credits_402"])
        error = httpx2.post(fp.base_url + "/chat/completions", json=chat()).json()["error"]
    if shape == "string":
        assert isinstance(error, str)
    else:
        assert error["code"] == (402 if shape == "openrouter" else "payment_required")


# --- waits and limits


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("retry-after", "retry-after"),
        ("retry-after-ms", "retry-after-ms"),
        ("http-date", "retry-after"),
        ("reset-headers", "x-ratelimit-reset-requests"),
        ("message", None),
        ("silent", None),
    ],
)
def test_a_429_tells_its_wait_in_the_chosen_form(
    form: str, name: str | None, fp: FakeProvider, client: httpx2.Client
) -> None:
    fp.script([{"fault": "rate_limit", "wait_s": 5.289, "tell_wait": form}])
    reply = ask(client)
    told = {n for n in reply.headers if n.startswith(("retry-", "x-ratelimit-reset"))}
    assert told == ({name} if name else set())
    assert ("try again in 5.289s" in reply.text) == (form == "message")
    if form == "http-date":
        at = parsedate_to_datetime(reply.headers["retry-after"]).timestamp()
        assert 4.2 < at - time.time() < 6.3
    elif name is not None:
        assert reply.headers[name] in ("6", "5289", "5.29s")


def test_the_request_limit_lets_the_burst_through_and_tells_the_wait() -> None:
    options: dict[str, Any] = {"rpm": 60, "rpm_burst": 3, "tell_wait": "retry-after-ms"}
    with FakeProvider(**options) as fp, httpx2.Client(base_url=fp.base_url) as client:
        replies = [ask(client) for _ in range(5)]
        bill = fp.bill()
    assert [reply.status_code for reply in replies] == [200, 200, 200, 429, 429]
    assert 0 < int(replies[4].headers["retry-after-ms"]) <= 1000
    assert bill["faults"] == {"ok": 3, "limited": 2}
    assert (bill["limited"], bill["unbilled_requests"]) == (2, 2)


def test_the_token_limit_refuses_what_the_minute_does_not_hold() -> None:
    options: dict[str, Any] = {"tpm": 600, "completion_tokens": 250, "limit_headers": "cerebras"}
    with FakeProvider(**options) as fp, httpx2.Client(base_url=fp.base_url) as client:
        replies = [ask(client) for _ in range(3)]
    assert [reply.status_code for reply in replies] == [200, 200, 429]
    assert "tokens per minute" in replies[2].text
    assert int(replies[0].headers["x-ratelimit-remaining-tokens-minute"]) in range(342, 346)
    # 257 tokens are wanted, 86 are left, ten flow in each second
    assert int(replies[2].headers["retry-after"]) in (17, 18)


def test_a_refused_request_does_not_use_up_the_script() -> None:
    with FakeProvider(rpm=1, rpm_burst=1) as fp, httpx2.Client(base_url=fp.base_url) as client:
        fp.script(["ok", "server_error"])
        assert [ask(client).status_code for _ in range(2)] == [200, 429]
        fp.reset()
        fp.script(["server_error"])
        assert ask(client).status_code == 500
