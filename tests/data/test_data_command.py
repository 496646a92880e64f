"""`hbench data` lists, shows and verifies, for people and for machines."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from hinglishbench.cli.data import app
from hinglishbench.errors import InputError, RefusedError, UsageError

PAIR = {
    "id": "a",
    "answer": "50",
    "forms": {
        "en": "Ravi bought 5 pens at ₹10 each. What did the pens cost him in all?",
        "cm-rom": "Ravi ne 5 pens 10 rupees each ke rate se liye. Uska total cost kitna hua?",
    },
}
Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Run `hbench data …` in this process; errors of our own come out as they are."""

    def _run(*args: str) -> Result:
        result = CliRunner().invoke(app, [*args])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return _run


def _file(folder: Path, *rows: object) -> str:
    path = folder / "pairs.jsonl"
    text = "\n".join(r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in rows)
    path.write_text(text, "utf-8")
    return str(path)


def test_list_names_the_packaged_suites(run: Run) -> None:
    """One line a suite, plain when not a terminal; JSON has topics and digest."""
    line = next(x for x in run("list").stdout.splitlines() if x.startswith("tiered-100"))
    assert "100" in line
    assert "34 easy / 33 medium / 33 hard" in line
    assert "\x1b" not in line
    (row,) = (r for r in json.loads(run("list", "--json").stdout) if r["name"] == "tiered-100")
    assert row["tiers"] == {"easy": 34, "medium": 33, "hard": 33}
    assert row["digest"].startswith("sha256:")


def test_show_outlines_a_suite(run: Run) -> None:
    """Title, forms, digest, topics by tier, and how to read on."""
    out = run("show", "tiered-100").stdout
    for said in ("100 items", "Hinglish, romanized", "sha256:", "kirana", "--item t100-e01"):
        assert said in out


def test_show_prints_one_item_in_its_forms(run: Run) -> None:
    """All forms, or those asked for, one line each when not a terminal."""
    lines = run("show", "tiered-100", "--item", "t100-e01").stdout.splitlines()
    assert [x.split(": ")[0] for x in lines[1:]] == [
        f"t100-e01 {form}" for form in ("en", "cm-rom", "cm", "hi", "hi-rom")
    ]
    assert "easy · bazaar" in lines[0]
    lines = run("show", "tiered-100", "--item", "t100-e01", "--form", "hi,en").stdout.splitlines()
    assert [x.split(":")[0] for x in lines[1:]] == ["t100-e01 hi", "t100-e01 en"]
    rows = json.loads(run("show", "tiered-100", "--item", "t100-e01", "--json").stdout)
    assert rows[0]["meta"]["register"] == "chat"


def test_show_prints_all_items_in_a_form(run: Run) -> None:
    """`--form` without `--item` reads the whole set in that form."""
    rows = json.loads(run("show", "tiered-100", "--form", "cm", "--json").stdout)
    assert len(rows) == 100
    assert all(list(row["forms"]) == ["cm"] for row in rows)


def test_show_says_what_there_is(run: Run, tmp_path: Path) -> None:
    """An unknown name, item, form or file is refused with what exists."""
    with pytest.raises(RefusedError, match="tiered-100"):
        run("show", "tiered-99")
    with pytest.raises(UsageError) as caught:
        run("show", "tiered-100", "--item", "t100-x1")
    assert "t100-e01 to t100-h33" in str(caught.value.hint)
    with pytest.raises(UsageError) as caught:
        run("show", "tiered-100", "--form", "bn")
    assert "cm-rom" in str(caught.value.hint)
    with pytest.raises(InputError, match="no such file"):
        run("verify", str(tmp_path / "none.jsonl"))


def test_show_fits_a_terminal_of_80_columns() -> None:
    """In a real terminal: titled panels, no line over 80 columns."""
    code = (
        "import os, pty, sys\n"
        "os.environ |= {'COLUMNS': '80', 'TERM': 'xterm'}\n"
        "argv = [sys.executable, '-c', 'from hinglishbench.cli.data import app; app()',\n"
        "        'show', 'tiered-100', '--item', 't100-e01', '--form', 'en,cm-rom']\n"
        "sys.exit(os.waitstatus_to_exitcode(pty.spawn(argv)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, stdin=subprocess.DEVNULL
    )
    import re  # noqa: PLC0415  only this test strips colours

    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", done.stdout.decode()).replace("\r", "")
    assert "─ cm-rom Hinglish, romanized" in plain
    assert max(len(line) for line in plain.splitlines()) <= 80


def test_verify_of_a_good_file_finds_nothing(run: Run, tmp_path: Path) -> None:
    """Exit code 0, measures by form, and nothing found."""
    result = run("verify", _file(tmp_path, PAIR))
    assert result.exit_code == 0
    assert "1 items, nothing found" in result.stdout


def test_verify_ranks_faults_and_exits_1(run: Run, tmp_path: Path) -> None:
    """Bad lines are named, the worst item comes first, the count is told, the code is 1."""
    lost = PAIR | {"id": "b", "forms": PAIR["forms"] | {"cm-rom": "Ravi ne pens liye, cost kya?"}}  # type: ignore[operator]  # the value is a dict
    odd = PAIR | {"id": "c", "answer": "10"}
    file = _file(tmp_path, PAIR, lost, "{", odd)
    result = run("verify", file)
    assert result.exit_code == 1
    assert f"{file}:3: not JSON" in result.stdout
    assert "numbers: cm-rom: against en: 5 is missing; 10 is missing" in result.stdout
    assert result.stdout.index("b  score") < result.stdout.index("c  score")
    row = json.loads(run("verify", file, "--json").stdout)
    assert row["items"] == 3
    assert row["bad_lines"] == [
        {"line": 3, "message": row["bad_lines"][0]["message"]},
    ]
    assert row["ranked"][0]["item"] == "b"
    assert row["faults"] == 2
    assert "more items (--top)" in run("verify", file, "--top", "1").stdout


def test_verify_shows_control_characters_and_obeys_none(run: Run, tmp_path: Path) -> None:
    """A file of strangers cannot colour or clear the terminal, nor use rich's own markup."""
    bad = PAIR | {"id": "[red]x", "forms": {"en": "a \x1b[2J 5", "cm-rom": "b [bold]5"}}
    out = run("verify", _file(tmp_path, bad)).stdout
    assert "\x1b" not in out
    assert "[red]x" in out
    shown = run("show", _file(tmp_path, bad), "--form", "en").stdout
    assert "\\x1b[2J" in shown


def test_verify_of_the_packaged_set_is_clean(run: Run) -> None:
    """The name of a suite works where a file does."""
    result = run("verify", "tiered-100")
    assert result.exit_code == 0
    assert "100 items, nothing found" in result.stdout
