"""The whole command against the documented addresses, with respx in place of the network (case 81)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import respx

from hinglishbench.client.mock import chat_reply
from hinglishbench.client.providers import load_providers
from tests.conftest import Hbench

PROVIDERS = load_providers()
HOSTED = [p for p in PROVIDERS.values() if p.key_required and p.name not in ("hf", "local")]
KEY = "test-key-0123456789"


@pytest.fixture
def net() -> Iterator[respx.Router]:
    """Nothing leaves this process: an address without a route is an error."""
    with respx.mock(using="httpcore2", assert_all_called=False) as router:
        yield router


def ok(text: str = "42", **usage: Any) -> httpx.Response:
    document = json.loads(chat_reply(text).body)
    document["usage"] |= usage
    return httpx.Response(200, json=document)


def bodies(route: respx.Route) -> list[dict[str, Any]]:
    return [json.loads(call.request.content) for call in route.calls]


@pytest.mark.parametrize("provider", HOSTED, ids=lambda p: p.name)
def test_a_person_with_a_key_can_start(
    hbench: Hbench, net: respx.Router, monkeypatch: pytest.MonkeyPatch, provider: Any
) -> None:
    """`hbench run --provider NAME`: the documented address, the key in its one header, answers kept."""
    monkeypatch.setenv(provider.key_env[0], KEY)
    route = net.post(f"{provider.base_url}/chat/completions").mock(return_value=ok())
    done = hbench("run", "--suite", hbench.pairs(2), "--provider", provider.name, "--transport",
                  "httpx2", "--rpm", 60_000, "--json").json  # fmt: skip
    assert (done["status"], done["answered"]) == ("done", 4)
    assert done["arms"][0]["route"] == "direct"
    assert route.call_count == 4
    for call in route.calls:
        assert call.request.headers["authorization"] == f"Bearer {KEY}"
        assert KEY not in str(call.request.url)
        assert KEY.encode() not in call.request.content
    assert {body["model"] for body in bodies(route)} == {provider.default_model}
    assert {body[provider.cap_field_for(provider.default_model)] for body in bodies(route)} == {
        4096
    }


def test_the_command_of_the_night(
    hbench: Hbench, net: respx.Router, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Baseten with an effort: the field is sent, reasoning is kept, its tokens are counted inside."""
    monkeypatch.setenv("BASETEN_API_KEY", KEY)
    message = {"role": "assistant", "content": "42", "reasoning_content": "six times seven"}
    usage = {"prompt_tokens": 18, "completion_tokens": 245, "total_tokens": 263,
             "completion_tokens_details": {"reasoning_tokens": 198}}  # fmt: skip
    reply = {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
    route = net.post("https://inference.baseten.co/v1/chat/completions").mock(
        return_value=httpx.Response(200, json=reply)
    )
    done = hbench("run", "--suite", hbench.pairs(1), "--provider", "baseten", "--model",
                  "openai/gpt-oss-120b", "--effort", "low", "--transport", "httpx2", "--json").json  # fmt: skip
    assert [body["reasoning_effort"] for body in bodies(route)] == ["low", "low"]
    assert (done["completion_tokens"], done["reasoning_mismatches"]) == (490, 0)
    [row] = hbench.rows(
        "select distinct reasoning, output_rule, reasoning_tokens as n from attempts"
    )
    assert row == {"reasoning": "six times seven", "output_rule": "inside", "n": 198}


def test_without_its_key_a_provider_is_reached_through_the_router(
    hbench: Hbench, net: respx.Router, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pinned by the suffix, billed to whom it was asked, and the route is said."""
    monkeypatch.setenv("HF_TOKEN", "hf_test0token")
    route = net.post("https://router.huggingface.co/v1/chat/completions").mock(return_value=ok())
    done = hbench("run", "--suite", hbench.pairs(1), "--provider", "baseten", "--bill-to", "acme",
                  "--transport", "httpx2", "--json")  # fmt: skip
    assert {body["model"] for body in bodies(route)} == {"reflection/Beam-1.0:baseten"}
    assert {call.request.headers["x-hf-bill-to"] for call in route.calls} == {"acme"}
    assert done.json["arms"][0]["route"] == "hf"
    assert "baseten, route hf (https://router.huggingface.co/v1): reflection/Beam-1.0" in done.err


def test_a_redirect_is_not_followed_with_the_key(
    hbench: Hbench, net: respx.Router, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key would go to whoever the address points to: the endpoint stops instead."""
    monkeypatch.setenv("TOGETHER_API_KEY", KEY)
    net.post("https://api.together.ai/v1/chat/completions").mock(
        return_value=httpx.Response(307, headers={"location": "https://elsewhere.test/v1"})
    )
    elsewhere = net.route(host="elsewhere.test")
    done = hbench("run", "--suite", hbench.pairs(1), "--provider", "together", "--transport", "httpx2",
                  "--json", code=5).json  # fmt: skip
    assert "elsewhere.test" in done["stopped"]["together"]
    assert elsewhere.call_count == 0


# name -> provider, replies in turn, exit code, words of the reason
ENDINGS: dict[str, tuple[str, list[httpx.Response], int, str]] = {
    "case 57: OpenAI, a 429 that is no rate limit": (
        "openai", [httpx.Response(429, json={"error": {
            "message": "You exceeded your current quota, please check your plan and billing details.",
            "type": "insufficient_quota", "param": None, "code": "insufficient_quota"}})], 5, "quota"),
    "case 57: Sarvam, the same in its words": (
        "sarvam", [httpx.Response(429, json={"error": {
            "message": "No credits available. Please add credits.", "code": "insufficient_quota_error"}})],
        5, "add credits"),
    "Sarvam, a bad key is a 403": (
        "sarvam", [httpx.Response(403, json={"error": {
            "message": "Invalid API key", "code": "invalid_api_key_error"}})], 5, "check the key"),
    "OpenRouter, an error inside a 200, then an answer": (
        "openrouter", [httpx.Response(200, json={"error": {
            "code": 502, "message": "Provider returned error", "metadata": {"provider_name": "x"}}}), ok()],
        0, ""),
    "Groq, a wait in the message alone": (
        "groq", [httpx.Response(429, json={"error": {
            "message": "Rate limit reached. Please try again in 12ms.", "type": "tokens",
            "code": "rate_limit_exceeded"}}), ok()], 0, ""),
    "SambaNova, a queue that is full": (
        "sambanova", [httpx.Response(504, json={"error": {
            "message": "queue full", "type": "", "param": None, "code": "queue_full"}}), ok()], 0, ""),
    "Novita, a model behind identity verification": (
        "novita", [httpx.Response(403, json={
            "code": 403, "reason": "NOT_ENOUGH_PERMISSION", "message": "model needs identity verification"})],
        5, "identity verification"),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDINGS)
def test_documented_errors_end_as_they_should(
    hbench: Hbench, net: respx.Router, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Permanent ones stop at once, others are asked again; the reason is said in one line."""
    which, replies, code, words = ENDINGS[name]
    provider = PROVIDERS[which]
    monkeypatch.setenv(provider.key_env[0], KEY)
    last = replies[-1]
    turns = iter(replies)
    route = net.post(f"{provider.base_url}/chat/completions").mock(
        side_effect=lambda _: next(turns, last)
    )
    done = hbench("run", "--suite", hbench.pairs(2), "--provider", which, "--transport", "httpx2",
                  "--concurrency", 1, "--json", code=code)  # fmt: skip
    if code:
        assert route.call_count == 1
        assert words in " ".join(done.json["stopped"].values())
        assert done.json["answered"] == 0
    else:
        assert route.call_count == 5
        assert (done.json["answered"], done.json["attempts"]) == (4, 5)


def test_case_61_credits_that_run_out_in_mid_run_stop_the_router_and_keep_the_rows(
    hbench: Hbench, net: respx.Router, monkeypatch: pytest.MonkeyPatch
) -> None:
    """402 after ten good calls: no further call, ten answers kept, the same command does the rest."""
    monkeypatch.setenv("HF_TOKEN", "hf_test0token")
    used = 0

    def answer(_: httpx.Request) -> httpx.Response:
        nonlocal used
        used += 1
        return ok() if used <= 10 else httpx.Response(
            402, json={"error": "You have exceeded your monthly included credits for Inference Providers."})  # fmt: skip

    route = net.post("https://router.huggingface.co/v1/chat/completions").mock(side_effect=answer)
    command = ("run", "--suite", hbench.pairs(10), "--provider", "hf", "--model", "a/b:groq",
               "--transport", "httpx2", "--concurrency", 1, "--json")  # fmt: skip
    done = hbench(*command, code=5)
    assert route.call_count == 11
    assert (done.json["answered"], done.json["left"], done.json["errors"]) == (10, 10, 0)
    assert "monthly included credits" in done.json["stopped"]["hf"]
    assert "add credits at the provider, then give the same command" in done.err
    used = -100
    again = hbench(*command).json
    assert (again["answered"], again["reused"], again["status"]) == (10, 10, "done")
