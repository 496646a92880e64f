"""The report's tables as words and numbers, ready for HTML and for Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hinglishbench.report.figures import number, p_value, percent, points, ratio, usd
from hinglishbench.report.gather import Findings
from hinglishbench.report.html import Content, Markup, el, shown, table
from hinglishbench.report.words import day, listed, run_options

Row = dict[str, Any]


@dataclass(frozen=True)
class Grid:
    """A table.

    Attributes:
        caption: what it says, in a few words.
        names: column heads.
        rows: cells as they are read, what follows a line break being less loud; None is `-`.
        words: how many columns, from the left, hold words.
    """

    caption: str
    names: Sequence[str]
    rows: Sequence[Sequence[str | None]]
    words: int = 1

    def html(self, *, hidden_caption: bool = False, name: str | None = None) -> Markup:
        """As HTML; everything is escaped."""
        rows = [["-" if cell is None else _stacked(cell) for cell in row] for row in self.rows]
        return table(
            self.names,
            rows,
            caption=self.caption,
            words=self.words,
            hidden_caption=hidden_caption,
            name=name,
        )

    def markdown(self) -> str:
        """As a Markdown table; a cell cannot leave its cell, nor become markup."""
        lines = [_line(self.names), _line(["---"] * len(self.names), safe=False)]
        lines += [_line(["-" if cell is None else cell for cell in row]) for row in self.rows]
        return "\n".join(lines)


def _stacked(cell: str) -> Content:
    head, *rest = cell.split("\n")
    return [head, [el("span", line, class_="soft") for line in rest]] if rest else head


_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>#|~!"} | {"\n": " ", "\r": " "})


def plain_markdown(text: str) -> str:
    """Text that Markdown takes for text."""
    return shown(text).translate(_MARKDOWN)


def _line(cells: Sequence[str], *, safe: bool = True) -> str:
    return f"| {' | '.join(plain_markdown(cell) if safe else cell for cell in cells)} |"


def interval(limits: Sequence[float | None] | None, form: Any) -> str:
    """A line with `[1.31, 1.60]`, empty without an interval, `open` for an end that nothing bounds."""
    if not limits:
        return ""
    return f"\n[{', '.join('open' if end is None else form(end) for end in limits)}]"


def headline(found: Findings) -> Grid:
    """The headline: one row an arm and form."""
    names = [
        "Arm", "Form", "Decision", "Pairs", "English", "Form's accuracy", "Gap, points", "Median tax",
        "Ratio of totals",
    ]  # fmt: skip
    return Grid(
        "Every arm and form against English, intervals in brackets; p adjusted over the table",
        names,
        [_headline_row(row) for row in found.tax],
        words=3,
    )


def _headline_row(row: Row) -> list[str]:
    dropped = f"\n{number(row['n_dropped'])} dropped" if row["n_dropped"] else ""
    cap = ""
    if row["tax_at_cap"]:
        high = "open" if row["tax_hi"] is None else ratio(row["tax_hi"])
        cap = f"\nat cap {number(row['max_tokens'])}: {ratio(row['tax_lo'])} to {high}"
    return [
        row["label"],
        row["form"],
        row["decision"].replace("; ", "\n"),
        number(row["n_pairs"]) + dropped,
        percent(row["acc_base"]) + interval(row["acc_base_ci"], percent),
        percent(row["acc_form"]) + interval(row["acc_form_ci"], percent),
        points(row["gap_pts"]) + interval(row["gap_ci"], points) + _p(row["gap_p_adj"]),
        ratio(row["tax_median"])
        + interval(row["tax_ci"], lambda end: f"{end:.2f}")
        + _p(row["tax_p_adj"])
        + cap,
        ratio(row["tax_total_ratio"]),
    ]


def _p(value: float | None) -> str:
    return "" if value is None else f"\np {p_value(value)}"


def published(found: Findings) -> Grid:
    """Figures of others beside ours, form by form."""
    ours = [
        [
            "this report", row["suite"], f"{row['label']}", row["form"], number(row["n_pairs"]),
            percent(row["acc_base"]), percent(row["acc_form"]), points(row["gap_pts"]), ratio(row["tax_median"]),
        ]
        for row in found.tax
    ]  # fmt: skip
    theirs = [
        [
            row["source"], row["suite"], _model(row), row["form"], number(row["n_pairs"]),
            percent(row["acc_base"]), percent(row["acc_form"]), points(row["gap_pts"]), ratio(row["tax_median"]),
        ]
        for row in found.published
    ]  # fmt: skip
    names = [
        "Source", "Suite", "Model", "Form", "Pairs", "English", "Form's accuracy", "Gap, points", "Median tax",
    ]  # fmt: skip
    return Grid("Published figures, as printed by their authors", names, [*ours, *theirs], words=4)


def _model(row: Row) -> str:
    return f"{row['model']} · effort {row['effort']}" if row["effort"] else str(row["model"])


# --- provenance --------------------------------------------------------------------------------


def provenance(found: Findings) -> list[Grid]:
    """Arms, prompts, runs and price rows behind the figures."""
    return [_arms(found), _prompts(found), _runs(found), _prices(found)]


def _arms(found: Findings) -> Grid:
    names = [
        "Arm",
        "Model",
        "Answered as",
        "Endpoint",
        "Route",
        "Settings, digest",
        "Cells",
        "From",
        "To",
    ]
    return Grid(
        "Arms",
        names,
        [
            [
                found.labels[arm["arm_id"]],
                arm["model"],
                listed(arm["models_observed"] or []) or None,
                f"{arm['provider']}, {arm['address']}",
                arm["route"],
                f"{_settings(arm)}\n{arm['digest']}",
                number(arm["cells"]),
                day(arm["first_at"]),
                day(arm["last_at"]),
            ]
            for arm in found.arms
        ],
        words=len(names),
    )


def _settings(arm: Row) -> str:
    return (
        f"prompt {arm['prompt']}, effort {arm['effort'] or 'not sent'}, temperature"
        f" {'not sent' if arm['temperature'] is None else format(arm['temperature'], 'g')}, cap"
        f" {'none' if arm['max_tokens'] is None else number(arm['max_tokens'])}"
    )


def _prompts(found: Findings) -> Grid:
    rows = {arm["prompt_digest"]: arm["prompt"] for arm in found.arms}
    return Grid(
        "Prompts",
        ["Prompt", "Digest"],
        [[name, digest] for digest, name in rows.items()],
        words=2,
    )


def _runs(found: Findings) -> Grid:
    names = ["Run", "Suite", "Started (UTC)", "Status", "Attempts", "hinglishbench", "Asked for"]
    return Grid(
        "Runs",
        names,
        [
            [
                f"{run['run_id']}: {run['run_key']}",
                run["suite"],
                run["started_at"].strftime("%Y-%m-%d %H:%M"),
                run["status"],
                number(run["attempts"]),
                run["version"],
                run_options(run),
            ]
            for run in found.runs
        ],
        words=len(names),
    )


def _prices(found: Findings) -> Grid:
    names = ["Model", "Provider", "Source", "In force from", "Input", "Cached", "Output", "Reasoning",
             "Per request", "Recorded", "Attempts"]  # fmt: skip
    return Grid(
        "Price rows used, US$ per million tokens",
        names,
        [
            [
                row["model"],
                row["provider"],
                row["source"],
                _from(row),
                *(_per_million(row[f"{kind}_usd"]) for kind in ("input", "cached_input", "output", "reasoning")),
                usd(row["request_usd"]) if row["request_usd"] is not None else None,
                day(row["recorded_at"]),
                number(row["attempts"]),
            ]
            for row in found.prices
        ],
        words=4,
    )  # fmt: skip


def _per_million(price: Any) -> str | None:
    return None if price is None else f"{float(price) * 1e6:,.4g}"


def _from(row: Row) -> str | None:
    start = row["start_at"]
    if start is None:
        return None
    return "always" if start.year <= 1970 else str(day(start))
