"""The token buckets admit what they say, and tell the truth about the wait."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from .limits import Bucket, Limits, reset_go
from .settings import Settings
from .waits import tell


@given(st.floats(1, 10_000), st.floats(1, 100), st.lists(st.floats(0, 5), min_size=1, max_size=200))
def test_a_bucket_never_gives_more_than_its_burst_and_its_rate(
    per_minute: float, burst: float, gaps: list[float]
) -> None:
    bucket, now, taken = Bucket(per_minute, burst, 0.0), 0.0, 0
    for gap in gaps:
        now += gap
        if bucket.wait_s(1.0, now) == 0:
            bucket.take(1.0, now)
            taken += 1
    assert taken <= burst + now * per_minute / 60 + 1e-6


@given(st.floats(1, 10_000), st.floats(1, 100), st.floats(0.1, 100))
def test_who_waits_as_told_is_admitted(per_minute: float, burst: float, amount: float) -> None:
    bucket = Bucket(per_minute, burst, 0.0)
    bucket.take(burst, 0.0)
    wait = bucket.wait_s(amount, 0.0)
    assert wait > 0
    assert bucket.wait_s(amount, wait * (1 + 1e-9)) == 0
    assert bucket.wait_s(amount, wait * 0.9) > 0


def test_more_than_a_whole_bucket_is_delayed_and_not_impossible() -> None:
    bucket = Bucket(60, 10, 0.0)
    assert bucket.wait_s(25, 0.0) == 0
    bucket.take(25, 0.0)
    assert bucket.wait_s(1, 0.0) == pytest.approx(16)


def test_the_longer_of_two_waits_is_told_and_nothing_is_taken() -> None:
    limits = Limits(Settings(rpm=60, rpm_burst=1, tpm=600, tpm_burst=100), 0.0)
    assert limits.admit(100, 0.0) is None
    refusal = limits.admit(50, 0.0)
    assert refusal is not None
    assert refusal.what == "tokens"
    assert refusal.wait_s == pytest.approx(5)
    assert limits.admit(50, 5.0) is None


def test_refused_requests_count_where_the_provider_counts_them() -> None:
    limits = Limits(Settings(rpm=60, rpm_burst=1, count_refused=True), 0.0)
    assert limits.admit(1, 0.0) is None
    first, second = limits.admit(1, 0.0), limits.admit(1, 0.0)
    assert first is not None
    assert second is not None
    assert [first.wait_s, second.wait_s] == pytest.approx([1, 2])


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("none", {}),
        (
            "openai",
            {
                "x-ratelimit-limit-requests": "60",
                "x-ratelimit-remaining-requests": "9",
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-limit-tokens": "6000",
                "x-ratelimit-remaining-tokens": "5000",
                "x-ratelimit-reset-tokens": "10s",
            },
        ),
        (
            "groq",
            {
                "x-ratelimit-limit-requests": "86400",
                "x-ratelimit-remaining-requests": "12960",
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-limit-tokens": "6000",
                "x-ratelimit-remaining-tokens": "5000",
                "x-ratelimit-reset-tokens": "10s",
            },
        ),
        (
            "cerebras",
            {
                "x-ratelimit-limit-requests-day": "86400",
                "x-ratelimit-remaining-requests-day": "12960",
                "x-ratelimit-reset-requests-day": "1.000",
                "x-ratelimit-limit-tokens-minute": "6000",
                "x-ratelimit-remaining-tokens-minute": "5000",
                "x-ratelimit-reset-tokens-minute": "10.000",
            },
        ),
        (
            "together",
            {
                "x-ratelimit-limit": "1",
                "x-ratelimit-remaining": "9",
                "x-ratelimit-reset": "1",
                "x-tokenlimit-limit": "100",
                "x-tokenlimit-remaining": "5000",
                "x-tokenlimit-reset": "10",
            },
        ),
    ],
)
def test_the_headers_are_those_of_the_provider(family: Any, expected: dict[str, str]) -> None:
    limits = Limits(Settings(rpm=60, rpm_burst=10, tpm=6000, limit_headers=family), 0.0)
    limits.admit(1000, 0.0)
    assert dict(limits.headers(0.0)) == expected


def test_the_structured_header_names_what_is_left() -> None:
    limits = Limits(Settings(rpm=60, rpm_burst=10, limit_headers="ietf"), 0.0)
    limits.admit(1, 0.0)
    assert limits.headers(0.0) == [("ratelimit", '"requests";r=9;t=1')]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.012, "12ms"),
        (0.0001, "1ms"),
        (1.0, "1s"),
        (7.66, "7.66s"),
        (59.999, "1m0s"),
        (360, "6m0s"),
        (3723, "1h2m3s"),
        (3600, "1h0m0s"),
    ],
)
def test_durations_are_written_as_go_writes_them(seconds: float, text: str) -> None:
    assert reset_go(seconds) == text


@given(st.floats(0.001, 1000))
def test_whole_seconds_are_never_less_than_the_wait(wait_s: float) -> None:
    ((_, seconds),), _ = tell(wait_s, "retry-after")
    ((_, millis),), _ = tell(wait_s, "retry-after-ms")
    assert wait_s <= int(seconds) < wait_s + 1
    assert wait_s <= int(millis) / 1000 < wait_s + 0.0011
