"""`hbench tax`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hinglishbench.cli.output import CsvFlag, Format, JsonFlag, MdFlag, format_of, say
from hinglishbench.cli.pairtable import (
    below_tax,
    for_machines,
    print_below,
    print_paired,
    print_published,
    print_short,
    spread,
)
from hinglishbench.report.labels import SMALL_MODEL

EXAMPLES = """Examples:

  hbench tax                                  every suite, model and form against English

  hbench tax --suite tiered-100 --wide        all figures, one block a row

  hbench tax --margin-pts 2 --margin-tax 0.05 may "the same" be said?

  hbench tax --cluster topic --adjust bh --json

  hbench tax --published                      what others published, beside it
"""


def tax(
    suite: Annotated[str | None, typer.Option(help="Only this suite.")] = None,
    baseline: Annotated[str, typer.Option(help="The form that the others are set against.")] = "en",
    origin: Annotated[str | None, typer.Option(help="live, import or replay. Default: the first of these with answers.")] = None,
    max_pair_gap: Annotated[float, typer.Option(help="Hours; pairs asked further apart are dropped.")] = 1.0,
    cluster: Annotated[str | None, typer.Option(help="topic: items of a topic resemble each other.")] = None,
    adjust: Annotated[str, typer.Option(help="p values over the table's rows: holm, bh or none.")] = "holm",
    margin_pts: Annotated[float | None, typer.Option(help="Points within which a gap does not matter.")] = None,
    margin_tax: Annotated[float | None, typer.Option(help="The same for the tax: 0.05 is five per cent.")] = None,
    published: Annotated[bool, typer.Option("--published", help="Add figures published by others.")] = False,
    wide: Annotated[bool, typer.Option("--wide", help="All figures, one block a row.")] = False,
    ledger: Annotated[Path | None, typer.Option(help="The ledger file.")] = None,
    json_: JsonFlag = False,
    csv_: CsvFlag = False,
    md: MdFlag = False,
) -> None:  # fmt: skip
    """Token tax and accuracy gap of each form against English, on the same items.

    tax: median of (tokens of the form / tokens of English); total: the same of the sums, as billed.
    gap: difference of accuracies in points. Below each stands its 95% interval and its p, adjusted
    over the rows of the table; below the pairs, how many were dropped; dollars: English, then the form.
    """
    from hinglishbench.ledger.reader import Ledger  # noqa: PLC0415  heavy
    from hinglishbench.report.options import TaxOptions  # noqa: PLC0415  the same
    from hinglishbench.report.published import (  # noqa: PLC0415  the same
        published_rows,
        with_published,
    )
    from hinglishbench.report.tax import tax_rows  # noqa: PLC0415  the same

    form = format_of(json_=json_, csv_=csv_, md=md)
    options = TaxOptions(
        suite=suite, origin=origin, baseline_form=baseline, max_pair_gap_s=3600 * max_pair_gap, cluster=cluster,
        adjust=adjust, margin_pts=margin_pts, margin_tax=margin_tax,
        # Seconds for a large ledger, and the short table does not show it.
        hodges_lehmann=wide or form in {Format.JSON, Format.CSV},
    )  # fmt: skip
    reader = Ledger(ledger)
    rows = tax_rows(reader, options)
    for note in reader.notes:
        say(note)
    as_data = for_machines(form, wide=wide)
    print_paired(with_published(rows) if published and as_data else rows, form, _print, wide=wide)
    if published and not as_data:
        print_published(published_rows(), form)


tax.examples = EXAMPLES  # type: ignore[attr-defined]


def _print(rows: Sequence[dict[str, Any]], form: Format) -> None:
    if not rows:
        say("no pairs: nothing was asked in two forms; `hbench ledger runs` lists what was asked")
        return
    shared, varying = spread(rows)
    print_short(rows, varying, form)
    said = below_tax(rows, shared)
    if all(row["provider"] == "local" for row in rows):
        said.append(f"this {SMALL_MODEL}")
    print_below(said, form)
