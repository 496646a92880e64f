"""Scoring by log-probability is refused unless the whole prompt is scored."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinglishbench.client.httpx2_transport import Httpx2Transport
from hinglishbench.client.logprobs import PROBE, EchoWay, probe, prompt_scores
from hinglishbench.client.mock import MockTransport
from hinglishbench.client.providers import Endpoint, load_providers
from hinglishbench.client.secret import SecretKey
from hinglishbench.client.transport import HttpReply, HttpRequest, TransportError
from hinglishbench.errors import RefusedError
from tests.fakeprovider import FakeProvider

VLLM = load_providers()["vllm"]
Make = Callable[..., FakeProvider]


@pytest.fixture
def provider() -> Iterator[Make]:
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(FakeProvider(**settings))


def ask(fp: FakeProvider) -> EchoWay:
    async def main() -> EchoWay:
        transport = Httpx2Transport()
        try:
            return await probe(Endpoint(VLLM, "direct", fp.base_url), "m", transport)
        finally:
            await transport.aclose()

    return anyio.run(main)


def asked(answer: Callable[[HttpRequest], HttpReply]) -> EchoWay:
    endpoint = Endpoint(VLLM, "direct", "http://x/v1", key=SecretKey("sk-secret0123"))
    return anyio.run(lambda: probe(endpoint, "m", MockTransport(answer)))


def test_a_server_that_scores_the_prompt_is_taken(provider: Make) -> None:
    """One call, without generation."""
    fp = provider(keep_requests=True)
    assert ask(fp) == EchoWay(0)
    [row] = fp.log()
    assert row["request"]["body"] == {
        "model": "m", "prompt": PROBE, "echo": True, "logprobs": 1, "max_tokens": 0, "temperature": 0,
    }  # fmt: skip


def test_case_85_only_the_generated_token_is_refused(provider: Make) -> None:
    """Echo is accepted and ignored: every option would score the same."""
    with pytest.raises(RefusedError, match="cannot score options") as refused:
        ask(provider(echo="generated_only"))
    assert "generated letter" in str(refused.value.hint)


def test_case_85_one_entry_of_the_generated_token_is_refused() -> None:
    """llama.cpp: one entry, though the counts say that the prompt had more tokens."""
    body = {"choices": [{"text": "4", "logprobs": {"tokens": ["4"], "token_logprobs": [-0.7],
                                                   "text_offset": [0]}}],
            "usage": {"prompt_tokens": 17, "completion_tokens": 1}}  # fmt: skip
    with pytest.raises(RefusedError, match=r"echo was taken, but its 1 entries \(1 characters\)"):
        asked(lambda _: HttpReply(200, {}, json.dumps(body).encode()))


def test_case_86_a_500_for_no_generation_falls_back_to_one_token(provider: Make) -> None:
    """vLLM: the second call asks for one token, and the way says so."""
    fp = provider()
    fp.script(["server_error"])
    assert ask(fp) == EchoWay(1)
    assert fp.bill()["requests"] == 2


def test_case_86_what_fails_both_ways_is_refused(provider: Make) -> None:
    """A server that refuses echo altogether; its own words are in the message."""
    with pytest.raises(RefusedError, match="echo is not supported"):
        ask(provider(echo="refused"))


def test_case_86_the_generated_token_is_left_out() -> None:
    """With max_tokens 1 the last entry is not the prompt's."""
    document = reply(["Q", "uestion"], [None, -1.5], ["!"], [-0.1])
    assert [s.text for s in prompt_scores(document, "Question")] == ["Q", "uestion"]


def test_case_66_a_model_without_completions_is_sent_to_chat() -> None:
    """A chat-only model answers 404 there: one call, and the other way of asking is named."""
    calls = []

    def answer(request: HttpRequest) -> HttpReply:
        calls.append(request)
        return HttpReply(
            404, {}, b'{"error":{"message":"Unknown request URL: POST /v1/completions"}}'
        )

    with pytest.raises(RefusedError, match="Unknown request URL") as refused:
        asked(answer)
    assert len(calls) == 1
    assert "chat completions" in str(refused.value.hint)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (401, '{"error":"bad sk-secret0123"}'),
        (429, '{"error":"slow down"}'),
        (503, '{"error":"busy"}'),
    ],
)
def test_a_server_that_cannot_be_asked_now_is_not_judged(status: int, body: str) -> None:
    """Not tried is not unsupported; the key is not repeated."""
    with pytest.raises(RefusedError, match="could not be tried") as refused:
        asked(lambda _: HttpReply(status, {}, body.encode()))
    assert "secret" not in str(refused.value)


def test_a_broken_connection_is_not_judged_either() -> None:
    """The same."""

    def answer(_: HttpRequest) -> HttpReply:
        raise TransportError("reset", "gone", sent=True)

    with pytest.raises(RefusedError, match="could not be tried"):
        asked(answer)


def reply(
    tokens: list[str],
    scores: list[Any],
    more: list[str] | None = None,
    more_scores: list[Any] | None = None,
    **usage: int,
) -> dict[str, Any]:
    return {
        "choices": [{"logprobs": {"tokens": [*tokens, *(more or [])],
                                  "token_logprobs": [*scores, *(more_scores or [])]}}],
        "usage": usage,
    }  # fmt: skip


GOOD: dict[str, tuple[dict[str, Any], str, int]] = {
    "a mark of the beginning": (reply(["<s>", "a", "b"], [None, -1, -2], ["c"], [-1]), "ab", 3),
    "halves of letters, by the stated count": (
        reply(["च", "\ufffd", "\ufffd"], [None, -1, -2], ["x"], [-1], prompt_tokens=3), "चा", 3),
    "an empty piece": (reply(["a", "", "b"], [None, -1, -2]), "ab", 3),
    "probability one": (reply(["a", "b"], [None, 0]), "ab", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_prompts_that_are_covered(name: str) -> None:
    """Each row of the table."""
    document, prompt, count = GOOD[name]
    assert len(prompt_scores(document, prompt)) == count


BAD: dict[str, dict[str, Any]] = {
    "nothing": {},
    "no choices": {"choices": []},
    "null": {"choices": [{"logprobs": None}]},
    "the end is missing": reply(["a"], [None, -1][:1]),
    "the beginning is missing": reply(["b"], [-1]),
    "another text": reply(["x", "y"], [None, -1]),
    "a score that is none": reply(["a", "b"], [None, None]),
    "a probability over one": reply(["a", "b"], [None, 0.5]),
    "not a number": reply(["a", "b"], [None, float("nan")]),
    "a true": reply(["a", "b"], [None, True]),
    "lists that do not go together": reply(["a", "b"], [None]),
    "one token": reply(["ab"], [None]),
    "fewer entries than stated": reply(["?"], [-1.0], prompt_tokens=2),
}


@pytest.mark.parametrize("name", BAD)
def test_prompts_that_are_not_covered(name: str) -> None:
    """Each row of the table."""
    with pytest.raises(ValueError, match=r"."):
        prompt_scores(BAD[name], "ab")


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
                    lambda inner: st.lists(inner) | st.dictionaries(
                        st.sampled_from(["choices", "logprobs", "tokens", "token_logprobs",
                                         "text_offset", "usage", "prompt_tokens"]), inner)))  # fmt: skip
def test_any_json_is_scores_or_a_value_error(document: Any) -> None:
    """Nothing else ever comes out."""
    with contextlib.suppress(ValueError):
        assert len(prompt_scores(document, "ab")) >= 2
