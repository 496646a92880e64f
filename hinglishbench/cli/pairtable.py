"""The tables of paired figures for people: short (a point and its interval below) and wide."""

from __future__ import annotations

import shutil
import textwrap
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from hinglishbench.cli.output import Format, print_markdown, print_rows, print_table, visible
from hinglishbench.report.figures import number, p_value, percent, points, ratio, usd

Row = Mapping[str, Any]

KEYS = ("suite", "provider", "route", "model", "effort", "prompt", "max_tokens", "temperature", "form",
        "baseline_form", "origin")  # fmt: skip
"""What tells rows apart, in the order of printing."""

_ALWAYS = ("model", "form")
_WORDS = {"max_tokens": "cap", "baseline_form": "against"}


def spread(
    rows: Sequence[Row], keys: Sequence[str] = KEYS, always: Sequence[str] = _ALWAYS
) -> tuple[dict[str, Any], list[str]]:
    """What all rows share (said once, below the table), and the keys that are columns."""
    differing = [k for k in keys if k not in always and len({str(row[k]) for row in rows}) > 1]
    varying = [*always, *differing]
    if len({tuple(str(row[k]) for k in varying) for row in rows}) < len(rows) and "arm" in rows[0]:
        varying.append("arm")  # a prompt of the same name with other words, another address
    return {k: rows[0][k] for k in keys if k not in varying}, varying


def key_names(varying: Sequence[str]) -> list[str]:
    """Column names of these keys."""
    return [_WORDS.get(k, k) for k in varying]


def key_cells(row: Row, varying: Sequence[str]) -> list[str]:
    """The words of a row; what was not sent is the provider's default."""
    return [key_word(row[k]) for k in varying]


def key_word(value: Any) -> str:
    """One of these words; of a digest its first eight characters."""
    if value is None:
        return "default"
    return (
        str(value).removeprefix("arm:sha256:")[:8] if str(value).startswith("arm:") else str(value)
    )


def print_short(rows: Sequence[Row], varying: Sequence[str], form: Format) -> None:
    """The table that fits 80 columns: intervals and p below their points (in Markdown: beside them)."""
    base = rows[0]["baseline_form"] if "baseline_form" not in varying else "base"
    if form is Format.MD:
        names = [*key_names(varying), "pairs", "dropped", base, "form", "gap", "95%", "p", "tax", "95%", "p",
                 "total", f"$ {base}", "$ form"]  # fmt: skip
        print_markdown(names, [_markdown(row, varying) for row in rows])
        return
    names = [
        ", ".join(key_names(varying)),
        "pairs",
        base,
        "form",
        "gap",
        "tax",
        "total",
        "dollars",
    ]
    stand([_stacked(row, varying) for row in rows], names)


def stand(cells: Sequence[Sequence[str]], names: Sequence[str]) -> None:
    """A table whose cells have several lines; no figure is ever cut to make it narrower."""
    texts = list(zip(names, *cells, strict=True))
    sizes = [max(len(line) for cell in column for line in cell.split("\n")) for column in texts]
    needed = min(sizes[0], NARROWEST) + sum(size + GUTTER for size in sizes[1:])
    print_table(names, cells, left=1, width=max(_room(), needed))


NARROWEST = 14
"""Columns that the words of a row keep in a narrow terminal; beyond, they are folded."""
GUTTER = 2


def _stacked(row: Row, varying: Sequence[str]) -> list[str]:
    words = key_cells(row, varying)
    dropped = f"-{number(row['n_dropped'])}" if row["n_dropped"] else ""
    return [
        lines(words[0], ", ".join(words[1:])),
        lines(number(row["n_pairs"]), dropped),
        lines(percent(row["acc_base"]), cut(row["cut_rate_base"])),
        lines(percent(row["acc_form"]), cut(row["cut_rate_form"])),
        lines(points(row["gap_pts"]), limits(row["gap_ci"], points), p_line(row["gap_p_adj"])),
        lines(_tax(row), limits(row["tax_ci"], two_places), p_line(row["tax_p_adj"])),
        ratio(row["tax_total_ratio"]),
        lines(usd(row["cost_base_usd"]), usd(row["cost_form_usd"])),
    ]


