"""A bare model on the Hugging Face router becomes one provider's, once, and stays so."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from hinglishbench.client.dialect import pin_model
from hinglishbench.errors import RefusedError
from tests.conftest import Hbench
from tests.fakeprovider import FakeProvider

Make = Callable[..., FakeProvider]
PINNED = "fake/model:fakeprovider"


@pytest.fixture
def router(provider: Make, monkeypatch: pytest.MonkeyPatch) -> FakeProvider:
    """A server that lists models as the router does."""
    monkeypatch.setenv("HF_TOKEN", "hf_test0token")
    return provider(listing="hf", keep_requests=True)


def through(router: FakeProvider, *more: object) -> tuple[object, ...]:
    return (
        "run",
        "--provider",
        "hf",
        "--base-url",
        router.base_url,
        "--model",
        "fake/model",
        *more,
    )


def test_a_bare_model_is_asked_for_once_and_pinned(hbench: Hbench, router: FakeProvider) -> None:
    """One GET, then every request names the provider; the ledger and the summary have it too."""
    done = hbench(*through(router, "--suite", hbench.pairs(3), "--json"))
    assert router.bill()["other_requests"] == 1
    assert router.bill()["by_model"] == {PINNED: 6}
    assert done.json["arms"][0]["model"] == PINNED
    assert f"fake/model is pinned to {PINNED}" in done.err
    assert hbench.one("select distinct model from arms") == PINNED
    again = hbench(*through(router, "--suite", hbench.pairs(3), "--json")).json
    assert (again["asked"], again["reused"]) == (0, 6)


def test_a_named_provider_is_not_asked_about(hbench: Hbench, router: FakeProvider) -> None:
    """`model:provider` needs no look-up."""
    hbench("run", "--provider", "hf", "--base-url", router.base_url, "--model", "fake/model:groq",
           "--suite", hbench.pairs(1))  # fmt: skip
    assert router.bill()["other_requests"] == 0
    assert router.bill()["by_model"] == {"fake/model:groq": 2}


def test_a_dry_run_asks_nobody(hbench: Hbench, router: FakeProvider) -> None:
    """It says that the provider is not known yet."""
    done = hbench(*through(router, "--suite", hbench.pairs(1), "--dry-run"))
    assert "will be pinned to one provider" in done.err
    assert router.bill()["other_requests"] == router.bill()["requests"] == 0


def test_a_replay_takes_the_recorded_provider(
    hbench: Hbench, router: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cassette's first line names it; nobody is asked and no token is needed."""
    suite, tape = hbench.pairs(2), hbench.folder / "tape.jsonl"
    hbench(*through(router, "--suite", suite, "--record", tape))
    asked = router.bill()["requests"], router.bill()["other_requests"]
    assert "hf_test0token" not in tape.read_text()
    monkeypatch.delenv("HF_TOKEN")
    done = hbench("run", "--provider", "hf", "--model", "fake/model", "--suite", suite,
                  "--replay", tape, "--json").json  # fmt: skip
    assert (done["answered"], done["errors"], done["arms"][0]["model"]) == (4, 0, PINNED)
    assert asked == (router.bill()["requests"], router.bill()["other_requests"])


def test_a_router_that_does_not_know_the_model_is_said_before_any_call(
    hbench: Hbench, router: FakeProvider
) -> None:
    """Exit 3, with what to do; no ledger is made."""
    done = hbench("run", "--provider", "hf", "--base-url", router.base_url, "--model", "no/such",
                  code=3)  # fmt: skip
    assert "the router does not say who serves no/such: HTTP 404" in done.err
    assert "--model no/such:PROVIDER" in done.err
    assert not hbench.ledger.exists()


def test_a_router_that_cannot_be_reached_is_said(
    hbench: Hbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 3 as well: nothing was begun."""
    monkeypatch.setenv("HF_TOKEN", "hf_test0token")
    done = hbench("run", "--provider", "hf", "--base-url", "http://127.0.0.1:9/v1", "--model", "a/b",
                  code=3)  # fmt: skip
    assert "the router could not be asked who serves a/b" in done.err


def test_bill_to_goes_with_every_call(hbench: Hbench, router: FakeProvider) -> None:
    """The header of the organisation, on the paid calls."""
    hbench(*through(router, "--suite", hbench.pairs(2), "--bill-to", "acme"))
    rows = router.log()
    assert len(rows) == 4
    assert {row["request"]["headers"].get("x-hf-bill-to") for row in rows} == {"acme"}


def test_an_org_that_may_not_be_billed_costs_one_call(hbench: Hbench, router: FakeProvider) -> None:
    """Case 63: listing works, calling for the org does not: the first call goes alone and says so."""
    router.rates({"forbidden": 1.0})
    done = hbench(
        *through(router, "--suite", hbench.pairs(20), "--bill-to", "acme", "--json"), code=5
    )
    assert router.bill()["other_requests"] == 1  # the listing answered
    assert router.bill()["requests"] == 1
    assert "sufficient permissions" in done.json["stopped"]["hf"]
    assert "check its rights" in done.err
    assert done.json["left"] == 40


def test_billing_somebody_else_needs_the_router(hbench: Hbench, fp: FakeProvider) -> None:
    """A direct endpoint knows no such header."""
    done = hbench("run", "--provider", "openai-compatible", "--base-url", fp.base_url, "--model", "m",
                  "--bill-to", "acme", "--suite", hbench.pairs(1), code=3)  # fmt: skip
    assert "nobody else can be billed" in done.err


def listing(*offers: dict[str, Any]) -> bytes:
    return json.dumps({"data": {"id": "x/y", "providers": list(offers)}}).encode()


SLOW = {"provider": "slow", "status": "live", "throughput": 20.5, "pricing": {"output": 0.2}}
FAST = {"provider": "fast", "status": "live", "throughput": 900, "pricing": {"output": 3}}
DEAD = {"provider": "dead", "status": "error", "throughput": 9999, "pricing": {"output": 0.01}}
MUTE = {"provider": "mute", "status": "live"}


@pytest.mark.parametrize(
    ("choice", "chosen"), [(None, "mute"), ("fastest", "fast"), ("cheapest", "slow")]
)
def test_the_routers_own_choices_are_made_once(choice: str | None, chosen: str) -> None:
    """Of live providers: the first, the highest throughput, the lowest stated price of output."""
    assert pin_model("x/y", listing(DEAD, MUTE, SLOW, FAST), choice) == f"x/y:{chosen}"


def test_a_choice_that_only_the_router_can_make_is_refused() -> None:
    """`:preferred` follows the account's settings; `:cheapest` needs a stated price."""
    with pytest.raises(RefusedError, match="account's settings"):
        pin_model("x/y", listing(FAST), "preferred")
    with pytest.raises(RefusedError, match="says what cheapest needs"):
        pin_model("x/y", listing(MUTE), "cheapest")
