"""Rows of others under the keys of `hbench tax`, so that they can stand beside our own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hinglishbench.suites.published import PublishedRow, published

EXTRA = ("source", "retained", "token_change_pct", "verified")
"""Keys that only published rows fill: who published it, floor-adjusted retention (0..1), change of
tokens by a prompt in per cent, and what can be re-derived from the printed figures."""


def with_published(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Our rows, then those of others, all with the same keys; what was not published is None."""
    ours = [row | dict.fromkeys(EXTRA) for row in rows]
    return ours + published_rows(tuple(ours[0]) if ours else ())


def published_rows(keys: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Every published row, with at least these keys; `origin` is `published`."""
    blank: dict[str, Any] = dict.fromkeys(keys)
    found = [blank | row for entry in published() for row in _rows(entry)]
    for row in found:
        row["notes"] = [f"published by {row['source']}; {row['verified']}"]
    return found


def _rows(entry: PublishedRow) -> Iterator[dict[str, Any]]:
    printed = entry.figures.get("token_change_pct")
    row = entry.as_tax_row() | {
        "retained": entry.number("retained_pct"),
        "token_change_pct": None if printed is None else float(printed),
        "verified": entry.verified,
    }
    if row["source"].endswith(", "):
        row["source"] += entry.kind.replace("_", " ")
    means = {k.partition(".")[2]: k for k in entry.figures if k.startswith("retained_pct.")}
    if not means:
        yield row
    for form, name in means.items():
        models = f"mean over {entry.keys['n_models']} models"
        yield row | {"form": form, "retained": entry.number(name), "model": models}
