"""Find an option by its text: replies often name the option and not its label."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from hinglishbench.grading.fold import fold
from hinglishbench.grading.numbers import scan

_DROP = str.maketrans(dict.fromkeys(".,;:!?\"'“”‘’()[]{}*_$`।|#~≈", " "))
_NEGATED = r"(?:\b(?:not|isn['’]t|never|nahi|neither|nor|than|unlike|instead of|rather than)\s+(?:the\s|an?\s)?|नहीं\s)$"


def normal(text: str) -> str:
    """Lower case, folded, without punctuation, articles and extra blanks."""
    folded = (
        unicodedata.normalize("NFC", fold(text)).casefold().replace("&", " and ").translate(_DROP)
    )
    words = [word for word in folded.split() if word not in {"the", "a", "an"}]
    return " ".join(words)


_DENIED = r"[^.]{0,40}?\b(?:galat|wrong|incorrect|is not|are not|nahi|isn't)\b|[^.]{0,40}?(?:गलत|नहीं|ভুল|নয়)"


@dataclass(frozen=True, slots=True)
class OptionTexts:
    """The options of an item in normal spelling, with the number each one is, if it is one."""

    labels: tuple[str, ...]
    texts: tuple[str, ...]
    numbers: tuple[str | None, ...]
    longest: int
    raw: tuple[str, ...] = ()  # those in which a label-like letter stands: "Vitamin C"

    @property
    def any(self) -> bool:
        """Are the options' texts known?"""
        return bool(self.texts)

    def exact(self, text: str) -> str | None:
        """The option whose text this is, and nothing else."""
        if not self.texts or len(text) > 2 * self.longest + 60:
            return None
        return self._unique(normal(text))

    def _unique(self, wanted: str) -> str | None:
        if not wanted:
            return None
        squeezed = wanted.replace(" ", "")
        found = [
            label
            for label, option in zip(self.labels, self.texts, strict=True)
            if option and (option == wanted or option.replace(" ", "") == squeezed)
        ]
        return found[0] if len(found) == 1 else None

    def starts(self, label: str, text: str) -> bool:
        """Does the text go on with the text of this label's option?"""
        if not self.texts:
            return False
        option = self.texts[self.labels.index(label)]
        rest = normal(text[: len(option) * 3 + 60])
        return bool(option) and re.match(re.escape(option) + r"(?!\w)", rest) is not None

    def leading(self, slot: str) -> str | None:
        """The longest option that the slot begins with."""
        if not self.texts:
            return None
        text = normal(slot)
        best = ""
        label = None
        for name, option in zip(self.labels, self.texts, strict=True):
            if (
                option
                and len(option) > len(best)
                and re.match(re.escape(option) + r"(?![\w/^+*=-]|\s[/^+*=-])", text)
            ):
                best, label = option, name
        if label is None or self.texts.count(best) > 1:
            return self._by_number(slot)
        return label

    def _by_number(self, slot: str) -> str | None:
        """Match one number in the slot with the one option that has it: "72" for "72 cm"."""
        found = scan(fold(slot), 3)
        if len(found) != 1:
            return None
        if re.search(r"[A-Za-z]{2}", fold(slot)[: found[0].start].replace("approximately", "")):
            return None
        hits = [
            label
            for label, number in zip(self.labels, self.numbers, strict=True)
            if number == found[0].value
        ]
        return hits[0] if len(hits) == 1 else None

    def only(self, text: str) -> str | None:
        """The one option named in a text; longer options hide the shorter ones inside them."""
        if not self.texts:
            return None
        haystack = normal(text)
        spans: list[tuple[int, int, str]] = []
        for label, option in zip(self.labels, self.texts, strict=True):
            if len(option) < 2 and not option.isdigit() and option.upper() in self.labels:
                continue
            pattern = rf"(?<![\w.^/-]){re.escape(option)}(?![\w^/]|\.\d)"
            spans.extend(
                (match.start(), match.end(), label)
                for match in re.finditer(pattern, haystack)
                if not re.search(_NEGATED, haystack[max(0, match.start() - 24) : match.start()])
                and not re.match(_DENIED, haystack[match.end() : match.end() + 60])
            )
        outer = {
            label
            for start, end, label in spans
            if not any(s <= start and end <= e and (e - s) > (end - start) for s, e, _ in spans)
        }
        return outer.pop() if len(outer) == 1 else None

    def inside(self, low: str) -> list[tuple[int, int]]:
        """Where a (lower-case) text names options that hold a label-like letter themselves."""
        return [
            (match.start(), match.end())
            for option in self.raw
            for match in islice(re.finditer(re.escape(option), low), 50)
        ]

    def opening(self, body: str) -> str | None:
        """The option with which a reply opens: "Yes, because …"."""
        if not self.texts:
            return None
        first, *rest = re.split(r"[,.;:!\n]", body.strip()[:600], maxsplit=2)
        if rest and self.exact(rest[0]) is not None:
            return None  # "London, Rome and …" lists options
        return self.exact(first)

    def concluded(self, body: str) -> str | None:
        """The one option that the last sentence names, or the only one set in bold."""
        if not self.texts:
            return None
        bold = {
            label
            for match in re.finditer(r"\*\*([^*\n]{1,200})\*\*", body[-4_000:])
            if (label := self.exact(match[1])) is not None
        }
        if len(bold) == 1:
            return bold.pop()
        lines = [line for line in body[-3_000:].split("\n") if any(map(str.isalnum, line))]
        if not lines:
            return None
        sentences = [
            s for s in re.split(r"(?<=[.!?।])\s+", lines[-1].strip()) if any(map(str.isalnum, s))
        ]
        if sentences and (label := self.only(sentences[-1])):
            return label
        if len(lines) == 1 or len(sentences) > 1:
            return self.only(lines[-1])
        return None


@lru_cache(maxsize=512)
def option_texts(labels: tuple[str, ...], options: tuple[str, ...]) -> OptionTexts:
    """The reader for one item's options; without options nothing is ever found."""
    if not options or len(options) != len(labels):
        return OptionTexts(labels, (), (), 0)
    texts = tuple(
        normal(_unlabelled(option, label)) for label, option in zip(labels, options, strict=True)
    )
    numbers: list[str | None] = []
    for option in options:
        found = scan(fold(option), 3)
        numbers.append(found[0].value if len(found) == 1 else None)
    lettered = tuple(
        option.strip().lower()
        for option in options
        if len(option.split()) > 1 and any(word in labels for word in option.split()[1:])
    )
    return OptionTexts(labels, texts, tuple(numbers), max(map(len, options)), lettered)


def _unlabelled(option: str, label: str) -> str:
    """An option given as "A) Paris" is the option "Paris"."""
    match = re.match(rf"\s*\(?{re.escape(label)}[).:]\s+(?=\S)", option)
    return option[match.end() :] if match else option
