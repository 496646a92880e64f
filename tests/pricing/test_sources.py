"""Where prices come from: the user's file, the router's snapshots, genai-prices, and their order."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import anyio
import pytest
from genai_prices import Usage
from genai_prices.data import providers as library
from genai_prices.types import ModelInfo, TimeOfDateConstraint

from hinglishbench.client.mock import MockTransport
from hinglishbench.client.providers import load_providers
from hinglishbench.client.transport import HttpReply, HttpRequest, TransportError
from hinglishbench.errors import EndpointError, InputError, RefusedError
from hinglishbench.pricing.book import PriceBook, Tokens
from hinglishbench.pricing.library import library_prices
from hinglishbench.pricing.price import per_token
from hinglishbench.pricing.pull import pull
from hinglishbench.pricing.router import (
    read_listing,
    read_snapshots,
    router_prices,
    write_snapshot,
)
from hinglishbench.pricing.show import views
from hinglishbench.pricing.sources import Sources, lines_to_paste
from hinglishbench.pricing.user_file import read_prices
from hinglishbench.pricing.wanted import Wanted, wanted

PROVIDERS = load_providers(None)
DAY = datetime(2026, 11, 20)  # noqa: DTZ001  naive UTC, as the ledger


def mtok(usd: str) -> Decimal | None:
    return per_token(Decimal(usd))


def listing(**pricing: Any) -> bytes:
    offer = {"provider": "groq", "status": "live", "pricing": pricing}
    offers = [offer, {"provider": "novita", "status": "live"}]
    return json.dumps({"data": [{"id": "a/b", "providers": offers}]}).encode()


# --- the names under which a model is looked up ------------------------------------------------


@pytest.mark.parametrize(
    ("provider", "model", "route", "hub", "routed", "own"),
    [
        ("groq", "a/b", "direct", None, (), ("groq",)),
        ("groq", "a/b", "hf", "groq", ("huggingface_groq",), ("groq",)),
        ("hf", "a/b:groq", "hf", "groq", ("huggingface_groq",), ("groq",)),
        ("hf", "a/b:fireworks-ai", "hf", "fireworks-ai", ("huggingface_fireworks-ai",), ("fireworks",)),
        ("hf", "a/b:scaleway", "hf", "scaleway", ("huggingface_scaleway",), ()),
        ("hf", "a/b:cheapest", "hf", None, (), ()),
        ("hf", "a/b", "hf", None, (), ()),
        ("nobody", "a/b", "direct", None, (), ()),
    ],
)  # fmt: skip
def test_a_route_decides_the_names(
    provider: str, model: str, route: str, hub: str | None, routed: Any, own: Any
) -> None:
    """Routed calls have the router's names first; a floating provider has none."""
    one = wanted(provider, model, route, PROVIDERS)
    assert (one.hub_provider, one.routed_ids, one.own_ids) == (hub, routed, own)
    assert one.hub_model == ("a/b" if route == "hf" else None)


# --- genai-prices ------------------------------------------------------------------------------


def direct(provider_id: str, model: str) -> Wanted:
    return Wanted("p", model, "direct", own_ids=(provider_id,))


def model_of(provider_id: str, model: str) -> ModelInfo:
    [provider] = [p for p in library if p.id == provider_id]
    found = provider.find_model(model)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("provider_id", "model"),
    [
        ("baseten", "reflection/Beam-1.0"),  # a price that changed
        ("openai", "gpt-5.6-luna"),  # steps by prompt size, cache writes, a change
        ("deepseek", "deepseek-v4-flash"),  # two windows of the day and two changes
        ("perplexity", "sonar-deep-research"),  # reasoning priced apart
        ("groq", "openai/gpt-oss-120b"),
    ],
)
def test_rows_price_as_the_package_does(provider_id: str, model: str) -> None:
    """At every hour, around each change and step, for cached and reasoning tokens, exactly."""
    info = model_of(provider_id, model)
    book = PriceBook(library_prices(direct(provider_id, model), own=True).rows)
    assert book
    days = {start + timedelta(days=shift) for start in book.starts for shift in (-1, 0, 1)}
    hours = (0, 1, 2, 5, 7, 11, 23)
    for day in {d for d in days if d.year > 1970} | {DAY}:
        for at in (day.replace(hour=hour, minute=59) for hour in hours):
            for prompt, cached, output, thought in ((0, 0, 9, 3), (900, 800, 70, 30),
                                                    (272_000, 5, 1, 0), (272_001, 5, 1, 1)):  # fmt: skip
                usage = Usage(input_tokens=prompt, cache_read_tokens=cached, output_tokens=output,
                              output_reasoning_tokens=thought)  # fmt: skip
                theirs = info.get_prices(at.replace(tzinfo=UTC)).calc_price(usage)["total_price"]
                assert book.cost(at, Tokens(prompt, output, cached, thought)) == theirs


