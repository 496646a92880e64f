"""`hbench providers`: what can be used now, and what is known of each endpoint."""

from __future__ import annotations

import pytest

from hinglishbench.client.providers import load_providers
from tests.conftest import Hbench

NAMES = list(load_providers())


def test_the_list_fits_80_columns_and_has_every_provider(
    hbench: Hbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One row a provider (effort values may need more lines), none cut and none folded."""
    monkeypatch.setenv("GROQ_API_KEY", "gsk_test")
    lines = hbench("providers").out.splitlines()
    assert max(map(len, lines)) <= 80
    rows = {line.split()[0]: line.split() for line in lines if line.strip()}
    assert set(NAMES) <= rows.keys()
    assert rows["groq"][1:3] == ["yes", "direct"]
    assert rows["together"][1:3] == ["no", "-"]
    assert rows["vllm"][1:3] == ["-", "direct"]
    assert rows["local"][-1] == "2026-11-29"
    assert "120/500k" in rows["baseten"]


def test_a_token_opens_the_route_through_the_router(
    hbench: Hbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With HF_TOKEN alone: hf for those that are on the router, nothing for the others."""
    monkeypatch.setenv("HF_TOKEN", "hf_test0secret")
    done = hbench("providers", "--json")
    routes = {view["name"]: view["route"] for view in done.json}
    assert (routes["baseten"], routes["groq"], routes["hf"]) == ("hf", "hf", "hf")
    assert (routes["sarvam"], routes["openai"]) == (None, None)
    assert "hf_test0secret" not in done.out


@pytest.mark.parametrize("name", NAMES)
def test_one_provider_is_shown_whole_with_its_sources(hbench: Hbench, name: str) -> None:
    """Every fact with link and date; only links may be longer than 80 columns."""
    provider, text = load_providers()[name], hbench("providers", name).out
    for key, fact in provider.facts.items():
        assert f"  {key}: read {fact.date}" in text
        assert fact.link in text
    assert all(len(line) <= 80 or line.strip().startswith("http") for line in text.splitlines())
    known = [k for k, fact in provider.facts.items() if fact.verified != "never"]
    assert f"({len(known)} of {len(provider.facts)} tried against the live service)" in text


def test_prices_and_effort_are_those_of_the_default_model(hbench: Hbench) -> None:
    """A known price names its source; an unknown one is null, not 0."""
    views = {view["name"]: view for view in hbench("providers", "--json").json}
    assert views["groq"]["price"]["input_usd_per_mtok"] > 0
    assert views["groq"]["price"]["source"] == "genai-prices"
    assert views["sarvam"]["price"] is None
    assert views["local"]["price"]["output_usd_per_mtok"] == 0
    assert views["groq"]["effort"] == ["low", "medium", "high"]
    assert views["local"]["effort"] == []


def test_a_users_file_adds_and_overrides(hbench: Hbench) -> None:
    """Said to be so; a fact of the built-in file does not vouch for the user's value."""
    (hbench.folder / "hbench.toml").write_text(
        '[providers.mine]\nbase_url = "http://127.0.0.1:1/v1"\n[providers.groq]\nbase_url = "https://x.test/v1"\n'
    )
    assert "mine" in {view["name"] for view in hbench("providers", "--json").json}
    text = hbench("providers", "groq").out
    assert "https://x.test/v1" in text
    assert "base_url: read 2026-11, never verified (replaced in hbench.toml)" in text
    assert "base_url: from hbench.toml" in hbench("providers", "mine").out


def test_an_unknown_provider_is_wrong_usage(hbench: Hbench) -> None:
    """With the names that there are; no ledger is made."""
    done = hbench("providers", "nobody", code=2)
    assert "no provider is called 'nobody'" in done.err
    assert "baseten" in done.err
    assert not hbench.ledger.exists()
