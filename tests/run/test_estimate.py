"""What a dry run says beforehand: from the arm's own past, else from labelled assumptions."""

from __future__ import annotations

import hashlib
import math
import random
import socket
import statistics
from pathlib import Path
from typing import Any

import pytest

from hinglishbench.run import counting
from hinglishbench.run.counting import by_bytes, offline_counter
from hinglishbench.run.estimate import _predicted
from tests.conftest import Hbench, asking
from tests.fakeprovider import FakeProvider

PRICES = """[[prices]]
provider = "openai-compatible"
model = "fake/model"
input = 1
output = 10
"""


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any connection is a failure of the test."""

    def refuse(*_: Any) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.fixture
def no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No table in tiktoken's cache, and the extra with a packaged one is not installed."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(counting, "_packaged", lambda: False)


# --- counting ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("offline", "no_table")
def test_a_table_that_is_not_here_is_not_fetched(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a table, and with a damaged one (which tiktoken would fetch again), bytes count."""
    assert not offline_counter().exact
    url = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
    damaged = tmp_path / "cache" / hashlib.sha1(url.encode()).hexdigest()
    damaged.parent.mkdir()
    damaged.write_text("damaged")
    counter = offline_counter()
    assert not counter.exact
    assert "bytes" in counter.basis
    assert damaged.read_text() == "damaged"
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert not offline_counter().exact


@pytest.mark.usefixtures("offline")
def test_a_packaged_table_is_used_without_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the extra `offline` a tokenizer counts; without it the label says bytes."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path / "cache"))
    counter = offline_counter()
    assert counter.exact is counting._packaged()
    assert ("tiktoken cl100k_base" in counter.basis) is counter.exact
    assert 8 <= counter.count("What is the number of apples in the box?") <= 11


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("नमस्ते", 6), ("ab नम", 3)]
)
def test_bytes_stand_for_tokens(text: str, tokens: int) -> None:
    """One token per 4 ASCII characters, one per 3 further bytes, rounded up."""
    assert by_bytes(text) == tokens


# --- the interval ------------------------------------------------------------------------------


def test_the_interval_of_a_past_holds_as_often_as_it_says() -> None:
    """Sums of 40 new calls after 30 old ones fall into it about 95 times in 100."""
    luck = random.Random(3)
    held, rounds = 0, 2000
    for _ in range(rounds):
        old = [luck.gauss(300, 80) for _ in range(30)]
        new = sum(luck.gauss(300, 80) for _ in range(40))
        around = _predicted(40, 30, statistics.fmean(old), statistics.stdev(old), math.inf)
        held += around.low <= new <= around.high
    assert 0.93 <= held / rounds <= 0.96


def test_no_figure_is_over_the_cap_or_below_nothing() -> None:
    """A past with long replies does not predict more than the cap allows."""
    around = _predicted(10, 5, 90.0, 500.0, 100.0)
    assert (around.low, around.expected, around.high) == (0.0, 900.0, 1000.0)


# --- the command -------------------------------------------------------------------------------


@pytest.mark.usefixtures("offline", "no_table")
def test_without_a_past_the_assumptions_are_labelled(
    hbench: Hbench,
    fp: FakeProvider,
) -> None:
    """Nobody is called, no file is made; low, expected and high are in order, and high is the cap."""
    (hbench.folder / "prices.toml").write_text(PRICES)
    done = hbench(
        *asking(fp, "--suite", hbench.pairs(3), "--dry-run", "--max-tokens", 600, "--json")
    )
    estimate = done.json["estimate"]
    assert (estimate["blocks"], estimate["calls"]) == (3, 6)
    assert estimate["completion_tokens"] == {"low": 240, "expected": 3000, "high": 3600}
    tokens = estimate["prompt_tokens"]
    assert 0 < tokens["low"] < tokens["expected"] < tokens["high"]
    for level in ("low", "expected", "high"):
        usd = (tokens[level] + 10 * estimate["completion_tokens"][level]) / 1e6
        assert estimate["usd"][level] == pytest.approx(usd, abs=1e-5)
    [basis] = estimate["arms"][0]["basis"]
    assert "no earlier answers" in basis
    assert "bytes" in basis
    assert "assumed: 40" in basis
    assert not hbench.ledger.exists()


