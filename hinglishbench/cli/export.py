"""`hbench export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hinglishbench.cli.output import say

EXAMPLES = """Example:

  hbench export --out predictions --suite tiered-100
"""


def export(
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("predictions"),
    suite: Annotated[str | None, typer.Option(help="Only this suite.")] = None,
    origin: Annotated[str, typer.Option(help="live, import or replay.")] = "live",
    ledger: Annotated[Path | None, typer.Option(help="The ledger file.")] = None,
) -> None:
    """Write predictions: one folder an arm, one file a form, one line an item and sample.

    They hold everything that `hbench import` needs to rebuild a ledger with the same `tax`.
    """
    from hinglishbench.ledger.predictions import export_predictions  # noqa: PLC0415  heavy
    from hinglishbench.ledger.reader import Ledger  # noqa: PLC0415  the same

    reader = Ledger(ledger)
    for folder in export_predictions(reader, out, origin=origin, suite=suite):
        print(folder)  # noqa: T201  the answer
    for note in reader.notes:
        say(note)


export.examples = EXAMPLES  # type: ignore[attr-defined]
