"""`hbench doctor`: one line a question with its remedy, an exit code, and a cassette without the key."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from hinglishbench.client.cassette import ReplayTransport
from hinglishbench.client.dialect import models_request
from hinglishbench.client.endpoint import Endpoint
from hinglishbench.client.providers import load_providers
from tests.conftest import Done, Hbench
from tests.fakeprovider import FakeProvider

Make = Callable[..., FakeProvider]
PRICE = '[[prices]]\nprovider = "openai-compatible"\nmodel = "fake/model"\ninput = 1\noutput = 2\n'


def look(hbench: Hbench, server: FakeProvider, *more: object, code: int | None = 0) -> Done:
    return hbench(
        "doctor", "openai-compatible", "--base-url", server.base_url, *more, "--json", code=code
    )


def verdicts(done: Done) -> dict[str, str]:
    return {check["name"]: check["verdict"] for check in done.json["checks"]}


def check(done: Done, name: str) -> dict[str, Any]:
    [found] = [one for one in done.json["checks"] if one["name"] == name]
    return dict(found)


def test_a_healthy_endpoint_passes_every_question(hbench: Hbench, provider: Make) -> None:
    """Two calls of one token with the fields of a run; nothing is written to a ledger."""
    server = provider(keep_requests=True)
    (hbench.folder / "prices.toml").write_text(PRICE)
    done = look(hbench, server)
    assert set(verdicts(done).values()) == {"ok"}
    assert done.json["model"] == "fake/model"  # the only one that is listed
    calls = [row["request"] for row in server.log()]
    assert [call["body"]["max_tokens"] for call in calls] == [1, 1]
    assert [call["body"].get("reasoning_effort") for call in calls] == [None, "none"]
    assert all("hinglishbench" in call["headers"]["user-agent"] for call in calls)
    tokens = server.bill()["complete"]
    usd = (tokens["prompt_tokens"] + 2 * tokens["completion_tokens"]) / 1e6
    assert done.json["cost_usd"] == pytest.approx(usd)
    assert not hbench.ledger.exists()


def test_a_person_sees_lines_and_remedies(hbench: Hbench, fp: FakeProvider) -> None:
    """A price that nobody states is a warning with the lines to paste; a run would work."""
    done = hbench("doctor", "openai-compatible", "--base-url", fp.base_url)
    assert "1-token call" in done.out
    assert 'model = "fake/model"' in done.err
    assert "these calls cost" not in done.err


def test_a_missing_key_is_the_first_question(hbench: Hbench) -> None:
    """Nothing else can be asked; the remedy names the variable."""
    done = hbench("doctor", "groq", "--json", code=1)
    assert check(done, "key")["verdict"] == "fail"
    assert "GROQ_API_KEY" in check(done, "key")["remedy"]
    assert {v for name, v in verdicts(done).items() if name != "key"} == {"skip"}


@pytest.mark.parametrize(
    ("settings", "name", "remedy"),
    [
        ({"api_key": "sk-right-0123456789"}, "call", "check the key"),
        ({"rates": {"no_credits_402": 1.0}}, "call", "add credits"),
        ({"rates": {"unsupported_model": 1.0}}, "call", "model's name"),
        ({"rates": {"server_error": 1.0}}, "call", "in a moment"),
        ({"rates": {"reset_after": 1.0}}, "call", "in a moment"),
        ({"refused_fields": ("max_tokens",)}, "call", "leave out options"),
        ({"refused_fields": ("reasoning_effort",)}, "effort", "hbench.toml"),
        ({"usage": "inconsistent"}, "cap", "reliable_cap = false"),
    ],
)  # fmt: skip
def test_what_would_stop_a_run_fails_with_its_remedy(
    hbench: Hbench, provider: Make, settings: dict[str, Any], name: str, remedy: str
) -> None:
    """Exit 1, and exactly the question that failed says so."""
    done = look(hbench, provider(**settings), code=1)
    assert [n for n, verdict in verdicts(done).items() if verdict == "fail"] == [name]
    assert remedy in check(done, name)["remedy"]


def test_an_address_where_nobody_answers_fails(hbench: Hbench) -> None:
    """Port 9 refuses; the questions after it are skipped."""
    done = hbench(
        "doctor", "openai-compatible", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--json", code=1
    )  # fmt: skip
    assert check(done, "reachable")["verdict"] == "fail"
    assert check(done, "call")["verdict"] == "skip"


@pytest.mark.parametrize(
    ("settings", "more", "name", "says"),
    [
        ({"usage": "none"}, (), "usage", "no token counts"),
        ({"models": ("fake/model", "fake/other")}, ("--model", "fake/modle"), "model", "not among the 2"),
        ({"reasoning_tokens": 5, "thinking_switch": "ignored"}, ("--effort", "none"), "effort", "all the same"),
        ({}, (), "price", "nobody states a price"),
    ],
)  # fmt: skip
def test_what_a_run_survives_is_a_warning(
    hbench: Hbench,
    provider: Make,
    settings: dict[str, Any],
    more: tuple[str, ...],
    name: str,
    says: str,
) -> None:
    """Exit 0, with what is lost."""
    done = look(hbench, provider(**settings), *more)
    found = check(done, name)
    assert found["verdict"] == "warn"
    assert says in found["says"]


def test_an_effort_that_is_not_known_is_refused_before_it_is_sent(
    hbench: Hbench, fp: FakeProvider
) -> None:
    """With the values that are known."""
    done = look(hbench, fp, "--effort", "heroic", code=1)
    assert "minimal" in check(done, "effort")["remedy"]
    assert fp.bill()["requests"] == 1


def test_a_cap_of_one_that_is_refused_is_widened(hbench: Hbench, provider: Make) -> None:
    """Some models cannot answer in one token; that is no reason to fail."""
    server = provider()
    server.script(["bad_request"])
    done = look(hbench, server)
    assert "a cap of 1 was refused, 16 was not" in check(done, "call")["says"]


def test_the_saved_exchange_replays_and_holds_no_key(
    hbench: Hbench, provider: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each exchange is found again by its request; headers of the request are not kept."""
    key = "sk-secret-0123456789abcdef"
    monkeypatch.setenv("MY_PROVIDER_KEY", key)
    server, path = provider(api_key=key), hbench.folder / "tape.jsonl"
    look(hbench, server, "--api-key-env", "MY_PROVIDER_KEY", "--save", path)
    text = path.read_text()
    assert key not in text
    first, *exchanges = map(json.loads, text.splitlines())
    assert (first["provider"], first["synthetic"]) == ("openai-compatible", False)
    assert len(exchanges) == 3  # the list, the call, the call with an effort
    endpoint = Endpoint(
        load_providers(None)["openai-compatible"], "direct", "http://127.0.0.1:1/v1"
    )
    replay = ReplayTransport(path)

    async def again() -> int:
        return (await replay.send(models_request(endpoint), timeout_s=1.0)).status

    assert anyio.run(again) == 200
    look(hbench, server, "--api-key-env", "MY_PROVIDER_KEY", "--save", path, code=3)


