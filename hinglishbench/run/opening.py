"""What comes before the first call: prices, the budget, the journal and the claim."""

from __future__ import annotations

import os
import time
from decimal import Decimal
from pathlib import Path
from typing import Self

from hinglishbench import __version__
from hinglishbench.clock import utc
from hinglishbench.ledger.claims import Claimed
from hinglishbench.ledger.identity import RunRow, journal_name
from hinglishbench.ledger.intake import adopt_into
from hinglishbench.ledger.journal import Journal
from hinglishbench.ledger.prices import add_prices
from hinglishbench.ledger.spending import so_far
from hinglishbench.ledger.store import RUN_CONFIG, connect, journal_dir, ledger_path
from hinglishbench.pricing.book import PriceBook
from hinglishbench.pricing.price import PriceRow
from hinglishbench.pricing.sources import Sources
from hinglishbench.pricing.wanted import Wanted, wanted
from hinglishbench.run import budget as budgets
from hinglishbench.run.budget import Budget
from hinglishbench.run.estimate import History, read_history
from hinglishbench.run.options import RunOptions
from hinglishbench.run.plan import Plan
from hinglishbench.run.prepare import Prepared


class Opening:
    """The journal and the claimed plan; nothing is left behind when claiming fails."""

    def __init__(self, options: RunOptions, prepared: Prepared) -> None:
        self.ledger = ledger_path(options.ledger)
        self.dry = options.dry_run
        now = time.time()
        key = f"{utc(now):%Y%m%dT%H%M%S}-{os.urandom(4).hex()}"
        self.row = RunRow(
            key, journal_name(key), prepared.origin, prepared.plan.suite.name, __version__,
            options.as_json(), utc(now),
        )  # fmt: skip
        self.begun = time.monotonic()
        self.notes: list[str] = list(prepared.notes)
        self.journal: Journal | None = None
        self._options, self._prepared = options, prepared
        self.claimed: Claimed
        self.wanted: list[Wanted] = []
        self.prices: list[PriceRow] = []
        self.books: list[PriceBook] = []
        self.budget: Budget | None = None
        self.history: History = {}

    def __enter__(self) -> Self:
        plan = self._prepared.plan
        sources = Sources()
        self.wanted = [
            wanted(a.endpoint.provider.name, a.model, a.endpoint.route, self._prepared.providers)
            for a in plan.arms
        ]
        rows = {one: sources.rows(one) for one in self.wanted}
        self.prices = [row for some in rows.values() for row in some]
        self.books = [PriceBook(rows[one]) for one in self.wanted]
        if self._capped and not self.dry:
            budgets.check(
                plan.arms, self.wanted, self.books, now=time.time(),
                allow_unbounded=self._options.allow_unbounded,
            )  # fmt: skip
        if self.dry:
            self._claim(self.ledger if self.ledger.exists() else Path(":memory:"))
            return self
        path = journal_dir(self.ledger) / self.row.journal
        # Before the claim: whoever sees the claim must see that its run is alive.
        self.journal = Journal.create(
            path, {"key": self.row.key, "pid": os.getpid(), "version": __version__}
        )
        try:
            self._claim(self.ledger)
            self._write_plan(plan)
        except BaseException:
            self.journal.close()
            path.unlink()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self.journal is not None:
            self.journal.close()

    @property
    def _capped(self) -> bool:
        """Whether there is a cap on dollars (a replay costs none)."""
        options = self._options
        caps = (options.max_usd, options.max_usd_total)
        return self._prepared.origin == "live" and caps != (None, None)

    def _claim(self, ledger: Path) -> None:
        options, plan = self._options, self._prepared.plan
        with connect(ledger, write=True, config=RUN_CONFIG) as connection:
            if self.ledger.exists():
                for taken in adopt_into(connection, self.ledger):
                    self.notes.append(
                        f"took in {taken.attempts} attempts of a run that had died"
                        + (
                            f", {taken.in_flight} of them in flight (maybe billed)"
                            if taken.in_flight
                            else ""
                        )
                    )
            if not self.dry:
                add_prices(connection, self.prices, self.row.started_at)
            if self._capped and not self.dry:
                total = options.max_usd_total
                already = Decimal(0) if total is None else so_far(connection, self.ledger)
                self.budget = Budget(
                    self.books, max_usd=options.max_usd, max_usd_total=total, already=already
                )
            if self.dry:
                self.history = read_history(connection, plan.arms)
            self.claimed = self._prepared.claim(
                connection,
                self.ledger,
                run=self.row,
                arms=[arm.row for arm in plan.arms],
                items=plan.items(),
                wanted=plan.wanted(),
                fresh=options.fresh or self._prepared.origin != "live",
                gap_s=options.max_pair_gap_s,
                now=self.row.started_at,
                dry=self.dry,
            )
        if self.claimed.retexted:
            self.notes.append(
                f"items of suite {self.row.suite} that stood in this ledger with other words:"
                f" {self.claimed.retexted}. The new ones take their place in its tables; if these are"
                " two files of one name, rename one of them"
            )

    def _write_plan(self, plan: Plan) -> None:
        assert self.journal is not None
        asks = self.claimed.asks
        for start in range(0, len(asks), 1000):
            lines = []
            for ask in asks[start : start + 1000]:
                cell = plan.cell(ask.seq)
                lines.append({"e": "plan", "r": ask.request_id, "item": cell.item.id, "form": cell.form,
                              "sample": cell.sample})  # fmt: skip
            self.journal.write(*lines)