def test_the_package_still_has_prices_by_the_hour() -> None:
    """Otherwise the case above would hold nothing."""
    prices = model_of("deepseek", "deepseek-v4-flash").prices
    assert isinstance(prices, list)
    assert any(isinstance(part.constraint, TimeOfDateConstraint) for part in prices)


def test_a_model_without_token_prices_is_unknown_not_free() -> None:
    """An empty price object in the package is no price."""
    provider, info = next(
        (p, m) for p in library for m in p.models if p.id == "cerebras" and not str(m.prices)
    )
    found = library_prices(direct(provider.id, info.id), own=True)
    assert found.rows == []
    assert found.reason is not None
    assert "states no price" in found.reason


def test_a_model_that_is_not_listed_gives_its_reason() -> None:
    """The reason names the list that was searched."""
    found = library_prices(direct("baseten", "no/such"), own=True)
    assert (found.rows, found.reason) == ([], "genai-prices does not list no/such under baseten")


# --- the router's list -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pricing", [{}, {"input": 1}, {"input": "x", "output": 2}, {"input": -1, "output": 2},
                {"input": True, "output": 2}, {"input": float("inf"), "output": 2}],
)  # fmt: skip
def test_half_a_price_or_a_broken_one_is_none(pricing: dict[str, Any]) -> None:
    """What cannot be read as two amounts prices nothing."""
    assert read_listing(listing(**pricing))["a/b"]["groq"] == {"status": "live"}


def test_amounts_keep_their_digits() -> None:
    """JSON numbers are read as decimals, not as doubles."""
    body = listing(input=1, output=2).replace(b'"input": 1', b'"input": 0.1234567890123456789')
    assert read_listing(body)["a/b"]["groq"]["input"] == "0.1234567890123456789"


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{}", b'{"data": [{"id": "a"}]}', b"<html>", b'{"data": 1}']
)
def test_what_is_no_price_list_is_refused(body: bytes) -> None:
    """An OpenAI-style listing has no providers, so it has no prices."""
    with pytest.raises(RefusedError):
        read_listing(body)


def test_snapshots_price_from_their_day_until_the_next(tmp_path: Path) -> None:
    """A repeated price adds no row; a model that left the list keeps its last price."""
    one = wanted("hf", "a/b:groq", "hf", PROVIDERS)
    for day, body in ((1, listing(input=1, output=2)), (2, listing(input=1, output=2)),
                      (3, listing(input=3, output=2)), (4, listing())):  # fmt: skip
        write_snapshot(tmp_path, "u", DAY.replace(day=day, hour=15), read_listing(body))
    rows, reason = router_prices(one, read_snapshots(tmp_path))
    assert reason is None
    assert [(row.start_at, row.input_usd) for row in rows] == [
        (DAY.replace(day=1), mtok("1")), (DAY.replace(day=3), mtok("3"))]  # fmt: skip


def test_the_same_day_is_replaced(tmp_path: Path) -> None:
    """Two pulls on one day leave one file, the later."""
    for amount in (1, 2):
        path = write_snapshot(tmp_path, "u", DAY, read_listing(listing(input=amount, output=2)))
    assert list(tmp_path.iterdir()) == [path]
    assert read_snapshots(tmp_path)[0].listing["a/b"]["groq"]["input"] == "2"


@pytest.mark.parametrize(
    "text", ["", "{}", '{"format": "x"}', '{"format": "hinglishbench-router-prices/1"}']
)
def test_a_damaged_snapshot_is_named(tmp_path: Path, text: str) -> None:
    """It is not skipped silently: prices would change behind the user's back."""
    path = tmp_path / "prices-hf-2026-11-20.json"
    path.write_text(text)
    with pytest.raises(InputError, match="prices-hf-2026-11-20"):
        read_snapshots(tmp_path)


def test_pulling_asks_for_the_models_and_sends_no_key() -> None:
    """One GET; the transport is closed."""
    transport = MockTransport(lambda _: HttpReply(200, {}, listing(input=1, output=2)))
    found = anyio.run(pull, transport, "https://router.test/v1")
    assert found["a/b"]["groq"]["output"] == "2"
    [asked] = transport.asked
    assert (asked.method, asked.url) == ("GET", "https://router.test/v1/models")
    assert "authorization" not in asked.headers
    assert transport.closed


def _unreachable(_: HttpRequest) -> HttpReply:
    raise TransportError("connect", "no route", sent=False)


@pytest.mark.parametrize("answer", [_unreachable, lambda _: HttpReply(503, {}, b"")])
def test_a_pull_that_fails_says_so(answer: Any) -> None:
    """Nothing is written, and what was pulled before stays in use."""
    with pytest.raises(EndpointError, match="price list"):
        anyio.run(pull, MockTransport(answer), "https://router.test/v1")


# --- the user's file ---------------------------------------------------------------------------

