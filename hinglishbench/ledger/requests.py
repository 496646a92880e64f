"""Requests that serve no cell: translations, generated problems, independent solves.

A dataset that is being made has no items yet, so there is nothing to pair and no block to keep
together: a request is claimed alone, by what it is (endpoint, body as sent, sample), and its body is
stored. What is answered is reused; what died or ended in an error is claimed again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hinglishbench.ledger.claims import Ask, Claimed, begin, run_script, tentative
from hinglishbench.ledger.identity import ArmRow, RunRow
from hinglishbench.ledger.intake import adopt
from hinglishbench.ledger.store import WAIT_S, connect, query

if TYPE_CHECKING:
    import duckdb

PURPOSES = ("translate", "generate", "solve")

BodyRow = tuple[int, int, int, bytes, str]
"""seq, index of the arm, sample, 16 bytes of the request's digest, body as sent."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of one request.

    Attributes:
        state: answered | error | planned (nothing came yet).
        text: as received; None when there was none, or no answer.
        error: slug of the failure that ended it.
        message: of that failure, one line.
        output_tokens: billable, None where the reply did not say.
        run_id: the run whose attempt this is, None while nothing came.
    """

    state: str
    text: str | None = None
    reasoning: str | None = None
    finish_reason: str | None = None
    error: str | None = None
    message: str | None = None
    output_tokens: int | None = None
    run_id: int | None = None


NOTHING_YET = Reply("planned")


def claim_requests(
    connection: duckdb.DuckDBPyConnection,
    ledger: Path,
    *,
    purpose: str,
    run: RunRow,
    arms: Sequence[ArmRow],
    wanted: Iterable[BodyRow],
    fresh: bool,
    dry: bool = False,
) -> Claimed:
    """Claim requests by what they are, all or nothing; `planning.claim` for what has no cells.

    Args:
        connection: open for writing, dead journals already taken in.
        ledger: its path, to see which runs live.
        purpose: one of `PURPOSES`.
        run: the run that begins.
        arms: who is asked.
        wanted: one row a request, in the order of asking.
        fresh: ask also what is answered.
        dry: decide and count only; the ledger is left as it was.
    """
    with tentative(connection, dry=dry):
        claimed = begin(connection, ledger, run, arms)
        _stage(connection, wanted, claimed.arm_ids)
        run_script(
            connection, "pipeline_claim",
            {"run_id": claimed.run.run_id, "purpose": purpose, "suite": run.suite,
             "origin": run.origin, "fresh": fresh},
        )  # fmt: skip
        _count(connection, claimed)
    return claimed


def _stage(
    connection: duckdb.DuckDBPyConnection, wanted: Iterable[BodyRow], arm_ids: Sequence[int]
) -> None:
    connection.execute(
        "create or replace temp table staged_bodies"
        " (seq integer, arm_id integer, sample integer, digest blob, body varchar)"
    )
    with connection.appender("staged_bodies") as appender:
        appender.append_rows(
            (seq, arm_ids[arm], sample, digest, body) for seq, arm, sample, digest, body in wanted
        )
    connection.execute(
        "create or replace temp table bodies as select * replace ((lower(hex(digest)))::uuid as digest)"
        " from staged_bodies"
    )


def _count(connection: duckdb.DuckDBPyConnection, claimed: Claimed) -> None:
    """Count what `pipeline_claim` decided, and list what is to be asked."""
    rows = connection.execute(
        "select action, count(*), count(*) filter (where again) from decided group by action"
    ).fetchall()
    for action, requests, again in rows:
        claimed.cells += requests
        claimed.again += again
        if action == "reuse":
            claimed.reused += requests
        elif action == "claimed":
            claimed.claimed_elsewhere += requests
    asked = connection.execute(
        "select request_id, min(seq) from decided where action = 'ask' group by request_id order by 2"
    ).fetchall()
    claimed.asks = [Ask(*row) for row in asked]


def replies(ledger: Path, digests: Sequence[bytes], *, origin: str) -> list[Reply]:
    """What came of requests, in the order given; `NOTHING_YET` for those not claimed or in flight.

    Journals of dead runs are taken in first.

    Raises:
        LedgerBusyError: another process holds the ledger.
    """
    adopt(ledger, wait_s=WAIT_S)
    with connect(ledger, write=False) as connection:
        found = _replies(connection, digests, origin)
    return [found.get(digest, NOTHING_YET) for digest in digests]


def _replies(
    connection: duckdb.DuckDBPyConnection, digests: Sequence[bytes], origin: str
) -> Mapping[bytes, Reply]:
    connection.execute("create or replace temp table staged_digests (digest blob)")
    with connection.appender("staged_digests") as appender:
        appender.append_rows((digest,) for digest in set(digests))
    connection.execute(
        "create or replace temp table asked_for as"
        " select (lower(hex(digest)))::uuid as digest from staged_digests"
    )
    cursor = connection.execute(query("pipeline_replies"), {"origin": origin})
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    return {
        digest.bytes: Reply(state, text, reasoning, finish, error, message, tokens, run_id)
        for digest, _, state, text, reasoning, finish, error, message, tokens, run_id in rows
    }
