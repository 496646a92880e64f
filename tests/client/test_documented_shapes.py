"""Every provider's documented shapes, from hand-written cassettes, through dialect, replay and normaliser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest

from hinglishbench.client.cassette import ReplayTransport, request_digest
from hinglishbench.client.dialect import Sampling, body_params, chat_request
from hinglishbench.client.failures import Failure
from hinglishbench.client.normalise import Answer, limits_seen, normalise
from hinglishbench.client.providers import Endpoint, load_providers
from hinglishbench.client.transport import HttpReply, HttpRequest

FOLDER = Path(__file__).resolve().parents[1] / "cassettes"
PROVIDERS = load_providers()
FILES = sorted(path for path in FOLDER.glob("*.jsonl") if path.stem in PROVIDERS)
NOW = 1_764_374_400.0  # the moment at which the replies were "sent"


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


SHAPES = [(path.stem, line) for path in FILES for line in lines(path)[1:]]
IDS = [f"{name}: {line['shape']}" for name, line in SHAPES]


def request_of(name: str, line: dict[str, Any]) -> HttpRequest:
    """The request as the program builds it for this provider, model and effort."""
    provider = PROVIDERS[name]
    params = body_params(provider, line["model"], Sampling(max_tokens=4096, effort=line["effort"]))
    endpoint = Endpoint(provider, "direct", provider.base_url or "http://localhost/v1")
    return chat_request(endpoint, params, [{"role": "user", "content": "What is 6 times 7?"}])


def test_every_provider_has_a_cassette_that_says_it_is_synthetic() -> None:
    """But the embedded model, whose cassette is a recording."""
    assert {path.stem for path in FILES} == PROVIDERS.keys() - {"local"}
    for path in FILES:
        head = lines(path)[0]
        assert (head["synthetic"], head["provider"]) == (True, path.stem)
        assert len(lines(path)) >= 3


@pytest.mark.parametrize(("name", "line"), SHAPES, ids=IDS)
def test_the_request_is_the_one_that_is_answered(name: str, line: dict[str, Any]) -> None:
    """What the dialect sends is what the cassette was written for, to the byte."""
    request = request_of(name, line)
    assert json.loads(request.body) == line["sent"]
    assert request_digest(request) == line["request"]
    assert line["source"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_documented_shapes_are_read_as_documented(path: Path) -> None:
    """Replayed in order; answers, counts, errors, waits and billing as the cassette expects."""
    cassette = ReplayTransport(path)

    async def play() -> list[HttpReply]:
        return [
            await cassette.send(request_of(path.stem, line), timeout_s=1)
            for line in lines(path)[1:]
        ]

    for line, reply in zip(lines(path)[1:], anyio.run(play), strict=True):
        found = normalise(reply, PROVIDERS[path.stem], NOW)
        assert seen(found, reply, path.stem, line["expect"]) == line["expect"], line["shape"]


def seen(
    found: Answer | Failure, reply: HttpReply, name: str, expect: dict[str, Any]
) -> dict[str, Any]:
    """What was read, in the words of `expect`."""
    if isinstance(found, Failure):
        says = expect.get("says")
        return {
            "code": found.code, "scope": found.scope, "permanent": found.permanent,
            "billed": found.billed, "wait_s": found.wait_s,
            "says": says if says is None or says in found.message else found.message,
        }  # fmt: skip
    usage = found.usage
    read = {
        "text": found.text, "reasoning": found.reasoning, "finish_reason": found.finish_reason,
        "tokens": [usage.prompt_tokens, usage.billable_output_tokens, usage.reasoning_tokens],
        "rule": usage.output_rule, "upper": usage.upper_output_tokens,
        "observed": found.reasoning_observed,
    }  # fmt: skip
    limits = limits_seen(reply.headers, PROVIDERS[name], NOW)
    cost = usage.reported_cost_usd
    more = {
        "limits": [limits.rpm, limits.tpm], "cached": usage.cached_tokens,
        "cost": None if cost is None else str(cost), "refusal": found.refusal,
    }  # fmt: skip
    return read | {key: value for key, value in more.items() if key in expect}
