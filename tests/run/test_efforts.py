"""Reasoning asked for and reasoning that came: counted by answer, said once an arm."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Hbench, asking
from tests.fakeprovider import FakeProvider

Make = Callable[..., FakeProvider]


def test_a_switch_that_is_ignored_is_warned_of_once(hbench: Hbench, provider: Make) -> None:
    """Case 37: effort none is accepted, reasoning comes all the same."""
    fp = provider(reasoning_tokens=20, thinking_switch="ignored")
    done = hbench(*asking(fp, "--suite", hbench.pairs(4), "--effort", "none", "--json"))
    assert done.err.count("warning: effort none was asked of fake/model") == 1
    assert done.json["reasoning_mismatches"] == 8
    assert hbench.one("select count(*) from attempts where reasoning_observed") == 8
    assert hbench.one("select distinct effort from arms") == "none"
    assert hbench.one("select json_extract(summary, '$.reasoning_mismatches')::int from runs") == 8


def test_a_switch_that_works_is_not_warned_of(hbench: Hbench, provider: Make) -> None:
    """Effort none without reasoning, and an effort with it, are as asked."""
    fp = provider(reasoning_tokens=20)
    done = hbench(*asking(fp, "--suite", hbench.pairs(3), "--effort", "none", "--effort", "low",
                          "--json"))  # fmt: skip
    assert "warning" not in done.err
    assert done.json["reasoning_mismatches"] == 0


@pytest.mark.parametrize("blocks", [1, 6])
def test_an_effort_without_any_reasoning_is_warned_of_once(
    hbench: Hbench, provider: Make, blocks: int
) -> None:
    """At the fifth such answer, or when the run ends before."""
    done = hbench(
        *asking(provider(), "--suite", hbench.pairs(blocks), "--effort", "high", "--json")
    )
    assert done.err.count("warning: effort high was asked") == 1
    assert "show no reasoning" in done.err
    assert done.json["reasoning_mismatches"] == 2 * blocks


def test_hidden_reasoning_is_seen_in_the_counts(hbench: Hbench, provider: Make) -> None:
    """OpenAI sends no text of it; the token count is enough."""
    fp = provider(reasoning_tokens=20, reasoning_field="hidden")
    done = hbench(*asking(fp, "--suite", hbench.pairs(3), "--effort", "high", "--json"))
    assert done.json["reasoning_mismatches"] == 0


def test_an_unset_effort_claims_nothing(hbench: Hbench, provider: Make) -> None:
    """Nothing was asked for, so nothing can be missing."""
    fp = provider(reasoning_tokens=20)
    assert (
        hbench(*asking(fp, "--suite", hbench.pairs(2), "--json")).json["reasoning_mismatches"] == 0
    )
