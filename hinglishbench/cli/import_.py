"""`hbench import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hinglishbench.cli.output import say

EXAMPLES = """Example:

  hbench import predictions/ --ledger example.duckdb && hbench tax --ledger example.duckdb
"""


def import_(
    folder: Annotated[Path, typer.Argument(help="A folder of predictions (or one above several).")],
    ledger: Annotated[
        Path | None, typer.Option(help="The ledger to write to; made when absent.")
    ] = None,
) -> None:
    """Rebuild a ledger from predictions; its `tax` is that of the ledger they came from.

    Imported answers are marked as such: they are never reused as live ones, and `cost` leaves them
    out unless told otherwise.
    """
    from hinglishbench.ledger.predictions import import_predictions  # noqa: PLC0415  heavy
    from hinglishbench.ledger.store import ledger_path  # noqa: PLC0415  the same

    counts = import_predictions(folder, ledger_path(ledger))
    arms = "1 arm" if counts["arms"] == 1 else f"{counts['arms']} arms"
    say(f"took in {counts['cells']} cells of {arms}")


import_.examples = EXAMPLES  # type: ignore[attr-defined]
