"""What is sent: bodies in each dialect, canonical bytes, headers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from hinglishbench.client.dialect import (
    Sampling,
    body_params,
    chat_request,
    models_request,
    pin_model,
)
from hinglishbench.client.endpoint import Endpoint, resolve_endpoint
from hinglishbench.client.providers import load_providers, routed
from hinglishbench.errors import RefusedError

PROVIDERS = load_providers()

# provider, model, effort -> what the effort adds to the body
EFFORT: list[tuple[str, str, str, dict[str, Any]]] = [
    ("baseten", "reflection/Beam-1.0", "low", {"reasoning_effort": "low"}),
    ("baseten", "openai/gpt-oss-120b", "none", {"reasoning_effort": "none"}),
    ("baseten", "moonshotai/Kimi-K2.6", "none", {"chat_template_args": {"enable_thinking": False}}),
    ("baseten", "zai-org/GLM-5.2", "max", {"reasoning_effort": "max"}),
    ("together", "openai/gpt-oss-20b", "high", {"reasoning_effort": "high"}),
    ("together", "zai-org/GLM-5", "none", {"reasoning": {"enabled": False}}),
    ("groq", "qwen/qwen3-32b", "none", {"reasoning_effort": "none"}),
    ("groq", "openai/gpt-oss-120b", "medium", {"reasoning_effort": "medium"}),
    ("cerebras", "zai-glm-4.7", "none", {"disable_reasoning": True}),
    ("openrouter", "x/y", "low", {"reasoning": {"effort": "low"}}),
    ("sarvam", "sarvam-105b", "none", {"reasoning_effort": None}),
    ("sarvam", "glm5.3", "none", {"reasoning_effort": "none"}),
    ("openai", "gpt-5.1", "none", {"reasoning_effort": "none"}),
    ("vllm", "Qwen/Qwen3-8B", "none", {"chat_template_kwargs": {"enable_thinking": False}}),
    ("vllm", "deepseek-ai/DeepSeek-V3.1", "none", {"chat_template_kwargs": {"thinking": False}}),
    ("sglang", "Qwen/Qwen3-8B", "on", {"chat_template_kwargs": {"enable_thinking": True}}),
    ("ollama", "qwen3:8b", "none", {"reasoning_effort": "none"}),
    ("hf", "x/y:nebius", "low", {"reasoning_effort": "low"}),
    ("hf", "moonshotai/Kimi-K2.6:baseten", "none", {"chat_template_args": {"enable_thinking": False}}),
    ("openai-compatible", "any", "high", {"reasoning_effort": "high"}),
]  # fmt: skip


@pytest.mark.parametrize(("provider", "model", "effort", "expected"), EFFORT)
def test_effort_goes_where_the_provider_wants_it(
    provider: str, model: str, effort: str, expected: dict[str, Any]
) -> None:
    """Each dialect's own field, also for the router when it is pinned."""
    body = body_params(PROVIDERS[provider], model, Sampling(effort=effort))
    # the router streams what has no cap
    assert {k: v for k, v in body.items() if not k.startswith("stream")} == {
        "model": model,
        **expected,
    }


@pytest.mark.parametrize(
    ("provider", "model", "effort", "hint"),
    [
        ("baseten", "reflection/Beam-1.0", "none", "one of: low, medium, high"),
        ("groq", "openai/gpt-oss-120b", "none", "one of: low, medium, high"),
        ("groq", "llama-3.3-70b-versatile", "low", "leave --effort out"),
        ("openai", "gpt-5-pro", "low", "one of: high"),
        ("openai", "gpt-5-mini", "none", "one of: minimal, low, medium, high"),
        ("openai", "gpt-4.1-mini", "low", "leave --effort out"),
        ("together", "zai-org/GLM-5", "low", "one of: none, on"),
        ("local", "SmolLM2-135M-Instruct", "none", "leave --effort out"),
    ],
)
def test_an_effort_that_the_model_lacks_is_refused_with_its_values(
    provider: str, model: str, effort: str, hint: str
) -> None:
    """Exit 3 before any call, listing what there is."""
    with pytest.raises(RefusedError) as caught:
        body_params(PROVIDERS[provider], model, Sampling(effort=effort))
    assert hint in (caught.value.hint or "")
    assert model in str(caught.value)


