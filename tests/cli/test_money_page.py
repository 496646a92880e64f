"""The page for buyers names only commands, flags and keys that exist."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import typer

from hinglishbench.cli.main import app
from hinglishbench.pricing.user_file import read_prices

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "money.md").read_text("utf-8")
# Every `hbench …` of the page, in code blocks and in the text.
COMMANDS = sorted(set(re.findall(r"hbench ([a-z]+(?: [a-z]+)?)((?: +[^`\n#]+)?)", PAGE)))


def options(words: str) -> set[str]:
    """The flags of a command (or of a command of a group)."""
    first, _, second = words.partition(" ")
    group = typer.main.get_command(app)
    command = group.get_command(None, first)  # type: ignore[attr-defined]
    assert command is not None, f"no command {first}"
    if second and hasattr(command, "get_command"):
        command = command.get_command(None, second)
        assert command is not None, f"no command {words}"
    return {flag for parameter in command.params for flag in parameter.opts}


@pytest.mark.parametrize(("words", "rest"), COMMANDS)
def test_commands_and_flags_exist(words: str, rest: str) -> None:
    """A flag that was renamed makes the page wrong."""
    known = options(words)
    assert set(re.findall(r"--[a-z][a-z-]+", rest)) <= known


def test_the_page_was_read() -> None:
    """The pattern above finds what is there."""
    assert {"doctor", "run", "prices pull", "prices apply", "cost"} <= {
        words for words, _ in COMMANDS
    }


@pytest.mark.parametrize(
    "flag", ["--max-usd", "--max-usd-total", "--allow-unbounded", "--dry-run", "--grace"]
)
def test_flags_of_the_text_belong_to_run(flag: str) -> None:
    """They are explained there."""
    assert f"`{flag}" in PAGE
    assert flag in options("run")


def test_the_price_file_of_the_page_is_read(tmp_path: Path) -> None:
    """Both entries make one set with a step."""
    [text] = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert len(tomllib.loads(text)["prices"]) == 2
    path = tmp_path / "prices.toml"
    path.write_text(text)
    assert [row.above_tokens for row in read_prices(path)] == [0, 200_000]
