"""The mock transport: what tests and trials stand on."""

from __future__ import annotations

import json

import anyio

from hinglishbench.client.mock import MockTransport, chat_reply
from hinglishbench.client.normalise import Answer, normalise
from hinglishbench.client.providers import load_providers
from hinglishbench.client.transport import HttpReply, HttpRequest
from tests.ledger.rig import PROVIDER

ASK = HttpRequest("POST", "http://x/v1/chat/completions", {}, b"{}")


def test_it_answers_from_a_function_and_remembers_what_was_asked() -> None:
    """Plain and async functions alike."""

    async def later(request: HttpRequest) -> HttpReply:
        await anyio.lowlevel.checkpoint()
        return HttpReply(200, {}, request.body)

    async def both() -> None:
        for answer in (later, lambda r: HttpReply(200, {}, r.body)):
            mock = MockTransport(answer)
            assert (await mock.send(ASK, timeout_s=1)).body == b"{}"
            assert mock.asked == [ASK]
            await mock.aclose()
            assert mock.closed

    anyio.run(both)


def test_its_reply_reads_as_an_answer() -> None:
    """The shape of an OpenAI-compatible server, reasoning and odd fields by option."""
    reply = chat_reply(
        "42", prompt_tokens=7, completion_tokens=3, message={"reasoning": "hm"}, extra=1
    )
    assert json.loads(reply.body)["extra"] == 1
    answer = normalise(reply, PROVIDER, 0.0)
    assert isinstance(answer, Answer)
    assert (answer.text, answer.reasoning, answer.finish_reason) == ("42", "hm", "stop")
    assert (answer.usage.prompt_tokens, answer.usage.billable_output_tokens) == (7, 3)
    assert "openai-compatible" in load_providers(None)
