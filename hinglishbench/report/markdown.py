"""The same report in Markdown, for a pull request or a wiki: tables, charts by reference, sentences."""

from __future__ import annotations

from collections.abc import Sequence

from hinglishbench.report.gallery import Figure
from hinglishbench.report.gather import Findings
from hinglishbench.report.page import title
from hinglishbench.report.tables import Grid, headline, plain_markdown, provenance, published
from hinglishbench.report.words import lead, limits, methods


def report_markdown(found: Findings, figures: Sequence[Figure]) -> str:
    """The report; texts of strangers in it are escaped."""
    parts = [
        f"# {plain_markdown(title(found))}",
        (
            f"From {plain_markdown(found.ledger)} ({found.origin} answers),"
            f" {found.made_at:%Y-%m-%d %H:%M} UTC, hinglishbench {found.version}."
        ),
        "## Findings",
        "\n".join(f"- {plain_markdown(text)}" for text in lead(found)),
        _table(headline(found)),
        "## Charts",
        *(_figure(figure) for figure in figures),
        "## Published figures",
        _table(published(found)),
        "## Methods",
        *(plain_markdown(text) for text in methods(found)),
        "## Limits",
        *(plain_markdown(text) for text in limits(found)),
        "## Provenance",
        *(f"### {plain_markdown(grid.caption)}\n\n{grid.markdown()}" for grid in provenance(found)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(grid: Grid) -> str:
    return f"{plain_markdown(grid.caption)}.\n\n{grid.markdown()}"


def _figure(figure: Figure) -> str:
    images = [
        f"![{plain_markdown(drawing.label or figure.title)}](charts/{drawing.name}.svg)"
        for drawing in figure.drawings
    ]
    return "\n\n".join(
        [f"### {plain_markdown(figure.title)}", plain_markdown(figure.caption), *images]
        + ([figure.grid.markdown()] if figure.grid else [])
    )
