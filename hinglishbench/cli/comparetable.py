"""The table of two arms for people: a change with its interval and p below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hinglishbench.cli.output import Format, print_markdown
from hinglishbench.cli.pairtable import (
    FEW,
    cut,
    dropped,
    family,
    key_cells,
    key_names,
    limits,
    lines,
    p_line,
    shared_line,
    spread,
    stand,
    two_places,
    unpriced,
)
from hinglishbench.report.figures import number, p_value, percent, points, ratio, usd

Row = Mapping[str, Any]
KEYS = ("suite", "provider", "route", "model", "effort", "prompt", "max_tokens", "temperature", "form",
        "origin")  # fmt: skip


def print_compare(rows: Sequence[Row], form: Format) -> None:
    """One row a suite, pair of arms and form; the first column of figures is the baseline's."""
    _, varying = spread(rows, KEYS, ("form",))
    first, second = rows[0]["baseline"], rows[0]["variant"]
    if form is Format.MD:
        names = [*key_names(varying), "pairs", "dropped", first, second, "points", "95%", "p", "tokens", "95%",
                 "p", "total", f"$ {first}", f"$ {second}", "tax", "change", "95%"]  # fmt: skip
        print_markdown(names, [_markdown(row, varying) for row in rows])
        return
    names = [", ".join(key_names(varying)), "pairs", "before", "after", "points", "tokens", "total", "dollars",
             "tax"]  # fmt: skip
    stand([_stacked(row, varying) for row in rows], names)


def _stacked(row: Row, varying: Sequence[str]) -> list[str]:
    words = key_cells(row, varying)
    dropped = f"-{number(row['n_dropped'])}" if row["n_dropped"] else ""
    change = row["tax_change"]
    return [
        lines(words[0], ", ".join(words[1:])),
        lines(number(row["n_pairs"]), dropped),
        lines(percent(row["acc_baseline"]), cut(row["cut_rate_baseline"])),
        lines(percent(row["acc_variant"]), cut(row["cut_rate_variant"])),
        lines(
            points(row["acc_change_pts"]),
            limits(row["acc_change_ci"], points),
            p_line(row["acc_change_p_adj"]),
        ),
        lines(
            _tokens(row),
            limits(row["tokens_change_pct_ci"], signed_percent),
            p_line(row["tokens_p_adj"]),
        ),
        signed_percent(row["tokens_total_change_pct"]),
        lines(usd(row["cost_baseline_usd"]), usd(row["cost_variant_usd"])),
        ""
        if change is None
        else lines(
            f"{two_places(row['tax_baseline'])} to {ratio(row['tax_variant'])}",
            limits(row["tax_change_ci"], signed),
        ),
    ]


def _markdown(row: Row, varying: Sequence[str]) -> list[str]:
    return [
        *key_cells(row, varying),
        number(row["n_pairs"]),
        number(row["n_dropped"]),
        percent(row["acc_baseline"]),
        percent(row["acc_variant"]),
        points(row["acc_change_pts"]),
        limits(row["acc_change_ci"], points),
        p_value(row["acc_change_p_adj"]),
        _tokens(row),
        limits(row["tokens_change_pct_ci"], signed_percent),
        p_value(row["tokens_p_adj"]),
        signed_percent(row["tokens_total_change_pct"]),
        usd(row["cost_baseline_usd"]),
        usd(row["cost_variant_usd"]),
        ratio(row["tax_variant"]),
        "-" if row["tax_change"] is None else signed(row["tax_change"]),
        limits(row["tax_change_ci"], signed),
    ]


def _tokens(row: Row) -> str:
    return signed_percent(row["tokens_change_pct"]) + ("*" if row["tokens_at_cap"] else "")


def signed_percent(value: float | None) -> str:
    """A change in per cent: `+9.9%`."""
    return "-" if value is None else f"{value:+,.1f}%"


def signed(value: float) -> str:
    """A change of a ratio: `-0.08`."""
    return f"{value:+.2f}"


def below_compare(rows: Sequence[Row]) -> list[str]:
    """The lines below the table."""
    shared, _ = spread(rows, KEYS, ("form",))
    first = rows[0]
    said = [
        f"{first['axis']}: before {first['baseline']}, after {first['variant']}",
        shared_line({k: v for k, v in shared.items() if k != first["axis"]}),
    ]
    said += dropped(rows)
    if any(row["tokens_at_cap"] for row in rows):
        said.append("* cut replies leave the change of tokens open, --wide says how far")
    said += unpriced(rows)
    method = next((row["tax_change_method"] for row in rows if row["tax_change_method"]), None)
    if method:
        said.append(f"tax: before to after, its change below by {method}")
    said += family(first)
    if len(rows) <= FEW:
        said += [f"{row['model']} {row['form']}: {row['decision']}" for row in rows]
    return said
