"""``hbench grade``: grade anyone's outputs from a file; no ledger is needed."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Annotated, Literal

import typer

from hinglishbench.errors import InputError
from hinglishbench.grading import GRADERS, Grade, Parsed
from hinglishbench.grading.rows import Row, RowError, check_row, grade_rows, read_row, with_labels

_HINT = 'one object a line: {"id": …, "text": "the reply", "gold": "18"}; see docs/grading.md'


def grade(
    file: Annotated[str, typer.Argument(help="JSON lines to grade; - reads standard input.")],
    grader: Annotated[
        Literal["numeric", "choice", "span"],
        typer.Option(help="How the replies are read and compared."),
    ],
    explain: Annotated[
        bool, typer.Option("--explain", help="Add score, gold, flags and the grader's version.")
    ] = False,
) -> None:
    """Grade a file of replies: reads id, text and gold, writes id, parsed, outcome and method.

    The whole file is checked before the first verdict is written: a bad line is named by
    its number and nothing is graded.
    """
    rows = _read(file, grader)
    counts: Counter[str] = Counter()
    for row, parsed, verdict in grade_rows(rows):
        counts[verdict.outcome] += 1
        sys.stdout.write(_line(row, parsed, verdict, explain=explain) + "\n")
    said = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
    typer.echo(f"{len(rows)} graded by {GRADERS[grader].version}: {said or 'nothing'}", err=True)


def _read(file: str, grader: str) -> list[Row]:
    name = "<stdin>" if file == "-" else file
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise InputError(name, None, f"cannot be read ({error.strerror})") from error
    rows: list[Row] = []
    places: list[int] = []
    # Split at \n alone: a reply may hold other line separators unescaped.
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            rows.append(read_row(raw.decode("utf-8"), grader))
        except UnicodeDecodeError as error:
            raise InputError(name, number, "not UTF-8", hint=_HINT) from error
        except RowError as error:
            raise InputError(name, number, str(error), hint=_HINT) from error
        places.append(number)
    try:
        rows = with_labels(rows)
    except RowError as error:
        raise InputError(
            name, None, str(error), hint='add "options" or "labels" to the rows'
        ) from error
    for row, number in zip(rows, places, strict=True):
        try:
            check_row(row)
        except RowError as error:
            raise InputError(
                name, number, str(error), hint="correct the gold; no reply was graded"
            ) from error
    return rows


def _line(row: Row, parsed: Parsed, verdict: Grade, *, explain: bool) -> str:
    shown = {
        "id": row.id,
        "parsed": verdict.parsed,
        "outcome": verdict.outcome,
        "method": verdict.method,
    }
    if explain:
        shown |= {
            "score": round(verdict.score, 6),
            "gold": row.gold,
            "also": list(parsed.also),
            "flags": list(parsed.flags),
            "grader": GRADERS[row.task.grader].version,
        }
    text = json.dumps(shown, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair: only the escaped form is valid
        return json.dumps(shown)
    return text
