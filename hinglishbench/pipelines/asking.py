"""Asking what has no cell, through everything that `run` has: lanes, limiter, budget, journal, ledger.

A stage of a pipeline is one run in the ledger: a list of tasks, one request each. The replies are
read back from the ledger, so a build that was killed goes on where it stood and buys nothing twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hinglishbench.client.dialect import chat_request
from hinglishbench.client.transport import HttpRequest
from hinglishbench.errors import UsageError
from hinglishbench.ledger.claims import Claimed
from hinglishbench.ledger.planning import ItemRow
from hinglishbench.ledger.requests import NOTHING_YET, BodyRow, Reply, claim_requests, replies
from hinglishbench.ledger.store import ledger_path
from hinglishbench.pipelines.prompts import messages
from hinglishbench.run.options import RunOptions
from hinglishbench.run.plan import Block, Plan, PlannedCell
from hinglishbench.run.prepare import Prepared, reach
from hinglishbench.run.result import RunResult
from hinglishbench.run.runner import carry_out
from hinglishbench.suites.items import Item, Suite
from hinglishbench.suites.prompts import Prompt
from hinglishbench.suites.request import request_digest

if TYPE_CHECKING:
    import duckdb

# Ends of a run after which requests are left that the same command would ask.
_STOPPED = frozenset({"interrupted", "budget", "endpoint", "deadline"})


@dataclass(frozen=True, slots=True)
class Task:
    """One request to be asked.

    Attributes:
        key: id of what it is about; stands in the journal.
        values: text of each slot of the prompt.
        sample: which of several independent answers to the same words.
    """

    key: str
    values: Mapping[str, str]
    sample: int = 0


@dataclass(frozen=True)
class TaskPlan(Plan):
    """A plan whose cells are tasks: one arm, one request each, no items and no forms."""

    tasks: Sequence[Task] = ()

    def request(self, cell: PlannedCell) -> HttpRequest:
        """The request of a task."""
        said = messages(cell.arm.prompt, cell.item.meta)
        return chat_request(cell.arm.endpoint, cell.arm.params, said, self.bill_to)

    def items(self) -> Iterator[ItemRow]:
        """None: what is asked here is not an item yet."""
        return iter(())

    def wanted(self) -> Iterator[Any]:
        """One row a task, as `claim_requests` takes them."""
        return self.bodies()

    def bodies(self) -> Iterator[BodyRow]:
        """Every request with its digest and its body as sent."""
        endpoint = self.arms[0].row.endpoint.digest
        for seq in range(len(self)):
            cell = self.cell(seq)
            body = self.request(cell).body
            digest = request_digest(endpoint, body, cell.sample)
            yield (seq, cell.arm_index, cell.sample, digest, body.decode())


@dataclass
class Stage:
    """What a stage came to.

    Attributes:
        replies: one a task, in order.
        result: the summary of its run.
        about: who was asked, with which prompt; for the record of a build.
    """

    replies: list[Reply]
    result: RunResult
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every task has an answer or an error, so that a result may be written."""
        return self.result.status not in _STOPPED and NOTHING_YET.state not in {
            reply.state for reply in self.replies
        }


def ask(
    options: RunOptions,
    tasks: Sequence[Task],
    *,
    prompt: Prompt,
    purpose: str,
    dataset: str,
    quiet: bool = False,
) -> Stage:
    """Ask a list of tasks of one arm, and bring back what came.

    Args:
        options: whom to ask and how; suite, forms, samples and limit are not looked at.
        tasks: what to ask, in order.
        prompt: of this room (see `prompts.load`).
        purpose: translate, generate or solve, as `cost --by purpose` shows it.
        dataset: what the requests are for; stands where a run has its suite.
        quiet: no progress.

    Raises:
        UsageError: options that name more than one arm.
        HbenchError: refused before any call, or the ledger is busy or damaged.
    """
    if not tasks:
        return Stage([], RunResult(None, "done"))
    reached = reach(options, prompt)
    if len(reached.arms) != 1:
        raise UsageError(
            "a dataset is made by one model at one endpoint",
            hint="give --provider, --model and --effort once",
        )
    [arm] = reached.arms
    blocks = [
        Block(Item(task.key, "", {"": ""}, meta=task.values), task.sample, ("",)) for task in tasks
    ]
    suite = Suite(dataset, (), "", prompt.name, (), "", "")
    plan = TaskPlan(suite, [arm], blocks, options.bill_to, tasks)
    prepared = Prepared(
        plan, "replay" if reached.cassette else "live", reached.cassette, reached.providers,
        reached.notes, partial(_claim, purpose=purpose),
    )  # fmt: skip
    result = carry_out(replace(options, suite=dataset, prompt=prompt.name), prepared, quiet=quiet)
    about = {
        "provider": arm.endpoint.provider.name, "route": arm.endpoint.route, "address": arm.address,
        "model": arm.model,
        "effort": arm.effort, "temperature": arm.temperature, "max_tokens": arm.max_tokens,
        "arm_digest": arm.row.digest, "prompt": prompt.name, "prompt_digest": prompt.digest,
    }  # fmt: skip
    if options.dry_run:
        return Stage([NOTHING_YET] * len(tasks), result, about)
    digests = [row[3] for row in plan.bodies()]
    return Stage(
        replies(ledger_path(options.ledger), digests, origin=prepared.origin), result, about
    )


def _claim(
    connection: duckdb.DuckDBPyConnection,
    ledger: Path,
    *,
    items: object,  # noqa: ARG001  a run hands over what cells need, and there are none
    gap_s: float,  # noqa: ARG001  the same
    now: datetime,  # noqa: ARG001  the same
    **plan: Any,
) -> Claimed:
    return claim_requests(connection, ledger, **plan)


def after(options: RunOptions, *results: RunResult) -> RunOptions:
    """The options for a later stage: what earlier ones may have spent is off the budget."""
    if options.max_usd is None:
        return options
    spent = sum((r.cost_upper_usd or Decimal(0) for r in results), Decimal(0))
    return replace(options, max_usd=max(Decimal(0), options.max_usd - spent))
