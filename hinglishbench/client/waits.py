"""How long a provider says to wait, and the limits that its headers tell.

Pure, and never raises. Waits are seconds from `now`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from hinglishbench.client.provider import Provider

_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?")
_PART = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)(ms|us|µs|ns|d|h|m|s)")
_UNITS = {
    "d": 86400.0,
    "h": 3600.0,
    "m": 60.0,
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "µs": 1e-6,
    "ns": 1e-9,
}
# "try again in 5.289s", "retry after 20 seconds", "wait 2 minutes", "in 1m30s"
_IN_WORDS = re.compile(
    r"(?:again|retry|wait|available|reset)\w*[^0-9.;!?\n]{0,40}?"
    r"(\d{1,9}(?:\.\d{1,9})?)\s*(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|h)(?![a-z])"
    r"((?:\s*\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h)(?![a-z]))*)",
    re.IGNORECASE,
)


def told_wait(headers: Mapping[str, str], document: Any, message: str, now: float) -> float | None:
    """Seconds the provider asks to wait, or None when it does not say.

    The first that says something positive: `retry-after-ms`, `retry-after` (seconds or an HTTP
    date), the reset of a limit with nothing remaining, a field of the body, the message, and last
    the soonest reset of any limit.

    Args:
        headers: names in lower case.
        document: the parsed body, if it was JSON.
        message: the error's message.
        now: seconds since the epoch.
    """
    told = _number(headers.get("retry-after-ms"))
    if told:
        return told / 1000
    after = headers.get("retry-after")
    if after and not after.strip().isdecimal():  # a date: of the clock that wrote it, if it says
        now = _date(headers.get("date", ""), 0.0) or now
    told = parse_wait(after, now)
    if told:
        return told
    exhausted: list[float] = []
    others: list[float] = []
    for reset, remaining in _resets(headers, now):
        (exhausted if remaining is None or remaining <= 0 else others).append(reset)
    if exhausted:
        return max(exhausted)
    told = _in_body(document, now) or wait_in_words(message)
    if told:
        return told
    return min(others) if others else None


def parse_wait(text: str | None, now: float) -> float | None:
    """A wait in any unit met in headers: seconds, `6m0s`, `12ms`, an HTTP date, an epoch time."""
    if not text:
        return None
    text = text.strip()
    value = _number(text)
    if value is not None:
        return _from_now(value, now)
    parts = _PART.findall(text.lower())
    if parts and "".join(number + unit for number, unit in parts) == text.lower():
        return sum(float(number) * _UNITS[unit] for number, unit in parts)
    return _date(text, now)


def wait_in_words(message: str) -> float | None:
    """Seconds named in a sentence such as `Please try again in 5.289s`."""
    found = _IN_WORDS.search(message)
    if found is None:
        return None
    rest = sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(found[3].lower()))
    return float(found[1]) * _unit_in_words(found[2].lower()) + rest


def _unit_in_words(unit: str) -> float:
    if unit.startswith(("ms", "milli")):
        return 1e-3
    return _UNITS[unit[0]]  # second, minute, hour


def _number(text: str | None) -> float | None:
    if text is None or not _NUMBER.fullmatch(text.strip()):
        return None
    return float(text)


def _from_now(value: float, now: float) -> float:
    """A bare number: seconds to wait, or a time since the epoch in seconds or milliseconds."""
    if value > 1e11:
        value /= 1000
    return max(0.0, value - now) if value > 1e9 else value


def _date(text: str, now: float) -> float | None:
    # Imported here: it costs more than all the rest, and dates are rare.
    from datetime import UTC, datetime  # noqa: PLC0415
    from email.utils import parsedate_to_datetime  # noqa: PLC0415

    if not text.isascii() or len(text) > 64:
        return None
    try:
        at = datetime.fromisoformat(text) if text[:4].isdecimal() else parsedate_to_datetime(text)
        seconds = (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return max(0.0, seconds - now)


def _resets(headers: Mapping[str, str], now: float) -> Iterator[tuple[float, float | None]]:
    """(seconds to the reset, what remains until then) of every limit in the headers."""
    for name, value in headers.items():
        if "ratelimit" not in name:
            continue
        if "reset" in name:
            reset = parse_wait(value, now)
            if reset:
                yield reset, _number(headers.get(name.replace("reset", "remaining")))
        elif name == "ratelimit":  # IETF draft: "api";r=0;t=55
            fields = dict(re.findall(r";\s*([rt])=(\d{1,15})", value))
            if "t" in fields and float(fields["t"]):
                yield float(fields["t"]), float(fields["r"]) if "r" in fields else None


def _in_body(document: Any, now: float) -> float | None:
    """A wait given as a field: `retry_after`, Google's `retryDelay`, headers kept in metadata."""
    error = document.get("error") if isinstance(document, dict) else None
    for table in (document, error):
        if not isinstance(table, dict):
            continue
        for name in ("retry_after", "retryAfter", "retry_after_seconds"):
            value = table.get(name)
            if isinstance(value, int | float | str) and not isinstance(value, bool):
                told = parse_wait(str(value), now)
                if told:
                    return told
    if not isinstance(error, dict):
        return None
    details = error.get("details")
    for detail in details if isinstance(details, list) else []:
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        told = parse_wait(delay, now) if isinstance(delay, str) else None
        if told:
            return told
    metadata = error.get("metadata")
    kept = metadata.get("headers") if isinstance(metadata, dict) else None
    if isinstance(kept, dict):
        inner = {str(k).lower(): str(v) for k, v in kept.items()}
        return told_wait(inner, None, "", now)
    return None


