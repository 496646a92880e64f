"""A ledger in memory with runs that plan, answer, send and die on command, and a clock set by hand."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import duckdb

from hinglishbench.client.dialect import Sampling, body_params
from hinglishbench.client.providers import Endpoint, load_providers
from hinglishbench.clock import utc
from hinglishbench.ledger import planning
from hinglishbench.ledger.claims import Claimed
from hinglishbench.ledger.identity import RunRow, journal_name
from hinglishbench.ledger.intake import Taken, adopt_into, take_in
from hinglishbench.ledger.journal import Journal
from hinglishbench.ledger.reader import Ledger, Table
from hinglishbench.ledger.store import journal_dir, migrate, query
from hinglishbench.ledger.verify import Report, _check_names, _check_requests
from hinglishbench.run.plan import Arm, Plan, PlannedCell, order_blocks
from hinglishbench.suites.items import Item, Suite
from hinglishbench.suites.prompts import Prompt

HOUR = 3600.0
PROVIDER = load_providers(Path("there is no such file"))["openai-compatible"]
ENDPOINT = Endpoint(PROVIDER, "direct", "http://127.0.0.1:1/v1")
PROMPT = Prompt("plain", {"id": "plain", "user": "{question}"})


class InMemory(Ledger):
    """The reader's view of a rig's ledger."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        super().__init__("in-memory")
        self._connection = connection

    def ask(self, sql: str, parameters: Any = None) -> Table:
        cursor = self._connection.execute(sql, parameters)
        return Table(tuple(c[0] for c in cursor.description or ()), cursor.fetchall())