def _markdown(row: Row, varying: Sequence[str]) -> list[str]:
    return [
        *key_cells(row, varying),
        number(row["n_pairs"]),
        number(row["n_dropped"]),
        " ".join(filter(None, (percent(row["acc_base"]), cut(row["cut_rate_base"])))),
        " ".join(filter(None, (percent(row["acc_form"]), cut(row["cut_rate_form"])))),
        points(row["gap_pts"]),
        limits(row["gap_ci"], points),
        p_value(row["gap_p_adj"]),
        _tax(row),
        limits(row["tax_ci"], two_places),
        p_value(row["tax_p_adj"]),
        ratio(row["tax_total_ratio"]),
        usd(row["cost_base_usd"]),
        usd(row["cost_form_usd"]),
    ]


def _tax(row: Row) -> str:
    return ratio(row["tax_median"]) + ("*" if row["tax_at_cap"] else "")


def lines(*parts: str) -> str:
    """Parts below each other; empty ones take no line."""
    return "\n".join(part for part in parts if part)


def p_line(p: float | None) -> str:
    """`p 0.034`."""
    return "" if p is None else f"p {p_value(p)}"


def two_places(value: float) -> str:
    """A limit of a ratio."""
    return number(value, 2)


def cut(rate: float | None) -> str:
    """How many replies the token limit ended: `4% cut`; nothing for none."""
    if not rate:
        return ""
    return "<1% cut" if rate < 0.005 else f"{100 * rate:.0f}% cut"


def limits(ends: Sequence[float | None] | None, show: Callable[[float], str]) -> str:
    """`1.38..1.56`; a limit that nothing bounds is open; nothing for no interval."""
    if ends is None:
        return ""
    lo, hi = ends
    return f"{'open' if lo is None else show(lo)}..{'open' if hi is None else show(hi)}"


def shared_line(shared: Mapping[str, Any]) -> str:
    """What all rows share, without what was left to the provider."""
    return ", ".join(f"{_WORDS.get(k, k)} {v}" for k, v in shared.items() if v is not None)


def below_tax(rows: Sequence[Row], shared: Mapping[str, Any]) -> list[str]:
    """The lines below the table: what all rows share, why pairs are missing, what the marks mean."""
    said = [shared_line(shared)]
    said += dropped(rows)
    if any(row["tax_at_cap"] for row in rows):
        caps = sorted({row["max_tokens"] for row in rows if row["tax_at_cap"]}, key=str)
        said.append(
            f"* at cap {', '.join(key_word(cap) for cap in caps)}: cut replies leave the tax open"
            f" ({'; '.join(_open(row) for row in rows if row['tax_at_cap'])})"
            if len(rows) <= FEW
            else f"* at cap {', '.join(key_word(cap) for cap in caps)}: cut replies leave the tax open,"
            " --wide says how far"
        )
    apart = [row["pair_gap_s_median"] for row in rows if row["pair_gap_s_median"] is not None]
    if apart:
        low, high = (f"{end:,.1f}" for end in (min(apart), max(apart)))
        between = low if low == high else f"{low} to {high}"
        said.append(f"the two calls of a pair were {between} s apart (median)")
    said += [*unpriced(rows), *family(rows[0])]
    if len(rows) <= FEW:
        said += _decisions(rows)
    return said


def dropped(rows: Sequence[Row]) -> list[str]:
    """The line that says why pairs are missing, if any are."""
    reasons: Counter[str] = Counter()
    for row in rows:
        reasons.update(row["dropped"])
    words = [f"{number(n)} {reason.replace('_', ' ')}" for reason, n in reasons.items() if n]
    return [f"pairs dropped: {', '.join(words)}"] if words else []


def unpriced(rows: Sequence[Row]) -> list[str]:
    """The line that says how many pairs are in no dollars, if any are."""
    pairs = sum(row["unpriced_pairs"] for row in rows)
    return (
        [f"{number(pairs)} pairs have no known price and are not in the dollars"] if pairs else []
    )


def family(row: Row) -> list[str]:
    """The line that says over how many rows p was adjusted, if it was; any row tells."""
    how = {"holm": "Holm", "bh": "Benjamini-Hochberg"}.get(row["adjust"])
    size = row["family_size"]
    return [f"p adjusted over {size} rows ({how})"] if how and size > 1 else []


