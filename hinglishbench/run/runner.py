"""A run from its options to its result."""

from __future__ import annotations

import contextlib
import importlib.util
import signal
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import anyio

from hinglishbench import __version__
from hinglishbench.client.cassette import RecordingTransport
from hinglishbench.client.normalise import Answer
from hinglishbench.client.retry import Limits
from hinglishbench.client.transport import Transport
from hinglishbench.client.transports import new_transport
from hinglishbench.clock import utc_now
from hinglishbench.errors import LedgerBusyError
from hinglishbench.ledger.claims import Ask, Claimed
from hinglishbench.ledger.journal import JournalFullError
from hinglishbench.ledger.store import connect, query
from hinglishbench.pricing.book import PriceBook, Tokens
from hinglishbench.run import embedded
from hinglishbench.run.counting import offline_counter
from hinglishbench.run.engine import Engine
from hinglishbench.run.estimate import estimate
from hinglishbench.run.feeder import Feeder
from hinglishbench.run.lane import Lane, open_lane
from hinglishbench.run.opening import Opening
from hinglishbench.run.options import RunOptions
from hinglishbench.run.plan import Arm, Plan, PlannedCell
from hinglishbench.run.prepare import Prepared, prepare
from hinglishbench.run.progress import PriceOf, Silent, choose
from hinglishbench.run.result import RunResult

# Of the summary, what the ledger could not tell afterwards.
_KEPT = ("status", "asked", "reused", "left", "arms", "limits", "reasoning_mismatches", "stopped")


def run(options: RunOptions, *, quiet: bool = False) -> RunResult:
    """Carry out `hbench run`.

    Raises:
        HbenchError: refused before any call (see `prepare`), or the ledger is busy or damaged.
    """
    started = time.monotonic()
    result = carry_out(options, prepare(options), quiet=quiet)
    result.wall_s = time.monotonic() - started
    return result


def carry_out(options: RunOptions, prepared: Prepared, *, quiet: bool = False) -> RunResult:
    """Carry out a plan that is prepared; `wall_s` counts from here.

    Raises:
        HbenchError: refused before any call, or the ledger is busy or damaged.
    """
    started = time.monotonic()
    with Opening(options, prepared) as opening:
        result = _carry_out(options, prepared, opening, quiet=quiet)
    result.wall_s = time.monotonic() - started
    return result


