"""`hbench prices`: show, pull and apply, as a person runs them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.conftest import Hbench, asking
from tests.fakeprovider import FakeProvider

MODEL = "openai/gpt-oss-120b"


def test_show_names_the_price_that_counts_and_who_disagrees(hbench: Hbench) -> None:
    """Routed by the router, the package has one price under its name and another under Groq's."""
    rows = hbench(
        "prices", "show", MODEL, "--provider", "groq", "--route", "hf", "--json", "--on", "2026-11-20"
    ).json  # fmt: skip
    assert [row["source"] for row in rows if row["used"]] == ["genai-prices"]
    assert [row["source"] for row in rows if row["differs"]] == [
        "genai-prices, provider's own list"
    ]
    assert [row["reason"] is None for row in rows] == [False, False, True, True]


def test_show_prints_amounts_per_million(hbench: Hbench) -> None:
    """As price pages have them; a step by prompt size is a line of its own."""
    out = hbench("prices", "show", "gpt-5.6-luna", "--provider", "openai", "--on", "2026-11-20").out
    assert "$0.2" in out
    assert "used" in out
    assert "272,000" in out.replace("\n", "")


def test_an_unknown_price_exits_3_with_the_lines_to_paste(hbench: Hbench) -> None:
    """They name provider and model."""
    done = hbench("prices", "show", "no/such", "--provider", "baseten", code=3)
    assert '[[prices]]\nprovider = "baseten"\nmodel = "no/such"\n' in done.err


@pytest.mark.parametrize("arguments", [["--provider", "nobody"], ["--on", "yesterday"]])
def test_wrong_usage_exits_2(hbench: Hbench, arguments: list[str]) -> None:
    """A provider or a day that does not exist."""
    hbench("prices", "show", MODEL, *arguments, code=2)


def test_a_pulled_list_is_used_offline(
    hbench: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """The price counts from today on, and an offer without a price stays without."""
    server = provider(listing="hf", models=("a/b",), price_in=0.25, price_out=1.5)
    done = hbench("prices", "pull", "--base-url", server.base_url)
    assert "1 models, 3 offers, 1 of them with a price" in done.err
    [path] = hbench.folder.glob("prices-hf-*.json")
    assert json.loads(path.read_text())["source"].endswith("/v1/models")
    shown = hbench("prices", "show", "a/b:fakeprovider", "--provider", "hf", "--json").json
    [used] = [row for row in shown if row["used"]]
    assert used["source"] == "hf-router"
    assert used["prices"][0]["input_usd_per_mtok"] == 0.25
    assert server.bill()["requests"] == 0
    hbench("prices", "show", "a/b:unpriced", "--provider", "hf", code=3)


def test_a_list_without_prices_is_refused(hbench: Hbench, fp: FakeProvider) -> None:
    """An OpenAI-compatible server that is not the router; no file is made."""
    hbench("prices", "pull", "--base-url", fp.base_url, code=3)
    assert not list(hbench.folder.iterdir())


def test_an_unreachable_router_exits_5(hbench: Hbench) -> None:
    """Port 9 refuses."""
    hbench("prices", "pull", "--base-url", "http://127.0.0.1:9/v1", code=5)


def test_apply_prices_the_past(hbench: Hbench, fp: FakeProvider) -> None:
    """A run without a price is unpriced; the price written afterwards counts for it."""
    hbench(*asking(fp, "--suite", hbench.pairs(2)))
    [before] = hbench("cost", "--json").json
    assert (before["cost_usd"], before["unpriced_attempts"]) == (None, 4)
    (hbench.folder / "prices.toml").write_text(
        '[[prices]]\nprovider = "openai-compatible"\nmodel = "fake/model"\ninput = 1\noutput = 1\n'
    )
    assert "1 prices are new" in hbench("prices", "apply").err
    [after] = hbench("cost", "--json").json
    tokens = after["prompt_tokens"] + after["completion_tokens"]
    assert round(after["cost_usd"] * 1_000_000) == tokens
    assert after["unpriced_attempts"] == 0
    assert "0 prices are new" in hbench("prices", "apply").err


def test_apply_without_a_ledger_exits_3(hbench: Hbench) -> None:
    """And makes no file."""
    hbench("prices", "apply", code=3)
    assert not list(hbench.folder.iterdir())
