"""Taking journals in: lines become rows, replies become grades, in one transaction with the offset.

The same code serves a living run (its own journal, a slice at a time) and whoever opens a ledger
after a run died (the rest of its journal, once).
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from hinglishbench.clock import utc, utc_now
from hinglishbench.errors import LedgerBusyError
from hinglishbench.grading import GRADERS, GoldError, Reply, Task
from hinglishbench.ledger import journal
from hinglishbench.ledger.store import connect, first_row, journal_dir, query

if TYPE_CHECKING:
    import duckdb

# Fields of an `end` line that go to `attempts`, in the order of the table's columns.
_BEFORE = ("first_token_s", "status", "error", "message", "billed", "prompt_tokens", "completion_tokens",
           "reasoning_tokens", "cached_tokens", "billable_output_tokens", "output_rule",
           "upper_prompt_tokens", "upper_output_tokens")  # fmt: skip
_COUNTS = frozenset(name for name in _BEFORE if name == "status" or name.endswith("_tokens"))
# More tokens, or dollars, than any reply can have: a stranger's figure must not stop the intake.
_MOST_TOKENS = 10**8
_MOST_USD = 10**5
_AFTER = ("finish_reason", "model", "reply_id", "reasoning_observed", "text", "reasoning")


@dataclass
class Taken:
    """What was taken in from one journal.

    Attributes:
        attempts: rows inserted, those in flight at a death included.
        in_flight: attempts that had been sent and never ended; they are `billed = maybe`.
        bad_lines: byte offsets of lines that are not JSON; they are skipped.
        torn: bytes of a last line that was cut by the death; skipped.
        foreign: the file is the journal of another run; nothing of it was taken in.
    """

    journal: str
    attempts: int = 0
    in_flight: int = 0
    bad_lines: list[int] = field(default_factory=list)
    torn: int = 0
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class RunRef:
    """The run that a journal belongs to."""

    run_id: int
    origin: str


def take_in(
    connection: duckdb.DuckDBPyConnection,
    run: RunRef,
    path: Path,
    offset: int,
    *,
    slices: int | None = None,
) -> tuple[Taken, int]:
    """Take in whole lines from `offset` on; what came, and the new offset.

    Args:
        connection: open for writing.
        run: whose journal it is.
        path: the journal.
        offset: bytes that have been taken in.
        slices: at most so many pieces, each in a transaction of its own; None: to the end of the file.
    """
    taken = Taken(path.name)
    for _ in itertools.count() if slices is None else range(slices):
        chunk = journal.read_from(path, offset)
        taken.bad_lines += chunk.bad_lines
        taken.torn = chunk.torn
        if chunk.end == offset:
            return taken, offset
        with transaction(connection):
            taken.attempts += insert_events(connection, run, chunk.events)
            connection.execute(
                "update runs set journal_offset = ? where run_id = ?", [chunk.end, run.run_id]
            )
        offset = chunk.end
    return taken, offset


def insert_events(
    connection: duckdb.DuckDBPyConnection, run: RunRef, events: Iterable[Mapping[str, Any]]
) -> int:
    """Insert what the lines say, grade the answers, settle requests and cells; number of attempts."""
    ends: list[Mapping[str, Any]] = []
    for event in events:
        match event["e"]:
            case "end":
                ends.append(event)
            case "limit":
                connection.execute(
                    "insert into limits values (?, ?, ?, ?, ?)",
                    [
                        run.run_id,
                        event["endpoint"],
                        utc(event["at"]),
                        event["limit"],
                        event["reason"],
                    ],
                )
            case "done":
                connection.execute(
                    "update runs set status = ?, ended_at = ?, summary = ? where run_id = ?",
                    [event["status"], utc(event["at"]), json.dumps(event["summary"]), run.run_id],
                )
    if ends:
        insert_attempts(connection, run, ends)
    return len(ends)


def insert_attempts(
    connection: duckdb.DuckDBPyConnection,
    run: RunRef,
    ends: Sequence[Mapping[str, Any]],
    given: Mapping[int, GivenGrade] | None = None,
) -> None:
    """Insert attempts, grade what they answer, settle their requests and cells.

    Args:
        connection: the open ledger.
        run: whose attempts they are.
        ends: `end` lines.
        given: grades made elsewhere, by cell; they are taken as they are.
    """
    first = next_id(connection, "attempts", "attempt_id")
    with connection.appender("attempts") as attempts:
        attempts.append_rows(
            _attempt_row(attempt_id, run, end) for attempt_id, end in enumerate(ends, first)
        )
    settled = [
        (end["r"], attempt_id, end["final"])
        for attempt_id, end in enumerate(ends, first)
        if end.get("final")
    ]
    if not settled:
        return
    connection.execute(
        "create or replace temp table ended (request_id integer, attempt_id integer, state varchar)"
    )
    with connection.appender("ended") as ended:
        ended.append_rows(settled)
    grade_cells(connection, connection.execute(query("intake_to_grade")).fetchall(), given or {})
    connection.execute(query("intake_settle"))


def _attempt_row(attempt_id: int, run: RunRef, end: Mapping[str, Any]) -> tuple[Any, ...]:
    usage = end.get("usage")
    ended_at = end.get("at")
    return (
        attempt_id, end["r"], run.run_id, end["arm"], end["n"], run.origin,
        utc(end["sent_at"]), None if ended_at is None else utc(ended_at),
        *(_count(end.get(name)) if name in _COUNTS else end.get(name) for name in _BEFORE),
        _decimal(end.get("reported_cost_usd")),
        *map(end.get, _AFTER),
        None if usage is None else json.dumps(usage, ensure_ascii=False),
    )  # fmt: skip


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and 0 <= value < _MOST_TOKENS else None


def _decimal(text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and 0 <= amount < _MOST_USD else None


class GivenGrade(NamedTuple):
    """A grade with the version of the grader that made it."""

    version: str
    parsed: str | None
    outcome: str
    score: float
    method: str


def _grade(reply: Reply, answer: str, task: Task) -> GivenGrade:
    grader = GRADERS[task.grader]
    try:
        grade = grader.judge(grader.parse(reply, task), json.loads(answer), task)
    except GoldError:
        # Suites refuse such a gold before a call; a ledger of elsewhere must still open.
        return GivenGrade(grader.version, None, "unparsed", 0.0, "bad_gold")
    return GivenGrade(grader.version, grade.parsed, grade.outcome, grade.score, grade.method)


ToGrade = tuple[int, int, str | None, str | None, str | None, str | None, str | None, str | None]


def grade_cells(
    connection: duckdb.DuckDBPyConnection,
    rows: Sequence[ToGrade],
    given: Mapping[int, GivenGrade] = MappingProxyType({}),
) -> int:
    """Grade replies and leave temp table `graded` for the statement that settles cells.

    Args:
        connection: the open ledger.
        rows: (cell_id, attempt_id, text, reasoning, finish_reason, answer, grader, options);
            `grader` None marks a cell whose request ended in an error.
        given: grades made elsewhere, by cell.

    Returns:
        How many grades were made.
    """
    now = utc_now()
    grade_id = next_id(connection, "grades", "grade_id")
    grades: list[tuple[Any, ...]] = []
    graded: list[tuple[int, int, int | None, str]] = []
    for cell_id, attempt_id, text, reasoning, finish_reason, answer, name, options in rows:
        if name is None or answer is None:
            graded.append((cell_id, attempt_id, None, "error"))
            continue
        grade = given.get(cell_id)
        if grade is None:
            grade = _grade(Reply(text, reasoning, finish_reason), answer, task_of(name, options))
        grades.append(
            (grade_id, cell_id, attempt_id, grade.version, answer, grade.parsed, grade.outcome,
             grade.score, grade.method, now)
        )  # fmt: skip
        graded.append((cell_id, attempt_id, grade_id, grade.outcome))
        grade_id += 1
    with connection.appender("grades") as appender:
        appender.append_rows(grades)
    connection.execute(
        "create or replace temp table graded"
        " (cell_id integer, attempt_id integer, grade_id integer, outcome varchar)"
    )
    with connection.appender("graded") as appender:
        appender.append_rows(graded)
    return len(grades)


def task_of(grader: str, options: str | None) -> Task:
    """The grader's task from the ledger's columns `grader` and `options` (JSON)."""
    if options is None:
        return Task(grader)
    fields = json.loads(options)
    return Task(
        grader,
        tuple(fields.get("options", ())),
        tuple(fields.get("labels", ())),
        fields.get("tolerance"),
    )


def next_id(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> int:
    """The next free key of a table (one process writes at a time, so nobody else takes it)."""
    row = first_row(connection, f"select coalesce(max({column}), 0) + 1 from {table}")  # noqa: S608  both names are ours
    assert row is not None
    return int(row[0])


class transaction:  # noqa: N801  reads as a statement
    """`with transaction(connection):` commits on leaving, rolls back on an exception."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("begin")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._connection.execute("commit" if kind is None else "rollback")


