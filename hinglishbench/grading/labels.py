"""The labels of a multiple-choice item, and where a text names one of them.

A label counts only where it stands as a label: not inside a word, not as the article "a",
not as the pronoun "I".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

MAX_MENTIONS = 300
# The same position in label sets that replies use in place of the item's own.
_OTHER_SETS = (
    "ABCDEFGHIJ",
    "कखगघङचछजझञ",
    "কখগঘঙচছজঝঞ",
    "अबसद",
)
_SPELLED = {
    "ए": 0, "बी": 1, "सी": 2, "डी": 3, "ई": 4,
    "এ": 0, "বি": 1, "সি": 2, "ডি": 3, "ই": 4,
}  # fmt: skip
_INDIC = "\u0900-\u0963\u0966-\u097f\u0980-\u09ff"  # without the danda, which ends a sentence

# What may stand behind an "A" or an "I" that is a label and not a word.
_GOES_ON = re.compile(
    r"\s*(?:$|\n|[).\]:,;*_`\"'”’}!?।/|$\\<>=→✓✅&+-]|[–—(]"
    r"|(?:because|since|as|is|are|was|which|where|with|for|due|based|hai|hoga|hi|kyunki|kyonki|sahi|and|or|but|not|nahi"
    r"|that|would|should|answer|option|correct|right|by|from|in|if|when|so|aur|ya|rather|over|instead|while|given|only|alone|unlike)(?![a-z])"
    r"|[\u0900-\u09ff])"
)
# What may stand around a label and before it: brackets, marks, "option", "be".
OPENING = (
    r"(?:[\s*_`\"'“‘(\[{\\$<>:=~→#.-]|(?:text(?:bf|it|rm)?|math(?:bf|rm|it|sf)|boxed|fbox|displaystyle)(?=[{\s])"
    r"|(?:the\s|an?\s)?(?:correct\s|final\s|right\s)?(?:options?|choices?|letters?|alternatives?|statements?|label|vikalp|vikalpa|answer)(?![a-z])(?:\s(?:is|number|no\.?|letter))?(?![a-z])"
    r"|विकल्प(?:\sसंख्या)?|বিকল্প|अक्षर|অপশন|ऑप्शन|be(?![a-z])|definitely\s|clearly\s|likely\s|most\s|probably\s|indeed\s|therefore\s|simply\s|actually\s)*"
)
_AFTER_OPTION = re.compile(r"(?:option|choice|विकल्प|বিকল্প|ऑप्शन)\s$", re.IGNORECASE)
_AFTER_NUMBER = re.compile(r"\d\s?°?\s?$")
_ENDS_WORD = re.compile(
    r"\s*(?:$|\n|[).\]:,;*_`\"'”’}!?।|])|\s(?:hai\b|hoga\b|sahi\b|है|होगा|হবে|সঠিক|सही)"
)
_OPEN = re.compile(OPENING, re.IGNORECASE)
_SEVERAL = r"\s*[)\]\"'*]{0,3}\s*(?:,\s?(?:and|or)?|and|or|&|/|aur|ya|और|या|ও|এবং|বা)\s*(?:options?\s)?[\s*(\[\"']{0,3}"


@dataclass(frozen=True, slots=True)
class Mention:
    """A label named in a text: which one, where it begins and ends, is another one beside it."""

    label: str
    start: int
    end: int
    several: bool = False


@dataclass(frozen=True, slots=True)
class LabelSet:
    """Reads one item's labels; made once for each distinct set."""

    labels: tuple[str, ...]
    spellings: dict[str, str]
    ascii_pattern: re.Pattern[str]  # single letters and digits only
    pattern: re.Pattern[str]
    several: re.Pattern[str]
    line: re.Pattern[str]

    def at(self, text: str, start: int) -> Mention | None:
        """The label that stands at `start`, behind any wrapping."""
        opened = _OPEN.match(text, start, start + 200)
        where = opened.end() if opened else start
        found = self.pattern.match(text, where)
        return self._mention(text, found) if found else None

    def all(self, text: str) -> list[Mention]:
        """Every label named in a text, in order; of very many the last ones."""
        pattern = self.ascii_pattern if text.isascii() else self.pattern
        matches = list(pattern.finditer(text))[-MAX_MENTIONS:]
        found = (self._mention(text, match) for match in matches)
        return [mention for mention in found if mention is not None]

    def _mention(self, text: str, match: re.Match[str]) -> Mention | None:
        spelling = match[0]
        label = self.spellings[spelling]
        end = match.end()
        if text[max(0, match.start() - 2) : match.start()][-1:] in {"'", "’"} and (
            match.start() > 1 and text[match.start() - 2].isalpha()
        ):
            return None  # the d of "I'd"
        wrapped = (match.start() > 0 and text[match.start() - 1] in "([*\"'“‘{`") or bool(
            _AFTER_OPTION.search(text, max(0, match.start() - 12), match.start())
        )
        if (
            not wrapped
            and spelling.isalpha()
            and _AFTER_NUMBER.search(text, max(0, match.start() - 4), match.start())
        ):
            return None  # the unit of "5 J"
        if spelling.islower() and spelling.isascii() and not wrapped:
            # A small letter is a label only when something shows that it is not a word.
            if not _ENDS_WORD.match(text, end, end + 10):
                return None
        elif spelling in "AI" and not _GOES_ON.match(text, end, end + 20):
            return None
        if spelling in "IiAa" and re.match(r"['’](?:m|d|ll|ve|s)\b", text[end : end + 4]):
            return None
        return Mention(label, match.start(), end, self._is_several(text, end))

    def _is_several(self, text: str, end: int) -> bool:
        second = self.several.match(text, end, end + 60)
        if second is None:
            return False
        behind = text[second.end() : second.end() + 12]
        return not re.match(
            r"[)\]\"'*.]*\s+(?:is|was|has|cannot|can|does|hai|galat|would|seems|refers|says|states|=)\b",
            behind,
        )


