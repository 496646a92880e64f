"""`hbench report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hinglishbench.cli.output import JsonFlag, number, print_json, say
from hinglishbench.clock import utc_now

EXAMPLES = """Examples:

  hbench report                       a page, its charts and a Markdown report in ./report

  hbench report --out mine --suite tiered-100

  hbench report --no-items            without the questions and replies
"""


def report(
    out: Annotated[Path, typer.Option(help="The folder to write to.")] = Path("report"),
    suite: Annotated[str | None, typer.Option(help="Only this suite.")] = None,
    origin: Annotated[
        str | None, typer.Option(help="live, import or replay. Default: the first with answers.")
    ] = None,
    max_pair_gap: Annotated[
        float, typer.Option(help="Hours; pairs asked further apart are dropped.")
    ] = 1.0,
    adjust: Annotated[
        str, typer.Option(help="Of the p values over the table: holm, bh or none.")
    ] = "holm",
    cluster: Annotated[str | None, typer.Option(help="topic: items of a topic belong together.")] = None,
    margin_pts: Annotated[
        float | None, typer.Option(help="Test equivalence: a gap within these points is none.")
    ] = None,
    margin_tax: Annotated[
        float | None, typer.Option(help="The same for the tax, 0.05 for 5% either way.")
    ] = None,
    items: Annotated[bool, typer.Option(help="With the questions and replies of every item.")] = True,
    split_mb: Annotated[
        float, typer.Option(help="Megabytes of texts in one file; more go into several.")
    ] = 18.0,
    ledger: Annotated[Path | None, typer.Option(help="The ledger file.")] = None,
    json_: JsonFlag = False,
) -> None:  # fmt: skip
    """Write pages that people read: charts, tables, methods, limits, and an item explorer.

    index.html is one file that asks nobody for anything: open it, mail it, print it. The charts are
    SVG files too, and report.md says the same in Markdown. Needs the extra: hinglishbench[report].
    """
    from hinglishbench.ledger.reader import Ledger  # noqa: PLC0415  heavy
    from hinglishbench.report.options import TaxOptions  # noqa: PLC0415  the same
    from hinglishbench.report.write import write_report  # noqa: PLC0415  the same

    options = TaxOptions(
        suite=suite, origin=origin, max_pair_gap_s=3600 * max_pair_gap, adjust=adjust,
        cluster=cluster, margin_pts=margin_pts, margin_tax=margin_tax, hodges_lehmann=False,
    )  # fmt: skip
    now = utc_now()
    written = write_report(Ledger(ledger), out, options, now=now, part_mb=split_mb, items=items)
    for note in written.notes:
        say(note)
    if json_:
        print_json([str(path) for path in written.files])
        return
    print(written.page)  # noqa: T201  the answer
    if written.items_files:
        say(
            f"the texts of {number(written.n_blocks)} blocks are more than {split_mb:g} MB:"
            f" they stand in {written.items_files} files beside the page"
        )


report.examples = EXAMPLES  # type: ignore[attr-defined]
