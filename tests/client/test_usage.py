"""Usage in every shape, billable output, stated cost."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinglishbench.client.usage import NO_USAGE, output_tokens, read_usage

# prompt, completion, reasoning, total -> billable, upper, rule
RULE_8 = {
    "inside: Baseten's documented example": ((18, 245, 198, 263), (245, 245, "inside")),
    "outside: xAI": ((18, 47, 198, 263), (245, 245, "outside")),
    "no reasoning, sum fits": ((10, 5, None, 15), (5, 5, "inside")),
    "no reasoning counted, sum fits": ((10, 5, 0, 15), (5, 5, "inside")),
    "no total": ((10, 50, 40, None), (50, 90, "assumed")),
    "no total, no reasoning": ((10, 50, None, None), (50, 50, "assumed")),
    "no prompt": ((None, 50, 40, 60), (50, 90, "assumed")),
    "neither sum fits": ((10, 50, 40, 67), (50, 90, "inconsistent")),
    "hidden tokens in the total only": ((10, 5, None, 300), (5, 290, "inconsistent")),
    "more reasoning than completion cannot be inside": ((10, 5, 40, 15), (5, 45, "inconsistent")),
    "only the total tells": ((10, None, None, 60), (50, 50, "assumed")),
    "nothing tells": ((10, None, None, None), (None, None, None)),
    "a total below the prompt tells nothing": ((10, None, None, 4), (None, None, None)),
}


@pytest.mark.parametrize("name", RULE_8)
def test_rule_8(name: str) -> None:
    """Which sum equals the total decides."""
    counts, expected = RULE_8[name]
    assert output_tokens(*counts) == expected


counts = st.one_of(st.none(), st.integers(0, 10**6))


@given(prompt=counts, completion=counts, reasoning=counts, total=counts)
def test_rule_8_upper_is_never_below_billable(
    prompt: int | None, completion: int | None, reasoning: int | None, total: int | None
) -> None:
    """The upper reading bounds the sure one, and both are there or neither."""
    billable, upper, rule = output_tokens(prompt, completion, reasoning, total)
    assert (billable is None) == (upper is None) == (rule is None)
    if billable is not None and upper is not None:
        assert upper >= billable >= (completion or 0)


SHAPES: dict[str, tuple[dict[str, Any], tuple[Any, ...]]] = {
    # usage -> prompt, completion, reasoning, cached, billable
    "openai": (
        {"prompt_tokens": 2006, "completion_tokens": 300, "total_tokens": 2306,
         "prompt_tokens_details": {"cached_tokens": 1920, "audio_tokens": 0},
         "completion_tokens_details": {"reasoning_tokens": 192, "audio_tokens": 0}},
        (2006, 300, 192, 1920, 300)),
    "three counts": (
        {"prompt_tokens": 7, "completion_tokens": 9, "total_tokens": 16}, (7, 9, None, None, 9)),
    "cerebras": (
        {"prompt_tokens": 12, "completion_tokens": 10, "total_tokens": 22,
         "prompt_tokens_details": {"cached_tokens": 0},
         "completion_tokens_details": {"accepted_prediction_tokens": 0}},
        (12, 10, None, 0, 10)),
    "input and output": (
        {"input_tokens": 12, "output_tokens": 30, "total_tokens": 42,
         "input_tokens_details": {"cached_tokens": 4},
         "output_tokens_details": {"reasoning_tokens": 20}},
        (12, 30, 20, 4, 30)),
    "deepseek": (
        {"prompt_tokens": 12, "completion_tokens": 30, "total_tokens": 42,
         "prompt_cache_hit_tokens": 8, "prompt_cache_miss_tokens": 4},
        (12, 30, None, 8, 30)),
    "counts at the top": (
        {"prompt_tokens": 12, "completion_tokens": 30, "total_tokens": 42,
         "cached_tokens": 3, "reasoning_tokens": 21},
        (12, 30, 21, 3, 30)),
    "null details": (
        {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3,
         "prompt_tokens_details": None, "completion_tokens_details": None},
        (1, 2, None, None, 2)),
    "floats and strings": (
        {"prompt_tokens": 12.0, "completion_tokens": "30", "total_tokens": 42}, (12, 30, None, None, 30)),
    "damage is unknown, not zero": (
        {"prompt_tokens": -1, "completion_tokens": True, "total_tokens": 1.5}, (None, None, None, None, None)),
    "more cached than prompt is the prompt": (
        {"prompt_tokens": 5, "completion_tokens": 1, "total_tokens": 6, "cached_tokens": 9}, (5, 1, None, 5, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name: str) -> None:
    """Every spelling gives the same counts."""
    raw, expected = SHAPES[name]
    usage = read_usage(raw)
    got = (
        usage.prompt_tokens,
        usage.completion_tokens,
        usage.reasoning_tokens,
        usage.cached_tokens,
        usage.billable_output_tokens,
    )
    assert got == expected
    assert usage.raw == raw


def test_case_42_cached_tokens_are_a_part_of_the_prompt() -> None:
    """86 fresh + 1920 cached = 2006, so the bill is 0.005615 and cached is not added on top."""
    raw, _ = SHAPES["openai"]
    usage = read_usage(raw)
    assert usage.prompt_tokens is not None
    assert usage.cached_tokens is not None
    fresh = usage.prompt_tokens - usage.cached_tokens
    bill = fresh * Decimal("2.5") + usage.cached_tokens * Decimal("1.25") + 300 * Decimal(10)
    assert bill / 10**6 == Decimal("0.005615")


def test_case_43_text_tokens_equal_to_the_prompt_do_not_hide_the_cache() -> None:
    """Prompt 1000, text_tokens 1000, cached 900: 100 fresh, 900 cached."""
    usage = read_usage(
        {
            "prompt_tokens": 1000,
            "completion_tokens": 1,
            "total_tokens": 1001,
            "prompt_tokens_details": {"text_tokens": 1000, "cached_tokens": 900},
        }
    )
    assert (usage.prompt_tokens, usage.cached_tokens) == (1000, 900)


COST: dict[str, tuple[dict[str, Any], Decimal | None]] = {
    "case 46: own key adds the upstream cost": (
        {"cost": 0.0021, "cost_details": {"upstream_inference_cost": 0.04}},
        Decimal("0.0421"),
    ),
    "without own key the upstream figure repeats the cost": (
        {"cost": 0.00078, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.00078}},
        Decimal("0.00078"),
    ),
    "own key said outright": (
        {"cost": 0.0001, "is_byok": True, "cost_details": {"upstream_inference_cost": 0.002}},
        Decimal("0.0021"),
    ),
    "no upstream": ({"cost": 0.0021, "cost_details": {}}, Decimal("0.0021")),
    "null upstream": (
        {"cost": 0.0021, "cost_details": {"upstream_inference_cost": None}},
        Decimal("0.0021"),
    ),
    "a table of costs": ({"cost": {"total_cost": 0.006}}, Decimal("0.006")),
    "text": ({"cost": "0.25"}, Decimal("0.25")),
    "free is zero": ({"cost": 0}, Decimal(0)),
    "not stated": ({"prompt_tokens": 1}, None),
    "null": ({"cost": None}, None),
    "no number": ({"cost": "free"}, None),
    "negative": ({"cost": -1}, None),
    "no figure": ({"cost": True}, None),
}


@pytest.mark.parametrize("name", COST)
def test_stated_cost(name: str) -> None:
    """A stated cost is exact dollars; what cannot be read is unknown."""
    raw, expected = COST[name]
    assert read_usage(raw).reported_cost_usd == expected


def test_a_cost_in_another_currency_is_not_read() -> None:
    """Where `cost` is not in dollars (a fact of the provider) it is left alone."""
    assert read_usage({"cost": 3}, trust_cost=False).reported_cost_usd is None


@pytest.mark.parametrize("raw", [None, [], "12", 7, {}])
def test_no_usage_is_unknown(raw: Any) -> None:
    """Missing usage is NULL in every field."""
    assert read_usage(raw) == NO_USAGE


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["reasoning_tokens", "cached_tokens", "upstream_inference_cost", "total_cost"]
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=6,
)


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "prompt_tokens",
                "completion_tokens",
                "total_tokens",
                "input_tokens",
                "output_tokens",
                "prompt_tokens_details",
                "completion_tokens_details",
                "cost",
                "cost_details",
                "is_byok",
                "cached_tokens",
            ]
        ),
        json_values,
    )
)
def test_any_usage_is_read_without_an_exception(raw: dict[str, Any]) -> None:
    """Whatever stands in it: counts at least 0, cost finite."""
    usage = read_usage(raw)
    for count in (usage.prompt_tokens, usage.completion_tokens, usage.billable_output_tokens):
        assert count is None or count >= 0
    assert usage.reported_cost_usd is None or usage.reported_cost_usd.is_finite()
