"""Tables for people and machines: one place formats numbers, money and percentages."""

from __future__ import annotations

import csv
import io
import json
import math
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any

import typer

from hinglishbench.errors import UsageError
from hinglishbench.report.figures import number, percent, points, ratio, usd

__all__ = [
    "CsvFlag",
    "Format",
    "JsonFlag",
    "MdFlag",
    "format_of",
    "number",
    "percent",
    "plain",
    "points",
    "print_json",
    "print_markdown",
    "print_rows",
    "print_table",
    "ratio",
    "say",
    "usd",
    "visible",
]


class Format(StrEnum):
    """How a table is printed."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"
    MD = "md"


JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
CsvFlag = Annotated[bool, typer.Option("--csv", help="Print CSV on stdout.")]
MdFlag = Annotated[bool, typer.Option("--md", help="Print a Markdown table on stdout.")]


def format_of(*, json_: bool, csv_: bool, md: bool) -> Format:
    """The one format asked for.

    Raises:
        UsageError: more than one.
    """
    asked = [f for f, on in ((Format.JSON, json_), (Format.CSV, csv_), (Format.MD, md)) if on]
    if len(asked) > 1:
        raise UsageError("--json, --csv and --md exclude each other")
    return asked[0] if asked else Format.TABLE


# --- tables ------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A value as JSON has it: decimals and times become numbers and text, what is not finite null."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no word for it
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def print_rows(
    rows: Sequence[Mapping[str, Any]], form: Format, columns: Sequence[str] = ()
) -> None:
    """Rows for machines: a list of objects, CSV (intervals as `_lo` and `_hi`), or Markdown."""
    if form is Format.JSON:
        print_json([plain(row) for row in rows])
        return
    flat = [_flat(row) for row in rows]
    names = list(flat[0]) if flat else list(columns)
    if form is Format.CSV:
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([["" if row[n] is None else row[n] for n in names] for row in flat])
        sys.stdout.write(out.getvalue())
        return
    print_markdown(names, [["" if row[n] is None else str(row[n]) for n in names] for row in flat])


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if key.endswith("_ci"):
            lo, hi = value if value is not None else (None, None)
            flat[f"{key}_lo"], flat[f"{key}_hi"] = plain(lo), plain(hi)
        elif isinstance(value, Mapping | list | tuple):
            flat[key] = json.dumps(plain(value), ensure_ascii=False)
        else:
            flat[key] = plain(value)
    return flat


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


def print_markdown(names: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A Markdown table on stdout; pipes and line breaks in cells are made harmless."""

    def line(cells: Sequence[str]) -> str:
        safe = [c.replace("|", "\\|").replace("\r", " ").replace("\n", " ") for c in cells]
        return "| " + " | ".join(safe) + " |"

    print(line(names))  # noqa: T201  the table
    print(line(["---"] * len(names)))  # noqa: T201  the table
    for row in rows:
        print(line(row))  # noqa: T201  the table


def print_table(
    names: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1, width: int | None = None
) -> None:
    """A table for a person; the first `left` columns are words, the others numbers."""
    from rich import box  # noqa: PLC0415  only tables for people need it
    from rich.console import Console  # noqa: PLC0415  the same
    from rich.table import Table  # noqa: PLC0415  the same
    from rich.text import Text  # noqa: PLC0415  the same

    console = Console(width=width, highlight=False)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for i, name in enumerate(names):
        table.add_column(
            name, justify="left" if i < left else "right", no_wrap=i >= left,
            overflow="fold",
        )  # fmt: skip
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    console.print(table)


def visible(text: str) -> str:
    """Text of strangers for a terminal: control characters and bidi marks are shown, not obeyed."""
    return "".join(
        c if c.isprintable() or c in "\n\u200c\u200d" else f"\\x{ord(c):02x}" for c in text
    )


def say(text: str) -> None:
    """A sentence for the person, on stderr."""
    print(text, file=sys.stderr)  # noqa: T201  this is the place that prints