def test_unset_means_that_the_field_is_not_sent() -> None:
    """Case 75: nothing asked for, nothing but the model in the body; 0 is not unset."""
    assert body_params(PROVIDERS["groq"], "m", Sampling()) == {"model": "m"}
    assert body_params(PROVIDERS["groq"], "m", Sampling(temperature=0.0))["temperature"] == 0.0


@pytest.mark.parametrize(
    ("provider", "model", "field"),
    [
        ("openai", "gpt-5-mini", "max_completion_tokens"),
        ("cerebras", "gpt-oss-120b", "max_completion_tokens"),
        ("groq", "qwen/qwen3-32b", "max_completion_tokens"),
        ("baseten", "reflection/Beam-1.0", "max_tokens"),
        ("vllm", "any", "max_tokens"),
        ("hf", "x/y:groq", "max_tokens"),
    ],
)
def test_the_cap_has_the_providers_name(provider: str, model: str, field: str) -> None:
    """One setting, the field that the provider reads."""
    body = body_params(PROVIDERS[provider], model, Sampling(max_tokens=4096))
    assert body == {"model": model, field: 4096}


def test_all_of_sampling_reaches_the_body() -> None:
    """Temperature, top_p, seed, and extra fields merged into tables that are there."""
    sampling = Sampling(
        temperature=0.5,
        top_p=0.9,
        seed=7,
        effort="none",
        extra={"chat_template_kwargs": {"thinking_budget": 100}, "top_k": 20},
    )
    assert body_params(PROVIDERS["vllm"], "Qwen/Qwen3-8B", sampling) == {
        "model": "Qwen/Qwen3-8B",
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 7,
        "top_k": 20,
        "chat_template_kwargs": {"enable_thinking": False, "thinking_budget": 100},
    }


def test_a_body_never_shares_tables_with_the_facts() -> None:
    """Changing one body changes neither the provider nor the next body."""
    sampling = Sampling(effort="none", extra={"chat_template_kwargs": {"x": 1}})
    body_params(PROVIDERS["vllm"], "m", sampling)
    body = body_params(PROVIDERS["vllm"], "m", Sampling(effort="none"))
    body["chat_template_kwargs"]["y"] = 2
    fragment = PROVIDERS["vllm"].effort["*"]["none"]
    assert fragment == {"chat_template_kwargs": {"enable_thinking": False}}


def test_what_a_model_refuses_is_refused_here() -> None:
    """GPT-5 takes no temperature: exit 3 instead of a thousand 400s."""
    with pytest.raises(RefusedError, match="does not take temperature"):
        body_params(PROVIDERS["openai"], "gpt-5-mini", Sampling(temperature=0.0))
    assert body_params(PROVIDERS["openai"], "gpt-4.1-mini", Sampling(temperature=0.0))
    for name in ("model", "messages", "n"):
        with pytest.raises(RefusedError, match=name):
            body_params(PROVIDERS["groq"], "m", Sampling(extra={name: 1}))


def test_the_router_pins_the_provider_in_the_model() -> None:
    """Routed: the suffix is appended once; long replies are streamed with their usage."""
    provider = routed(PROVIDERS["groq"], PROVIDERS["hf"])
    assert body_params(provider, "Qwen/Qwen3-32B", Sampling())["model"] == "Qwen/Qwen3-32B:groq"
    assert (
        body_params(provider, "Qwen/Qwen3-32B:groq", Sampling())["model"] == "Qwen/Qwen3-32B:groq"
    )
    short = body_params(provider, "x/y", Sampling(max_tokens=4096))
    long = body_params(provider, "x/y", Sampling(max_tokens=16384))
    assert "stream" not in short
    assert long["stream"] is True
    assert long["stream_options"] == {"include_usage": True}


# --- the request ---------------------------------------------------------------------------------


