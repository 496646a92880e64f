"""Route, address and key: which endpoint a run talks to, and what is refused before any call."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from hinglishbench.client.endpoint import Endpoint, normalise_base_url, resolve_endpoint
from hinglishbench.client.providers import SecretKey, load_providers
from hinglishbench.errors import RefusedError, UsageError

PROVIDERS = load_providers()
ROUTER = "https://router.huggingface.co/v1"


def resolve(
    name: str,
    env: dict[str, str] | None = None,
    *,
    token: str | None = None,
    route: str | None = None,
    base_url: str | None = None,
    endpoint_name: str | None = None,
    api_key_env: str | None = None,
) -> Endpoint:
    hf_token: Callable[[], str | None] = lambda: token  # noqa: E731 - one expression reads better
    return resolve_endpoint(
        name,
        providers=PROVIDERS,
        env=env or {},
        route=route,
        base_url=base_url,
        endpoint_name=endpoint_name,
        api_key_env=api_key_env,
        hf_token=hf_token,
    )


def key_of(endpoint: Endpoint) -> str | None:
    return endpoint.key.reveal() if endpoint.key else None


def test_with_a_provider_key_the_route_is_direct() -> None:
    """`--provider baseten` and a Baseten key: Baseten itself, though a token is there too."""
    endpoint = resolve("baseten", {"BASETEN_API_KEY": "b-key", "HF_TOKEN": "hf_x"}, token="hf_x")
    assert (endpoint.route, endpoint.base_url) == ("direct", "https://inference.baseten.co/v1")
    assert key_of(endpoint) == "b-key"


def test_without_one_it_goes_through_the_router_pinned() -> None:
    """No Baseten key but a token: the router, pinned to baseten, priced under both names."""
    endpoint = resolve("baseten", token="hf_x")
    assert (endpoint.route, endpoint.base_url) == ("hf", ROUTER)
    assert endpoint.provider.model_suffix == ":baseten"
    assert endpoint.provider.name == "baseten"
    assert endpoint.provider.price_ids == ("huggingface_baseten", "baseten")
    assert endpoint.provider.billed(500) == "no"
    assert endpoint.provider.cap_field_for("openai/gpt-oss-120b") == "max_tokens"
    assert key_of(endpoint) == "hf_x"


def test_the_stored_login_is_asked_only_when_needed() -> None:
    """With a key of its own no token is looked for."""

    def never() -> str:
        raise AssertionError("looked for a token")

    endpoint = resolve_endpoint(
        "groq", providers=PROVIDERS, env={"GROQ_API_KEY": "k"}, hf_token=never
    )
    assert endpoint.route == "direct"


def test_the_route_option_decides() -> None:
    """`--route hf` although a key is set, `--route direct` although a token is."""
    assert resolve("groq", {"GROQ_API_KEY": "k"}, token="hf_x", route="hf").route == "hf"
    with pytest.raises(RefusedError) as caught:
        resolve("groq", token="hf_x", route="direct")
    assert "GROQ_API_KEY" in str(caught.value)
    assert "--route hf" in (caught.value.hint or "")


def test_the_router_itself_takes_the_variable_before_the_login() -> None:
    """`--provider hf`: HF_TOKEN first, then what huggingface_hub has stored."""
    assert key_of(resolve("hf", {"HF_TOKEN": "hf_env"}, token="hf_login")) == "hf_env"
    assert key_of(resolve("hf", token="hf_login")) == "hf_login"
    assert resolve("hf", token="hf_login").route == "hf"


REFUSED: dict[str, tuple[Callable[[], Endpoint], str, str]] = {
    "no key, no token": (lambda: resolve("baseten"), "BASETEN_API_KEY is not set", "HF_TOKEN"),
    "no key, not on the router": (lambda: resolve("sarvam", token="hf_x"), "SARVAM_API_KEY", "set SARVAM"),
    "an empty key": (lambda: resolve("openai", {"OPENAI_API_KEY": "  "}), "is not set", "OPENAI_API_KEY"),
    "no token for the router": (lambda: resolve("hf"), "no Hugging Face token", "hf auth login"),
    "not on the router": (lambda: resolve("sarvam", token="hf_x", route="hf"), "cannot be reached", "groq"),
    "named variable not set": (
        lambda: resolve("groq", {"GROQ_API_KEY": "k"}, api_key_env="MINE"), "MINE", "export MINE"),
    "no address": (lambda: resolve("openai-compatible"), "no address", "--base-url"),
    "a key with a line break inside": (
        lambda: resolve("groq", {"GROQ_API_KEY": "k\nk"}), "GROQ_API_KEY holds something", "set it again"),
    "a key in quotes of a word processor": (
        lambda: resolve("groq", {"GROQ_API_KEY": "“secret”"}), "GROQ_API_KEY holds something", "quotes"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_what_to_do(name: str) -> None:
    """Exit 3 before any call; the message says what is missing, the hint how to give it."""
    attempt, words, hint = REFUSED[name]
    with pytest.raises(RefusedError) as caught:
        attempt()
    assert words in str(caught.value)
    assert hint in (caught.value.hint or "")
    assert "secret" not in str(caught.value)
    assert caught.value.exit_code == 3


def test_unknown_names_are_wrong_usage() -> None:
    """A provider or route that does not exist: exit 2 and the list."""
    with pytest.raises(UsageError) as caught:
        resolve("gorq")
    assert "groq" in (caught.value.hint or "")
    with pytest.raises(UsageError):
        resolve("groq", {"GROQ_API_KEY": "k"}, route="sideways")


def test_a_base_url_goes_there_with_the_key_if_there_is_one() -> None:
    """Any server: no key needed, sent where it is set, another variable on request."""
    plain = resolve("openai-compatible", base_url="http://localhost:9000/v1/")
    assert (plain.route, plain.base_url, plain.key) == ("direct", "http://localhost:9000/v1", None)
    named = resolve(
        "openai-compatible",
        {"MINE": "k"},
        base_url="localhost:9000",
        api_key_env="MINE",
        endpoint_name="home",
    )
    assert (named.name, named.base_url, key_of(named)) == ("home", "http://localhost:9000", "k")
    proxy = resolve("groq", {"GROQ_API_KEY": "k"}, base_url="https://proxy.example/v1")
    assert (proxy.provider.name, proxy.base_url) == ("groq", "https://proxy.example/v1")
    with pytest.raises(RefusedError):
        resolve("groq", base_url="https://proxy.example/v1", token="hf_x")


def test_the_embedded_model_needs_neither_key_nor_address() -> None:
    """Route `local`; the address comes with the server."""
    endpoint = resolve("local", endpoint_name="gguf:abc")
    assert (endpoint.route, endpoint.base_url, endpoint.key) == ("local", "", None)
    assert resolve("local", base_url="http://127.0.0.1:5001/v1").base_url.endswith(":5001/v1")


URLS = {
    "https://API.Example.com:443/v1/": "https://api.example.com/v1",
    "http://example.com:80": "http://example.com",
    "http://example.com:8080//v1": "http://example.com:8080//v1",
    "HTTP://localhost:8000/v1/chat/completions": "http://localhost:8000/v1",
    "https://x.example/v1/models/": "https://x.example/v1",
    "localhost:8000/v1": "http://localhost:8000/v1",
    "127.0.0.1:8000": "http://127.0.0.1:8000",
    "api.example.com/v1": "https://api.example.com/v1",
    "http://[::1]:8000/v1": "http://[::1]:8000/v1",
    "  https://x.example/v1  ": "https://x.example/v1",
}


@pytest.mark.parametrize("text", URLS)
def test_one_spelling_for_one_address(text: str) -> None:
    """Case, default port, end slash and a pasted path make no second endpoint."""
    assert normalise_base_url(text) == URLS[text]
    assert normalise_base_url(URLS[text]) == URLS[text]


@pytest.mark.parametrize(
    "text",
    [
        "ftp://x.example/v1",
        "https://",
        "https://x.example:port/v1",
        "http://[::1/v1",
        "https://user:hunter2@x.example/v1",
        "https://x.example/v1?key=hunter2",
        "file:///etc/passwd",
        "",
    ],
)
def test_addresses_that_are_none_are_refused(text: str) -> None:
    """No HTTP, no host, or a secret inside: refused, and the secret is not repeated."""
    with pytest.raises(RefusedError) as caught:
        normalise_base_url(text)
    assert "hunter2" not in f"{caught.value} {caught.value.hint}"


def test_a_key_does_not_show_itself() -> None:
    """Not in a repr, not in an endpoint's, not in a pickle."""
    endpoint = resolve("groq", {"GROQ_API_KEY": "hunter2"})
    assert "hunter2" not in f"{endpoint!r} {endpoint.key} {endpoint}"
    assert endpoint.key == SecretKey("hunter2")
    assert endpoint.key != SecretKey("other")
    assert endpoint.key != "hunter2"
    assert len({SecretKey("a"), SecretKey("a")}) == 1
    with pytest.raises(TypeError, match="not pickled"):
        pickle.dumps(endpoint.key)


def test_a_key_given_as_the_name_of_its_variable_is_not_repeated() -> None:
    """A slip of the hand must not put the key into a message, or a log of messages."""
    with pytest.raises(RefusedError) as refused:
        resolve("groq", {}, api_key_env="gsk_canary7f3a91c0ffee")
    assert "canary" not in f"{refused.value} {refused.value.hint}"
