"""The engine: workers that pull cells, ask, retry what is transient, and write the journal.

One worker is one request in flight. Workers belong to a lane (an endpoint) and pull from one
iterator, so there is never a task per cell, and a paused endpoint starves no other. The first try
of a request is plain code; only what failed and may be tried again goes through tenacity.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import anyio
import tenacity

from hinglishbench.client.failures import Failure, from_transport_error
from hinglishbench.client.limiter import Reservation
from hinglishbench.client.normalise import Answer, normalise
from hinglishbench.client.retry import Limits, Stop, Wait, decide
from hinglishbench.client.transport import HttpRequest, TransportError
from hinglishbench.client.usage import Usage
from hinglishbench.client.waits import limits_seen
from hinglishbench.ledger.claims import Ask
from hinglishbench.ledger.journal import Journal, JournalFullError
from hinglishbench.run.budget import Budget, Hold, NotSent
from hinglishbench.run.efforts import EffortWatch
from hinglishbench.run.lane import HaltedError, Lane
from hinglishbench.run.plan import Plan, PlannedCell, bound_in
from hinglishbench.run.progress import Progress

# Failures that say "too much at once".
_TOO_MUCH = frozenset({"rate_limited", "overloaded"})
# A connection that says nothing for this long is given up even when the request has time left.
SILENCE_S = 300.0
# How often the bar is told what is waited for, and the deadline looked at.
TICK_S = 1.0


@dataclass
class Stopping:
    """Why no new call is admitted, and an event that wakes the one who waits for that.

    Attributes:
        reason: interrupted | budget | deadline | journal, None while calls are admitted.
        lanes: those whose waits end with it.
    """

    reason: str | None = None
    event: anyio.Event = field(default_factory=anyio.Event)
    lanes: Sequence[Lane] = ()

    def stop(self, reason: str) -> None:
        """Admit no new call; the first reason stays."""
        if self.reason is None:
            self.reason = reason
            self.event.set()
            for lane in self.lanes:
                lane.halted.set()


@dataclass(slots=True)
class Trial:
    """One request on its way: what was tried and for how long."""

    ask: Ask
    cell: PlannedCell
    request: HttpRequest
    tries: int = 0
    ambiguous: int = 0
    first_sent: float = 0.0
    paused_s: float = 0.0


@dataclass
class Engine:
    """Asks what a plan claimed.

    Attributes:
        now: seconds since 1970, for the ledger.
        clock: seconds, monotonic.
        rand: a number in [0, 1), for the jitter.
        deadline: the clock's time by which the run should end.
        budget: dollars that the calls may come to; None: no cap.
        patient: whether retries wait; a replay brings the same whenever it is asked.
        efforts: compares the reasoning asked for with what comes.
        ended: requests that have an answer or an error.
    """

    plan: Plan
    journal: Journal
    progress: Progress
    arm_ids: Sequence[int]
    limits: Limits = field(default_factory=Limits)
    now: Callable[[], float] = time.time
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = anyio.sleep
    rand: Callable[[], float] = random.random
    grace_s: float = 30.0
    deadline: float | None = None
    patient: bool = True
    budget: Budget | None = None
    efforts: EffortWatch = field(default_factory=EffortWatch)
    ended: int = 0

    def __post_init__(self) -> None:
        self.stopping = Stopping()
        self._scope: anyio.CancelScope | None = None

    async def run(self, lanes: Sequence[Lane]) -> None:
        """Ask everything; returns when all is asked, stopped or cancelled."""
        self.stopping.lanes = lanes
        async with anyio.create_task_group() as outer:
            outer.start_soon(self._grace)
            outer.start_soon(self._tell_waits, lanes)
            if self.deadline is not None:
                outer.start_soon(self._watch_deadline, lanes, self.deadline)
            with anyio.CancelScope() as self._scope:
                async with anyio.create_task_group() as group:
                    for lane in lanes:
                        for _ in range(lane.workers):
                            group.start_soon(self._worker, lane)
            outer.cancel_scope.cancel()

    def interrupt(self) -> None:
        """First call: no new calls, what is in flight is awaited. Second call: stop now."""
        if self.stopping.reason is None:
            self.stopping.stop("interrupted")
        elif self._scope is not None:
            self._scope.cancel()

    async def _grace(self) -> None:
        await self.stopping.event.wait()
        if self.stopping.reason not in ("interrupted", "deadline"):
            return  # what is in flight ends by itself
        why = "the deadline is near: " if self.stopping.reason == "deadline" else ""
        self.progress.note(
            f"{why}no new calls; waiting up to {self.grace_s:g} s for what is in flight (Ctrl-C again: stop now)"
        )
        await self.sleep(self.grace_s)
        if self._scope is not None:
            self._scope.cancel()

    async def _watch_deadline(self, lanes: Sequence[Lane], deadline: float) -> None:
        """Admit no call that would likely end after the deadline."""
        while (left := deadline - self.clock() - max(lane.latency_s for lane in lanes)) > 0:
            await self.sleep(min(left, TICK_S))
        self.stopping.stop("deadline")

    async def _tell_waits(self, lanes: Sequence[Lane]) -> None:
        while True:
            await anyio.sleep(TICK_S)
            self.progress.waiting([text for lane in lanes if (text := lane.waits())])

    async def _worker(self, lane: Lane) -> None:
        for ask in lane.asks:
            if lane.halted.is_set():
                return
            cell = self.plan.cell(ask.seq)
            if lane.skips(cell.arm_index, cell.arm.model):
                continue
            await self._ask(lane, Trial(ask, cell, self.plan.request(cell)))

    async def _ask(self, lane: Lane, trial: Trial) -> None:
        decision = await self._try(lane, trial)
        if decision is None:
            return
        # Rare from here on: the first failure has been paid for plainly.
        pending: Wait | None = decision

        async def again() -> Wait | None:
            nonlocal pending
            if pending is not None:  # wait before trying
                wait, pending = pending, None
                return wait
            return await self._try(lane, trial)

        async def pause(seconds: float) -> None:
            with contextlib.suppress(HaltedError):
                await lane.wait(seconds)

        await tenacity.AsyncRetrying(
            retry=tenacity.retry_if_result(lambda result: result is not None),
            wait=lambda state: state.outcome.result().seconds if state.outcome else 0.0,
            stop=tenacity.stop_never,  # `decide` counts tries and time, and says Stop
            sleep=pause,
        )(again)

    async def _try(self, lane: Lane, trial: Trial) -> Wait | None:
        """One attempt; Wait when it should be tried again, None when the request is done with."""
        bounds = (bound_in(trial.request), trial.cell.arm.max_tokens)
        queued = self.clock()
        try:
            reservation, hold = await self._admit(lane, trial.cell.arm_index, bounds)
        except HaltedError:
            return None
        trial.tries += 1
        sent_at, started = self.now(), self.clock()
        if trial.tries == 1:
            trial.first_sent = started
        else:
            trial.paused_s += started - queued
        arm_id = self.arm_ids[trial.cell.arm_index]
        sent = {"e": "sent", "r": trial.ask.request_id, "n": trial.tries, "arm": arm_id, "at": sent_at,
                "bound_in": bounds[0], "bound_out": bounds[1]}  # fmt: skip
        tokens: int | None = 0
        ok = False
        outcome: Answer | Failure | type[NotSent] | None = NotSent
        try:
            if not self._write(sent):
                return None
            outcome = None  # from here on it may be billed, whatever ends it
            outcome, first_byte_s = await self._exchange(lane, trial, sent, started)
            spent = self.clock() - trial.first_sent - trial.paused_s
            if isinstance(outcome, Failure):
                tokens = None if outcome.billed != "no" else 0
                if outcome.code in _TOO_MUCH:
                    lane.adaptive.cut(outcome.code, sent_at=started)
                return self._failed(lane, trial, sent, outcome, elapsed=spent)
            ok, tokens = True, _used(outcome.usage)
            lane.took(self.clock() - started)
            self._write({**_end(sent, self.now()), **_answer_fields(outcome, bounds),
                         "first_token_s": first_byte_s, "final": "answered"})  # fmt: skip
            self.ended += 1
            if warning := self.efforts.seen(trial.cell, outcome):
                self.progress.note(warning)
            self.progress.answered(lane, trial.cell, outcome)
            return None
        finally:
            lane.settle(reservation, trial.cell.arm_index, tokens, ok=ok)
            if self.budget is not None and hold is not None:
                self.budget.settle(hold, outcome)
                if self.budget.overrun is not None:
                    self.stopping.stop("budget")
            self._note_limits(lane)

    async def _admit(
        self, lane: Lane, arm_index: int, bounds: tuple[int, int | None]
    ) -> tuple[Reservation, Hold | None]:
        """Wait for the endpoint and for the budget; the budget is reserved last, so nothing hoards it.

        Raises:
            HaltedError: no new call is to be admitted.
        """
        budget = self.budget
        if budget is None:
            return await lane.admit(arm_index, *bounds), None
        while True:
            bound = budget.bound(arm_index, self.now(), *bounds)
            if not await budget.room(bound):
                self.stopping.stop("budget")
            if lane.halted.is_set():
                raise HaltedError
            reservation = await lane.admit(arm_index, *bounds)
            hold = budget.reserve(arm_index, bound, self.now())
            if hold is not None:
                return reservation, hold
            lane.settle(reservation, arm_index, 0, ok=False)

    async def _exchange(
        self, lane: Lane, trial: Trial, sent: dict[str, Any], started: float
    ) -> tuple[Answer | Failure, float | None]:
        """Send and read; a cancelled exchange is journalled as maybe billed."""
        provider, key = lane.endpoint.provider, lane.endpoint.key
        left = self.limits.budget_s - (started - trial.first_sent - trial.paused_s)
        if not trial.request.stream:  # a stream that still speaks is let speak
            left = min(left, SILENCE_S)
        try:
            reply = await lane.transport.send(trial.request, timeout_s=max(1.0, left))
        except TransportError as error:
            return from_transport_error(error, provider, key=key), None
        except anyio.get_cancelled_exc_class():
            bounds = (sent["bound_in"], sent["bound_out"])
            self._write({**_end(sent, self.now()), **_bounded(bounds), "error": "cancelled",
                         "message": "cancelled by us in flight", "billed": "maybe"})  # fmt: skip
            raise
        now = self.now()
        lane.limiter.observe(limits_seen(reply.headers, provider, now))
        return normalise(reply, provider, now, key=key), reply.first_byte_s

    def _failed(
        self, lane: Lane, trial: Trial, sent: dict[str, Any], failure: Failure, *, elapsed: float
    ) -> Wait | None:
        trial.ambiguous += failure.ambiguous
        decision = decide(
            failure, tries=trial.tries, ambiguous=trial.ambiguous, elapsed_s=elapsed,
            limits=self.limits, rand=self.rand(),
        )  # fmt: skip
        bounds = (sent["bound_in"], sent["bound_out"])
        end = {**_end(sent, self.now()), **_failure_fields(failure, bounds)}
        if isinstance(decision, Wait):
            self._write(end)
            self.progress.retrying(lane, failure, decision)
            if not self.patient:
                return Wait(0.0, pause_endpoint=False)
            if decision.pause_endpoint:  # the limiter makes everyone wait, this request too
                lane.limiter.pause(self.clock() + decision.seconds)
                return Wait(0.0, pause_endpoint=True)
            return decision
        if failure.code == "bad_request" and lane.answered(trial.cell.arm_index):
            # The arm's other requests were taken: the fault is this item's.
            decision = replace(decision, scope="request")
        if failure.code == "connect" and decision.scope == "request" and lane.never_answered:
            # Nobody is there: the next request would find that out just as slowly.
            name = lane.endpoint.provider.name
            decision = replace(
                decision,
                scope="endpoint",
                hint=f"is the server running, and is the address right? `hbench doctor {name}` tells",
            )
        # A request that an endpoint's stop takes along is asked again by the next run.
        final = {} if decision.scope == "endpoint" else {"final": "error"}
        self.ended += bool(final)
        self._write({**end, **final})
        self._stop(lane, trial, decision, failure)
        self.progress.failed(lane, trial.cell, failure, decision)
        return None

    def _stop(self, lane: Lane, trial: Trial, stop: Stop, failure: Failure) -> None:
        reason = f"{stop.reason}; {stop.hint}" if stop.hint else stop.reason
        if stop.scope == "endpoint" and lane.stopped is None:
            lane.stopped = reason
            lane.halted.set()
        elif stop.scope == "model" and failure.code == "bad_request":
            # What is sent differs by arm (an effort, a prompt): the model's other arms go on.
            lane.stopped_arms.setdefault(trial.cell.arm_index, reason)
        elif stop.scope == "model":
            lane.stopped_models.setdefault(trial.cell.arm.model, reason)

    def _note_limits(self, lane: Lane) -> None:
        behind = self.now() - self.clock()
        for at, limit, reason in lane.changes():
            self._write({"e": "limit", "endpoint": lane.endpoint_id, "at": at + behind, "limit": limit,
                         "reason": reason})  # fmt: skip

    def _write(self, event: dict[str, Any]) -> bool:
        """Append to the journal; False (and no new calls) when the disk does not take it."""
        try:
            self.journal.write(event)
        except JournalFullError as error:
            if self.stopping.reason is None:
                self.progress.note(
                    f"the journal cannot be written ({error.strerror}): no new calls"
                )
            self.stopping.stop("journal")
            return False
        return True


def _used(usage: Usage) -> int | None:
    """Tokens that count against a limit; None: the reply does not say."""
    if usage.prompt_tokens is None or usage.billable_output_tokens is None:
        return None
    return usage.prompt_tokens + usage.billable_output_tokens


def _end(sent: dict[str, Any], at: float) -> dict[str, Any]:
    return {
        "e": "end",
        "r": sent["r"],
        "n": sent["n"],
        "arm": sent["arm"],
        "sent_at": sent["at"],
        "at": at,
    }


def _bounded(bounds: tuple[int, int | None]) -> dict[str, Any]:
    return {"upper_prompt_tokens": bounds[0], "upper_output_tokens": bounds[1]}


def _answer_fields(answer: Answer, bounds: tuple[int, int | None]) -> dict[str, Any]:
    return {
        "status": 200, "billed": "yes", "finish_reason": answer.finish_reason, "model": answer.model,
        "reply_id": answer.reply_id, "reasoning_observed": answer.reasoning_observed,
        "text": answer.text, "reasoning": answer.reasoning, **_usage_fields(answer.usage, bounds),
    }  # fmt: skip


def _usage_fields(usage: Usage, bounds: tuple[int, int | None]) -> dict[str, Any]:
    prompt, output = usage.prompt_tokens, usage.upper_output_tokens
    cost = usage.reported_cost_usd
    return {
        "prompt_tokens": prompt, "completion_tokens": usage.completion_tokens,
        "reasoning_tokens": usage.reasoning_tokens, "cached_tokens": usage.cached_tokens,
        "billable_output_tokens": usage.billable_output_tokens, "output_rule": usage.output_rule,
        "upper_prompt_tokens": bounds[0] if prompt is None else prompt,
        "upper_output_tokens": bounds[1] if output is None else output,
        "reported_cost_usd": None if cost is None else str(cost),
        "usage": usage.raw,
    }  # fmt: skip


def _failure_fields(failure: Failure, bounds: tuple[int, int | None]) -> dict[str, Any]:
    fields: dict[str, Any] = {"status": failure.status, "error": failure.code,
                              "message": failure.message, "billed": failure.billed}  # fmt: skip
    if failure.billed != "no":
        fields |= _bounded(bounds)
    if failure.usage is not None:
        fields |= _usage_fields(failure.usage, bounds)
    return fields
