"""`hbench cost`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hinglishbench.cli.output import (
    CsvFlag,
    Format,
    JsonFlag,
    MdFlag,
    format_of,
    number,
    print_rows,
    print_table,
    say,
    usd,
)
from hinglishbench.errors import UsageError

EXAMPLES = """Examples:

  hbench cost                     the whole ledger

  hbench cost --by model,day

  hbench cost --by run --json
"""


def cost(
    by: Annotated[
        str,
        typer.Option(help="Keys with commas: run, model, provider, suite, prompt, day, purpose."),
    ] = "",
    origin: Annotated[
        str, typer.Option(help="Which answers count, with commas: live, import, replay.")
    ] = "live",
    ledger: Annotated[Path | None, typer.Option(help="The ledger file.")] = None,
    json_: JsonFlag = False,
    csv_: CsvFlag = False,
    md: MdFlag = False,
) -> None:
    """What it cost, with retries and lost replies counted.

    cost is what is surely billed; "at most" adds attempts that may be billed although no answer
    came. Calls without a known price are counted apart and never taken for free.
    """
    from hinglishbench.ledger.reader import ORIGINS, Ledger  # noqa: PLC0415  heavy

    form = format_of(json_=json_, csv_=csv_, md=md)
    keys = _words(by)
    origins = _words(origin)
    if wrong := [name for name in origins if name not in ORIGINS]:
        raise UsageError(f"no origin {wrong[0]!r}", hint=f"one of: {', '.join(ORIGINS)}")
    reader = Ledger(ledger)
    rows = reader.cost(by=keys, origins=origins).dicts()
    for note in reader.notes:
        say(note)
    if form is not Format.TABLE:
        print_rows(rows, form)
        return
    _print(keys, rows)


cost.examples = EXAMPLES  # type: ignore[attr-defined]


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _print(keys: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    names = [*keys, "cells", "attempts", "tokens in", "tokens out", "cost", "at most"]
    print_table(
        names,
        [
            [
                *(str(row[key]) for key in keys),
                number(row["cells"]),
                number(row["attempts"]),
                number(row["prompt_tokens"]),
                number(row["completion_tokens"]),
                usd(row["cost_usd"]),
                usd(row["cost_upper_usd"]),
            ]
            for row in rows
        ],
        left=len(keys),
    )
    unpriced = sum(row["unpriced_attempts"] for row in rows)
    maybe = sum(row["maybe_billed_attempts"] for row in rows)
    if unpriced:
        say(f"{unpriced} attempts have no known price and are not in these dollars")
    if maybe:
        say(f"{maybe} attempts may be billed although no answer came; 'at most' counts them")
