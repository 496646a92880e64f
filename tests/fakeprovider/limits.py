"""Requests and tokens per minute, as token buckets, and the headers that report them.

A bucket fills at its rate up to its burst. A request is admitted when both buckets hold what it
needs; a request larger than a whole bucket is admitted when the bucket is full and leaves it in
debt, so that it is delayed and never impossible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .settings import LimitHeaders, Settings


class Bucket:
    """A token bucket.

    Args:
        per_minute: what flows in.
        burst: what a full bucket holds.
        now: seconds on the caller's clock; the bucket starts full.
    """

    def __init__(self, per_minute: float, burst: float, now: float) -> None:
        self.per_minute = per_minute
        self.burst = burst
        self._level = burst
        self._at = now

    def level(self, now: float) -> float:
        """What it holds at that time."""
        self._level = min(self.burst, self._level + (now - self._at) * self.per_minute / 60.0)
        self._at = now
        return self._level

    def wait_s(self, amount: float, now: float) -> float:
        """Seconds until `amount` may be taken; 0 when it may be taken now."""
        missing = min(amount, self.burst) - self.level(now)
        # A billionth of a request is rounding, not a reason to refuse.
        return 0.0 if missing <= 1e-9 else missing * 60.0 / self.per_minute

    def full_in_s(self, now: float) -> float:
        """Seconds until it is full again."""
        return (self.burst - self.level(now)) * 60.0 / self.per_minute

    def take(self, amount: float, now: float) -> None:
        """Take `amount`, into debt if need be."""
        self._level = self.level(now) - amount


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request may not run now: which limit, and for how long."""

    what: str
    limit: float
    wait_s: float


class Limits:
    """Both limits of an endpoint; without `rpm` and `tpm` everything is admitted."""

    def __init__(self, settings: Settings, now: float) -> None:
        rpm, tpm = settings.rpm, settings.tpm
        self._requests = (
            None if rpm is None else Bucket(rpm, settings.rpm_burst or max(1.0, rpm / 60), now)
        )
        self._tokens = None if tpm is None else Bucket(tpm, settings.tpm_burst or tpm, now)
        self._count_refused = settings.count_refused
        self._family = settings.limit_headers

    def admit(self, tokens: float, now: float) -> Refusal | None:
        """Take a request and its tokens, or say why not."""
        worst: Refusal | None = None
        for what, bucket, amount in (
            ("requests", self._requests, 1.0),
            ("tokens", self._tokens, tokens),
        ):
            wait = 0.0 if bucket is None else bucket.wait_s(amount, now)
            if bucket is not None and wait > 0 and (worst is None or wait > worst.wait_s):
                worst = Refusal(what, bucket.per_minute, wait)
        if self._requests is not None and (worst is None or self._count_refused):
            self._requests.take(1.0, now)
        if self._tokens is not None and worst is None:
            self._tokens.take(tokens, now)
        return worst

    def headers(self, now: float) -> list[tuple[str, str]]:
        """State of the buckets in the words of the chosen provider."""
        if self._family == "none":
            return []
        found = []
        if self._requests is not None:
            found += limit_headers(self._family, "requests", self._requests, now)
        if self._tokens is not None:
            found += limit_headers(self._family, "tokens", self._tokens, now)
        return found


def limit_headers(
    family: LimitHeaders, what: str, bucket: Bucket, now: float
) -> list[tuple[str, str]]:
    """Rate-limit headers of one bucket.

    openai: Go durations. groq: requests per day, tokens per minute, Go durations. cerebras: float
    seconds. together: per second, whole seconds. ietf: one structured field.
    """
    limit, left, reset = bucket.per_minute, max(0, int(bucket.level(now))), bucket.full_in_s(now)
    if family == "ietf":
        return [("ratelimit", f'"{what}";r={left};t={math.ceil(reset)}')]
    if family == "together":
        name = "x-ratelimit" if what == "requests" else "x-tokenlimit"
        return [
            (f"{name}-limit", f"{limit / 60:g}"),
            (f"{name}-remaining", str(left)),
            (f"{name}-reset", str(math.ceil(reset))),
        ]
    name, shown = what, reset_go(reset)
    if family == "cerebras":
        name, shown = ("requests-day" if what == "requests" else "tokens-minute"), f"{reset:.3f}"
    if what == "requests" and family in ("groq", "cerebras"):
        limit, left = limit * 1440, left * 1440
    return [
        (f"x-ratelimit-limit-{name}", f"{limit:.0f}"),
        (f"x-ratelimit-remaining-{name}", str(left)),
        (f"x-ratelimit-reset-{name}", shown),
    ]


def reset_go(seconds: float) -> str:
    """A duration as Go prints it: 12ms, 7.66s, 6m0s, 1h2m3s."""
    if seconds < 1:
        return f"{math.ceil(seconds * 1000)}ms"
    minutes, rest = divmod(math.ceil(seconds * 100) / 100, 60)
    hours, minutes = divmod(int(minutes), 60)
    text = f"{rest:.2f}".rstrip("0").rstrip(".") + "s"
    if minutes or hours:
        text = f"{minutes}m{text}"
    return f"{hours}h{text}" if hours else text