# --- limits ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LimitsSeen:
    """Limits that a reply's headers tell; None where they do not.

    Attributes:
        rpm: requests per minute granted.
        tpm: tokens per minute granted.
        requests_per_day: where the limit is by day.
        requests_remaining, tokens_remaining: left until the reset.
        requests_reset_s, tokens_reset_s: seconds until then.
    """

    rpm: float | None = None
    tpm: float | None = None
    requests_per_day: float | None = None
    requests_remaining: float | None = None
    tokens_remaining: float | None = None
    requests_reset_s: float | None = None
    tokens_reset_s: float | None = None


NO_LIMITS = LimitsSeen()
_MARKS = ("x-ratelimit-limit-requests", "x-ratelimit-limit-tokens", "x-ratelimit-limit",
          "x-tokenlimit-limit", "x-ratelimit-limit-requests-minute", "x-ratelimit-limit-requests-day",
          "x-ratelimit-limit-tokens-minute")  # fmt: skip
_PER_MINUTE = {"second": 60.0, "minute": 1.0, "hour": 1 / 60, "day": 1 / 1440}


def limits_seen(
    headers: Mapping[str, str], provider: Provider | None = None, now: float = 0.0
) -> LimitsSeen:
    """Read the limits from a reply's headers.

    The unit comes from the header's name (`-tokens-minute`) or from the provider's
    `header_units`; without either the figure is not used: the same name means a minute at one
    provider and a day at another.

    Args:
        headers: names in lower case.
        provider: whose headers these are.
        now: seconds since the epoch, for resets given as a time.
    """
    if not any(mark in headers for mark in _MARKS):
        return NO_LIMITS
    units = provider.header_units if provider is not None else {}
    rpm, rpd, r_left, r_reset = _one_limit(headers, "requests", units.get("requests"), now)
    tpm, _, t_left, t_reset = _one_limit(headers, "tokens", units.get("tokens"), now)
    return LimitsSeen(rpm, tpm, rpd, r_left, t_left, r_reset, t_reset)


def _one_limit(
    headers: Mapping[str, str], what: str, unit: str | None, now: float
) -> tuple[float | None, float | None, float | None, float | None]:
    """(per minute, per day, remaining, reset in seconds) of requests or tokens."""
    short = "x-ratelimit-" if what == "requests" else "x-tokenlimit-"
    choices = [
        (f"x-ratelimit-{{}}-{what}-minute", "minute"),
        (f"x-ratelimit-{{}}-{what}", unit),
        (f"{short}{{}}", unit),
        (f"x-ratelimit-{{}}-{what}-day", "day"),
    ]
    for pattern, its_unit in choices:
        granted = _number(headers.get(pattern.format("limit")))
        if granted is None:
            continue
        left = _number(headers.get(pattern.format("remaining")))
        reset = parse_wait(headers.get(pattern.format("reset")), now)
        if its_unit == "day":
            return None, granted, left, reset
        per_minute = granted * _PER_MINUTE[its_unit] if its_unit else None
        return per_minute if per_minute and math.isfinite(per_minute) else None, None, left, reset
    return None, None, None, None
