"""Replies of every provider's documented shape, read into one; and no bytes that raise."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinglishbench.client.normalise import Answer, Failure, normalise
from hinglishbench.client.providers import load_providers
from hinglishbench.client.transport import HttpReply

PROVIDERS = load_providers()
NOW = 1_795_000_000.0
USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
THINKING = {**USAGE, "completion_tokens_details": {"reasoning_tokens": 4}}


def body(message: Any, finish: Any = "stop", usage: Any = USAGE, **more: Any) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage,
        **more,
    }


def said(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def read(document: Any, provider: str = "openai-compatible", **headers: str) -> Answer | Failure:
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    return normalise(HttpReply(200, headers, raw), PROVIDERS[provider], NOW)


# provider, document -> text, reasoning, finish reason, reasoning observed, refusal
SHAPES: dict[str, tuple[str, Any, tuple[str | None, str | None, str | None, bool, bool]]] = {
    "openai": ("openai", body(said("42", refusal=None)), ("42", None, "stop", False, False)),
    "openai: hidden reasoning is seen in the counts": (
        "openai", body(said("42"), usage=THINKING), ("42", None, "stop", True, False)),
    "openai: refusal": (
        "openai", body(said(None, refusal="I can't help")), ("I can't help", None, "stop", False, True)),
    "case 38: baseten": (
        "baseten", body(said("42", reasoning_content="r"), usage=THINKING), ("42", "r", "stop", True, False)),
    "case 34: vllm, new name": (
        "vllm", body(said("42", reasoning="r")), ("42", "r", "stop", True, False)),
    "case 34: vllm, old name": (
        "vllm", body(said("42", reasoning_content="r")), ("42", "r", "stop", True, False)),
    "case 34: both, equal, stored once": (
        "vllm", body(said("42", reasoning="r", reasoning_content="r")), ("42", "r", "stop", True, False)),
    "both, different": (
        "vllm", body(said("42", reasoning="a", reasoning_content="b")), ("42", "a\nb", "stop", True, False)),
    "case 32: all tokens went into reasoning": (
        "baseten", body(said(None, reasoning_content="thinking"), "length"),
        (None, "thinking", "length", True, False)),
    "case 33: the same on vllm, and the reasoning is no answer": (
        "vllm", body(said(None, reasoning="thinking"), "length"), (None, "thinking", "length", True, False)),
    "null content cut by length": ("groq", body(said(None), "length"), (None, None, "length", False, False)),
    "case 53: filtered": (
        "openai", body(said(None), "content_filter"), (None, None, "content_filter", False, False)),
    "an empty answer is an answer": ("groq", body(said("")), ("", None, "stop", False, False)),
    "case 31: groq raw, inline tags stay": (
        "groq", body(said("<think>7?</think>\n9")), ("<think>7?</think>\n9", None, "stop", True, False)),
    "r1 without an opening tag": (
        "together", body(said("so 7\n</think>\n9")), ("so 7\n</think>\n9", None, "stop", True, False)),
    "kimi": ("sglang", body(said("◁think▷7◁/think▷9")), ("◁think▷7◁/think▷9", None, "stop", True, False)),
    "mistral": ("vllm", body(said("[THINK]7[/THINK]9")), ("[THINK]7[/THINK]9", None, "stop", True, False)),
    "gpt-oss raw": (
        "cerebras", body(said("<|channel|>analysis x")), ("<|channel|>analysis x", None, "stop", True, False)),
    "a comparison is no tag": ("groq", body(said("3 < 4")), ("3 < 4", None, "stop", False, False)),
    "parts": (
        "openai-compatible", body(said([{"type": "text", "text": "4"}, {"type": "text", "text": "2"}])),
        ("42", None, "stop", False, False)),
    "parts with thinking": (
        "openai-compatible",
        body(said([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                   {"type": "text", "text": "42"}])),
        ("42", "hm", "stop", True, False)),
    "a refusal part": (
        "openai-compatible", body(said([{"type": "refusal", "refusal": "no"}])),
        ("no", None, "stop", False, True)),
    "openrouter": (
        "openrouter",
        body(said("42", refusal=None, reasoning="r", reasoning_details=[{"text": "r"}]),
             error=None, provider="OpenAI"),
        ("42", "r", "stop", True, False)),
    "reasoning in details only": (
        "novita", body(said("42", reasoning_details=[{"type": "reasoning.text", "text": "a"},
                                                     {"summary": "b"}])),
        ("42", "ab", "stop", True, False)),
    "sarvam": ("sarvam", body(said("42", reasoning_content="r")), ("42", "r", "stop", True, False)),
    "empty reasoning is none": (
        "fireworks", body(said("42", reasoning_content="")), ("42", None, "stop", False, False)),
    "a completion": (
        "vllm", {"choices": [{"text": " B", "finish_reason": "length"}], "usage": USAGE},
        (" B", None, "length", False, False)),
    "no finish reason": ("llamacpp", body(said("42"), None), ("42", None, None, False, False)),
    "tool calls without text": (
        "openai", body(said(None, tool_calls=[{"id": "1"}]), "tool_calls"),
        (None, None, "tool_calls", False, False)),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_of_answers(name: str) -> None:
    """Each documented shape gives its text, reasoning and finish reason."""
    provider, document, expected = SHAPES[name]
    answer = read(document, provider)
    assert isinstance(answer, Answer)
    got = (
        answer.text,
        answer.reasoning,
        answer.finish_reason,
        answer.reasoning_observed,
        answer.refusal,
    )
    assert got == expected


def test_the_rest_of_an_answer() -> None:
    """Model, id and usage come along; missing ones are None."""
    answer = read(body(said("42")))
    assert isinstance(answer, Answer)
    assert (answer.model, answer.reply_id) == ("m", "chatcmpl-1")
    assert (answer.usage.prompt_tokens, answer.usage.billable_output_tokens) == (10, 5)
    bare = read({"choices": [{"message": said("42"), "finish_reason": "stop"}]})
    assert isinstance(bare, Answer)
    assert (bare.model, bare.reply_id) == (None, None)
    assert bare.usage.prompt_tokens is None
    assert bare.usage.billable_output_tokens is None


def test_case_47_the_reply_may_name_the_model_otherwise() -> None:
    """The reply's own name is kept beside the requested one and replaces nothing."""
    answer = read(body(said("42"), model="x/y-0725"))
    assert isinstance(answer, Answer)
    assert answer.model == "x/y-0725"


