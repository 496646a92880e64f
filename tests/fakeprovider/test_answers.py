"""What the fake model answers: pure in seed and request, true to cap, form and usage shape."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .answers import Completion, Tokens, complete
from .asks import Ask, UnreadableError, asks_for_no_thinking, form_of, read_ask
from .replies import completion_body, model_entry, serialise, stream_events, usage_of
from .settings import Settings


def raw(text: str = "What is 6 x 7?", **fields: Any) -> bytes:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]
    return json.dumps({"model": "m", "messages": messages, **fields}).encode()


def answer(body: bytes, **options: Any) -> tuple[Ask, Completion]:
    settings = Settings(**options)
    ask = read_ask("chat", body, settings)
    return ask, complete(ask, hashlib.sha256(body).hexdigest(), settings)


@given(st.text(max_size=200), st.integers(0, 5))
def test_an_answer_depends_on_seed_and_request_alone(text: str, seed: int) -> None:
    options = {"seed": seed, "completion_spread": 0.5, "reasoning_tokens": 9}
    assert answer(raw(text), **options)[1] == answer(raw(text), **options)[1]


def test_another_seed_or_question_gives_another_answer() -> None:
    options = {"completion_spread": 0.5}
    texts = {answer(raw(t), seed=s, **options)[1].content for t in ("a", "b") for s in (1, 2)}
    assert len(texts) == 4


def test_keyed_by_messages_the_rest_of_the_body_makes_no_difference() -> None:
    plain, hot = raw(), raw(temperature=1.0)
    assert answer(plain)[1] != answer(hot)[1]
    assert answer(plain, answer_key="messages")[1] == answer(hot, answer_key="messages")[1]


@given(st.integers(0, 80), st.integers(0, 30), st.integers(1, 40))
def test_no_answer_is_longer_than_its_cap(cap: int, reasoning: int, visible: int) -> None:
    options = {"reasoning_tokens": reasoning, "completion_tokens": visible}
    _, completion = answer(raw(max_tokens=cap), **options)
    tokens = completion.tokens
    assert tokens.output == min(cap, reasoning + visible)
    assert (completion.finish_reason == "length") == (cap < reasoning + visible)
    assert (completion.content is None) == (tokens.visible == 0)
    if completion.finish_reason == "stop":
        assert str(completion.content).endswith("\n42")


def test_known_questions_get_their_replies_and_padding_keeps_the_last_line() -> None:
    _, completion = answer(raw("Item 7: 2+2?"), answers={"Item 7": "so\n4"}, reply_bytes=3000)
    text = str(completion.content)
    assert text.endswith("so\n4")
    assert len(text.encode()) == 3000


@pytest.mark.parametrize(
    ("text", "form", "tokens"),
    [
        ("Ram has 5 mangoes – how many are left, he asked?", "plain", 100),
        ("Ram ke paas 5 aam hain", "hinglish", 150),
        ("राम के पास 5 आम हैं", "native", 220),
        ("রামের কাছে ৫টি আম আছে", "native", 220),
    ],
)
def test_the_form_of_the_question_sets_the_length(text: str, form: str, tokens: int) -> None:
    assert form_of(text) == form
    options = {"completion_tokens": 100, "ratio_hinglish": 1.5, "ratio_native": 2.2}
    assert answer(raw(text), **options)[1].tokens.visible == tokens


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning_effort": "none"},
        {"reasoning_effort": None},
        {"disable_reasoning": True},
        {"reasoning": {"enabled": False}},
        {"reasoning": {"effort": "none"}},
        {"chat_template_kwargs": {"enable_thinking": False}},
        {"chat_template_args": {"thinking": False}},
    ],
)
def test_thinking_can_be_turned_off_in_every_dialect(fields: dict[str, Any]) -> None:
    assert asks_for_no_thinking(fields)
    body = raw(**fields)
    assert answer(body, reasoning_tokens=9)[1].reasoning is None
    ignored = answer(body, reasoning_tokens=9, thinking_switch="ignored")[1]
    assert ignored.tokens.reasoning == 9


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"reasoning_effort": "low"},
        {"reasoning": {"enabled": True}},
        {"chat_template_kwargs": {"enable_thinking": True}},
    ],
)
def test_thinking_stays_on_otherwise(fields: dict[str, Any]) -> None:
    assert not asks_for_no_thinking(fields)


TOKENS = Tokens(prompt=100, cached=20, visible=30, reasoning=12)


@pytest.mark.parametrize(
    ("shape", "completion", "total"),
    [("inside", 42, 142), ("outside", 30, 142), ("no_total", 42, None), ("inconsistent", 42, 149)],
)
def test_usage_comes_in_the_chosen_shape(shape: Any, completion: int, total: int | None) -> None:
    usage = usage_of(TOKENS, Settings(usage=shape))
    assert usage is not None
    assert usage["completion_tokens"] == completion
    assert usage.get("total_tokens") == total
    assert usage["completion_tokens_details"] == {"reasoning_tokens": 12}
    assert usage["prompt_tokens_details"] == {"cached_tokens": 20}


def test_usage_may_be_absent_bare_or_priced() -> None:
    assert usage_of(TOKENS, Settings(usage="none")) is None
    bare = usage_of(TOKENS, Settings(usage_details=False))
    assert bare is not None
    assert set(bare) == {"prompt_tokens", "completion_tokens", "total_tokens"}
    priced = usage_of(TOKENS, Settings(state_cost=True, price_in=2.5, price_out=10))
    assert priced is not None
    assert priced["cost"] == pytest.approx((100 * 2.5 + 42 * 10) / 1e6)


@pytest.mark.parametrize(
    ("field", "found"),
    [
        ("reasoning", {"reasoning"}),
        ("reasoning_content", {"reasoning_content"}),
        ("both", {"reasoning", "reasoning_content"}),
        ("inline", set()),
        ("hidden", set()),
    ],
)
def test_reasoning_comes_back_where_it_should(field: Any, found: set[str]) -> None:
    ask, completion = answer(raw(), reasoning_tokens=9)
    settings = Settings(reasoning_field=field)
    message = completion_body(ask, completion, 1, settings)["choices"][0]["message"]
    assert set(message) == {"role", "content"} | found
    assert message["content"].startswith("<think>") == (field == "inline")
    assert message["content"].endswith("\n42")


@given(st.integers(1, 12), st.sampled_from(["reasoning", "inline", "hidden"]))
def test_a_stream_adds_up_to_the_whole_reply(chunks: int, field: Any) -> None:
    ask, completion = answer(raw("राम के पास 5 आम हैं"), reasoning_tokens=9)
    settings = Settings(stream_chunks=chunks, reasoning_field=field, stream_usage="always")
    whole = completion_body(ask, completion, 1, settings)
    events = [event for event, _ in stream_events(ask, completion, 1, settings)]
    shares = [share for _, share in stream_events(ask, completion, 1, settings)]
    assert events[-1] == b"data: [DONE]\n\n"
    assert shares == sorted(shares)
    bodies = [json.loads(event.removeprefix(b"data: ")) for event in events[:-1]]
    deltas = [choice["delta"] for body in bodies for choice in body["choices"]]
    message = whole["choices"][0]["message"]
    for name in ("content", "reasoning"):
        joined = "".join(delta.get(name) or "" for delta in deltas)
        assert joined == (message.get(name) or "")
    assert bodies[-1]["usage"] == whole["usage"]


def test_text_completions_have_text_and_score_an_echoed_prompt() -> None:
    settings = Settings()
    body = json.dumps({"model": "m", "prompt": "one two three", "echo": True, "logprobs": 1})
    ask = read_ask("completions", body.encode(), settings)
    completion = complete(ask, "d", settings)
    choice = completion_body(ask, completion, 1, settings)["choices"][0]
    assert choice["text"].startswith("one two three")
    assert choice["logprobs"]["tokens"] == ["one", " two", " three"]
    assert choice["logprobs"]["text_offset"] == [0, 3, 7]
    scores = choice["logprobs"]["token_logprobs"]
    assert scores[0] is None
    assert all(-5 <= score <= 0 for score in scores[1:])
    bare = completion_body(ask, completion, 1, Settings(echo="generated_only"))["choices"][0]
    assert bare["logprobs"] is None
    assert not bare["text"].startswith("one two three")


def test_half_a_surrogate_pair_travels_as_an_escape() -> None:
    assert serialise({"a": "\ud835"}) == b'{"a": "\\ud835"}'
    assert serialise({"a": "हाँ"}) == '{"a":"हाँ"}'.encode()


def test_the_router_lists_a_provider_without_a_price() -> None:
    entry = model_entry("m/x", Settings(listing="hf", price_in=0.1, price_out=0.4))
    assert entry["providers"][0]["pricing"] == {"input": 0.1, "output": 0.4}
    assert "pricing" not in entry["providers"][1]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"model": "m"}',
        b'{"model": "m", "messages": []}',
        b'{"model": "m", "messages": [{"role": "user"}]}',
        b'{"model": "m", "messages": [{"role": "user", "content": "x"}], "max_tokens": "9"}',
        b'{"model": "m", "messages": [{"role": "user", "content": "x"}], "top_k": 1}',
    ],
)
def test_what_no_endpoint_accepts_is_not_read(body: bytes) -> None:
    with pytest.raises(UnreadableError):
        read_ask("chat", body, Settings(refused_fields=("top_k",)))


def test_settings_survive_the_journey_as_json() -> None:
    settings = Settings(models=("a", "b"), rates={"server_error": 0.1}, rpm=9.5)
    assert Settings.from_json(settings.to_json()) == settings
    with pytest.raises(TypeError, match="speed"):
        Settings.from_json('{"speed": 9}')
