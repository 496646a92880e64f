"""Colours and shapes that mean something, the same in light and dark.

Each colour has a contrast of at least 3 to 1 with both backgrounds and stays apart from the others
for readers with protanopia and deuteranopia (tests/report_page/test_palette.py computes both). No
figure relies on colour alone: each form has a shape of its own, and marks are labelled where they
stand.
"""

from __future__ import annotations

from typing import NamedTuple

LIGHT = "#ffffff"
DARK = "#14171c"
PAPER = f"var(--paper, {LIGHT})"
"""The background, whichever it is, for what must cover a line."""

INK_LIGHT = "#1c2126"
INK_DARK = "#e8eaed"


class Look(NamedTuple):
    """Colour and Vega symbol of a mark."""

    colour: str
    shape: str


FORMS: dict[str, Look] = {
    "en": Look("#7a828c", "circle"),
    "cm-rom": Look("#d55e00", "square"),
    "cm": Look("#c056a0", "diamond"),
    "hi": Look("#1b7fc4", "triangle-up"),
    "hi-rom": Look("#0b8f6a", "triangle-down"),
    "bn": Look("#8a6d00", "cross"),
}
OTHER = Look("#6b5fd0", "triangle-right")

TROUBLE: dict[str, str] = {
    "truncated": "#1b7fc4",
    "unparsed": "#d55e00",
    "filtered": "#c056a0",
    "error": "#7a828c",
}
"""Endings of an answer that are neither right nor wrong."""

FORM_NAMES: dict[str, str] = {
    "en": "English",
    "cm-rom": "romanized Hinglish",
    "cm": "mixed-script Hinglish",
    "hi": "Hindi",
    "hi-rom": "romanized Hindi",
    "bn": "Bengali",
}


def look(form: str) -> Look:
    """The look of a form; forms that the program does not know share one."""
    return FORMS.get(form, OTHER)


def form_name(form: str) -> str:
    """A form in words: `romanized Hinglish (cm-rom)`."""
    return f"{FORM_NAMES[form]} ({form})" if form in FORM_NAMES else form
