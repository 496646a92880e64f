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
    "en": Look("#646669", "circle"),
    "cm-rom": Look("#e86f04", "square"),
    "cm": Look("#d561b1", "diamond"),
    "hi": Look("#055aff", "triangle-up"),
    "hi-rom": Look("#06a66b", "triangle-down"),
    "bn": Look("#836429", "cross"),
}
OTHER = Look("#725dc5", "triangle-right")

TROUBLE: dict[str, str] = {
    "truncated": "#055aff",
    "unparsed": "#e86f04",
    "filtered": "#d561b1",
    "error": "#646669",
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
