"""Under faults of every kind, the ledger and the server's bill agree (the benchmark's checks, small)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.chaos import BOOKS, DESIGN, MIXED, UNEXPLAINED, Outcome
from hinglishbench.run import runner
from tests.conftest import Hbench, asking
from tests.fakeprovider import FakeProvider

Make = Callable[..., FakeProvider]


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries wait a 25th of what they do: the tests need the tries, not the time."""
    usual = runner._limits
    monkeypatch.setattr(runner, "_limits", lambda options: replace(usual(options), base_s=0.02))


def outcome(hbench: Hbench, fp: FakeProvider, *more: object) -> Outcome:
    """One run, with what the ledger and the server say of it."""
    done = hbench(*asking(fp, "--json", *more), code=None)
    [books] = hbench.rows(BOOKS)
    return Outcome(done.json, books, hbench.one(UNEXPLAINED), fp.settled_bill(), 0.0)


@pytest.mark.parametrize("transport", ["httpx2", "pyreqwest"])
def test_mixed_weather_leaves_both_books_in_agreement(
    hbench: Hbench, provider: Make, transport: str
) -> None:
    """15% mixed faults: every cell ends, and every count is as the server has it."""
    fp = provider(rates=list(MIXED), latency_s=0.003, completion_spread=0.3)
    out = outcome(
        hbench, fp, "--suite", hbench.pairs(160), "--timeout", 2, "--transport", transport
    )
    assert out.faults() == []
    met = {name: n for name, n in out.bill["faults"].items() if name != "ok"}
    assert sum(met.values()) > 0.08 * 320
    assert len(met) >= 15
    assert out.summary["errors"] <= 4
    hbench.sound()


@pytest.mark.parametrize("stream", [False, True])
def test_sure_tokens_are_those_of_complete_replies(
    hbench: Hbench, provider: Make, *, stream: bool
) -> None:
    """5% 500, 2% reset, 2% cut, whole and streamed; reasoning counted outside as well."""
    (hbench.folder / "hbench.toml").write_text(
        f'[providers.openai-compatible]\nstream = "{"always" if stream else "never"}"\n'
    )
    fp = provider(rates=dict(DESIGN), latency_s=0.003, reasoning_tokens=25, usage="outside")
    out = outcome(hbench, fp, "--suite", hbench.pairs(120))
    assert out.faults() == []
    assert out.bill["complete"]["requests"] == out.summary["answered"] == 240
    assert out.books["maybe"] > 0
    assert out.books["sure_out"] == out.summary["completion_tokens"]


ALL_FAIL: Mapping[str, Any] = {"share": 1.0, "fault": "reset_after"}


def test_a_server_that_only_fails_ends_every_cell_in_an_error(
    hbench: Hbench, provider: Make
) -> None:
    """Four tries that may be on the bill, each counted at its bound, and no answer made up."""
    fp = provider(rates=[ALL_FAIL])
    out = outcome(hbench, fp, "--suite", hbench.pairs(2))
    assert out.faults() == []
    assert (out.summary["answered"], out.summary["errors"]) == (0, 4)
    assert out.books["attempts"] == out.books["maybe"] == out.bill["requests"] == 16
    assert out.books["sure_out"] == 0
    assert out.books["most_out"] == 16 * 4096


def test_books_that_do_not_agree_are_found() -> None:
    """The checks of this file can fail: one request too many, one token too few."""
    tokens = {"prompt_tokens": 10, "completion_tokens": 5}
    said = {"cells": 1, "answered": 1, "errors": 0, "left": 0, "attempts": 1}
    books = {"attempts": 1, "sure_in": 10, "sure_out": 4, "most_in": 10, "most_out": 4}
    nothing = {"prompt_tokens": 0, "completion_tokens": 0}
    bill = {"requests": 2, "complete": tokens, "aborted": nothing}
    assert Outcome(said, books, 1, bill, 0.0).faults() == [
        "every cell without an answer says why", "attempts = requests",
        "sure tokens = complete replies", "the bill is bracketed",
    ]  # fmt: skip
