"""How mixed a text is: the language of each word, the share of English, the Code-Mixing Index.

A word's language is looked up in two lists of our own (`words/`), as this program is about texts
that no dictionary spells the same way. In Hinglish typed in Latin letters the order is: words listed
as Hindi, words listed as English, Hindi derived from a verb stem, inflected words of either list;
what is left (mostly names) is unknown and counts for neither. In mixed script the script decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from hinglishbench.forms.number_words import fold_roman
from hinglishbench.forms.scripts import scripts

Language = Literal["en", "hi", "neutral", "unknown"]
"""neutral: symbols and words that belong to both (kg, kilo, lakh) · unknown: mostly names."""

_WORD = re.compile(
    r"[^\W\d_](?:[^\W\d_]|[\u0900-\u0903\u093a-\u094f\u0980-\u09fe\u200c\u200d]|['’](?=[^\W\d_]))*"
)
_NEUTRAL = frozenset(
    [
        *("a", "am", "pm", "rs", "inr", "kg", "kgs", "g", "gm", "km", "kms", "m", "cm", "mm", "l"),
        *("ml", "gb", "mb", "sq", "ft", "kilo", "lakh", "lakhs", "lac", "crore", "crores", "litre"),
        *("metre", "meter", "unit"),
    ]
)
_ENDINGS = (
    "a aa e i o na ne ni ta te ti ya ye yi yee ega egi enge engi yega yegi yenge yengi unga ungi enga oge "
    "ogi un u kar kr ke iye iyega ein en yein yen wana wane wata wate va vaya vaye vata waya waye"
)
_ENGLISH_SUFFIXES = ("s", "es", "ed", "d", "ing", "er", "ers", "ly", "'s", "’s", "r", "n", "al")
_BORROWED_SUFFIXES = ("en", "ein", "on", "o")  # seaten, tilein, flaton: English words, Hindi plural
_HINDI_SUFFIXES = ("on", "o", "ein", "en", "iyan", "iyon", "yan", "yon", "n", "e", "wale", "wali")


@dataclass(frozen=True, slots=True)
class Mixing:
    """Words of a text by language.

    Attributes:
        english: words taken as English.
        hindi: words taken as Hindi (or Bengali).
        neutral: words of both, symbols of units.
        unknown: words in no list.
        markers: how many different Hindi grammar words (`hai`, `kitne`, …) the text has.
    """

    english: int
    hindi: int
    neutral: int
    unknown: int
    markers: int

    @property
    def share_english(self) -> float | None:
        """English among the words whose language is known, 0..1; None when there is none."""
        known = self.english + self.hindi
        return self.english / known if known else None

    @property
    def cmi(self) -> float | None:
        """Code-Mixing Index, 0..100: 100 * (1 - largest / (n - u)), u = words of no language.

        Das and Gambäck, "Identifying Languages at the Word Level in Code-Mixed Indian Social Media
        Text", ICON 2014. None when no word has a language.
        """
        known = self.english + self.hindi
        return 100 * (1 - max(self.english, self.hindi) / known) if known else None


def words(text: str) -> list[str]:
    """The words of a text, without numbers and punctuation."""
    return _WORD.findall(text)


def mixing(text: str, form: str) -> Mixing:
    """Count the words of a text by language, by the rules of its form."""
    found = words(text)
    tags = [language(word, form) for word in found]
    markers = {fold_roman(w) for w in found if w.isascii()} & _lists().markers
    return Mixing(
        english=tags.count("en"),
        hindi=tags.count("hi"),
        neutral=tags.count("neutral"),
        unknown=tags.count("unknown"),
        markers=len(markers),
    )


def language(word: str, form: str) -> Language:
    """Language of one word in a text of a form."""
    if set(scripts(word)) - {"Latin"}:
        return "hi"
    lower = word.lower()
    if lower in _NEUTRAL:
        return "neutral"
    if form == "cm":
        return "en"
    return _in_english(lower) if form == "en" else _in_hinglish(lower)


def _in_english(word: str) -> Language:
    lists = _lists()
    if word in lists.english or _has_base(word, _ENGLISH_SUFFIXES, lists.english):
        return "en"
    folded = fold_roman(word)
    return "hi" if folded in lists.hindi or folded in lists.markers else "unknown"


def _in_hinglish(word: str) -> Language:
    lists = _lists()
    folded = fold_roman(word)
    if folded in lists.hindi:
        return "hi"
    if word in lists.english:
        return "en"
    if folded in lists.derived:
        return "hi"
    if _has_base(word, _ENGLISH_SUFFIXES + _BORROWED_SUFFIXES, lists.english):
        return "en"
    return "hi" if _has_base(folded, _HINDI_SUFFIXES, lists.hindi, changed="aiu") else "unknown"


def _has_base(
    word: str, suffixes: tuple[str, ...], base: frozenset[str], *, changed: str = "ey"
) -> bool:
    """Whether a word is a listed word of three letters or more plus a suffix.

    The end of the listed word may have changed: a dropped vowel (bake, baking), y (copy, copies),
    a doubled letter (stop, stopped).
    """
    for suffix in suffixes:
        stem = word.removesuffix(suffix)
        if stem == word or len(stem) < 3:
            continue
        candidates = [stem, *(stem + letter for letter in changed)]
        if stem[-1] == stem[-2]:
            candidates.append(stem[:-1])
        if stem.endswith("i"):
            candidates.append(stem[:-1] + "y")
        if any(candidate in base for candidate in candidates):
            return True
    return False


@dataclass(frozen=True, slots=True)
class _Lists:
    english: frozenset[str]
    hindi: frozenset[str]  # folded
    markers: frozenset[str]  # folded
    derived: frozenset[str]  # folded: verb stem and ending


@cache
def _lists() -> _Lists:
    folder = Path(__file__).parent / "words"
    english = " ".join(_content(folder / "english.txt"))
    hindi: set[str] = set()
    markers: set[str] = set()
    derived: set[str] = set()
    for line in _content(folder / "hindi.txt"):
        kind, _, rest = line.rpartition(":")
        if kind == "stem":
            derived |= {fold_roman(s + e) for s in rest.split() for e in ("", *_ENDINGS.split())}
            continue
        hindi |= {fold_roman(word) for word in rest.split()}
        if kind == "marker":
            markers |= {fold_roman(word) for word in rest.split()}
    return _Lists(
        english=frozenset(english.split()),
        hindi=frozenset(hindi),
        # One-letter spellings and `so` say too little to mark a text as Hindi.
        markers=frozenset(word for word in markers if len(word) > 1) - _english_markers(english),
        derived=frozenset(word for word in derived if len(word) > 2),
    )


def _english_markers(english: str) -> set[str]:
    """Spellings that are English words too: they mark nothing (`main`, `use`, `the`)."""
    return {fold_roman(word) for word in english.split()}


def _content(path: Path) -> list[str]:
    lines = path.read_text("utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]
