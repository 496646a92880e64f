"""Event streams put together: the same answer as in one piece, or a cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hinglishbench.client.normalise import Answer, Failure, normalise
from hinglishbench.client.providers import load_providers
from hinglishbench.client.transport import HttpReply

PROVIDERS = load_providers()
USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    return {
        "id": "c1",
        "model": "m",
        "choices": [{"index": 0, "delta": fields, "finish_reason": finish}],
    }


def sse(*chunks: Any, end: str = "data: [DONE]\n\n", newline: str = "\n") -> bytes:
    text = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + end
    return text.replace("\n", newline).encode()


def read(raw: bytes, provider: str = "vllm") -> Answer | Failure:
    return normalise(
        HttpReply(200, {"content-type": "text/event-stream; charset=utf-8"}, raw),
        PROVIDERS[provider],
        0.0,
    )


WHOLE = [
    delta(role="assistant", content=""),
    delta(reasoning="Hm"),
    delta(reasoning="."),
    delta(content="4"),
    delta(content="२"),
    delta("stop"),
    {"id": "c1", "model": "m", "choices": [], "usage": USAGE},
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_a_whole_stream_gives_the_same_answer(newline: str) -> None:
    """Text, reasoning, finish reason and usage, whatever ends the lines."""
    answer = read(sse(*WHOLE, newline=newline))
    assert isinstance(answer, Answer)
    assert (answer.text, answer.reasoning, answer.finish_reason) == ("4२", "Hm.", "stop")
    assert (answer.usage.billable_output_tokens, answer.model, answer.reply_id) == (5, "m", "c1")
    whole = {
        "id": "c1",
        "model": "m",
        "usage": USAGE,
        "choices": [{"message": {"content": "4२", "reasoning": "Hm."}, "finish_reason": "stop"}],
    }
    reply = HttpReply(200, {}, json.dumps(whole).encode())
    assert normalise(reply, PROVIDERS["vllm"], 0.0) == answer


def test_comments_and_other_fields_are_skipped() -> None:
    """Keep-alive comments, event names and ids are no data."""
    raw = b": OPENROUTER PROCESSING\n\nevent: message\nid: 7\nretry: 100\n" + sse(*WHOLE)
    assert isinstance(read(raw, "openrouter"), Answer)


def test_data_over_several_lines_is_one_event() -> None:
    """Lines of one event are joined by line feeds, as the standard says."""
    raw = b'data: {"choices":[{"delta":\ndata: {"content":"42"},"finish_reason":"stop"}]}\n\n'
    answer = read(raw)
    assert isinstance(answer, Answer)
    assert answer.text == "42"


def test_groq_keeps_usage_in_a_field_of_its_own() -> None:
    """`x_groq.usage` of the last chunk."""
    answer = read(sse(delta(content="42"), {**delta("stop"), "x_groq": {"usage": USAGE}}), "groq")
    assert isinstance(answer, Answer)
    assert answer.usage.completion_tokens == 5


def test_usage_repeated_in_each_chunk_counts_once() -> None:
    """Running counts: the last one holds."""
    first = {**delta(content="4"), "usage": {**USAGE, "completion_tokens": 1, "total_tokens": 11}}
    answer = read(sse(first, {**delta("stop", content="2"), "usage": USAGE}))
    assert isinstance(answer, Answer)
    assert answer.usage.completion_tokens == 5


def test_a_second_choice_is_left_alone() -> None:
    """Only the first choice is read."""
    other = {"choices": [{"index": 1, "delta": {"content": "no"}}]}
    answer = read(sse(delta(content="42"), other, delta("stop")))
    assert isinstance(answer, Answer)
    assert answer.text == "42"


ENDINGS: dict[str, tuple[bytes, str | None, str]] = {
    # raw -> text of the answer, or None and the failure's code
    "done without a finish reason": (sse(delta(content="42")), "42", ""),
    "finish reason without done": (sse(delta(content="42"), delta("stop"), end=""), "42", ""),
    "cut in the middle": (sse(delta(content="4"), end=""), None, "cut"),
    "cut inside a chunk": (sse(delta(content="4"), end='data: {"choi'), None, "cut"),
    "cut inside a chunk after the finish reason": (
        sse(delta(content="4"), delta("stop"), end='data: {"choi'),
        "4",
        "",
    ),
    "damage in the middle": (
        sse(delta(content="4"), end="data: {\n\n") + sse(delta("stop", content="2")),
        None,
        "cut",
    ),
    "cut before any text": (sse({"id": "c1", "choices": []}, end=""), None, "cut"),
    "nothing": (b"", None, "empty_reply"),
    "comments only": (b": hello\n\n", None, "cut"),
    "done only": (b"data: [DONE]\n\n", None, "cut"),
    "an error in mid-stream": (
        sse(delta(content="4"), {"error": {"code": 502, "message": "gone"}}, end=""),
        None,
        "error_in_200",
    ),
    "an error first": (
        sse({"error": {"message": "Rate limit", "code": 429}}, end=""),
        None,
        "rate_limited",
    ),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_endings(name: str) -> None:
    """Without `[DONE]` and without a finish reason the stream was cut, never an answer."""
    raw, text, code = ENDINGS[name]
    outcome = read(raw)
    if text is None:
        assert isinstance(outcome, Failure)
        assert outcome.code == code
        assert outcome.billed == "maybe"
    else:
        assert isinstance(outcome, Answer)
        assert outcome.text == text


def test_every_cut_of_a_stream_is_an_answer_whole_or_a_failure() -> None:
    """Cut at any byte: never a shortened text that passes for an answer."""
    raw = sse(*WHOLE)
    for length in range(len(raw)):
        outcome = read(raw[:length])
        if isinstance(outcome, Answer):
            assert outcome.text == "4२"
