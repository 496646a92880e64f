"""`hbench ledger`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hinglishbench.cli.output import JsonFlag, print_json, print_table, say

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Verify a ledger, or list its runs.",
    epilog="Example: hbench ledger verify",
)
LedgerOption = Annotated[Path | None, typer.Option("--ledger", help="The ledger file.")]


@app.command(name="verify")
def verify(ledger: LedgerOption = None, json_: JsonFlag = False) -> None:
    """Re-derive every digest and check every reference; exit 6 when something is wrong."""
    from hinglishbench.ledger.verify import verify as check  # noqa: PLC0415  heavy

    report = check(ledger)
    for note in report.notes:
        say(note)
    if json_:
        print_json({"faults": report.faults, "checked": report.checked})
    else:
        for what, count in report.checked.items():
            print(f"{count:>12,}  {what}")  # noqa: T201  the answer
        for fault, count in report.faults.items():
            print(f"{count:>12,}  WRONG: {fault}")  # noqa: T201  the answer
        print("damaged" if report.faults else "sound")  # noqa: T201  the answer
    sys.exit(6 if report.faults else 0)


@app.command(name="runs")
def runs(ledger: LedgerOption = None, json_: JsonFlag = False) -> None:
    """List the runs, the newest first."""
    from hinglishbench.ledger.reader import Ledger  # noqa: PLC0415  heavy

    reader = Ledger(ledger)
    table = reader.runs()
    for note in reader.notes:
        say(note)
    if json_:
        from hinglishbench.cli.output import plain  # noqa: PLC0415  only here

        print_json([plain(row) for row in table.dicts()])
        return
    print_table(
        table.columns, [["-" if v is None else str(v) for v in row] for row in table.rows], left=5
    )