def endpoint(name: str = "groq", **env: str) -> Endpoint:
    return resolve_endpoint(name, providers=PROVIDERS, env=env or {"GROQ_API_KEY": "hunter2"})


def test_a_request_is_canonical_and_carries_the_key_in_one_header() -> None:
    """Sorted keys, UTF-8 as it is; the key in `authorization`, not in the repr."""
    request = chat_request(
        endpoint(), {"model": "m", "b": 1, "a": 2}, [{"role": "user", "content": "राम"}]
    )
    assert request.method == "POST"
    assert request.url == "https://api.groq.com/openai/v1/chat/completions"
    assert request.body == (
        '{"a":2,"b":1,"messages":[{"content":"राम","role":"user"}],"model":"m"}'.encode()
    )
    assert request.headers["authorization"] == "Bearer hunter2"
    assert request.headers["content-type"] == "application/json"
    assert "hunter2" not in repr(request)
    assert not request.stream


def test_a_streamed_request_says_so() -> None:
    """The transport learns that the first byte is the first token."""
    assert chat_request(endpoint(), {"model": "m", "stream": True}, []).stream


def test_the_same_request_has_the_same_bytes() -> None:
    """Case 74: the order of fields does not matter, every value does."""
    one = chat_request(endpoint(), {"model": "m", "max_tokens": 16}, [])
    two = chat_request(endpoint(), {"max_tokens": 16, "model": "m"}, [])
    other = chat_request(endpoint(), {"max_tokens": 4000, "model": "m"}, [])
    assert one.body == two.body
    assert one.body != other.body


def test_case_84_a_lone_surrogate_in_a_prompt_is_replaced() -> None:
    """Half a pair cannot be sent as UTF-8."""
    request = chat_request(endpoint(), {}, [{"role": "user", "content": "\ud835 = 4"}])
    assert json.loads(request.body)["messages"][0]["content"] == "\ufffd = 4"


def test_the_router_bills_whom_it_is_told() -> None:
    """Case 63: the header goes with every call, and only to the router."""
    hub = endpoint("hf", HF_TOKEN="hf_x")
    assert chat_request(hub, {}, [], bill_to="acme").headers["x-hf-bill-to"] == "acme"
    assert "x-hf-bill-to" not in chat_request(hub, {}, []).headers
    with pytest.raises(RefusedError):
        chat_request(endpoint(), {}, [], bill_to="acme")


def test_without_a_key_there_is_no_authorization() -> None:
    """A local server gets none."""
    local = resolve_endpoint("vllm", providers=PROVIDERS, env={})
    assert "authorization" not in chat_request(local, {}, []).headers


# --- pinning -------------------------------------------------------------------------------------


def test_a_bare_model_is_pinned_to_the_first_live_provider() -> None:
    """Once, so that the provider cannot change in mid-run."""
    listing = {
        "data": {
            "id": "x/y",
            "providers": [
                {"provider": "novita", "status": "error"},
                {"provider": "groq", "status": "live"},
                {"provider": "together", "status": "live"},
            ],
        }
    }
    assert pin_model("x/y", json.dumps(listing).encode()) == "x/y:groq"
    assert pin_model("x/y", json.dumps(listing["data"]).encode()) == "x/y:groq"
    request = models_request(endpoint("hf", HF_TOKEN="hf_x"), "x/y")
    assert (request.method, request.url) == ("GET", "https://router.huggingface.co/v1/models/x/y")


@pytest.mark.parametrize(
    "raw",
    [
        b'{"data":{"providers":[{"provider":"novita","status":"error"}]}}',
        b'{"error":"no"}',
        b"<html>",
        b"",
        b"[]",
        b'{"data":{"providers":[3]}}',
    ],
)
def test_without_a_live_provider_it_is_refused(raw: bytes) -> None:
    """Exit 3, with what was seen."""
    with pytest.raises(RefusedError) as caught:
        pin_model("x/y", raw)
    if b"novita" in raw:
        assert "novita (error)" in (caught.value.hint or "")
