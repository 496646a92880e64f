"""`hbench power`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hinglishbench.cli.output import (
    CsvFlag,
    Format,
    JsonFlag,
    MdFlag,
    format_of,
    print_markdown,
    say,
)
from hinglishbench.cli.pairtable import (
    key_cells,
    key_names,
    lines,
    print_below,
    print_paired,
    shared_line,
    spread,
    stand,
)
from hinglishbench.report.figures import number, percent, ratio, usd

EXAMPLES = """Examples:

  hbench power                              pairs for 5 points and for 1.10x, arm by arm

  hbench power --gap 2 --tax 1.05 --power 0.9

  hbench power --pairs 300                  what do 300 pairs show, and what do they cost?

  hbench power --discordance 0.1 --spread 0.4   from assumptions alone, no ledger needed
"""
_KEYS = ("suite", "provider", "route", "model", "effort", "prompt", "max_tokens", "temperature", "form",
         "baseline_form", "origin")  # fmt: skip


def power(
    gap: Annotated[float, typer.Option(help="The gap to be seen, points.")] = 5.0,
    tax: Annotated[float, typer.Option(help="The tax to be seen, a ratio.")] = 1.1,
    pairs: Annotated[int | None, typer.Option(help="What do so many pairs show? Default: those there are.")] = None,
    power_: Annotated[float, typer.Option("--power", help="Probability of seeing the effect.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Level of the two-sided test.")] = 0.05,
    discordance: Annotated[float | None, typer.Option(help="Assume that this share of pairs is right on one side only.")] = None,
    spread_: Annotated[float | None, typer.Option("--spread", help="Assume this standard deviation of the log ratios.")] = None,
    suite: Annotated[str | None, typer.Option(help="Only this suite.")] = None,
    baseline: Annotated[str, typer.Option(help="The form that the others are set against.")] = "en",
    origin: Annotated[str | None, typer.Option(help="live, import or replay. Default: the first of these with answers.")] = None,
    wide: Annotated[bool, typer.Option("--wide", help="All figures, one block a row.")] = False,
    ledger: Annotated[Path | None, typer.Option(help="The ledger file.")] = None,
    json_: JsonFlag = False,
    csv_: CsvFlag = False,
    md: MdFlag = False,
) -> None:  # fmt: skip
    """How many pairs a gap or a tax needs, the smallest effect that pairs show, and what they cost.

    From what the ledger has seen of each arm: how often the two sides disagree, how the ratios
    spread, what a pair costs. With --discordance and --spread both stated no ledger is needed.
    """
    from hinglishbench.ledger.reader import Ledger  # noqa: PLC0415  heavy
    from hinglishbench.ledger.store import ledger_path  # noqa: PLC0415  the same
    from hinglishbench.report.options import PowerOptions  # noqa: PLC0415  the same
    from hinglishbench.report.power import power_rows  # noqa: PLC0415  the same

    form = format_of(json_=json_, csv_=csv_, md=md)
    options = PowerOptions(
        gap_pts=gap, tax=tax, pairs=pairs, alpha=alpha, power=power_, discordance=discordance, spread=spread_,
        suite=suite, origin=origin, baseline_form=baseline,
    )  # fmt: skip
    alone = options.stated and ledger is None and not ledger_path(None).exists()
    reader = None if alone else Ledger(ledger)
    rows = power_rows(reader, options)
    for note in reader.notes if reader else ():
        say(note)
    print_paired(rows, form, _print, wide=wide)


power.examples = EXAMPLES  # type: ignore[attr-defined]


def _print(rows: Sequence[dict[str, Any]], form: Format) -> None:
    if not rows:
        say("no pairs: nothing was asked in two forms; state --discordance and --spread instead")
        return
    shared, varying = spread(rows, _KEYS)
    first = rows[0]
    names = ["seen", "disagree", f"for {first['gap_pts']:g} pts", "spread", f"for {ratio(first['tax'])}",
             "n", "points", "tax", "$ a pair"]  # fmt: skip
    cells = [_cells(row) for row in rows]
    if first["origin"] is None:
        varying = varying[:1]
    words = [key_cells(row, varying) if row["origin"] else ["as stated"] for row in rows]
    if form is Format.MD:
        flat = [
            [*word, *(c.replace("\n", ", ") for c in cell)]
            for word, cell in zip(words, cells, strict=True)
        ]
        print_markdown([*key_names(varying), *names], flat)
    else:
        stacked = [lines(word[0], ", ".join(word[1:])) for word in words]
        stand(
            [[w, *c] for w, c in zip(stacked, cells, strict=True)],
            [", ".join(key_names(varying)), *names],
        )
    print_below(_below(rows, shared, varying), form)


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        number(row["n_pairs"]),
        percent(row["discordance"]),
        lines(number(row["pairs_for_gap"]), _dollars(row["usd_for_gap"])),
        number(row["log_spread"], 2),
        lines(number(row["pairs_for_tax"]), _dollars(row["usd_for_tax"])),
        lines(number(row["pairs"]), _dollars(row["usd_for_pairs"])),
        number(row["smallest_gap_pts"], 1),
        ratio(row["smallest_tax"]),
        usd(row["usd_per_pair"]),
    ]


def _dollars(value: float | None) -> str:
    return "" if value is None else usd(value)


def _below(
    rows: Sequence[dict[str, Any]], shared: dict[str, Any], varying: Sequence[str]
) -> list[str]:
    first = rows[0]
    said = []
    if first["origin"] is not None:
        said.append(shared_line(shared))
    said.append(
        f"pairs (and dollars) for {first['gap_pts']:g} points and for {ratio(first['tax'])}; points, tax: the"
        f" smallest that n pairs show; two-sided at {first['alpha']:g}, power {first['power']:g}"
    )
    if first["stated"]:
        said.append(f"stated, not seen: {', '.join(first['stated'])}")
    for row in rows:
        name = " ".join(str(row[key]) for key in varying if row[key] is not None)
        said += [f"{name}: {text}" if name else text for text in row["notes"]]
    return said