def labels_of(labels: tuple[str, ...], options: tuple[str, ...]) -> tuple[str, ...]:
    """The item's labels: as given, else A, B, C, … one an option, else A to D."""
    if labels:
        return labels
    return tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: len(options)] or "ABCD")


@lru_cache(maxsize=256)
def label_set(labels: tuple[str, ...]) -> LabelSet:
    """The reader for a tuple of labels."""
    spellings: dict[str, str] = {}
    for label in labels:
        for form in (label, label.upper(), label.lower()):
            spellings.setdefault(form, label)
    numeric = all(label.isdigit() for label in labels)
    for other in _OTHER_SETS:
        for index, form in enumerate(other[: len(labels)]):
            spellings.setdefault(form, labels[index])
    for form, index in _SPELLED.items():
        if index < len(labels):
            spellings.setdefault(form, labels[index])
    if numeric:
        for label in labels:
            spellings.setdefault("".join(chr(0x966 + int(c)) for c in label), label)
            spellings.setdefault("".join(chr(0x9E6 + int(c)) for c in label), label)
    every = sorted(spellings, key=len, reverse=True)
    names = "|".join(map(re.escape, every))
    edge = rf"(?<![A-Za-z0-9_{_INDIC}])"
    end = rf"(?![A-Za-z0-9_{_INDIC}]|\.\d|['’][a-z]{{2}})"
    one = rf"{edge}(?:{names}){end}"
    first = "".join(sorted({re.escape(name[0]) for name in every}))
    ascii_first = "".join(sorted({re.escape(name[0]) for name in every if name[0].isascii()}))
    ascii_one = one
    if all(len(name) == 1 for name in every if name.isascii()):
        # Letters first, their surroundings second: the search then skips to the letters.
        singles = rf"[{ascii_first}]{end}(?<![A-Za-z0-9_{_INDIC}][\s\S])"
        ascii_one = singles
    return LabelSet(
        labels,
        spellings,
        re.compile(ascii_one),
        re.compile(one),
        re.compile(_SEVERAL + one, re.IGNORECASE),
        re.compile(
            rf"\n[ \t]*[#>*_<\-•\"'“(\[`$\\{{✅✓✔]{{0,8}}[ \t]*(?:(?:option|choice|letter|विकल्प|বিকল্প)[ \t:]+[(\[*\"']{{0,3}})?(?P<label>(?=[{first}])(?:{names}))"
            r"(?P<mark>[)\].:*_>\"'”`}$]{1,6}|[ \t]*[-–—:=→][ \t]|[ \t]*$|,[ \t]|[ \t]+(?=because|since|as\b|kyunki))",
            re.IGNORECASE | re.MULTILINE,
        ),
    )
