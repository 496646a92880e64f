"""`hbench grade`: verdicts on anyone's outputs."""

from __future__ import annotations

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from hinglishbench.cli.grade import grade
from hinglishbench.errors import InputError


def _write(path: Path, *rows: Any) -> str:
    path.write_text(
        "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n"
    )
    return str(path)


def test_one_object_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each row gives id, parsed, outcome and method, in the order of the file."""
    file = _write(
        tmp_path / "a.jsonl",
        {"id": "a", "text": "Answer: 18", "gold": "18"},
        "",
        {"id": 2, "text": None, "gold": 18, "finish_reason": "length", "reasoning": "18"},
        {"id": 3, "text": "\ud835 = 4", "gold": 4.0, "extra": 1},
    )
    grade(file, "numeric")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        {"id": "a", "parsed": "18", "outcome": "correct", "method": "marker"},
        {"id": 2, "parsed": None, "outcome": "truncated", "method": "truncated"},
        {"id": 3, "parsed": "4", "outcome": "correct", "method": "last_line"},
    ]


def test_explain_says_how(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--explain` adds score, gold, readings, flags and version."""
    grade(
        _write(tmp_path / "a.jsonl", {"id": 1, "text": "<think>x</think>25%", "gold": "0.25"}),
        "numeric",
        explain=True,
    )
    (row,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert row["also"] == ["0.25"]
    assert row["flags"] == ["reasoning:think", "percent"]
    assert (row["score"], row["gold"], row["grader"]) == (1.0, "0.25", "numeric-1")


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ({"id": 1, "text": "x"}, "'gold' is missing"),
        ({"text": "x", "gold": "1"}, "'id' is missing"),
        ({"id": 1, "text": 5, "gold": "1"}, "'text' is neither"),
        ({"id": 1, "text": "x", "gold": "1 and 2"}, "several numbers"),
        ({"id": 1, "text": "x", "gold": True}, "'gold' is neither"),
        ({"id": 1, "text": "x", "gold": None}, "'gold' is neither"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_bad_line_is_named_and_nothing_is_graded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bad: Any, says: str
) -> None:
    """The file is checked first: the message starts with file and line, stdout stays empty."""
    file = _write(tmp_path / "a.jsonl", {"id": 0, "text": "5", "gold": "5"}, bad)
    with pytest.raises(InputError, match=says) as caught:
        grade(file, "numeric")
    assert str(caught.value).startswith(f"{file}:2: ")
    assert caught.value.exit_code == 3
    assert capsys.readouterr().out == ""


def test_bytes_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    """A line in another encoding is named by its number."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"id": 1, "text": "5", "gold": "5"}\n\xff\xfe\n')
    with pytest.raises(InputError, match=":2: not UTF-8"):
        grade(str(path), "numeric")


def test_missing_file_is_an_input_error(tmp_path: Path) -> None:
    """A file that is not there is said in one sentence."""
    with pytest.raises(InputError, match="cannot be read"):
        grade(str(tmp_path / "none.jsonl"), "numeric")


def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dash reads standard input, a byte-order mark is skipped."""
    data = "\ufeff" + json.dumps({"id": 1, "text": "B", "gold": "b", "options": ["x", "y", "z"]})
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(data.encode())))
    grade("-", "choice")
    assert json.loads(capsys.readouterr().out)["outcome"] == "correct"


@pytest.mark.parametrize(
    ("row", "parsed"),
    [
        ({"text": "The answer is Rome.", "gold": "B", "options": ["Paris", "Rome"]}, "B"),
        ({"text": "The answer is Rome.", "gold": "2", "options": {"1": "Paris", "2": "Rome"}}, "2"),
        ({"text": "Answer: ख", "gold": "ख", "options": ["x", "y"], "labels": ["क", "ख"]}, "ख"),
        ({"text": "Answer: G", "gold": "G"}, "G"),
        ({"text": "Answer: 3", "gold": 3}, "3"),
        ({"text": "Answer: ग", "gold": "ग"}, "ग"),
        ({"text": "Answer: c", "gold": "c", "options": ["A", "B", "C", "D"]}, "C"),
    ],
)
def test_options_and_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], row: dict[str, Any], parsed: str
) -> None:
    """Options come as texts, as an object or not at all; labels are then those the golds use."""
    grade(_write(tmp_path / "a.jsonl", {"id": 1, **row}), "choice")
    shown = json.loads(capsys.readouterr().out)
    assert (shown["parsed"], shown["outcome"]) == (parsed, "correct")


def test_golds_without_a_common_label_set_are_refused(tmp_path: Path) -> None:
    """A choice without options whose golds are no labels is refused."""
    with pytest.raises(InputError, match="without options or labels"):
        grade(_write(tmp_path / "a.jsonl", {"id": 1, "text": "x", "gold": "Paris"}), "choice")