def print_below(said: Sequence[str], form: Format) -> None:
    """The lines below a table, on stdout because they belong to it; in Markdown a list."""
    if form is Format.MD:
        print()  # noqa: T201  else Markdown takes them for rows
        for line in said:
            print(f"- {visible(line)}")  # noqa: T201  the same
        return
    wrapper = textwrap.TextWrapper(
        _room(), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    for line in said:
        print(wrapper.fill(visible(line)))  # noqa: T201  the table


FEW = 8
"""Up to so many rows the lines below the table speak of each."""


def _open(row: Row) -> str:
    high = "open" if row["tax_hi"] is None else ratio(row["tax_hi"])
    return f"{row['model']} {row['form']}: {ratio(row['tax_lo'])} to {high}"


def _decisions(rows: Sequence[Row]) -> list[str]:
    said = []
    for row in rows:
        name = "" if len(rows) == 1 else f"{row['model']} {row['form']}: "
        of_gap, between, of_tax = row["decision"].partition("; tax: ")
        if row["decision_gap"] == "not decided" and row["mde_pts"] is not None:
            of_gap += f" (so many pairs show {row['mde_pts']:.0f} points or more)"
        said.append(f"{name}{of_gap}{between}{of_tax}")
    return said


def print_published(rows: Sequence[Row], form: Format) -> None:
    """Figures of others, in a table of their own, with their source."""
    print("\npublished by others, not measured here:")  # noqa: T201  heads the table
    names = [
        "source",
        "suite, model",
        "form",
        "pairs",
        "base",
        "form",
        "gap",
        "tax",
        "kept",
        "tokens",
    ]
    between = ", " if form is Format.MD else "\n"
    cells = [
        [
            row["source"],
            between.join(filter(None, (row["suite"], row["model"], row["effort"], row["prompt"]))),
            key_word(row["form"]),
            number(row["n_pairs"]),
            percent(row["acc_base"]),
            percent(row["acc_form"]),
            points(row["gap_pts"]),
            ratio(row["tax_median"]),
            percent(row["retained"]),
            "-" if row["token_change_pct"] is None else f"{row['token_change_pct']:+.1f}%",
        ]
        for row in rows
    ]
    if form is Format.MD:
        print_markdown(names, cells)
    else:
        print_table(names, cells, left=2, width=max(100, _room()))


def _room() -> int:
    return shutil.get_terminal_size((100, 24)).columns


def for_machines(form: Format, *, wide: bool) -> bool:
    """Whether every figure of every row is printed, as data."""
    return form in {Format.JSON, Format.CSV} or (form is Format.MD and wide)


def print_paired(
    rows: Sequence[dict[str, Any]],
    form: Format,
    short: Callable[[Sequence[dict[str, Any]], Format], None],
    *,
    wide: bool,
) -> None:
    """Rows of a paired command as asked for: as data, every figure in blocks, or its short table.

    Args:
        rows: of `report`.
        form: how to print.
        short: prints the command's own short table.
        wide: all figures.
    """
    if for_machines(form, wide=wide):
        print_rows(rows, form)
    elif wide:
        print_wide(rows)
    else:
        short(rows, form)


def print_wide(rows: Sequence[Row]) -> None:
    """Every figure, one block a row."""
    for i, row in enumerate(rows, 1):
        name = " ".join(key_word(row[k]) for k in ("suite", "model", "form") if k in row)
        print(f"{'' if i == 1 else chr(10)}--- {i}: {visible(name)}")  # noqa: T201  the table
        size = max(map(len, row))
        for key, value in row.items():
            print(f"{key:<{size}}  {visible(_wide(key, value))}")  # noqa: T201  the table


def _wide(key: str, value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {v}" for k, v in value.items())
    if isinstance(value, list):
        if not key.endswith("_ci"):
            return "; ".join(map(str, value)) or "-"
        return " to ".join("open" if v is None else _wide(key, v) for v in value)
    if isinstance(value, Decimal) or key.startswith("usd_"):
        return usd(value)
    if isinstance(value, float):
        return p_value(value) if key.endswith(("_p", "_p_adj")) else f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