def test_case_48_outside_reasoning_is_billed_with_its_rule() -> None:
    """Reasoning beside completion_tokens is counted, and the rule travels with the row."""
    usage = {
        "prompt_tokens": 18,
        "completion_tokens": 47,
        "total_tokens": 263,
        "completion_tokens_details": {"reasoning_tokens": 198},
    }
    answer = read(body(said("42"), usage=usage))
    assert isinstance(answer, Answer)
    assert (answer.usage.billable_output_tokens, answer.usage.output_rule) == (245, "outside")


# document -> code, billed
DAMAGE: dict[str, tuple[Any, tuple[str, str]]] = {
    "case 50: no choices": ({"id": "x", "choices": []}, ("no_choices", "maybe")),
    "no choices, but counted": ({"choices": [], "usage": USAGE}, ("no_choices", "yes")),
    "choices null": ({"choices": None}, ("no_choices", "maybe")),
    "a choice that is no object": ({"choices": ["42"]}, ("no_choices", "maybe")),
    "error object": ({"error": {"message": "boom"}}, ("error_in_200", "maybe")),
    "error text": ({"error": "boom"}, ("error_in_200", "maybe")),
    "openrouter: after generation began": (
        body(said("4"), "error", error={"code": 502, "message": "Provider disconnected"}), ("error_in_200", "yes")),
    "openrouter: error in the choice": (
        {"choices": [{"message": said("4"), "finish_reason": "error", "error": {"code": 502, "message": "x"}}]},
        ("error_in_200", "maybe")),
    "a limit inside a 200": (
        {"error": {"code": 429, "message": "slow down"}}, ("rate_limited", "maybe")),
    "no credits inside a 200": (
        {"error": {"code": 402, "message": "Insufficient credits"}}, ("no_credits", "maybe")),
    "empty": (b"", ("empty_reply", "maybe")),
    "blank": (b" \n", ("empty_reply", "maybe")),
    "a choice that says nothing": ({"choices": [{"message": {}}]}, ("empty_reply", "maybe")),
    "cut": (b'{"choices":[{"message":{"content":"4', ("cut", "maybe")),
    "html": (b"<html>login</html>", ("bad_json", "maybe")),
    "a list": (b"[1, 2]", ("bad_json", "maybe")),
    "a number": (b"42", ("bad_json", "maybe")),
    "too deep to be real": (b"[" * 200_000, ("cut", "maybe")),
    "a number too long to be real": (b'{"a":' + b"9" * 10_000 + b"}", ("cut", "maybe")),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_a_200_without_an_answer_is_a_failure(name: str) -> None:
    """Never an empty answer that would be graded wrong; billed unless it is known not to be."""
    document, expected = DAMAGE[name]
    failure = read(document)
    assert isinstance(failure, Failure)
    assert (failure.code, failure.billed) == expected
    assert failure.status == 200


def test_case_84_a_lone_surrogate_is_replaced() -> None:
    r"""Half a pair (`\ud835`) becomes U+FFFD, a whole pair stays, and the text can be written."""
    answer = read(
        rb'{"choices":[{"message":{"content":"\ud835 = 4 \ud83d\ude00"},"finish_reason":"stop"}]}'
    )
    assert isinstance(answer, Answer)
    assert answer.text == "\ufffd = 4 😀"
    answer.text.encode()


def test_numbers_that_json_lacks_become_none() -> None:
    """NaN and 1e999 in the usage are unknown, so that the row can be written as JSON."""
    answer = read(
        b'{"choices":[{"message":{"content":"4"},"finish_reason":"stop"}],'
        b'"usage":{"prompt_tokens":NaN,"completion_tokens":1e999,"cost":-Infinity}}'
    )
    assert isinstance(answer, Answer)
    assert answer.usage.prompt_tokens is None
    assert answer.usage.reported_cost_usd is None
    json.dumps(answer.usage.raw, allow_nan=False)


def test_a_wrong_content_type_does_not_matter() -> None:
    """JSON labelled as text is read, a stream labelled as JSON too, a BOM is skipped."""
    assert isinstance(read(body(said("42")), **{"content-type": "text/plain"}), Answer)
    stream = (
        b'data: {"choices":[{"delta":{"content":"42"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    )
    assert isinstance(read(stream, **{"content-type": "application/json"}), Answer)
    assert isinstance(read(b"\xef\xbb\xbf" + json.dumps(body(said("42"))).encode()), Answer)


def test_sarvam_rupees_are_not_dollars() -> None:
    """A cost in the reply counts only where the provider states it in dollars."""
    document = body(said("42"), usage={**USAGE, "cost": 0.5})
    sarvam, router = read(document, "sarvam"), read(document, "openrouter")
    assert isinstance(sarvam, Answer)
    assert isinstance(router, Answer)
    assert sarvam.usage.reported_cost_usd is None
    assert str(router.usage.reported_cost_usd) == "0.5"


def test_a_provider_may_have_reasoning_fields_of_its_own() -> None:
    """What hbench.toml names is read."""
    own = replace(PROVIDERS["vllm"], reasoning_fields=("thoughts",))
    raw = json.dumps(body(said("42", thoughts="hm", reasoning="no"))).encode()
    answer = normalise(HttpReply(200, {}, raw), own, NOW)
    assert isinstance(answer, Answer)
    assert answer.reasoning == "hm"


# --- any bytes ---------------------------------------------------------------------------------

names = st.sampled_from(
    ["choices", "message", "content", "text", "type", "usage", "error", "code", "finish_reason", "delta",
     "reasoning", "reasoning_details", "refusal", "id", "model", "object", "metadata", "detail", "index",
     "completion_tokens", "prompt_tokens", "total_tokens", "cost", "headers", "raw", "retry_after"]
)  # fmt: skip
documents = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(names, inner, max_size=5)),
    max_leaves=25,
)


