"""`hbench sql`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hinglishbench.cli.output import (
    CsvFlag,
    Format,
    JsonFlag,
    MdFlag,
    format_of,
    plain,
    print_rows,
    print_table,
    say,
)
from hinglishbench.errors import UsageError

EXAMPLES = """Examples:

  hbench sql "select form, outcome, count(*) from answers group by all order by all"

  hbench sql "select item, form, parsed, gold from answers where outcome = 'wrong'" --csv

  hbench sql --schema
"""
_SCHEMA = (
    "select table_name as name, string_agg(column_name, ', ' order by column_index) as columns"
    " from duckdb_columns() where not internal group by table_name order by table_name"
)


def sql(
    statement: Annotated[str | None, typer.Argument(help="One SELECT; - reads it from stdin.")] = None,
    schema: Annotated[bool, typer.Option("--schema", help="List tables and views with their columns.")] = False,
    ledger: Annotated[Path | None, typer.Option(help="The ledger file.")] = None,
    json_: JsonFlag = False,
    csv_: CsvFlag = False,
    md: MdFlag = False,
) -> None:  # fmt: skip
    """Ask the ledger in SQL, read-only, also while a run is going on.

    The views: `answers` (one row a cell), `attempt_costs`, `pairs`, `arm_prices`.
    """
    from hinglishbench.ledger.reader import Ledger  # noqa: PLC0415  heavy

    form = format_of(json_=json_, csv_=csv_, md=md)
    if schema:
        statement = _SCHEMA
    if statement == "-":
        statement = sys.stdin.read()
    if not statement:
        raise UsageError("a statement is needed", hint='hbench sql "select * from answers limit 5"')
    reader = Ledger(ledger)
    table = reader.sql(statement)
    for note in reader.notes:
        say(note)
    if form is Format.TABLE:
        rows = [["" if v is None else str(plain(v)) for v in row] for row in table.rows]
        print_table(table.columns, rows, left=len(table.columns))
    else:
        print_rows(table.dicts(), form, table.columns)


sql.examples = EXAMPLES  # type: ignore[attr-defined]
