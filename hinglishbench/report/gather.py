"""Everything that the report says, read from the ledger once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from hinglishbench import __version__
from hinglishbench.errors import RefusedError
from hinglishbench.ledger.reader import Ledger
from hinglishbench.report.explorer import form_key
from hinglishbench.report.labels import arm_labels
from hinglishbench.report.options import TaxOptions
from hinglishbench.report.tax import tax_rows

Row = dict[str, Any]

QUERIES = ("arms", "outcomes", "pairs", "prices", "runs", "limits", "spend")
"""Of queries/report_*.sql, those whose rows are kept."""


@dataclass(frozen=True)
class Findings:
    """What a ledger holds for a report; rows are as the queries of the same name give them.

    Attributes:
        ledger: name of the ledger's file, without its folder.
        made_at: when the report was made, UTC.
        origin: live, import or replay: whose answers these are.
        suite: the one asked for; None: all.
        tax: rows of `hbench tax`, each with `label`, the name of its arm (and suite, if several).
        cost: the one row of `hbench cost` for this origin.
        published: figures of others under the keys of `tax`, with `source`.
        labels: names of arms by arm_id.
    """

    ledger: str
    made_at: datetime
    origin: str
    suite: str | None
    tax: Sequence[Row]
    cost: Row
    published: Sequence[Row]
    labels: Mapping[int, str]
    arms: Sequence[Row]
    outcomes: Sequence[Row]
    pairs: Sequence[Row]
    prices: Sequence[Row]
    runs: Sequence[Row]
    limits: Sequence[Row]
    spend: Sequence[Row]
    notes: Sequence[str] = field(default_factory=tuple)
    version: str = __version__

    @property
    def suites(self) -> list[str]:
        """Names of the suites, in order."""
        return sorted({row["suite"] for row in self.outcomes})

    @property
    def forms(self) -> list[str]:
        """All forms, English first."""
        return sorted({row["form"] for row in self.outcomes}, key=form_key)

    def arm_of(self, row: Row) -> Row:
        """The arm of a tax row."""
        return next(arm for arm in self.arms if arm["digest"] == row["arm"])

    def label(self, suite: str, arm_id: int) -> str:
        """The name of an arm, with its suite where there are several."""
        name = self.labels[arm_id]
        return f"{name} · {suite}" if len(self.suites) > 1 else name


def gather(ledger: Ledger, options: TaxOptions, *, now: datetime) -> Findings:
    """Read what a report needs.

    Raises:
        NoLedgerError: there is no ledger.
        RefusedError: it has no answers (of that origin and suite).
    """
    tax = tax_rows(ledger, options)
    origin = tax[0]["origin"] if tax else options.origin or _only_origin(ledger)
    of_suite = {"origin": origin, "suite": options.suite}

    with ledger.session() as session:
        found = {name: session.run(f"report_{name}", of_suite).dicts() for name in QUERIES}
    arms = found["arms"]
    if not arms:
        raise RefusedError(
            f"{ledger.path} has no {origin} answers"
            + (f" of suite {options.suite}" if options.suite else ""),
            hint="see `hbench ledger runs`",
        )
    findings = Findings(
        ledger=ledger.path.name,
        made_at=now,
        origin=origin,
        suite=options.suite,
        tax=tax,
        cost=ledger.cost(origins=[origin]).dicts()[0],
        published=_published(),
        labels=arm_labels(arms),
        arms=found["arms"],
        outcomes=found["outcomes"],
        pairs=found["pairs"],
        prices=found["prices"],
        runs=found["runs"],
        limits=found["limits"],
        spend=found["spend"],
        notes=tuple(ledger.notes),
    )
    for row in tax:
        row["arm_id"] = findings.arm_of(row)["arm_id"]
        row["label"] = findings.label(row["suite"], row["arm_id"])
    return findings


def _only_origin(ledger: Ledger) -> str:
    rows = ledger.ask("select distinct origin from cells order by origin").rows
    return str(rows[0][0]) if rows else "live"


def _published() -> list[Row]:
    from hinglishbench.suites.published import published  # noqa: PLC0415  read once a report

    return [
        {**row.as_tax_row(), "where": row.source.where, "licence": row.source.licence}
        for row in published()
        if row.kind == "pairs"
    ]
