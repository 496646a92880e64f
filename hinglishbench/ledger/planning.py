"""Writing a plan into the ledger: what is reused, what is claimed, what is asked.

The decisions are SQL over whole blocks (`queries/plan_decide.sql`); this module feeds and counts them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hinglishbench.grading import GRADERS
from hinglishbench.ledger.claims import Ask, Claimed, begin, run_script, tentative
from hinglishbench.ledger.identity import ArmRow, RunRow
from hinglishbench.ledger.intake import grade_cells
from hinglishbench.ledger.store import query

if TYPE_CHECKING:
    import duckdb


ItemRow = tuple[int, str, str, str, str, str | None, str | None, str | None, str | None]
"""seq, suite, key, answer (JSON), grader, tier, topic, options (JSON), meta (JSON)."""

WantedRow = tuple[int, int, str, str, str, int, bytes]
"""seq, index of the arm, item key, form, text, sample, 16 bytes of the request's digest."""


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
    with tentative(connection, dry=dry):
        claimed = begin(connection, ledger, run, arms)
        _stage(connection, run.suite, items, wanted, claimed.arm_ids)
        [(claimed.retexted,)] = connection.execute(query("plan_retexted")).fetchall()
        connection.execute(query("plan_register"))
        connection.execute(
            query("plan_decide"),
            {"origin": run.origin, "fresh": fresh, "now": now, "gap_s": gap_s},
        )
        _claim_decided(connection, claimed, run.suite)
    return claimed


def _claim_decided(connection: duckdb.DuckDBPyConnection, result: Claimed, suite: str) -> None:
    """Count what `plan_decide` decided, and claim what is to be asked."""
    run_id, origin = result.run.run_id, result.run.origin
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
    run_script(
        connection, "plan_claim",
        {"run_id": run_id, "purpose": "eval", "suite": suite, "origin": origin},
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
    asked = connection.execute("select request_id, seq from asked order by seq").fetchall()
    result.asks = [Ask(*row) for row in asked]


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
