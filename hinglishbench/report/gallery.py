"""The figures of the report: drawings at two widths, what they show in words, and their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from hinglishbench.report import charts, lines
from hinglishbench.report.draw import svg
from hinglishbench.report.explorer import form_key
from hinglishbench.report.figures import number, percent, ratio, usd
from hinglishbench.report.gather import Findings
from hinglishbench.report.html import Content, Markup, el
from hinglishbench.report.palette import TROUBLE
from hinglishbench.report.tables import Grid
from hinglishbench.report.words import count

Row = dict[str, Any]

WIDE, NARROW, PANEL = 530, 300, 200
"""Pixels: of a page, of a phone, and of one scatter."""
MOST_CHANGES = 200
"""Changes of the limit in the table: the last ones."""
MOST_PANELS = 24
"""Scatters in the page; all of them are files."""


@dataclass(frozen=True)
class Drawing:
    """One image.

    Attributes:
        name: of its file, without `.svg`.
        label: what it shows, among others of the same figure; empty when alone.
        wide: for a page and for its file.
        narrow: for a phone; None: the wide one fits.
    """

    name: str
    label: str
    wide: str
    narrow: str | None = None


@dataclass(frozen=True)
class Figure:
    """One figure: drawings, a caption, and the numbers as a table.

    Attributes:
        name: anchor and file name.
        title: heading.
        caption: what is drawn and how to read it.
        drawings: none where the ledger has nothing to draw; `caption` then says why.
        grid: the numbers drawn; None where the headline table holds them all.
        key: colours that no label names, as (name, colour).
    """

    name: str
    title: str
    caption: str
    drawings: Sequence[Drawing] = ()
    grid: Grid | None = None
    key: Sequence[tuple[str, str]] = field(default_factory=tuple)


def gallery(found: Findings) -> Iterator[Figure]:
    """Every figure of the report, in order, each drawn when it is asked for."""
    rows = [row for row in found.tax if row["n_pairs"]]
    yield _by_row(
        "tax",
        "Token tax",
        "How many tokens a reply takes in the form for one token in English: the median over pairs"
        " with its interval, on a logarithmic scale. Right of the dashed line the form is dearer.",
        [row for row in rows if row["tax_median"] is not None],
        charts.tax_forest,
        empty="No pair has token counts on both sides.",
    )
    yield _by_row(
        "gap",
        "Accuracy gap",
        "Accuracy in the form less accuracy in English on the same pairs, in points, with its"
        " interval. Left of the dashed line the form does worse.",
        [row for row in rows if row["gap_pts"] is not None],
        charts.gap_forest,
        empty="There are no pairs to compare.",
    )
    yield _by_row(
        "accuracy",
        "Accuracy by form",
        "Accuracy on the same pairs: the hollow circle is English, the filled mark the form.",
        [row for row in rows if row["acc_base"] is not None],
        charts.accuracy_dumbbell,
        empty="There are no pairs to compare.",
    )
    yield _by_row(
        "cost",
        "Cost per correct answer",
        "Dollars of the answering calls for 1,000 correct answers: the hollow circle is English, the"
        " filled mark the form. What retries cost is not in it.",
        [row for row in rows if None not in (row["usd_per_correct_base"], row["usd_per_correct_form"])],
        charts.cost_dumbbell,
        empty="There is none to draw: no pair is priced on both sides, or no answer is correct.",
    )  # fmt: skip
    yield _scatters(found, rows)
    yield _trouble(found)
    yield _limit(found)
    yield _spend(found)


def _by_row(
    name: str,
    title: str,
    caption: str,
    rows: Sequence[Row],
    chart: Callable[[Sequence[Row], int], dict[str, Any]],
    *,
    empty: str,
    grid: Grid | None = None,
    key: Sequence[tuple[str, str]] = (),
) -> Figure:
    if not rows:
        return Figure(name, title, empty)
    drawing = Drawing(name, "", *_both(name, title, caption, lambda width: chart(rows, width)))
    return Figure(name, title, caption, [drawing], grid, key)


def _both(
    name: str, title: str, description: str, spec: Callable[[int], dict[str, Any]]
) -> tuple[str, str]:
    return (
        svg(spec(WIDE), name=f"{name}-wide", title=title, description=description),
        svg(spec(NARROW), name=f"{name}-narrow", title=title, description=description),
    )


def _scatters(found: Findings, rows: Sequence[Row]) -> Figure:
    name, title = "tokens", "Tokens, pair by pair"
    drawings, table = [], []
    binned = False
    for at, row in enumerate(rows):
        pairs = [
            pair
            for pair in found.pairs
            if (pair["suite"], pair["arm_id"], pair["form"])
            == (row["suite"], row["arm_id"], row["form"])
        ]
        n = sum(pair["pairs"] for pair in pairs)
        if not n:
            continue
        binned |= n > lines.MOST_POINTS
        label = f"{row['label']} · {row['form']}"
        drawn = svg(
            lines.scatter(pairs, row["form"], row["tax_median"], PANEL),
            name=f"{name}-{at + 1}",
            title=f"{title}: {label}",
            description=f"{count(n, 'pair')}, English tokens across, {row['form']} tokens up; median"
            f" ratio {ratio(row['tax_median'])}.",
        )
        drawings.append(Drawing(f"{name}-{at + 1}", label, drawn))
        above = sum(p["pairs"] for p in pairs if p["form_tokens"] > p["base_tokens"])
        cut = sum(p["pairs"] for p in pairs if p["cut"])
        table.append(
            [
                label,
                number(n),
                ratio(row["tax_median"]),
                percent(above / n),
                number(cut),
            ]
        )
    if not drawings:
        return Figure(name, title, "No pair has token counts on both sides.")
    caption = (
        "English tokens across, tokens of the form up, both logarithmic. The dashed line is the"
        " diagonal, the full line the median ratio. A triangle is a pair with a reply cut at the cap."
    )
    if binned:
        caption += (
            f" Where there are more than {number(lines.MOST_POINTS)} pairs, a mark stands for all"
            " pairs near it and its area for their number."
        )
    names = ["Arm and form", "Pairs", "Median ratio", "Form took more", "With a cut reply"]
    return Figure(
        name, title, caption, drawings, Grid("Tokens of the form against English", names, table)
    )


def _trouble(found: Findings) -> Figure:
    rows = [
        {**row, "label": found.label(row["suite"], row["arm_id"])}
        for row in found.outcomes
        if row["cells"] > row["unanswered"]
    ]
    names = [
        "Arm and form",
        "Answers",
        *(name.capitalize() for name in TROUBLE),
        "Ended by the limit",
    ]
    table = [
        [
            f"{row['label']} · {row['form']}",
            number(row["cells"] - row["unanswered"]),
            *(percent(row[name] / (row["cells"] - row["unanswered"])) for name in TROUBLE),
            percent(row["cut"] / (row["cells"] - row["unanswered"])),
        ]
        for row in sorted(rows, key=lambda row: (row["label"], form_key(row["form"])))
    ]  # fmt: skip
    return _by_row(
        "endings",
        "Cut, unparsed, filtered, failed",
        "Shares of the answers that are neither right nor wrong. A truncated reply met the token"
        " limit before it answered; an error is the provider's failure and counts in no accuracy.",
        rows,
        charts.trouble_rates,
        empty="There are no answers.",
        grid=Grid("How answers ended", names, table),
        key=list(TROUBLE.items()),
    )


def _limit(found: Findings) -> Figure:
    name, title = "limit", "Concurrency limit over time"
    runs = _last_runs(found.limits)
    if not runs:
        return Figure(name, title, f"No run of these {found.origin} answers recorded its limit.")
    changes = [
        {**row, "line": f"run {row['run_id']}, {row['provider']}"}
        for row in found.limits
        if row["run_id"] in runs
    ]
    rows = [*changes, *_until_the_end(changes, found.runs)]
    caption = (
        "Requests allowed in flight since each run began; it grows slowly and is cut by a 429."
    )
    grid = Grid(
        "Changes of the limit",
        ["Run", "After", "Limit", "Why"],
        [[r["line"], f"{number(r['at_s'], 1)} s", number(r["concurrency"]), r["reason"]] for r in changes[-MOST_CHANGES:]],
        words=1,
    )  # fmt: skip
    return _over_time(
        name,
        title,
        caption + _left_out(found.limits, runs),
        rows,
        grid,
        value="concurrency",
        axis="in flight",
    )


def _until_the_end(changes: Sequence[Row], runs: Sequence[Row]) -> Iterator[Row]:
    """The last limit of each line once more, at the end of its run: it held until then."""
    for row in {row["line"]: row for row in changes}.values():
        run = next((run for run in runs if run["run_id"] == row["run_id"]), None)
        if run is not None and run["ended_at"] is not None:
            yield {**row, "at_s": (run["ended_at"] - run["started_at"]).total_seconds()}


def _spend(found: Findings) -> Figure:
    name, title = "spend", "Spend over time"
    runs = _last_runs(found.spend)
    rows = [
        {**row, "line": f"run {row['run_id']}"}
        for row in found.spend
        if row["run_id"] in runs and row["cost_usd"] is not None
    ]
    if not rows:
        return Figure(name, title, "No call of these answers has a known price.")
    if not any(row["cost_upper_usd"] for row in rows):
        return Figure(name, title, "These answers cost nothing: their models are priced at $0.")
    last = {row["line"]: row for row in rows}
    grid = Grid(
        "Spent by run",
        ["Run", "First call (UTC)", "Attempts", "Surely billed", "At most", "Unpriced"],
        [
            [
                line,
                row["first_at"].strftime("%Y-%m-%d %H:%M"),
                number(row["attempts"]),
                usd(row["cost_usd"]),
                usd(row["cost_upper_usd"]),
                number(row["unpriced"]),
            ]
            for line, row in last.items()
        ],
    )
    caption = (
        "Dollars since the first call of each run. The line is what is surely billed; the shade above"
        " it adds calls that brought no answer and may be billed."
    )
    return _over_time(
        name, title, caption + _left_out(found.spend, runs), rows, grid,
        value="cost_usd", upper="cost_upper_usd", axis="US$", money=True,
    )  # fmt: skip


def _over_time(
    name: str, title: str, caption: str, rows: Sequence[Row], grid: Grid,
    *, value: str, axis: str, upper: str | None = None, money: bool = False,
) -> Figure:  # fmt: skip
    def spec(width: int) -> dict[str, Any]:
        # The axis stands left of the drawing and takes its share of the width.
        return lines.over_time(
            rows, width - 50, value=value, upper=upper, title=axis, money=money, step=not money
        )

    return Figure(
        name, title, caption, [Drawing(name, "", *_both(name, title, caption, spec))], grid
    )


def _last_runs(rows: Sequence[Row]) -> set[int]:
    return set(sorted({row["run_id"] for row in rows})[-lines.MOST_RUNS :])


def _left_out(rows: Sequence[Row], runs: set[int]) -> str:
    total = len({row["run_id"] for row in rows})
    return f" The last {len(runs)} of {total} runs." if total > len(runs) else ""


# --- as HTML -----------------------------------------------------------------------------------


def figure_html(figure: Figure) -> Markup:
    """A figure with its caption; its numbers stand in a folded table."""
    shown = figure.drawings[:MOST_PANELS]
    caption: list[Content] = [figure.caption]
    if len(figure.drawings) > len(shown):
        caption.append(
            f" The first {len(shown)} of {len(figure.drawings)} are shown; all are in charts/."
        )
    caption += [" ", [_key(*pair) for pair in figure.key]] if figure.key else []
    return el(
        "section",
        el("h3", figure.title, id=f"figure-{figure.name}"),
        el(
            "figure",
            el("figcaption", caption),
            el("div", [_panel(d) for d in shown], class_="panels")
            if len(shown) > 1
            else [_alone(drawing) for drawing in shown],
        )
        if figure.drawings
        else el("p", figure.caption, class_="soft"),
        el("details", el("summary", "The numbers"), figure.grid.html()) if figure.grid else None,
        class_=f"chart-{figure.name}",
    )


def _alone(drawing: Drawing) -> Content:
    if drawing.narrow is None:
        return Markup(drawing.wide)
    return [
        el("div", Markup(drawing.wide), class_="wide"),
        el("div", Markup(drawing.narrow), class_="narrow"),
    ]


def _panel(drawing: Drawing) -> Markup:
    return el("div", el("h4", drawing.label), Markup(drawing.wide))


def _key(name: str, colour: str) -> Markup:
    swatch = Markup(
        f'<svg class="swatch" width="12" height="12" aria-hidden="true"><rect width="12" height="12" fill="{colour}"/></svg>'
    )
    return el("span", swatch, name, class_="key")
