"""`decide`: one table for every way an attempt may end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinglishbench.client.failures import Failure, Scope
from hinglishbench.client.retry import Limits, Stop, Wait, decide


def failure(
    code: str,
    *,
    permanent: bool = False,
    scope: Scope = "request",
    wait_s: float | None = None,
    ambiguous: bool = False,
) -> Failure:
    return Failure(code, f"it was {code}", permanent, scope, wait_s, ambiguous)


def limited(wait_s: float | None) -> Failure:
    return failure("rate_limited", scope="endpoint", wait_s=wait_s)


RESET = failure("reset", ambiguous=True)
SILENT = failure("timeout", ambiguous=True)

# failure, tries, ambiguous, elapsed, limits, rand -> expected
TABLE = {
    "the first retry waits up to half a second": (RESET, 1, 1, 1.0, Limits(), 0.5, Wait(0.25, False)),
    "the span doubles": (RESET, 3, 3, 1.0, Limits(), 0.5, Wait(1.0, False)),
    "the span is capped": (
        failure("server_error"), 5, 0, 1.0, Limits(cap_s=2.0), 0.5, Wait(1.0, False)),
    "full jitter may be no wait at all": (RESET, 1, 1, 1.0, Limits(), 0.0, Wait(0.0, False)),
    "six tries are all": (failure("server_error"), 6, 0, 9.0, Limits(), 0.5, "request"),
    "four that may be billed are all": (RESET, 4, 4, 9.0, Limits(), 0.5, "request"),
    "unambiguous faults do not use up the four": (
        failure("overloaded"), 5, 3, 9.0, Limits(), 0.0, Wait(0.0, False)),
    "case 69: silence is tried once more": (SILENT, 1, 1, 300.0, Limits(), 0.0, Wait(0.0, False)),
    "case 69: and not a third time": (SILENT, 2, 2, 400.0, Limits(), 0.0, "request"),
    "case 69: nor after another ambiguous fault": (SILENT, 2, 2, 10.0, Limits(), 0.0, "request"),
    "a connect timeout sent nothing and is no such silence": (
        failure("timeout"), 3, 0, 30.0, Limits(), 0.0, Wait(0.0, False)),
    "the time of a request is up": (RESET, 2, 2, 600.5, Limits(), 0.0, "request"),
    "a wait that would pass it is not begun": (RESET, 2, 2, 599.5, Limits(), 0.9, "request"),
    "the last second itself is used": (RESET, 1, 1, 600.0, Limits(), 0.0, Wait(0.0, False)),
    "a pause of the endpoint is not counted": (limited(30.0), 2, 0, 590.0, Limits(), 0.0, Wait(30.0, True)),
    "told to wait: that long, and everybody": (limited(6.0), 1, 0, 1.0, Limits(), 0.5, Wait(6.25, True)),
    "told to wait a moment: the jitter is no longer than that": (
        limited(0.25), 3, 0, 1.0, Limits(), 0.5, Wait(0.375, True)),
    "told by a 503: everybody too": (
        failure("overloaded", wait_s=3.0), 1, 0, 1.0, Limits(), 0.0, Wait(3.0, True)),
    "limited without a wait: jitter, everybody": (limited(None), 2, 0, 1.0, Limits(), 0.5, Wait(0.5, True)),
    "case 54: the bound itself is honoured": (limited(300.0), 1, 0, 1.0, Limits(), 0.0, Wait(300.0, True)),
    "case 54: exactly 60 with a bound of 60": (
        limited(60.0), 1, 0, 1.0, Limits(max_wait_s=60.0), 0.0, Wait(60.0, True)),
    "case 54: longer stops the endpoint": (limited(600.0), 1, 0, 1.0, Limits(), 0.0, "endpoint"),
    "longer stops it even on the last try": (limited(600.0), 6, 0, 1.0, Limits(), 0.0, "endpoint"),
    "case 57: no credits": (
        failure("no_credits", permanent=True, scope="endpoint"), 1, 0, 1.0, Limits(), 0.0, "endpoint"),
    "a bad key": (failure("bad_key", permanent=True, scope="endpoint"), 1, 0, 1.0, Limits(), 0.0, "endpoint"),
    "case 64: an unknown model": (
        failure("unknown_model", permanent=True, scope="model"), 1, 0, 1.0, Limits(), 0.0, "model"),
    "a prompt too long": (
        failure("too_long", permanent=True, scope="request"), 1, 0, 1.0, Limits(), 0.0, "request"),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_decide(name: str) -> None:
    """Each row of the table."""
    fault, tries, ambiguous, elapsed, limits, rand, expected = TABLE[name]
    decision = decide(
        fault, tries=tries, ambiguous=ambiguous, elapsed_s=elapsed, limits=limits, rand=rand
    )
    if isinstance(expected, str):
        assert isinstance(decision, Stop)
        assert decision.scope == expected
        assert fault.message in decision.reason
        assert decision.hint
    else:
        assert decision == expected


@given(
    wait=st.one_of(st.none(), st.floats(0, 1e6)),
    tries=st.integers(1, 10),
    ambiguous=st.integers(0, 10),
    elapsed=st.floats(0, 1e4),
    rand=st.floats(0, 1, exclude_max=True),
    ambiguous_fault=st.booleans(),
)
def test_a_wait_is_never_shorter_than_told_and_tries_end(
    *,
    wait: float | None,
    tries: int,
    ambiguous: int,
    elapsed: float,
    rand: float,
    ambiguous_fault: bool,
) -> None:
    """Whatever the numbers: no earlier than told, bounded, and never past the limits."""
    limits = Limits()
    fault = failure("server_error", wait_s=wait, ambiguous=ambiguous_fault)
    decision = decide(
        fault, tries=tries, ambiguous=ambiguous, elapsed_s=elapsed, limits=limits, rand=rand
    )
    if isinstance(decision, Wait):
        assert decision.seconds >= (wait or 0.0)
        assert decision.seconds <= limits.max_wait_s + limits.cap_s
        assert tries < limits.max_tries
        assert not ambiguous_fault or ambiguous < limits.max_ambiguous
        assert elapsed <= limits.budget_s
