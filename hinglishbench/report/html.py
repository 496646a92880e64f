"""HTML from data: whatever comes in is text, unless this module made it.

A string is escaped the moment it becomes part of an element, so nothing has to remember to do it.
Characters that are not seen but obeyed (direction marks, control characters) are shown by number:
a model's reply or a model's name must not be able to turn a line round.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_VOID = frozenset({"br", "hr", "meta", "link", "input"})


class Markup(str):
    """HTML that this module (or a file of the package) made; it is not escaped again."""

    __slots__ = ()


Content = str | Markup | Iterable["Content"] | None


def shown(text: str) -> str:
    """Text with direction marks and control characters replaced by `[U+202E]`."""
    return _OBEYED.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)


def escape(text: str) -> Markup:
    """Text as HTML."""
    return Markup(html.escape(shown(text)))


def render(content: Content) -> Markup:
    """Content as HTML; strings are escaped, nothing stays nothing."""
    if content is None:
        return Markup("")
    if isinstance(content, Markup):
        return content
    if isinstance(content, str):
        return escape(content)
    return Markup("".join(render(part) for part in content))


def el(tag: str, *content: Content, **attributes: str | bool | None) -> Markup:
    """An element.

    Args:
        tag: its name.
        content: strings (escaped), elements, or lists of both.
        attributes: `class_` and `for_` lose their underscore, `aria_label` becomes `aria-label`;
            True is an attribute without a value, False and None leave it out.
    """
    parts = [tag]
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        key = name.rstrip("_").replace("_", "-")
        parts.append(key if value is True else f'{key}="{escape(value)}"')
    opening = f"<{' '.join(parts)}>"
    return Markup(opening if tag in _VOID else f"{opening}{render(content)}</{tag}>")


def table(
    names: Iterable[Content],
    rows: Iterable[Iterable[Content]],
    *,
    caption: str,
    words: int = 1,
    hidden_caption: bool = False,
    name: str | None = None,
) -> Markup:
    """A table that scrolls inside its own frame; the first cell of a row heads it.

    Args:
        names: column heads.
        rows: cells.
        caption: what the table says.
        words: how many columns, from the left, hold words; the others hold numbers.
        hidden_caption: for screen readers alone, where the text above says the same.
        name: a class for the style sheet.
    """
    heads = [
        el("th", name, scope="col", class_=None if i < words else "n")
        for i, name in enumerate(names)
    ]
    body = [
        el(
            "tr",
            [
                el("th", cell, scope="row")
                if i == 0
                else el("td", cell, class_=None if i < words else "n")
                for i, cell in enumerate(row)
            ],
        )
        for row in rows
    ]
    inner = el(
        "table",
        el("caption", el("span", caption), class_="unseen" if hidden_caption else None),
        el("thead", el("tr", heads)),
        el("tbody", body),
    )
    return el(
        "div",
        inner,
        class_=f"scroll {name}" if name else "scroll",
        role="region",
        aria_label=caption,
        tabindex="0",
    )
