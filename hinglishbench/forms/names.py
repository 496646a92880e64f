"""The forms of an item: what each is called and which scripts it may be written in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Form:
    """One language form.

    Attributes:
        name: the word used on the command line and in files.
        title: for people.
        scripts: scripts whose letters the text may hold (`Latin`, `Devanagari`, `Bengali`).
        needs: scripts of which it must hold at least one letter.
        ascii_letters: whether Latin letters must be plain a-z (typed on a phone, no diacritics).
        mixed: whether the form mixes English and Hindi words on purpose.
    """

    name: str
    title: str
    scripts: frozenset[str]
    needs: frozenset[str]
    ascii_letters: bool = False
    mixed: bool = False


_LATIN = frozenset({"Latin"})
_NAGARI = frozenset({"Devanagari"})
_BOTH = _LATIN | _NAGARI
_BENGALI = frozenset({"Bengali"})

FORMS: Mapping[str, Form] = MappingProxyType(
    {
        form.name: form
        for form in (
            Form("en", "English", _LATIN, _LATIN),
            Form("cm-rom", "Hinglish, romanized", _LATIN, _LATIN, ascii_letters=True, mixed=True),
            Form("cm", "Hinglish, mixed script", _BOTH, _BOTH, mixed=True),
            Form("hi", "Hindi", _NAGARI, _NAGARI),
            Form("hi-rom", "Hindi, romanized", _LATIN, _LATIN, ascii_letters=True),
            Form("bn", "Bengali", _BENGALI, _BENGALI),
        )
    }
)
"""The forms that the program knows; a user's file may hold others, which no rule then judges."""


def form_title(name: str) -> str:
    """Title for people; a form that is not known is its own title."""
    form = FORMS.get(name)
    return form.title if form else name