def test_the_router_is_looked_at_with_a_pinned_model(
    hbench: Hbench, provider: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bare model is asked for as a run would, and its price comes from the pulled list."""
    monkeypatch.setenv("HF_TOKEN", "hf_0123456789")
    server = provider(listing="hf", models=("a/b",), price_in=0.5, price_out=1.5)
    hbench("prices", "pull", "--base-url", server.base_url)
    done = hbench("doctor", "hf", "--model", "a/b", "--base-url", server.base_url, "--json")
    assert done.json["model"] == "a/b:fakeprovider"
    assert check(done, "price")["says"] == "$0.5 in, $1.5 out per million tokens (hf-router)"


def test_listing_that_works_is_no_proof_that_calling_does(
    hbench: Hbench, provider: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Case 63: GET /models is 200, POST on behalf of the organisation is 403; the same header is sent."""
    monkeypatch.setenv("HF_TOKEN", "hf_0123456789")
    server = provider(listing="hf", models=("a/b",), rates={"forbidden": 1.0}, keep_requests=True)
    done = hbench(
        "doctor", "hf", "--model", "a/b:fakeprovider", "--bill-to", "my-org", "--base-url", server.base_url,
        "--json", code=1,
    )  # fmt: skip
    assert check(done, "reachable")["verdict"] == check(done, "model")["verdict"] == "ok"
    assert "permissions" in check(done, "call")["says"]
    [asked] = [row["request"]["headers"] for row in server.log()]
    assert asked["x-hf-bill-to"] == "my-org"


@pytest.mark.parametrize("arguments", [["nobody"], ["hf", "--route", "tunnel"]])
def test_wrong_usage_exits_2(hbench: Hbench, arguments: list[str]) -> None:
    """A provider or route that does not exist."""
    hbench("doctor", *arguments, code=2)


@pytest.mark.embedded
def test_the_embedded_model_is_healthy_and_free(hbench: Hbench) -> None:
    """Without arguments, without a key and without a network."""
    done = hbench("doctor", "--json")
    assert done.json["healthy"]
    assert verdicts(done)["call"] == verdicts(done)["price"] == "ok"
    assert done.json["cost_usd"] == 0
