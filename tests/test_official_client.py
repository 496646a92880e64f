"""The official openai client as an oracle: our server speaks its protocol, and we read replies as it does."""

from __future__ import annotations

import json

import pytest
from openai import OpenAI

from hinglishbench.client.normalise import Answer, normalise
from hinglishbench.client.providers import load_providers
from hinglishbench.client.transport import HttpReply
from tests.fakeprovider import FakeProvider

QUESTION = "Ravi ke paas 12 aam the, 5 bech diye. Kitne bache?"


@pytest.mark.parametrize("usage", ["inside", "outside", "no_total"])
def test_reads_a_reply_as_the_official_client_does(usage: str) -> None:
    """Text, finish reason, counts and id are the same in both."""
    with FakeProvider(usage=usage, reasoning_tokens=7, final_answer="7") as server:
        client = OpenAI(base_url=server.base_url, api_key="no-key", max_retries=0)
        raw = client.chat.completions.with_raw_response.create(
            model="fake/model", messages=[{"role": "user", "content": QUESTION}]
        )
        theirs = raw.parse()
        client.close()
    provider = load_providers()["openai-compatible"]
    ours = normalise(
        HttpReply(raw.status_code, {"content-type": "application/json"}, raw.content), provider, 0.0
    )
    assert isinstance(ours, Answer)
    assert theirs.usage is not None
    assert ours.text == theirs.choices[0].message.content
    assert ours.finish_reason == theirs.choices[0].finish_reason
    assert ours.reply_id == theirs.id
    assert ours.usage.prompt_tokens == theirs.usage.prompt_tokens
    assert ours.usage.completion_tokens == theirs.usage.completion_tokens


def test_a_stream_adds_up_to_what_the_official_client_collects() -> None:
    """The deltas that the official client yields join to the text that we assemble."""
    with FakeProvider(final_answer="7", stream_chunks=5, answer_key="messages") as server:
        client = OpenAI(base_url=server.base_url, api_key="no-key", max_retries=0)
        body = {"model": "fake/model", "messages": [{"role": "user", "content": QUESTION}]}
        parts = client.chat.completions.create(**body, stream=True)  # type: ignore[call-overload]
        joined = "".join(part.choices[0].delta.content or "" for part in parts if part.choices)
        raw = client.chat.completions.with_raw_response.create(**body)  # type: ignore[call-overload]
        client.close()
    assert joined == json.loads(raw.content)["choices"][0]["message"]["content"]
