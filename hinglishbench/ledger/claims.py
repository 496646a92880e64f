"""What every claim has: all or nothing, who is alive, and what it came to.

One transaction on a connection open for writing, so two runs never claim the same request.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hinglishbench.ledger.identity import ArmRow, RunRow, arm_keys, insert_run
from hinglishbench.ledger.intake import RunRef
from hinglishbench.ledger.journal import is_dead
from hinglishbench.ledger.store import journal_dir, query

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class Ask:
    """One request to ask, in the order of the plan. `seq` is the position of its cell in the plan."""

    request_id: int
    seq: int


@dataclass
class Claimed:
    """What a plan came to.

    Attributes:
        run: the new run.
        arm_ids: key of each arm, in the order given.
        endpoint_ids: key of each arm's endpoint, in the order given.
        cells: cells in the plan.
        reused: answered already.
        claimed_elsewhere: a living run is asking them.
        again: answers that are there and will be bought again (stale parts of blocks, or --fresh).
        asks: requests to ask.
        retexted: items that the ledger held with other words in every form asked for.
    """

    run: RunRef
    arm_ids: list[int]
    endpoint_ids: list[int]
    cells: int = 0
    reused: int = 0
    claimed_elsewhere: int = 0
    again: int = 0
    asks: list[Ask] = field(default_factory=list)
    retexted: int = 0


@contextmanager
def tentative(connection: duckdb.DuckDBPyConnection, *, dry: bool) -> Iterator[None]:
    """One transaction; on an exception, or when it is dry, the ledger is left as it was."""
    connection.execute("begin")
    try:
        yield
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("rollback" if dry else "commit")


def begin(
    connection: duckdb.DuckDBPyConnection, ledger: Path, run: RunRow, arms: Sequence[ArmRow]
) -> Claimed:
    """Write the run and its arms, and see who is alive; nothing is claimed yet."""
    run_id = insert_run(connection, run)
    arm_ids, endpoint_ids = arm_keys(connection, arms)
    stage_alive(connection, ledger)
    return Claimed(RunRef(run_id, run.origin), arm_ids, endpoint_ids)


def run_script(
    connection: duckdb.DuckDBPyConnection, name: str, parameters: dict[str, Any]
) -> None:
    """Run a file of several statements, each with those of the parameters that it names."""
    for statement in connection.extract_statements(query(name)):
        named = {key: parameters[key] for key in statement.named_parameters}
        connection.execute(statement, named)


def stage_alive(connection: duckdb.DuckDBPyConnection, ledger: Path) -> None:
    """Fill the table `alive` with the runs whose process holds its journal."""
    connection.execute("create or replace temp table alive (run_id integer)")
    running = connection.execute(
        "select run_id, journal from runs where status is null and journal <> ''"
    ).fetchall()
    folder = journal_dir(ledger)
    alive = [(run_id,) for run_id, name in running if not is_dead(folder / name)]
    with connection.appender("alive") as appender:
        appender.append_rows(alive)
