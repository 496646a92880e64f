"""Rows of anyone's outputs: from a JSON object to a reply, a gold and a task.

Pure: no file is opened here. What is wrong with a row is said in a `RowError`, to which
whoever read the file adds the file's name and the line's number.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hinglishbench.grading import GRADERS, GoldError, Grade, Parsed, Reply, Task

# Label sets that a file without options may use; the first that holds all its golds is taken.
COMMON_LABELS: tuple[tuple[str, ...], ...] = (
    *(tuple("ABCDEFGHIJ"[:n]) for n in range(4, 11)),
    *(tuple("123456789"[:n]) for n in range(4, 10)),
    *(tuple("0123456789"[:n]) for n in range(4, 11)),
    tuple("कखगघ"),
    tuple("কখগঘ"),
    tuple("अबसद"),
)


class RowError(ValueError):
    """A row that cannot be graded; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Row:
    """One reply to grade. `labels` of `task` may still be open for a choice without options."""

    id: Any
    reply: Reply
    gold: str | tuple[str, ...]
    task: Task


def read_row(line: str, grader: str) -> Row:
    """Read one line of JSON.

    Keys: `id`, `text` (a string or null), `gold` (a string, a number or a list of them);
    optional `finish_reason`, `reasoning`, `options` (a list of texts, or an object from
    label to text), `labels` (a list), `tolerance`. Others are ignored.

    Raises:
        RowError: the line is not such an object.
    """
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RowError(f"not JSON ({str(error)[:80]})") from error
    if not isinstance(row, dict):
        raise RowError("not a JSON object")
    missing = [key for key in ("id", "text", "gold") if key not in row]
    if missing:
        raise RowError(f"the key {missing[0]!r} is missing")
    options, labels = _options(row)
    reply = Reply(
        _text(row, "text"),
        reasoning=_text(row, "reasoning"),
        finish_reason=_text(row, "finish_reason"),
    )
    tolerance = row.get("tolerance")
    task = Task(
        grader,
        options,
        labels,
        None if tolerance is None else _number_or_text(tolerance, "tolerance"),
    )
    return Row(row["id"], reply, _gold(row["gold"]), task)


def _text(row: Mapping[str, Any], key: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise RowError(f"{key!r} is neither a string nor null")
    return value


def _number_or_text(value: Any, key: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(value)
    raise RowError(f"{key!r} is neither a string nor a number")


def _gold(value: Any) -> str | tuple[str, ...]:
    if isinstance(value, list):
        return tuple(_number_or_text(one, "gold") for one in value)
    return _number_or_text(value, "gold")


def _options(row: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    options, labels = row.get("options") or (), row.get("labels") or ()
    if not isinstance(labels, list | tuple):
        raise RowError("'labels' is not a list")
    names = tuple(_number_or_text(label, "labels") for label in labels)
    if isinstance(options, dict):
        return tuple(_number_or_text(text, "options") for text in options.values()), names or tuple(
            options
        )
    if not isinstance(options, list | tuple):
        raise RowError("'options' is neither a list nor an object")
    texts = tuple(_number_or_text(text, "options") for text in options)
    if texts in COMMON_LABELS and not names:
        return (), texts  # the options are given by their labels alone
    return texts, names


def with_labels(rows: Sequence[Row]) -> list[Row]:
    """Give rows of a choice that state neither options nor labels the set that the file uses.

    It is the smallest common set that holds the golds of all such rows: a property of the
    file, not of a row, so that no row's gold can help to read its reply.

    Raises:
        RowError: no common set holds them all.
    """
    golds = {
        one.strip().upper()
        for row in rows
        if _open(row)
        for one in ((row.gold,) if isinstance(row.gold, str) else row.gold)
    }
    if not golds:
        return list(rows)
    labels = next((known for known in COMMON_LABELS if golds <= set(known)), None)
    if labels is None:
        raise RowError("without options or labels the golds must be letters A to J or digits")
    return [
        Row(row.id, row.reply, row.gold, Task(row.task.grader, (), labels, row.task.tolerance))
        if _open(row)
        else row
        for row in rows
    ]


def _open(row: Row) -> bool:
    return row.task.grader == "choice" and not row.task.options and not row.task.labels


def check_row(row: Row) -> None:
    """Raise RowError for a gold, labels or tolerance that the grader refuses."""
    try:
        GRADERS[row.task.grader].check_gold(row.gold, row.task)
    except GoldError as error:
        raise RowError(str(error)) from error


def grade_rows(rows: Iterable[Row]) -> Iterable[tuple[Row, Parsed, Grade]]:
    """Parse and judge each row."""
    for row in rows:
        grader = GRADERS[row.task.grader]
        parsed = grader.parse(row.reply, row.task)
        yield row, parsed, grader.judge(parsed, row.gold, row.task)
