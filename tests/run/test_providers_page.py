"""docs/providers.md says what the program does: its example loads, its options exist."""

from __future__ import annotations

import re
from pathlib import Path

from hinglishbench.client.providers import load_providers
from hinglishbench.client.retry import Limits
from hinglishbench.run.efforts import SURE
from hinglishbench.run.lane import START_CONCURRENCY
from tests.conftest import ROOT, Hbench

PAGE = (ROOT / "docs" / "providers.md").read_text()


def test_the_example_file_loads(tmp_path: Path) -> None:
    """As it stands on the page, with what it promises."""
    found = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    (tmp_path / "hbench.toml").write_text(found[1])
    mine = load_providers(tmp_path / "hbench.toml")["mine"]
    assert (mine.limits.rpm, mine.stream, mine.billed_5xx) == (600, "always", "no")
    assert mine.effort_values("Qwen/Qwen3-8B") == ("none",)
    assert "on" in mine.effort_values("other")  # of vllm


def test_every_option_on_the_page_exists(hbench: Hbench) -> None:
    """In `hbench run --help`."""
    help_ = hbench("run", "--help").out
    options = set(re.findall(r"`(--[a-z-]+)", PAGE))
    assert len(options) >= 12
    assert {option for option in options if option not in help_} == set()


def test_the_numbers_on_the_page_are_those_of_the_program() -> None:
    """Bounds of waits, tries and time."""
    limits = Limits()
    assert f"`--max-wait` ({limits.max_wait_s:.0f} s)" in PAGE
    assert f"`--timeout` ({limits.budget_s:.0f} s)" in PAGE
    assert (limits.max_tries, limits.max_ambiguous, limits.max_silent) == (6, 4, 2)
    assert "at most six tries, four after faults" in PAGE
    assert (START_CONCURRENCY, SURE) == (16, 5)
