"""The page: one HTML file that asks nobody for anything.

Its policy allows the one script and the one style sheet that stand in it, by digest, and nothing
else: no request, no frame, no form, no markup made from a string (trusted types). So a model's reply
could not run or load anything even if it were put into the page as markup, which it is not.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Any

from hinglishbench.report.chunks import pack
from hinglishbench.report.explorer import Part
from hinglishbench.report.figures import number
from hinglishbench.report.gallery import Figure, figure_html
from hinglishbench.report.gather import Findings
from hinglishbench.report.html import Content, Markup, el, render
from hinglishbench.report.palette import FORM_NAMES
from hinglishbench.report.tables import headline, provenance, published
from hinglishbench.report.words import count, lead, limits, listed, methods

SECTIONS = (
    ("findings", "Findings"),
    ("charts", "Charts"),
    ("published", "Published figures"),
    ("explorer", "Item explorer"),
    ("methods", "Methods"),
    ("limits", "Limits"),
    ("provenance", "Provenance"),
)


@cache
def asset(name: str) -> str:
    """The text of `assets/NAME`."""
    return resources.files(__package__).joinpath("assets", name).read_text("utf-8").strip()


def policy() -> str:
    """The Content-Security-Policy of every page."""
    return (
        f"default-src 'none'; script-src {_digest(asset('explorer.js'))};"
        f" style-src {_digest(asset('report.css'))}; img-src data:; base-uri 'none';"
        " form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def title(found: Findings) -> str:
    """The question that the report answers."""
    forms = [FORM_NAMES.get(form, form) for form in found.forms if form != "en"]
    return f"What the same answer costs in {listed(forms) or 'English'}"


def report_page(
    found: Findings, figures: Iterable[Figure], explorer: Iterable[Content], data: Iterable[str]
) -> Iterator[str]:
    """The whole report, piece by piece.

    Args:
        found: what it says.
        figures: drawn already.
        explorer: what stands in the explorer's section.
        data: blocks of data (see `data_blocks`) that the explorer reads.
    """
    body = [
        el(
            "header",
            el("h1", title(found)),
            el("p", _under_title(found), class_="soft"),
            el(
                "nav",
                el("ul", [el("li", el("a", name, href=f"#{key}")) for key, name in SECTIONS]),
                aria_label="Sections",
            ),
        ),
        el(
            "main",
            _section("findings", el("ul", [el("li", text) for text in lead(found)], class_="lead"),
                     headline(found).html(name="headline"), _notes(found)),
            _section("charts", el("div", [figure_html(figure) for figure in figures], class_="charts")),
            _section("published", published(found).html(), _sources(found)),
            _section("explorer", explorer),
            _section("methods", _paragraphs(methods(found))),
            _section("limits", _paragraphs(limits(found))),
            _section("provenance", [[el("h3", grid.caption), grid.html(hidden_caption=True, name=grid.caption.split()[0].lower())] for grid in provenance(found)]),
            id="main",
        ),
        _footer(found),
    ]  # fmt: skip
    yield from _document(title(found), body, data)


def items_page(
    found: Findings, part: Part, n_parts: int, explorer: Iterable[Content], data: Iterable[str]
) -> Iterator[str]:
    """A file that holds texts of a report too large for one file."""
    name = f"Items, file {part.number + 1} of {n_parts}"
    body = [
        el(
            "header",
            el("h1", name),
            el("p", title(found), ". ", el("a", "The whole report", href="index.html"), class_="soft"),
        ),
        el("main", _section("explorer", explorer), id="main"),
        _footer(found),
    ]  # fmt: skip
    yield from _document(name, body, data)


def _document(name: str, body: Content, data: Iterable[str]) -> Iterator[str]:
    head = [
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=policy()),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="referrer", content="no-referrer"),
        el("meta", name="generator", content="hinglishbench"),
        el("link", rel="icon", href="data:,"),
        el("title", name),
        Markup(f"<style>{asset('report.css')}</style>"),
    ]
    yield f'<!doctype html>\n<html lang="en">\n{el("head", head)}\n<body>\n'
    yield el("a", "Skip to the content", href="#main", class_="skip")
    yield render(body)
    yield "\n"
    yield from data
    yield f"<script>{asset('explorer.js')}</script>\n</body>\n</html>\n"


def _section(key: str, *content: Content) -> Markup:
    heading = el("h2", dict(SECTIONS)[key], id=f"{key}-title")
    return el("section", heading, list(content), id=key, aria_labelledby=f"{key}-title")


def _paragraphs(texts: Sequence[str]) -> list[Markup]:
    return [el("p", text) for text in texts]


def _under_title(found: Findings) -> str:
    pairs = sum(row["n_pairs"] for row in found.tax)
    return (
        f"{listed(found.suites)} · {count(len(found.arms), 'arm')} · {count(pairs, 'pair')} ·"
        f" {found.origin} answers of {found.ledger} · {found.made_at:%Y-%m-%d %H:%M} UTC"
    )


def _notes(found: Findings) -> Content:
    notes = [
        f"{row['label']} · {row['form']}: {note}" for row in found.tax for note in row["notes"]
    ]
    notes += found.notes
    if not notes:
        return None
    return el(
        "details",
        el("summary", f"Notes on the table ({number(len(notes))})"),
        el("ul", [el("li", note) for note in notes], class_="note"),
    )


def _sources(found: Findings) -> Markup:
    places = {f"{row['where']}, {row['licence']}" for row in found.published}
    return el(
        "p",
        "Published rows are cited, not measured here; they have no interval because that needs their"
        f" pairs. From: {'; '.join(sorted(places))}.",
        class_="note",
    )


def _footer(found: Findings) -> Markup:
    return el(
        "footer",
        f"Made by hinglishbench {found.version} from {found.ledger} on {found.made_at:%Y-%m-%d %H:%M} UTC.",
    )


# --- the explorer's part of the page -----------------------------------------------------------


def explorer_section(n_blocks: int, files: Sequence[tuple[str, int]] = ()) -> list[Content]:
    """Text and controls of the explorer.

    Args:
        n_blocks: blocks in the index.
        files: name and number of blocks of each file that holds the texts, if this one does not.
    """
    told: list[Content] = [
        el(
            "p",
            f"{count(n_blocks, 'block')}: an item asked in all its forms by one arm. Open one to see"
            " the forms side by side; a link to it is in the address bar.",
        )
    ]
    if files:
        told.append(
            el(
                "p",
                f"The texts are too long for one file and stand in {count(len(files), 'file')} beside"
                " this one; all blocks are listed here, and opening one opens its file: ",
                [
                    [el("a", name, href=name), f" ({number(n)})", "" if last else ", "]
                    for name, n, last in ((*pair, pair is files[-1]) for pair in files)
                ],
                ".",
                id="files",
            )
        )
    told.append(
        el("noscript", el("p", "The explorer needs JavaScript; everything else here does not."))
    )
    return [*told, Markup(asset("explorer.html"))]


def no_explorer() -> list[Content]:
    """What stands in its place when texts were not wanted."""
    return [el("p", "Made without the items' texts (`--no-items`).", class_="soft")]


def data_blocks(index: dict[str, Any], chunks: Iterable[str]) -> Iterator[str]:
    """The index and the texts, as blocks that no browser runs."""
    yield _data("index-data", pack(index))
    for number_, packed in enumerate(chunks):
        yield _data(f"chunk-{number_}", packed)


def _data(key: str, packed: str) -> str:
    return f'<script type="text/plain" id="{key}">{packed}</script>\n'
