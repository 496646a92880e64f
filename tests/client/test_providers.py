"""Providers as data: built-in facts, a user's file over them, and the schema that guards both."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from hinglishbench.client.provider import first_match
from hinglishbench.client.providers import Provider, load_providers
from hinglishbench.errors import InputError

PROVIDERS = load_providers()
BUILT_IN = [
    "hf",
    "baseten",
    "together",
    "groq",
    "fireworks",
    "cerebras",
    "sambanova",
    "novita",
    "openrouter",
    "sarvam",
    "openai",
    "vllm",
    "sglang",
    "llamacpp",
    "ollama",
    "lmstudio",
    "local",
    "openai-compatible",
]
# what names a provider or points at a variable is no statement that could be wrong elsewhere
NO_FACT_NEEDED = {"name", "title", "key_env", "key_required", "candidates", "facts", "stream_above",
                  "overridden"}  # fmt: skip


def user_file(folder: Path, text: str) -> Path:
    path = folder / "hbench.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_endpoint_that_is_promised_is_built_in() -> None:
    """In the order in which they are listed."""
    assert list(PROVIDERS) == BUILT_IN


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_statement_has_link_date_and_verification(name: str) -> None:
    """Whatever differs from the defaults says where it was read, and no fact is about nothing."""
    provider = PROVIDERS[name]
    default = Provider(name=name, title=name)
    stated = {
        field.name
        for field in fields(Provider)
        if field.name not in NO_FACT_NEEDED
        and getattr(provider, field.name) != getattr(default, field.name)
    }
    if name == "hf":
        stated -= {"unsupported"}  # taken from the pinned providers
    missing = stated - provider.facts.keys()
    # a key may be stated and equal to the default: a fact then says that it was looked up
    assert not missing, f"no fact for {missing}"
    for about, fact in provider.facts.items():
        assert about in {field.name for field in fields(Provider)}
        assert fact.link.startswith("https://")
        assert fact.date.startswith("2026-1")
        assert fact.verified == "never" or fact.verified.startswith("20")


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_effort_fragment_is_json_and_the_last_pattern_catches_all(name: str) -> None:
    """No model falls through the table, and every fragment can be sent."""
    provider = PROVIDERS[name]
    assert list(provider.effort)[-1] == "*"
    for values in provider.effort.values():
        for fragment in values.values():
            json.dumps(fragment)
            assert fragment


def test_hosted_providers_need_a_key_and_servers_do_not() -> None:
    """A key variable for each, required only where there is a bill."""
    optional = {"vllm", "sglang", "llamacpp", "ollama", "lmstudio", "local", "openai-compatible"}
    for name, provider in PROVIDERS.items():
        assert provider.key_required == (name not in optional)
        assert provider.key_env or name == "local"


def test_the_first_pattern_that_fits_decides() -> None:
    """fnmatch, case ignored, in the order of the file."""
    table = {"*gpt-oss-*": 1, "openai/*": 2, "*": 3}
    assert first_match(table, "OpenAI/GPT-OSS-120B", 0) == 1
    assert first_match(table, "openai/o3", 0) == 2
    assert first_match(table, "x", 0) == 3
    assert first_match({}, "x", 0) == 0


def test_rule_7_by_status() -> None:
    """A 4xx is not billed, a 5xx as documented, a broken 200 maybe."""
    novita, groq = PROVIDERS["novita"], PROVIDERS["groq"]
    assert [groq.billed(status) for status in (200, 308, 404, 429, 499, 500, 503)] == [
        "maybe", "no", "no", "no", "maybe", "maybe", "maybe"]  # fmt: skip
    assert [novita.billed(status) for status in (429, 499, 500, 502, 503, 504)] == [
        "no", "yes", "no", "maybe", "no", "no"]  # fmt: skip


def test_a_users_file_overrides_and_adds(tmp_path: Path) -> None:
    """A key replaces, a table is merged with the user's patterns first, the rest stays."""
    path = user_file(
        tmp_path,
        """
        [providers.groq]
        default_model = "mine"
        limits = { rpm = 30 }
        cap_field = { "old-*" = "max_tokens" }
        [providers.groq.effort."*gpt-oss-*"]
        low = { reasoning_effort = "minimal" }
        [providers.home]
        base_url = "http://10.0.0.7:8000/v1"
        like = "vllm"
        unsupported = ["seed"]
        """,
    )
    providers = load_providers(path)
    groq, home = providers["groq"], providers["home"]
    assert groq.default_model == "mine"
    assert groq.limits.rpm == 30
    assert groq.base_url == PROVIDERS["groq"].base_url
    assert groq.cap_field_for("old-1") == "max_tokens"
    assert groq.cap_field_for("new") == "max_completion_tokens"
    assert groq.effort_values("openai/gpt-oss-120b") == ("low",)
    assert groq.effort_values("qwen/qwen3-32b") == PROVIDERS["groq"].effort_values("qwen/qwen3-32b")
    assert set(groq.overridden) == {"default_model", "limits", "cap_field", "effort"}
    assert home.effort == PROVIDERS["vllm"].effort
    assert home.key_env == ()
    assert not home.key_required
    assert home.refuses("any", "seed")
    assert not PROVIDERS["baseten"].overridden


