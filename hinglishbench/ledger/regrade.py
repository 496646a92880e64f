"""Grading a ledger again with the graders of this version, without a call."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hinglishbench.errors import NoLedgerError
from hinglishbench.grading import GRADERS
from hinglishbench.ledger.intake import adopt_into, grade_cells
from hinglishbench.ledger.store import connect, query


@dataclass(frozen=True, slots=True)
class Change:
    """A cell whose verdict or parsed answer is another than before."""

    suite: str
    model: str
    item: str
    form: str
    sample: int
    old_outcome: str | None
    new_outcome: str
    old_parsed: str | None
    new_parsed: str | None
    old_method: str | None
    new_method: str


@dataclass
class Regraded:
    """What a re-grading came to.

    Attributes:
        graded: cells that have a new grade.
        changes: those whose outcome or parsed answer changed, in the order of the cells.
    """

    graded: int = 0
    changes: list[Change] = field(default_factory=list)


def regrade(ledger: Path, *, force: bool = False, dry_run: bool = False) -> Regraded:
    """Grade what an older grader (or an older gold) graded; old grades stay beside the new.

    Args:
        ledger: the file.
        force: also what the present versions have graded.
        dry_run: tell what would change and leave the ledger as it is.

    Raises:
        NoLedgerError: there is none.
    """
    if not ledger.exists():
        raise NoLedgerError(f"there is no ledger at {ledger}", hint="`hbench run` makes one")
    with connect(ledger, write=True) as connection:
        adopt_into(connection, ledger)
        connection.execute("begin")
        rows = connection.execute(
            query("regrade"),
            {
                "graders": list(GRADERS),
                "versions": [grader.version for grader in GRADERS.values()],
                "force": force,
            },
        ).fetchall()
        result = Regraded(grade_cells(connection, [row[:8] for row in rows]))
        connection.execute(query("regrade_settle"))
        result.changes = _changes(connection, rows)
        connection.execute("rollback" if dry_run else "commit")
    return result


def _changes(connection: Any, rows: list[tuple[Any, ...]]) -> list[Change]:
    new = {
        cell_id: (outcome, parsed, method)
        for cell_id, outcome, parsed, method in connection.execute(
            "select g.cell_id, g.outcome, g.parsed, g.method from graded n join grades g using (grade_id)"
        ).fetchall()
    }
    changes = []
    for row in rows:
        _, old_outcome, old_parsed, old_method, suite, item, form, sample, model = row[8:]
        outcome, parsed, method = new[row[0]]
        if (outcome, parsed) != (old_outcome, old_parsed):
            changes.append(
                Change(suite, model, item, form, sample, old_outcome, outcome, old_parsed, parsed,
                       old_method, method)
            )  # fmt: skip
    return changes