ENTRY = '[[prices]]\nprovider = "p"\nmodel = "m"\ninput = {}\noutput = 2\n'


def write(folder: Path, text: str) -> Path:
    path = folder / "prices.toml"
    path.write_text(text, "utf-8")
    return path


def test_steps_and_hours_of_the_file_divide_the_day(tmp_path: Path) -> None:
    """The entry without hours has the rest of the day; each part has its steps."""
    text = (
        ENTRY.format(1) + ENTRY.format(3) + "above = 100\n"
        + ENTRY.format("0.5") + 'hours = "23:00-01:30"\n'
    )  # fmt: skip
    rows = read_prices(write(tmp_path, text))
    assert sorted((r.day_from_s, r.day_to_s, r.above_tokens, r.input_usd) for r in rows) == [
        (0, 5400, 0, mtok("0.5")),
        (5400, 82_800, 0, mtok("1")), (5400, 82_800, 100, mtok("3")),
        (82_800, 86_400, 0, mtok("0.5")),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (ENTRY.format(1), "a second price"),
        (ENTRY.format(1) + 'hours = "01:00-03:00"\n' + ENTRY.format(1) + 'hours = "02:00-04:00"\n', "overlap"),
        (ENTRY.format(1) + "above = -1\n", "above must be"),
        (ENTRY.format(1) + 'above = "1"\n', "above must be"),
        (ENTRY.format(1) + 'hours = "25:00-26:00"\n', "hours must be"),
        (ENTRY.format(1) + 'hours = "00:00-24:00"\n', "whole day"),
        (ENTRY.format(1) + 'route = "train"\n', "route must be"),
        (ENTRY.format(1) + "note = 3\n", "note must be"),
        (ENTRY.format('"1"'), "input must be a number"),
        (ENTRY.format("nan"), "0 or more"),
        (ENTRY.format(200_000), "cannot be"),
        ('[[prices]]\nprovider = "p"\nmodel = "m"\ninput = 1\n', "needs input and output"),
        ("[[prices]]\ncolour = 1\n", "unknown key colour"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_is_named(tmp_path: Path, more: str, message: str) -> None:
    """With the file and the line, before any call."""
    with pytest.raises(InputError, match=message) as caught:
        read_prices(write(tmp_path, ENTRY.format(1) + more))
    assert caught.value.line is not None


def test_only_hours_leave_a_gap(tmp_path: Path) -> None:
    """A part of the day without a price would price some calls at nothing known."""
    with pytest.raises(InputError, match="a part of the day has no price"):
        read_prices(write(tmp_path, ENTRY.format(1) + 'hours = "01:00-03:00"\n'))


# --- the order ---------------------------------------------------------------------------------


def test_the_order_of_the_sources_and_their_disagreement(tmp_path: Path) -> None:
    """The user's file, the snapshot, the package routed and the package's own list, each labelled."""
    one = wanted("hf", "openai/gpt-oss-120b:groq", "hf", PROVIDERS)
    offer = {"provider": "groq", "status": "live", "pricing": {"input": 0.15, "output": 0.6}}
    body = json.dumps({"data": [{"id": "openai/gpt-oss-120b", "providers": [offer]}]}).encode()
    write_snapshot(tmp_path, "u", DAY, read_listing(body))
    seen = views(Sources(tmp_path), one, DAY)
    assert [(v.source, v.used, v.differs) for v in seen] == [
        ("user", False, False), ("hf-router", True, False), ("genai-prices", False, True),
        ("genai-prices, provider's own list", False, False),
    ]  # fmt: skip
    earlier = views(Sources(tmp_path), one, DAY - timedelta(days=1))
    assert [v.source for v in earlier if v.used] == ["genai-prices"]
    assert earlier[1].reason == "its first price is of 2026-11-20"
    write(
        tmp_path,
        '[[prices]]\nprovider = "hf"\nmodel = "openai/gpt-oss-120b:groq"\ninput = 1\noutput = 2\n',
    )
    assert [v.source for v in views(Sources(tmp_path), one, DAY) if v.used] == ["user"]


def test_the_embedded_model_is_free_and_a_server_of_ones_own_is_unknown(tmp_path: Path) -> None:
    """A price of 0 is stated, never assumed."""
    sources = Sources(tmp_path)
    assert sources.book(Wanted("local", "m", "local")).cost(DAY, Tokens(5, 5)) == 0
    assert not sources.book(wanted("vllm", "m", "direct", PROVIDERS))


def test_the_lines_to_paste_become_a_price_when_filled_in(tmp_path: Path) -> None:
    """They name the provider and the model exactly as the run does."""
    one = wanted("vllm", "org/name", "direct", PROVIDERS)
    write(tmp_path, lines_to_paste([one]).replace("?", "1.5"))
    assert Sources(tmp_path).book(one).cost(DAY, Tokens(10, 2)) == Decimal("0.000018")
