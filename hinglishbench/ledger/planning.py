"""Writing a plan into the ledger: what is reused, what is claimed, what is asked.

One transaction on a connection open for writing, so two runs never claim the same cell. The
decisions are SQL over whole blocks (`queries/plan_decide.sql`); this module feeds and counts them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hinglishbench.canonical import canonical_json, digest
from hinglishbench.grading import GRADERS
from hinglishbench.ledger.intake import RunRef, grade_cells, next_id
from hinglishbench.ledger.journal import is_dead
from hinglishbench.ledger.store import first_row, journal_dir, query

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class EndpointRow:
    """An endpoint's identity: provider, route, and a normalised URL, a name, or a file's digest."""

    provider: str
    route: str
    address: str

    @property
    def digest(self) -> str:
        """`endpoint:sha256:…`."""
        return digest("endpoint", [self.provider, self.route, self.address])


@dataclass(frozen=True, slots=True)
class PromptRow:
    """A prompt's identity and its whole content."""

    name: str
    digest: str
    content: Any


@dataclass(frozen=True, slots=True)
class ArmRow:
    """What is under test. `params` is the request body without its messages."""

    endpoint: EndpointRow
    prompt: PromptRow
    model: str
    effort: str | None
    temperature: float | None
    max_tokens: int | None
    params: dict[str, Any] = field(hash=False)

    @property
    def digest(self) -> str:
        """`arm:sha256:…`."""
        return digest("arm", [self.endpoint.digest, self.prompt.digest, self.effort, self.params])


@dataclass(frozen=True, slots=True)
class RunRow:
    """The row of `runs` with which a run begins."""

    key: str
    journal: str
    origin: str
    suite: str
    version: str
    options: dict[str, Any]
    started_at: datetime


ItemRow = tuple[int, str, str, str, str, str | None, str | None, str | None, str | None]
"""seq, suite, key, answer (JSON), grader, tier, topic, options (JSON), meta (JSON)."""