def check(reply: HttpReply) -> None:
    """Any outcome is well formed."""
    for provider in ("openrouter", "sarvam", "novita"):
        outcome = normalise(reply, PROVIDERS[provider], NOW)
        if isinstance(outcome, Answer):
            assert 200 <= reply.status < 300
            for text in (outcome.text, outcome.reasoning, outcome.finish_reason, outcome.model):
                assert text is None or text.encode() is not None
        else:
            assert outcome.message.isprintable()
            assert len(outcome.message) <= 500
            assert outcome.wait_s is None or outcome.wait_s >= 0
            assert outcome.billed in ("yes", "no", "maybe")


statuses = st.sampled_from(
    [200, 200, 200, 201, 204, 301, 400, 401, 402, 403, 404, 429, 499, 500, 503]
)


@settings(max_examples=300)
@given(document=documents, status=statuses, headers=st.dictionaries(st.sampled_from(
    ["content-type", "retry-after", "x-ratelimit-reset", "location"]), st.text(max_size=20), max_size=2))  # fmt: skip
def test_any_json_is_read_without_an_exception(
    document: Any, status: int, headers: dict[str, str]
) -> None:
    """Any JSON document at any status."""
    check(HttpReply(status, headers, json.dumps(document).encode()))


@settings(max_examples=300)
@given(raw=st.binary(max_size=200), status=statuses)
def test_any_bytes_are_read_without_an_exception(raw: bytes, status: int) -> None:
    """Any bytes at any status, as JSON and as a stream."""
    check(HttpReply(status, {}, raw))
    check(HttpReply(status, {"content-type": "text/event-stream"}, raw))


@settings(max_examples=200)
@given(chunks=st.lists(documents, max_size=5), done=st.booleans(), cut=st.integers(0, 40))
def test_any_stream_is_read_without_an_exception(
    chunks: list[Any], cut: int, *, done: bool
) -> None:
    """Any chunks, whole or cut anywhere."""
    text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n" * done
    raw = text.encode()
    check(HttpReply(200, {"content-type": "text/event-stream"}, raw[: len(raw) - cut]))


MUTATIONS: list[Callable[[bytes, int], bytes]] = [
    lambda raw, at: raw[: at % (len(raw) + 1)],
    lambda raw, at: raw[: at % len(raw)] + b"\xff" + raw[at % len(raw) + 1 :],
    lambda raw, at: raw[: at % len(raw)] + raw[at % len(raw) + 1 :],
]


@settings(max_examples=200)
@given(
    name=st.sampled_from(sorted(SHAPES)), at=st.integers(0, 2000), how=st.sampled_from(MUTATIONS)
)
def test_a_damaged_shape_is_read_without_an_exception(
    name: str, at: int, how: Callable[[bytes, int], bytes]
) -> None:
    """Documented shapes, cut, changed, or with a byte missing."""
    check(HttpReply(200, {}, how(json.dumps(SHAPES[name][1]).encode(), at)))
