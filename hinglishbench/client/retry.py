"""Whether a failed attempt is tried again, and after how long: one pure decision.

A wait is never shorter than the provider asks. Waiting in general is "full jitter": a random
share of an exponentially growing span, which spreads clients best (M. Brooker, "Exponential
Backoff And Jitter", AWS Architecture Blog, 2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from hinglishbench.client.failures import Failure


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a request is pursued.

    Attributes:
        max_tries: attempts in all.
        max_ambiguous: attempts that may have been computed and billed, in all.
        max_silent: the same for a reply that did not come in time: the next would likely be as
            slow, and each may be on the bill.
        budget_s: seconds from the first send, pauses of limiter and endpoint not counted.
        base_s: span of the first wait, doubled at each try.
        cap_s: longest span of a wait that the provider did not ask for.
        max_wait_s: longest wait that is honoured; asked for more, the endpoint stops.
    """

    max_tries: int = 6
    max_ambiguous: int = 4
    max_silent: int = 2
    budget_s: float = 600.0
    base_s: float = 0.5
    cap_s: float = 60.0
    max_wait_s: float = 300.0


@dataclass(frozen=True, slots=True)
class Wait:
    """Try again after `seconds`; with `pause_endpoint` nothing else is sent there until then."""

    seconds: float
    pause_endpoint: bool


@dataclass(frozen=True, slots=True)
class Stop:
    """Give up: the request alone, its model, or the whole endpoint."""

    reason: str
    scope: Literal["request", "model", "endpoint"]
    hint: str


_HINTS = {
    "bad_key": "check the key: it may be mistyped, expired, or for another account",
    "forbidden": "the key is known but may not do this: check its rights at the provider",
    "no_credits": "add credits at the provider, then give the same command: it asks what is missing",
    "unknown_model": "check the model's name with `hbench providers`, or choose another one",
    "bad_request": "the provider refuses what is sent: leave out options, or describe the model in "
    "hbench.toml",
    "not_found": "check the base URL: most end in /v1",
    "too_long": "prompt and cap do not fit the model: lower --max-tokens or choose another model",
    "moderated": "the provider's filter refused this prompt",
    "timeout": "raise --timeout, lower --max-tokens, or use a provider that streams",
}
_AGAIN = "give the same command again: it asks only what is missing"


def decide(
    failure: Failure,
    *,
    tries: int,
    ambiguous: int,
    elapsed_s: float,
    limits: Limits,
    rand: float,
) -> Wait | Stop:
    """Decide what follows a failed attempt.

    Args:
        failure: what happened.
        tries: attempts made so far, this one included.
        ambiguous: how many of them may have been computed and billed, this one included.
        elapsed_s: seconds since the first send, pauses not counted.
        limits: how far to go.
        rand: a random number in [0, 1).

    Returns:
        `Wait` for a new try, or `Stop` with the scope of what ends.
    """
    if failure.permanent:
        return Stop(failure.message, failure.scope, _HINTS.get(failure.code, _AGAIN))
    told = failure.wait_s
    if told is not None and told > limits.max_wait_s:
        return Stop(
            f"asked to wait {told:.0f} s, longer than the {limits.max_wait_s:.0f} s allowed "
            f"({failure.message})",
            "endpoint",
            f"give the same command again in {told:.0f} s, or raise --max-wait",
        )
    if tries >= limits.max_tries:
        return Stop(f"{tries} tries: {failure.message}", "request", _AGAIN)
    if failure.ambiguous:
        silent = failure.code == "timeout"
        if ambiguous >= (limits.max_silent if silent else limits.max_ambiguous):
            return Stop(
                f"{ambiguous} tries that may be on the bill: {failure.message}",
                "request",
                _HINTS["timeout"] if silent else _AGAIN,
            )
    span = min(limits.cap_s, limits.base_s * 2.0 ** (tries - 1))
    if told:  # the endpoint's own figure: it need not be doubled to spread who comes back
        span = min(span, told)
    seconds = (told or 0.0) + rand * span
    # a limit is the endpoint's, and so is a wait it names: nothing else should be sent there
    pause = failure.scope == "endpoint" or told is not None
    if elapsed_s + (0.0 if pause else seconds) > limits.budget_s:
        return Stop(f"{elapsed_s:.0f} s spent on one request: {failure.message}", "request", _AGAIN)
    return Wait(seconds, pause)