def adopt(ledger: Path, *, wait_s: float) -> list[Taken]:
    """Take in the journals of dead runs, if there are any.

    Called by whoever opens the ledger. Costs a folder listing when there is nothing to do.

    Raises:
        LedgerBusyError: someone else holds the ledger; what is missing can be counted with `missing`.
    """
    behind = missing(ledger, wait_s=wait_s)
    if not behind:
        return []
    with connect(ledger, write=True, wait_s=wait_s) as connection:
        return adopt_into(connection, ledger)


def missing(ledger: Path, *, wait_s: float) -> dict[str, int]:
    """Bytes that dead runs wrote and the ledger has not taken in, by journal."""
    folder = journal_dir(ledger)
    if not ledger.exists() or not folder.is_dir():
        return {}
    with connect(ledger, write=False, wait_s=wait_s) as connection:
        return _behind(connection, folder)


def _behind(connection: duckdb.DuckDBPyConnection, folder: Path) -> dict[str, int]:
    rows = connection.execute(
        "select journal, journal_offset, status from runs where journal <> ''"
    ).fetchall()
    behind: dict[str, int] = {}
    for name, offset, status in rows:
        path = folder / name
        if not path.exists():
            if status is None:
                behind[name] = 0
            continue
        left = path.stat().st_size - offset
        if (left > 0 or status is None) and journal.is_dead(path):
            behind[name] = left
    return behind