def test_a_past_replaces_the_assumptions(hbench: Hbench, fp: FakeProvider) -> None:
    """Five answers a form are enough; what is answered already is not estimated again."""
    (hbench.folder / "prices.toml").write_text(PRICES)
    suite = hbench.pairs(20)
    ask = asking(fp, "--suite", suite, "--json")
    hbench(*ask, "--limit", 4)
    few = hbench(*ask, "--dry-run").json["estimate"]
    assert "no earlier answers" in few["arms"][0]["basis"][0]
    hbench(*ask, "--limit", 6)
    before = hbench(*ask, "--dry-run").json["estimate"]
    assert (before["blocks"], before["calls"]) == (14, 28)
    assert before["arms"][0]["basis"] == ["cm-rom, en: 6 earlier answers of this arm"]
    after = hbench(*ask).json
    for key in ("prompt_tokens", "completion_tokens"):
        assert before[key]["low"] <= after[key] <= before[key]["high"]
    assert before["usd"]["low"] <= after["cost_usd"] <= before["usd"]["high"]
    nothing = hbench(*ask, "--dry-run").json["estimate"]
    assert nothing["calls"] == 0
    assert nothing["usd"] == {"low": 0.0, "expected": 0.0, "high": 0.0}


def test_another_prompt_learns_from_the_models_past(hbench: Hbench, fp: FakeProvider) -> None:
    """And says that it is not its own."""
    suite = hbench.pairs(6)
    hbench(*asking(fp, "--suite", suite))
    done = hbench(*asking(fp, "--suite", suite, "--prompt", "answer-only", "--dry-run", "--json"))
    [basis, *_] = done.json["estimate"]["arms"][0]["basis"]
    assert "6 earlier answers of this model with other prompts" in basis


def test_no_price_is_no_dollars_not_zero(hbench: Hbench, fp: FakeProvider) -> None:
    """NULL with its reason, in JSON and for a person."""
    ask = asking(fp, "--suite", hbench.pairs(1), "--dry-run")
    estimate = hbench(*ask, "--json").json["estimate"]
    assert estimate["usd"] is None
    assert estimate["unpriced_arms"] == 1
    assert "no price is known" in estimate["arms"][0]["basis"][-1]
    assert "no price is known" in hbench(*ask).err


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize(
    "more", [["--provider", "groq"], ["--provider", "groq", "--route", "hf"], ["--provider", "groq", "--provider", "baseten"],
             ["--provider", "hf", "--model", "openai/gpt-oss-120b:groq"],
             ["--provider", "openai", "--api-key-env", "NOT_SET"]],
)  # fmt: skip
def test_a_dry_run_needs_no_key(hbench: Hbench, more: list[str]) -> None:
    """It asks nobody; the same command without --dry-run is refused for want of a key."""
    suite = hbench.pairs(2)
    done = hbench("run", "--suite", suite, *more, "--dry-run", "--json")
    assert done.json["estimate"]["usd"]["high"] > 0
    assert "no key of" in done.err
    hbench("run", "--suite", suite, *more, code=3)


def test_the_table_says_which_figure_a_budget_holds(hbench: Hbench, fp: FakeProvider) -> None:
    """For the person who is about to choose an amount."""
    (hbench.folder / "prices.toml").write_text(PRICES)
    ask = asking(fp, "--suite", hbench.pairs(3), "--dry-run", "--max-usd")
    assert "less than the low figure" in hbench(*ask, "0.000001").err
    done = hbench(*ask, "5")
    assert "the high figure" in done.err
    assert "tokens out" in done.out
