"""`hbench compare`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hinglishbench.cli.output import CsvFlag, Format, JsonFlag, MdFlag, format_of, say
from hinglishbench.cli.pairtable import print_below, print_paired
from hinglishbench.errors import UsageError

EXAMPLES = """Examples:

  hbench compare --baseline fair --variant think-in-english

  hbench compare --effort none low --suite tiered-100

  hbench compare --provider baseten together --json

  hbench compare --baseline fair --variant concise --margin-pts 2
"""
_TWO = tuple[str, str] | None


def compare(
    baseline: Annotated[str, typer.Option(help="The prompt that is compared against.")] = "fair",
    variant: Annotated[str | None, typer.Option(help="The other prompt.")] = None,
    effort: Annotated[_TWO, typer.Option(help="Two efforts; default: not sent.", metavar="A B")] = None,
    model: Annotated[_TWO, typer.Option(help="Two models.", metavar="A B")] = None,
    provider: Annotated[_TWO, typer.Option(help="Two providers of one model.", metavar="A B")] = None,
    suite: Annotated[str | None, typer.Option(help="Only this suite.")] = None,
    baseline_form: Annotated[str, typer.Option(help="The form that a tax is measured against.")] = "en",
    origin: Annotated[str | None, typer.Option(help="live, import or replay. Default: the first of these with answers.")] = None,
    max_pair_gap: Annotated[float, typer.Option(help="Hours; forms asked further apart have no tax.")] = 1.0,
    cluster: Annotated[str | None, typer.Option(help="topic: items of a topic resemble each other.")] = None,
    adjust: Annotated[str, typer.Option(help="p values over the table's rows: holm, bh or none.")] = "holm",
    margin_pts: Annotated[float | None, typer.Option(help="Points within which a change does not matter.")] = None,
    margin_tokens: Annotated[float | None, typer.Option(help="The same for tokens: 0.05 is five per cent.")] = None,
    seed: Annotated[int, typer.Option(help="Of the resampling behind the change of the tax.")] = 42,
    resamples: Annotated[int, typer.Option(help="How many samples to draw; fewer of very many items.")] = 2000,
    wide: Annotated[bool, typer.Option("--wide", help="All figures, one block a row.")] = False,
    ledger: Annotated[Path | None, typer.Option(help="The ledger file.")] = None,
    json_: JsonFlag = False,
    csv_: CsvFlag = False,
    md: MdFlag = False,
) -> None:  # fmt: skip
    """Does a prompt, an effort, a model or a provider change accuracy, tokens and dollars?

    Two arms that differ in one thing, on the same item and form: change of accuracy in points, of
    tokens in per cent (median of the items' ratios; total: of the sums), each with its 95% interval
    and p; and the change of the tax itself, by resampling items.
    """
    from hinglishbench.ledger.reader import Ledger  # noqa: PLC0415  heavy
    from hinglishbench.report.compare import compare_rows  # noqa: PLC0415  the same
    from hinglishbench.report.options import CompareOptions  # noqa: PLC0415  the same

    form = format_of(json_=json_, csv_=csv_, md=md)
    axis, first, second = _axis(baseline, variant, effort, model, provider)
    options = CompareOptions(
        suite=suite, origin=origin, baseline_form=baseline_form, max_pair_gap_s=3600 * max_pair_gap,
        cluster=cluster, adjust=adjust, margin_pts=margin_pts, margin_tax=margin_tokens, axis=axis,
        baseline=first, variant=second, seed=seed, resamples=resamples,
        hodges_lehmann=wide or form in {Format.JSON, Format.CSV},
    )  # fmt: skip
    reader = Ledger(ledger)
    rows = compare_rows(reader, options)
    for note in reader.notes:
        say(note)
    print_paired(rows, form, _print, wide=wide)


compare.examples = EXAMPLES  # type: ignore[attr-defined]


def _axis(
    baseline: str, variant: str | None, effort: _TWO, model: _TWO, provider: _TWO
) -> tuple[str, str, str]:
    """What is compared, and its two values.

    Raises:
        UsageError: nothing, or more than one thing.
    """
    asked = [(n, v) for n, v in (("effort", effort), ("model", model), ("provider", provider)) if v]
    if variant is not None:
        asked.append(("prompt", (baseline, variant)))
    if len(asked) != 1:
        raise UsageError(
            "one thing is compared at a time",
            hint="--variant PROMPT (against --baseline fair), --effort A B, --model A B or --provider A B",
        )
    axis, (first, second) = asked[0]
    return axis, first, second


def _print(rows: Sequence[dict[str, Any]], form: Format) -> None:
    from hinglishbench.cli.comparetable import below_compare, print_compare  # noqa: PLC0415

    if not rows:
        say("no pairs: the two were not asked the same items")
        return
    print_compare(rows, form)
    print_below(below_compare(rows), form)
