"""`hbench regrade`."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from hinglishbench.cli.output import JsonFlag, print_json, print_table, say

EXAMPLES = """Examples:

  hbench regrade --dry-run        what the graders of this version would change

  hbench regrade --json
"""


def regrade(
    ledger: Annotated[Path | None, typer.Option(help="The ledger file.")] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Also what the present graders have graded.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Tell; change nothing.")] = False,
    json_: JsonFlag = False,
) -> None:
    """Grade a ledger again with the graders of this version; no call is made.

    Every changed verdict is printed, item by item; the grades of older versions stay in the ledger.
    """
    from hinglishbench.ledger.regrade import regrade as again  # noqa: PLC0415  heavy
    from hinglishbench.ledger.store import ledger_path  # noqa: PLC0415  the same

    result = again(ledger_path(ledger), force=force, dry_run=dry_run)
    if json_:
        print_json(
            {"graded": result.graded, "changes": [asdict(change) for change in result.changes]}
        )
        return
    if result.changes:
        print_table(
            ["item", "form", "was", "is", "read", "reads"],
            [
                [c.item, c.form, c.old_outcome or "-", c.new_outcome, c.old_parsed or "-",
                 c.new_parsed or "-"]
                for c in result.changes
            ],
            left=6,
        )  # fmt: skip
    moves = Counter((c.old_outcome, c.new_outcome) for c in result.changes)
    told = ", ".join(
        f"{old or 'ungraded'} to {new}: {n}" for (old, new), n in sorted(moves.items(), key=str)
    )
    say(
        f"{result.graded} graded{' (dry run: nothing kept)' if dry_run else ''}, "
        f"{len(result.changes)} changed" + (f" ({told})" if told else "")
    )


regrade.examples = EXAMPLES  # type: ignore[attr-defined]
