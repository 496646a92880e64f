"""A multiple-choice reply with what is looked up in it again and again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from hinglishbench.grading.labels import LabelSet, Mention
from hinglishbench.grading.optiontext import OptionTexts
from hinglishbench.grading.wording import compiled

SLOT = 400  # characters behind a phrase that are looked at
MAX_LABEL_LINES = 3_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """A label, where it stands, and the rule that found it.

    Attributes:
        label: the label; None for several labels at once.
        at: its place in the text.
        method: the rule, or why there is no label.
        explicit: counts also in a reply that was cut.
        firm: counts before any that is not.
    """

    label: str | None
    at: int
    method: str
    explicit: bool = True
    firm: bool = True


NO_VERDICT = Verdict(None, -1, "no_label")
SEVERAL = Verdict(None, -1, "several_labels")


@dataclass(frozen=True, slots=True)
class Page:
    """A reply with what is looked up in it again and again."""

    body: str
    low: str
    names: LabelSet
    texts: OptionTexts
    mentions: list[Mention]
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class Line:
    """A line that begins with a label: "B) Paris"."""

    label: str
    at: int
    end: int  # of the label and its mark
    listed: bool  # part of a list of the options
    text: str


def label_lines(body: str, names: LabelSet) -> list[Line]:
    """The lines that begin with a label, in order, each with whether it is one of a list."""
    found: list[tuple[str, int, int, str]] = []
    padded = "\n" + body  # so that the first line begins like the others
    for match in islice(names.line.finditer(padded), MAX_LABEL_LINES):
        start, end = match.start(), match.end() - 1
        stop = body.find("\n", end)
        stop = stop if stop >= 0 else len(body)
        label = _spelled(names, match, body[end : min(stop, end + 200)])
        if label is not None:
            found.append((label, start, end, body[end : min(stop, end + SLOT)]))
    order = {label: index for index, label in enumerate(names.labels)}
    lines: list[Line] = []
    for index, (label, start, end, text) in enumerate(found):
        rank = order[label]
        after = index + 1 < len(found) and order[found[index + 1][0]] == rank + 1
        before = index > 0 and order[found[index - 1][0]] == rank - 1
        lines.append(Line(label, start, end, before or after, text))
    return lines


def _spelled(names: LabelSet, match: re.Match[str], rest: str) -> str | None:
    spelling = match["label"]
    label = names.spellings.get(spelling)
    if label is None:
        label = names.spellings.get(spelling.upper()) or names.spellings.get(spelling.lower())
    if label is None:
        return None
    alone = not rest.strip(" \t*_`.)\"'")
    if spelling in "aAiI" and match["mark"].strip() in {"", ",", "-"} and not alone:
        return None
    return label


_NOT_BEFORE = (
    r"(?:\b(?:not|isn['’]t|never|neither|nor|rather than|instead of|eliminat\w+|exclud\w+|rul\w+ out|wrong is)\s+(?:the\s)?"
    r"(?:options?\s|choices?\s|answers?\s)?(?:is\s)?[\s(\[*\"']*)$"
)
NOT_AFTER = (
    r"[)\]\"'*.:]{0,4}\s*(?:\([^()\n]{0,60}\)\s*)?(?:nahi|nahin|नहीं|নয়|নয়|galat|गलत|ভুল"
    r"|(?:is|are|was|would be|seems|hai|bhi)\s+(?:also\s|clearly\s|simply\s)?(?:not|incorrect|wrong|false|out|ruled|eliminated|unlikely|galat|nahi)"
    r"|isn['’]t|cannot|can['’]t|doesn['’]t|does not|भी (?:नहीं|गलत))"
)


def rejected(low: str, mention: Mention) -> bool:
    """Does the (lower-case) text set the label aside: "not B", "B is wrong", "B nahi"?"""
    before = low[max(0, mention.start - 40) : mention.start]
    return bool(
        compiled(_NOT_BEFORE).search(before)
        or compiled(NOT_AFTER).match(low, mention.end, mention.end + 110)
    )


def dressed(text: str, mention: Mention) -> bool:
    """Is the label dressed as one: (B), **B**, "B", option B, B)."""
    before = text[max(0, mention.start - 10) : mention.start].lower()
    if compiled(r"(?:option|choice|विकल्प|বিকল্প)\s*[(\[*\"']*$|[(\[*\"'“‘]$").search(before):
        return True
    return text[mention.end : mention.end + 1] in {")", "]"}


def sentence_before(low: str, at: int) -> str:
    """What the sentence says before a place."""
    window = low[max(0, at - 120) : at]
    marks = compiled(r"[.?!:](?=\s)|[।\n]").finditer(window)
    end = 0
    for mark in marks:
        end = mark.end()
    return window[end:]


# Words of which one stands in every praise of a label, and the praise itself.
PRAISE = (
    "correct",
    "right",
    "best",
    "better",
    "appropriate",
    "accurate",
    "final",
    "true",
    "sahi",
    "answer",
    "सही",
    "সঠিক",
)
IS_CORRECT = (
    r"[)\]\"'*.:]{0,4}\s*[^\n.;!?।]{0,120}?(?:(?<![a-z])(?:is|are|was|be|hi|as|=)(?![a-z])|,)\s*(?:definitely |clearly |therefore |indeed |thus )?"
    r"(?:the |our |my |your |an? )?(?:most |only |single )?(?P<what>(?:correct|right|best|better|appropriate|accurate|final|true|sahi)"
    r"(?:\s(?:answer|option|choice|one|statement|response|match))?|answer)(?![a-z])"
    r"|[)\]\"'*.:]{0,4}\s*[^\n.;!?।]{0,60}?(?:(?<![a-z])(?:sahi|sahee)(?![a-z])|सही|সঠিক)\s*"
    r"(?P<noun>(?:answer|uttar|jawab|option|vikalp|उत्तर|विकल्प|जवाब|উত্তর))?\s*(?:hai|hoga|है|होगा|$|।|\.)"
)
NO_PRAISE = r"\b(?:not|nahi|incorrect|wrong|if|why|also|whether)\b|n['’]t\b|नहीं|नहीं|নয়"