def adopt_into(connection: duckdb.DuckDBPyConnection, ledger: Path) -> list[Taken]:
    """`adopt`, on a connection that is already open for writing."""
    folder = journal_dir(ledger)
    if not folder.is_dir():
        return []
    adopted = []
    for name in _behind(connection, folder):
        row = first_row(
            connection,
            "select run_id, origin, journal_offset, run_key from runs where journal = ?",
            [name],
        )
        assert row is not None
        run = RunRef(row[0], row[1])
        path = folder / name
        if not path.exists():
            _bury(connection, run, offset=row[2], ended=datetime.now(UTC).timestamp())
            continue
        size, ended = path.stat().st_size, path.stat().st_mtime
        header = journal.header_of(path)
        if header is not None and header.get("key") != row[3]:
            _bury(connection, run, offset=size, ended=ended)
            adopted.append(Taken(name, foreign=True))
            continue
        taken, _ = take_in(connection, run, path, row[2])
        with transaction(connection):
            lost = [_died(event) for event in journal.open_attempts(path)]
            if lost:
                insert_attempts(connection, run, lost)
            _bury(connection, run, offset=size, ended=ended)
        taken.in_flight = len(lost)
        taken.attempts += len(lost)
        adopted.append(taken)
    return adopted


def _bury(connection: duckdb.DuckDBPyConnection, run: RunRef, *, offset: int, ended: float) -> None:
    """Note that a run has died, and that nothing more will come of it."""
    connection.execute(
        "update runs set journal_offset = ?, status = coalesce(status, 'died'),"
        " ended_at = coalesce(ended_at, ?) where run_id = ?",
        [offset, utc(ended), run.run_id],
    )


def _died(sent: Mapping[str, Any]) -> dict[str, Any]:
    """The `end` of an attempt whose process died while it was in flight: it may be on the bill."""
    return {
        "r": sent["r"], "n": sent["n"], "arm": sent["arm"], "sent_at": sent["at"], "at": None,
        "error": "died", "message": "the program ended while this was in flight", "billed": "maybe",
        "upper_prompt_tokens": sent["bound_in"], "upper_output_tokens": sent["bound_out"],
    }  # fmt: skip


__all__ = ["LedgerBusyError", "RunRef", "Taken", "adopt", "adopt_into", "missing", "take_in"]