class Rig:
    """Runs over one ledger.

    Attributes:
        now: seconds since 1970; moves only when a test moves it.
        golds, texts: what differs from the usual, by item id and by (item id, form).
    """

    def __init__(self, folder: Path) -> None:
        self.now = 1_800_000_000.0
        self.golds: dict[str, str] = {}
        self.texts: dict[tuple[str, str], str] = {}
        self.path = folder / "ledger.duckdb"
        self.connection = duckdb.connect(":memory:")
        migrate(self.connection, self.path)
        self._keys = itertools.count(1)
        self.living: list[LiveRun] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for run in list(self.living):
            run.die()
        self.connection.close()

    # --- planning ------------------------------------------------------------------------------

    def plan(
        self,
        items: Sequence[str] = ("k1", "k2"),
        *,
        forms: Sequence[str] = ("en", "cm-rom"),
        suite: str = "pairs",
        samples: int = 1,
        limit: int | None = None,
        temperature: float | None = None,
        max_tokens: int = 64,
        prompt: Prompt = PROMPT,
        address: str = "fake",
        seed: int = 42,
    ) -> Plan:
        """A plan over items whose texts follow from id and form."""
        made = tuple(
            Item(
                key,
                self.golds.get(key, "42"),
                {f: self.texts.get((key, f), f"{key} in {f}?") for f in forms},
            )
            for key in items
        )
        params = body_params(
            PROVIDER, "m", Sampling(temperature=temperature, max_tokens=max_tokens)
        )
        arm = Arm(ENDPOINT, address, "m", None, temperature, max_tokens, prompt, params)
        whole = Suite(suite, made, "numeric", prompt.name, tuple(forms), "", "sha256:0")
        blocks = order_blocks(whole, forms, samples=samples, seed=seed, limit=limit)
        return Plan(whole, [arm], blocks)

    def start(
        self,
        plan: Plan | None = None,
        *,
        fresh: bool = False,
        origin: str = "live",
        gap_s: float = HOUR,
        dry: bool = False,
    ) -> LiveRun:
        """Take in the dead, claim, and live on (the journal's lock is held)."""
        plan = plan or self.plan()
        key = f"run-{next(self._keys)}"
        row = RunRow(key, journal_name(key), origin, plan.suite.name, "0", {}, utc(self.now))
        journal = Journal.create(
            journal_dir(self.path) / row.journal, {"key": key, "pid": 1, "version": "0"}
        )
        adopted = adopt_into(self.connection, self.path)
        claimed = planning.claim(
            self.connection, self.path, run=row, arms=[arm.row for arm in plan.arms], items=plan.items(),
            wanted=plan.wanted(), fresh=fresh or origin != "live", gap_s=gap_s, now=utc(self.now), dry=dry,
        )  # fmt: skip
        run = LiveRun(self, plan, claimed, journal, adopted)
        self.living.append(run)
        return run

    def whole(self, plan: Plan | None = None, **options: Any) -> LiveRun:
        """A run that asks all that it may, gets 42 each time, and ends well."""
        run = self.start(plan, **options)
        run.answer()
        run.end()
        return run

    # --- looking -------------------------------------------------------------------------------

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Rows of a statement."""
        return self.connection.execute(sql).fetchall()

    def outcomes(self, what: str = "outcome") -> dict[str, Any]:
        """`k1/en` (with `#1` for a second sample) to a column of its answer."""
        rows = self.rows(
            f"select item, form, sample, {what} from answers where origin = 'live' order by all"
        )
        return {f"{i}/{f}" + (f"#{s}" if s else ""): value for i, f, s, value in rows}

    def attempts(self) -> int:
        """How many attempts there are."""
        return int(self.rows("select count(*) from attempts")[0][0])

    def faults(self) -> dict[str, int]:
        """What `hbench ledger verify` finds."""
        ledger, report = InMemory(self.connection), Report()
        for fault, count in ledger.ask(query("verify")).rows:
            report.faults[fault] += count
        _check_names(ledger, report)
        _check_requests(ledger, report)
        return dict(report.faults)


class LiveRun:
    """A run that has claimed its cells and lives until it ends or dies."""

    def __init__(
        self, rig: Rig, plan: Plan, claimed: Claimed, journal: Journal, adopted: list[Taken]
    ) -> None:
        self.rig, self.plan, self.claimed, self.journal = rig, plan, claimed, journal
        self.adopted = adopted
        self._offset = 0
        self._todo = list(claimed.asks)
        self._tries: dict[int, int] = {}

    @property
    def asks(self) -> list[str]:
        """What it is to ask, as `k1/en`, in order."""
        return [self._name(self.plan.cell(ask.seq)) for ask in self.claimed.asks]

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """(asked, reused, claimed elsewhere, bought again)."""
        c = self.claimed
        return len(c.asks), c.reused, c.claimed_elsewhere, c.again

    @staticmethod
    def _name(cell: PlannedCell) -> str:
        return f"{cell.item.id}/{cell.form}" + (f"#{cell.sample}" if cell.sample else "")

    def answer(
        self,
        *names: str,
        text: str = "42",
        error: str | None = None,
        sent_only: bool = False,
        take: bool = True,
        **fields: Any,
    ) -> Self:
        """Ask the named cells (all that are left when none is named), each of which gets `text`."""
        chosen: Callable[[str], bool] = (lambda name: name in names) if names else (lambda _: True)
        now, arm = self.rig.now, self.claimed.arm_ids[0]
        for ask in list(self._todo):
            if not chosen(self._name(self.plan.cell(ask.seq))):
                continue
            self._todo.remove(ask)
            n = self._tries[ask.request_id] = self._tries.get(ask.request_id, 0) + 1
            key = {"r": ask.request_id, "n": n, "arm": arm}
            self.journal.write({"e": "sent", **key, "at": now, "bound_in": 1100, "bound_out": 64})
            if sent_only:
                continue
            good = {"status": 200, "billed": "yes", "text": text, "finish_reason": "stop", "prompt_tokens": 10,
                    "completion_tokens": 5, "billable_output_tokens": 5, "output_rule": "inside",
                    "upper_prompt_tokens": 10, "upper_output_tokens": 5, "final": "answered"}  # fmt: skip
            bad = {"status": 500, "billed": "maybe", "error": error, "message": "failed",
                   "upper_prompt_tokens": 1100, "upper_output_tokens": 64, "final": "error"}  # fmt: skip
            self.journal.write(
                {"e": "end", **key, "sent_at": now, "at": now, **(bad if error else good), **fields}
            )
        if take:
            self.take()
        return self

    def take(self) -> Taken:
        """Take the journal in, as the run itself does every two seconds."""
        taken, self._offset = take_in(
            self.rig.connection, self.claimed.run, self.journal.path, self._offset
        )
        return taken

    def end(self) -> None:
        """End by itself."""
        self.journal.write({"e": "done", "status": "done", "at": self.rig.now, "summary": {}})
        self.take()
        self.die()

    def die(self) -> None:
        """Let go of the lock, saying nothing."""
        self.rig.living.remove(self)
        self.journal.close()


def lines(path: Path) -> list[dict[str, Any]]:
    """A journal's lines."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
