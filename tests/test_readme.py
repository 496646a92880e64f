"""The README and the repository's predictions say what the program says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_the_readme_shows_what_the_commands_print() -> None:
    """Each table between the markers is what its command prints for predictions/ today."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/readme.py"), "--check"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["run", "test"])
def test_the_readme_names_targets_that_exist(command: str) -> None:
    """Both commands of the first screen are targets of the Makefile."""
    assert f"$ make {command}" in (ROOT / "README.md").read_text("utf-8")
    assert f"\n{command}:" in (ROOT / "Makefile").read_text("utf-8")


def test_the_ci_runs_the_readmes_test_command() -> None:
    """What must pass before anything lands is what the README tells a newcomer to run."""
    assert "\nmake test\n" in (ROOT / ".ci/run").read_text("utf-8")