WantedRow = tuple[int, int, str, str, str, int, bytes]
"""seq, index of the arm, item key, form, text, sample, 16 bytes of the request's digest."""


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
    """

    run: RunRef
    arm_ids: list[int]
    endpoint_ids: list[int]
    cells: int = 0
    reused: int = 0
    claimed_elsewhere: int = 0
    again: int = 0
    asks: list[Ask] = field(default_factory=list)


def claim(
    connection: duckdb.DuckDBPyConnection,
    ledger: Path,
    *,
    run: RunRow,
    arms: Sequence[ArmRow],
    items: Iterable[ItemRow],
    wanted: Iterable[WantedRow],
    fresh: bool,
    gap_s: float,
    now: datetime,
    dry: bool = False,
) -> Claimed:
    """Register a plan and claim what it will ask, all or nothing.

    Args:
        connection: open for writing, dead journals already taken in.
        ledger: its path, to see which runs live.
        run: the run that begins.
        arms: what is under test.
        items: of the suite, those that the plan uses.
        wanted: one row a cell, in the order of asking, a block's forms together.
        fresh: ask whole blocks again.
        gap_s: an answered part of a block older than this many seconds is asked again.
        now: for the age of answers, UTC.
        dry: decide and count only; the ledger is left as it was.
    """
    connection.execute("begin")
    try:
        claimed = _claim(
            connection, ledger, run=run, arms=arms, items=items, wanted=wanted, fresh=fresh,
            gap_s=gap_s, now=now,
        )  # fmt: skip
    except BaseException:
        connection.execute("rollback")
        raise
    connection.execute("rollback" if dry else "commit")
    return claimed


def _claim(
    connection: duckdb.DuckDBPyConnection,
    ledger: Path,
    *,
    run: RunRow,
    arms: Sequence[ArmRow],
    items: Iterable[ItemRow],
    wanted: Iterable[WantedRow],
    fresh: bool,
    gap_s: float,
    now: datetime,
) -> Claimed:
    origin = run.origin
    run_id = _insert_run(connection, run)
    arm_ids, endpoint_ids = [], []
    for arm in arms:
        endpoint_id = _endpoint_id(connection, arm.endpoint)
        endpoint_ids.append(endpoint_id)
        arm_ids.append(_arm_id(connection, arm, endpoint_id))
    _stage(connection, run.suite, items, wanted, arm_ids)
    _stage_alive(connection, ledger)
    connection.execute(query("plan_register"))
    connection.execute(
        query("plan_decide"), {"origin": origin, "fresh": fresh, "now": now, "gap_s": gap_s}
    )
    result = Claimed(RunRef(run_id, origin), arm_ids, endpoint_ids)
    actions = connection.execute(
        "select action, count(*), count(*) filter (where again and action = 'replace')"
        " from decided group by action"
    ).fetchall()
    for action, cells, again in actions:
        result.cells += cells
        result.again += again
        if action in {"reuse", "kept"}:
            result.reused += cells
        elif action == "claimed":
            result.claimed_elsewhere += cells
    _run_script(
        connection, "plan_claim",
        {"run_id": run_id, "purpose": "eval", "suite": run.suite, "origin": origin},
    )  # fmt: skip
    versions = [grader.version for grader in GRADERS.values()]
    rows = connection.execute(
        query("plan_to_grade"),
        {"origin": origin, "graders": list(GRADERS), "versions": versions},
    ).fetchall()
    if rows:
        grade_cells(connection, rows)
        connection.execute(
            "update cells set attempt_id = g.attempt_id, grade_id = g.grade_id, outcome = g.outcome"
            " from graded g where cells.cell_id = g.cell_id"
        )
    result.asks = [
        Ask(request_id, seq)
        for request_id, seq in connection.execute(
            "select request_id, seq from asked order by seq"
        ).fetchall()
    ]
    return result


def _run_script(
    connection: duckdb.DuckDBPyConnection, name: str, parameters: dict[str, Any]
) -> None:
    """Run a file of several statements, each with those of the parameters that it names."""
    for statement in connection.extract_statements(query(name)):
        named = {key: parameters[key] for key in statement.named_parameters}
        connection.execute(statement, named)


def _insert_run(connection: duckdb.DuckDBPyConnection, run: RunRow) -> int:
    run_id = next_id(connection, "runs", "run_id")
    connection.execute(
        "insert into runs (run_id, run_key, journal, origin, suite, version, options, started_at)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        [run_id, run.key, run.journal, run.origin, run.suite, run.version,
         canonical_json(run.options), run.started_at],
    )  # fmt: skip
    return run_id


def _find(
    connection: duckdb.DuckDBPyConnection, table: str, column: str, digest_: str
) -> int | None:
    row = first_row(connection, f"select {column} from {table} where digest = ?", [digest_])  # noqa: S608  names are ours
    return None if row is None else int(row[0])


def _endpoint_id(connection: duckdb.DuckDBPyConnection, endpoint: EndpointRow) -> int:
    found = _find(connection, "endpoints", "endpoint_id", endpoint.digest)
    if found is not None:
        return found
    new = next_id(connection, "endpoints", "endpoint_id")
    connection.execute(
        "insert into endpoints values (?, ?, ?, ?, ?)",
        [new, endpoint.digest, endpoint.provider, endpoint.route, endpoint.address],
    )
    return new


def _prompt_id(connection: duckdb.DuckDBPyConnection, prompt: PromptRow) -> int:
    found = _find(connection, "prompts", "prompt_id", prompt.digest)
    if found is not None:
        return found
    new = next_id(connection, "prompts", "prompt_id")
    connection.execute(
        "insert into prompts values (?, ?, ?, ?)",
        [new, prompt.digest, prompt.name, canonical_json(prompt.content)],
    )
    return new


def _arm_id(connection: duckdb.DuckDBPyConnection, arm: ArmRow, endpoint_id: int) -> int:
    found = _find(connection, "arms", "arm_id", arm.digest)
    if found is not None:
        return found
    new = next_id(connection, "arms", "arm_id")
    connection.execute(
        "insert into arms values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [new, arm.digest, endpoint_id, _prompt_id(connection, arm.prompt), arm.model, arm.effort,
         arm.temperature, arm.max_tokens, canonical_json(arm.params)],
    )  # fmt: skip
    return new


def _stage(
    connection: duckdb.DuckDBPyConnection,
    suite: str,
    items: Iterable[ItemRow],
    wanted: Iterable[WantedRow],
    arm_ids: Sequence[int],
) -> None:
    connection.execute(
        "create or replace temp table wanted_items (seq integer, suite varchar, item_key varchar,"
        " answer varchar, grader varchar, tier varchar, topic varchar, options varchar, meta varchar)"
    )
    with connection.appender("wanted_items") as appender:
        appender.append_rows(items)
    connection.execute(
        "create or replace temp table staged (seq integer, arm_id integer, item_key varchar,"
        " form varchar, text varchar, sample integer, digest blob)"
    )
    with connection.appender("staged") as appender:
        appender.append_rows(
            (seq, arm_ids[arm], key, form, text, sample, hash_)
            for seq, arm, key, form, text, sample, hash_ in wanted
        )
    connection.execute(query("plan_stage"), {"suite": suite})


def _stage_alive(connection: duckdb.DuckDBPyConnection, ledger: Path) -> None:
    connection.execute("create or replace temp table alive (run_id integer)")
    running = connection.execute(
        "select run_id, journal from runs where status is null and journal <> ''"
    ).fetchall()
    folder = journal_dir(ledger)
    alive = [(run_id,) for run_id, name in running if not is_dead(folder / name)]
    with connection.appender("alive") as appender:
        appender.append_rows(alive)


def journal_name(run_key: str) -> str:
    """File name of a run's journal."""
    return f"{run_key}.ndjson"


def item_options(
    options: Sequence[str], labels: Sequence[str], tolerance: str | None
) -> str | None:
    """The column `options` of an item: JSON, None when there is nothing to say."""
    fields: dict[str, Any] = {}
    if options:
        fields["options"] = list(options)
    if labels:
        fields["labels"] = list(labels)
    if tolerance is not None:
        fields["tolerance"] = tolerance
    return json.dumps(fields, ensure_ascii=False) if fields else None