def test_a_new_provider_without_like_is_openai_compatible(tmp_path: Path) -> None:
    """The plain dialect is the fallback."""
    path = user_file(tmp_path, '[providers.mine]\nbase_url = "https://x.example/v1"\n')
    assert load_providers(path)["mine"].effort == PROVIDERS["openai-compatible"].effort


def test_a_missing_file_changes_nothing(tmp_path: Path) -> None:
    """No hbench.toml, or an empty one: built-ins."""
    assert load_providers(tmp_path / "none.toml") == PROVIDERS
    assert load_providers(user_file(tmp_path, "# nothing yet\n")) == PROVIDERS


BAD = {
    "unknown key": ('[providers.groq]\nbase_ulr = "x"', "unknown key 'base_ulr' in [providers.groq]"),
    "wrong kind": ("[providers.groq]\nkey_required = 1", "key_required in [providers.groq] must be true or"),
    "not a string": ("[providers.groq]\nbase_url = 7", "base_url in [providers.groq] must be a string"),
    "wrong word": ('[providers.groq]\nbilled_5xx = "perhaps"', "must be one of 'yes', 'no', 'maybe'"),
    "wrong unit": ('[providers.groq]\nheader_units = { requests = "week" }', "must be one of 'second'"),
    "no count": ("[providers.groq]\nlimits = { rpm = 0 }", "a whole number of at least 1"),
    "unknown limit": ("[providers.groq]\nlimits = { rps = 1 }", "rpm, tpm, concurrency (not rps)"),
    "no status": ('[providers.groq]\nbilled_status = { "5xx" = "no" }', "HTTP status"),
    "effort without body": ('[providers.groq.effort]\n"*" = { low = "low" }', "body fields"),
    "fact without date": ('[providers.groq.facts]\neffort = { link = "x" }', "link, date, verified"),
    "list of numbers": ("[providers.groq]\nkey_env = [1]", "a list of strings"),
    "unknown like": ('[providers.x]\nlike = "y"', "like = 'y' is no provider"),
    "not a table": ("providers = 3", "[providers.NAME]"),
    "misspelt table": ('[provider.groq]\ntitle = "x"', "unknown table [provider]"),
    "a table without its room": ('[groq]\ntitle = "x"', "unknown table [groq]"),
    "prices in the wrong file": ("[[prices]]\ninput = 1", "unknown table [prices]"),
    "a lone key": ("rpm = 5", "unknown table [rpm]"),
    "not TOML": ("[providers.groq\n", "not TOML"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_mistakes_are_refused_by_file_and_key(name: str, tmp_path: Path) -> None:
    """The message names the file and the key, and what would be right."""
    text, words = BAD[name]
    path = user_file(tmp_path, text)
    with pytest.raises(InputError) as caught:
        load_providers(path)
    assert str(path) in str(caught.value)
    assert words in str(caught.value)
    if name == "unknown key":
        assert caught.value.hint is not None
        assert "base_url" in caught.value.hint
    if name == "not TOML":
        assert caught.value.line == 1
