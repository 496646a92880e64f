"""Waits and limits in every unit that headers, bodies and messages use."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinglishbench.client.providers import load_providers
from hinglishbench.client.waits import (
    NO_LIMITS,
    LimitsSeen,
    limits_seen,
    parse_wait,
    told_wait,
    wait_in_words,
)

NOW = 1_795_000_000.0  # 2026-11-18 11:06:40 UTC
PROVIDERS = load_providers()

WAITS: dict[str, tuple[str | None, float | None]] = {
    "seconds": ("60", 60.0),
    "fraction": ("0.5", 0.5),
    "spaces": (" 12 ", 12.0),
    "go duration": ("6m0s", 360.0),
    "milliseconds": ("12ms", 0.012),
    "days and hours": ("1d2h", 93600.0),
    "mixed": ("2m59.56s", 179.56),
    "http date": ("Wed, 18 Nov 2026 11:08:40 GMT", 120.0),
    "http date in the past": ("Wed, 18 Nov 2026 11:00:00 GMT", 0.0),
    "iso time": ("2026-11-18T11:07:40Z", 60.0),
    "epoch seconds": ("1795000030", 30.0),
    "epoch milliseconds": ("1795000030000", 30.0),
    "nothing": (None, None),
    "empty": ("", None),
    "negative": ("-5", None),
    "word": ("soon", None),
    "not a date": ("Wed, 99 Nov 2026 11:08:40 GMT", None),
    "unit alone": ("s", None),
    "infinity": ("inf", None),
    "nan": ("nan", None),
    "too many digits": ("9" * 40, None),
}


@pytest.mark.parametrize("name", WAITS)
def test_units(name: str) -> None:
    """One value, any unit."""
    text, expected = WAITS[name]
    assert parse_wait(text, NOW) == (expected if expected is None else pytest.approx(expected))


WORDS = {
    "Rate limit reached. Please try again in 5.289s. Need more tokens?": 5.289,
    "Please retry after 20 seconds.": 20.0,
    "Please wait 2 minutes and retry": 120.0,
    "try again in 1m30s": 90.0,
    "Please try again in 350ms.": 0.35,
    "Retry in 40 milliseconds": 0.04,
    "Limit resets in 1 hour": 3600.0,
    "try again in 6m0s. Visit https://example.com": 360.0,
    "Rate limit of 600 requests per minute": None,
    "You may not retry": None,
    "": None,
}


@pytest.mark.parametrize("message", WORDS)
def test_waits_in_words(message: str) -> None:
    """A wait named in a sentence."""
    expected = WORDS[message]
    assert wait_in_words(message) == (expected if expected is None else pytest.approx(expected))


TOLD: dict[str, tuple[dict[str, str], Any, str, float | None]] = {
    "retry-after-ms wins": ({"retry-after-ms": "1500", "retry-after": "9"}, None, "", 1.5),
    "case 56: header first, then message": (
        {"retry-after": "6"}, None, "Please try again in 5.289s", 6.0),
    "case 56: message alone": ({}, None, "Please try again in 5.289s", 5.289),
    "a zero header is no wait": ({"retry-after": "0"}, None, "try again in 5s", 5.0),
    "http date": ({"retry-after": "Wed, 18 Nov 2026 11:08:40 GMT"}, None, "", 120.0),
    "a date counts from the server's own clock": (
        {"retry-after": "Wed, 18 Nov 2026 12:00:30 GMT", "date": "Wed, 18 Nov 2026 12:00:00 GMT"},
        None, "", 30.0),
    "openai: the exhausted limit decides": (
        {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "1s",
         "x-ratelimit-remaining-tokens": "149984", "x-ratelimit-reset-tokens": "6m0s"}, None, "", 1.0),
    "both exhausted: the longer": (
        {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "12ms",
         "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s"}, None, "", 360.0),
    "groq: the day's reset does not count while requests remain": (
        {"x-ratelimit-remaining-requests": "14000", "x-ratelimit-reset-requests": "2h",
         "x-ratelimit-remaining-tokens": "90", "x-ratelimit-reset-tokens": "7.66s"}, None, "", 7.66),
    "cerebras: float seconds": (
        {"x-ratelimit-remaining-tokens-minute": "0", "x-ratelimit-reset-tokens-minute": "11.382",
         "x-ratelimit-remaining-requests-day": "900", "x-ratelimit-reset-requests-day": "33011.38"},
        None, "", 11.382),
    "together: the suggested wait": ({"x-ratelimit-reset": "3"}, None, "", 3.0),
    "openrouter: epoch milliseconds": (
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1795000060000"}, None, "", 60.0),
    "ietf": ({"ratelimit": '"api";r=0;t=55'}, None, "", 55.0),
    "ietf with some left, message says more": (
        {"ratelimit": '"api";r=3;t=55'}, None, "try again in 2s", 2.0),
    "google's retryDelay": (
        {}, {"error": {"details": [{"@type": "x"}, {"retryDelay": "17s"}]}}, "", 17.0),
    "a field of the body": ({}, {"retry_after": 4}, "", 4.0),
    "a field of the error": ({}, {"error": {"retry_after": "4"}}, "", 4.0),
    "openrouter: headers in the metadata": (
        {}, {"error": {"metadata": {"headers": {"X-RateLimit-Reset": "1795000012000"}}}}, "", 12.0),
    "nothing told": ({"date": "x"}, {"error": "busy"}, "busy", None),
}  # fmt: skip


@pytest.mark.parametrize("name", TOLD)
def test_told_wait(name: str) -> None:
    """Header in ms, seconds or date, ratelimit resets, body, message: the first that tells."""
    headers, document, message, expected = TOLD[name]
    told = told_wait(headers, document, message, NOW)
    assert told == (expected if expected is None else pytest.approx(expected))


@given(
    value=st.one_of(st.text(max_size=30), st.from_regex(r"[0-9smhd.:\- TZGMT,A-z]{0,24}")),
    name=st.sampled_from(
        ["retry-after", "retry-after-ms", "x-ratelimit-reset", "ratelimit", "x-ratelimit-limit"]
    ),
    message=st.text(max_size=60),
)
def test_any_header_is_read_without_an_exception(value: str, name: str, message: str) -> None:
    """Whatever the headers hold: a wait of at least 0, or none."""
    told = told_wait({name: value}, None, message, NOW)
    assert told is None or told >= 0
    limits_seen({name: value}, None, NOW)


LIMITS: dict[str, tuple[str | None, dict[str, str], LimitsSeen]] = {
    "openai by the minute": (
        "openai",
        {"x-ratelimit-limit-requests": "500", "x-ratelimit-remaining-requests": "499",
         "x-ratelimit-reset-requests": "120ms", "x-ratelimit-limit-tokens": "30000"},
        LimitsSeen(rpm=500.0, tpm=30000.0, requests_remaining=499.0, requests_reset_s=0.12)),
    "groq: requests by the day, tokens by the minute": (
        "groq",
        {"x-ratelimit-limit-requests": "14400", "x-ratelimit-limit-tokens": "18000",
         "x-ratelimit-remaining-tokens": "17997", "x-ratelimit-reset-tokens": "7.66s"},
        LimitsSeen(tpm=18000.0, requests_per_day=14400.0, tokens_remaining=17997.0,
                   tokens_reset_s=7.66)),
    "cerebras: units in the names": (
        "cerebras",
        {"x-ratelimit-limit-requests-day": "1000000", "x-ratelimit-limit-tokens-minute": "60000"},
        LimitsSeen(tpm=60000.0, requests_per_day=1000000.0)),
    "together: by the second": (
        "together",
        {"x-ratelimit-limit": "10", "x-ratelimit-remaining": "9", "x-tokenlimit-limit": "3000"},
        LimitsSeen(rpm=600.0, tpm=180000.0, requests_remaining=9.0)),
    "unknown provider: no unit, no limit": (
        "openai-compatible",
        {"x-ratelimit-limit-requests": "14400", "x-ratelimit-remaining-requests": "3"},
        LimitsSeen(requests_remaining=3.0)),
    "no such headers": ("openai", {"content-type": "application/json"}, NO_LIMITS),
    "no number": ("openai", {"x-ratelimit-limit-requests": "many"}, NO_LIMITS),
}  # fmt: skip


@pytest.mark.parametrize("name", LIMITS)
def test_limits_seen(name: str) -> None:
    """Limits come out per minute, whatever unit the provider uses."""
    provider, headers, expected = LIMITS[name]
    assert limits_seen(headers, PROVIDERS[provider] if provider else None, NOW) == expected