def _carry_out(
    options: RunOptions, prepared: Prepared, opening: Opening, *, quiet: bool
) -> RunResult:
    claimed, plan = opening.claimed, prepared.plan
    result = RunResult(
        None if opening.dry else claimed.run.run_id, "done", claimed.cells, len(claimed.asks),
        claimed.reused, claimed.claimed_elsewhere, claimed.again, notes=opening.notes,
        dry_run=opening.dry, arms=[_arm(arm) for arm in plan.arms],
    )  # fmt: skip
    if opening.dry:
        result.estimate = estimate(
            plan, claimed.asks, opening.books, opening.history, offline_counter(), opening.row.started_at
        ).as_json()  # fmt: skip
        return result
    assert opening.journal is not None
    journal = opening.journal
    feeder = Feeder(opening.ledger, claimed.run, journal, 0)
    if claimed.asks:
        progress = choose(
            price_of(opening.books), forms=plan.forms, quiet=quiet, cells=len(claimed.asks),
            blocks=-(-len(claimed.asks) // plan.forms),
        )  # fmt: skip
        feeder.start()
        try:
            with progress:
                for line in _routes(plan):
                    progress.note(line)
                _ask(options, prepared, opening, progress, result)
        finally:
            feeder.stop()
    summary = {key: result.as_json()[key] for key in _KEPT}
    with contextlib.suppress(JournalFullError):  # `flush` says what is left
        journal.write({"e": "done", "status": result.status, "at": time.time(), "summary": summary})
    if left := journal.flush():
        result.notes.append(
            f"{left:,} bytes of the journal could not be written: what they hold is asked again"
        )
    journal.sync(now=True)
    _finish(feeder, result, claimed)
    return result


def _finish(feeder: Feeder, result: RunResult, claimed: Claimed) -> None:
    if not feeder.feed(wait_s=10.0):
        assert feeder.busy is not None
        result.notes.append(
            f"{feeder.busy}: the journal has everything, the next command takes it in"
        )
        return
    try:
        with connect(feeder.ledger, write=False) as connection:
            cursor = connection.execute(query("run_summary"), {"run_id": claimed.run.run_id})
            names = [column[0] for column in cursor.description or ()]
            [row] = cursor.fetchall()
            reasons = connection.execute(
                query("run_errors"), {"run_id": claimed.run.run_id}
            ).fetchall()
    except LedgerBusyError as error:
        result.notes.append(f"{error}: `hbench cost` shows what the run cost")
        return
    for name, value in zip(names, row, strict=True):
        setattr(result, name, value)
    result.reasons = [
        {"error": error, "message": message, "cells": cells} for error, message, cells in reasons
    ]


def price_of(books: Sequence[PriceBook]) -> PriceOf:
    """Dollars of an answer for the progress bar; the ledger's view is what is printed at the end."""

    def usd(cell: PlannedCell, answer: Answer) -> Decimal | None:
        usage = answer.usage
        if usage.reported_cost_usd is not None:
            return usage.reported_cost_usd
        tokens = Tokens(
            usage.prompt_tokens, usage.billable_output_tokens, usage.cached_tokens,
            usage.reasoning_tokens,
        )  # fmt: skip
        return books[cell.arm_index].cost(utc_now(), tokens)

    return usd


def _ask(
    options: RunOptions, prepared: Prepared, opening: Opening, progress: Silent, result: RunResult
) -> None:
    plan, claimed = prepared.plan, opening.claimed
    assert opening.journal is not None
    with ExitStack() as stack:
        plan = _start_embedded(stack, prepared, options)
        engine = Engine(
            plan, opening.journal, progress, claimed.arm_ids, grace_s=options.grace_s,
            limits=_limits(options),
            deadline=None if options.deadline_s is None else opening.begun + options.deadline_s,
            budget=opening.budget, patient=prepared.cassette is None,
        )  # fmt: skip
        progress.budget = opening.budget
        lanes = _lanes(options, prepared, engine, claimed)
        result.request_phase_s = anyio.run(_drive, engine, lanes, backend_options=_backend())
    for lane in lanes:
        name = lane.endpoint.provider.name
        result.limits[name] = lane.adaptive.summary()
        result.stopped.update(_stopped(plan, lane))
    result.left = result.asked - engine.ended
    result.reasoning_mismatches = engine.efforts.mismatches.total()
    result.notes += engine.efforts.closing()
    if engine.budget is not None:
        result.budget = engine.budget.as_json()
        if engine.stopping.reason == "budget":
            result.notes.append(engine.budget.closing())
    if engine.stopping.reason == "journal":
        result.stopped["journal"] = "it could not be written; make room, then give the same command"
    if engine.stopping.reason == "interrupted":
        result.status = "interrupted"
    elif engine.stopping.reason == "budget":
        result.status = "budget"
    elif result.stopped:
        result.status = "endpoint"
    elif engine.stopping.reason == "deadline":
        result.status = "deadline"
    elif progress.counts.errors:
        result.status = "errors"


def _arm(arm: Arm) -> dict[str, Any]:
    return {"provider": arm.endpoint.provider.name, "route": arm.endpoint.route, "model": arm.model,
            "effort": arm.effort, "prompt": arm.prompt.name}  # fmt: skip


def _routes(plan: Plan) -> list[str]:
    """One line an endpoint: where it is, by which route, and what is asked of it."""
    models: dict[tuple[str, str, str], list[str]] = {}
    for arm in plan.arms:
        endpoint = arm.endpoint
        asked = models.setdefault((endpoint.provider.name, endpoint.route, endpoint.base_url), [])
        asked.append(arm.model if arm.effort is None else f"{arm.model} (effort {arm.effort})")
    return [
        f"{name}, route {route}{f' ({url})' if url else ''}: {', '.join(asked)}"
        for (name, route, url), asked in models.items()
    ]


def _stopped(plan: Plan, lane: Lane) -> dict[str, str]:
    """What stopped at an endpoint, with why and how much of it was not asked."""
    name = lane.endpoint.provider.name
    reasons = {} if lane.stopped is None else {name: lane.stopped}
    refused = {f"{model} at {name}": (model, why) for model, why in lane.stopped_models.items()}
    for index, why in lane.stopped_arms.items():
        arm = plan.arms[index]
        which = arm.model if arm.effort is None else f"{arm.model} (effort {arm.effort})"
        refused[f"{which} at {name}"] = (arm.model, why)
    for what, (model, why) in refused.items():
        skipped = lane.skipped[model]
        reasons[what] = f"{why}; {skipped} cells of it were not asked" if skipped else why
    return reasons


def _limits(options: RunOptions) -> Limits:
    return Limits(max_wait_s=options.max_wait_s, budget_s=options.timeout_s)


def _start_embedded(stack: ExitStack, prepared: Prepared, options: RunOptions) -> Plan:
    """The plan, with the embedded model (where it is asked) running and addressed."""
    plan = prepared.plan
    if prepared.cassette or not any(arm.endpoint.route == "local" for arm in plan.arms):
        return plan
    max_tokens = max(arm.max_tokens or 0 for arm in plan.arms)
    server = embedded.EmbeddedServer.start(
        embedded.model_path(), max_tokens=max_tokens, slots=options.concurrency or embedded.SLOTS
    )
    stack.callback(server.stop)
    arms = [
        replace(arm, endpoint=replace(arm.endpoint, base_url=server.base_url))
        if arm.endpoint.route == "local"
        else arm
        for arm in plan.arms
    ]
    return replace(plan, arms=arms)


def _transport(options: RunOptions, prepared: Prepared, arm: Arm) -> Transport:
    if prepared.cassette is not None:
        return prepared.cassette
    transport = new_transport(options.transport)
    if options.record is None:
        return transport
    about = {
        "provider": arm.endpoint.provider.name, "route": arm.endpoint.route, "model": arm.model,
        "models": list(dict.fromkeys(other.model for other in prepared.plan.arms)), "address": arm.address, "base_url": arm.endpoint.base_url,
        "recorded": f"{datetime.now(UTC):%Y-%m-%d}", "version": __version__,
    }  # fmt: skip
    return RecordingTransport(transport, options.record, about)


def _lanes(options: RunOptions, prepared: Prepared, engine: Engine, claimed: Claimed) -> list[Lane]:
    """One lane an endpoint, each with its own cells in the order of the plan."""
    plan = engine.plan
    by_endpoint: dict[int, list[Ask]] = {}
    for ask in claimed.asks:
        arm_index = plan.cell(ask.seq).arm_index
        by_endpoint.setdefault(claimed.endpoint_ids[arm_index], []).append(ask)
    lanes = []
    for endpoint_id, asks in by_endpoint.items():
        arm = plan.arms[claimed.endpoint_ids.index(endpoint_id)]
        lanes.append(
            open_lane(
                options,
                arm.endpoint,
                endpoint_id,
                _transport(options, prepared, arm),
                asks,
                clock=engine.clock,
            )
        )
    return lanes


async def _drive(engine: Engine, lanes: Sequence[Lane]) -> float:
    """Seconds from the first admission to the last answer."""
    started = engine.clock()
    try:
        async with anyio.create_task_group() as group:
            if threading.current_thread() is threading.main_thread():
                group.start_soon(_watch_signals, engine)
            await engine.run(lanes)
            ended = engine.clock()
            group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            for lane in lanes:
                await lane.transport.aclose()
    return ended - started


async def _watch_signals(engine: Engine) -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            engine.interrupt()


def _backend() -> dict[str, Any]:
    return {"use_uvloop": importlib.util.find_spec("uvloop") is not None}
