"""Looser signs of a verdict, and corrections of a firm one.

They count only where no firm verdict stands: a ticked option, one label called correct, an
option named in the last sentence. Two labels at once are no answer.
"""

from __future__ import annotations

import re
from itertools import islice

from hinglishbench.grading import slots, wording
from hinglishbench.grading.labels import Mention
from hinglishbench.grading.page import (
    IS_CORRECT,
    NO_PRAISE,
    NO_VERDICT,
    SEVERAL,
    Page,
    Verdict,
    dressed,
    rejected,
)
from hinglishbench.grading.wording import compiled


def corrected(page: Page, last: Verdict) -> Verdict:
    """Take the one label named behind the last correction, if any: "Wait, it is B"."""
    low = page.low[max(last.at, 0) :]
    turns = list(islice(compiled(wording.CORRECTION).finditer(low), 50))
    if not turns:
        return last
    start = max(last.at, 0) + turns[-1].end()
    tail, low = page.body[start:], page.low[start:]
    named = {
        mention.label
        for mention in page.names.all(tail)
        if not rejected(low, mention) and _sure(tail, mention)
    }
    if len(named) == 1 and named != {last.label}:
        return Verdict(named.pop(), last.at, "correction")
    return last


def _sure(text: str, mention: Mention) -> bool:
    return dressed(text, mention) or bool(
        compiled(r"[.*!]|\s*$|\s(?:is|hai|hoga)\b").match(text, mention.end, mention.end + 6)
    )


def by_loose_signs(page: Page) -> Verdict:
    """The verdict of a reply without a firm one; its `label` is None when there is none."""
    body, low, lines = page.body, page.low, page.lines
    ticked = {line.label for line in lines if _ticked(line.text)}
    if len(ticked) == 1:
        return Verdict(ticked.pop(), 0, "ticked")
    weak = [m for m in page.mentions if _called_correct(page, m) and not rejected(low, m)]
    if any(mention.several for mention in weak):
        return SEVERAL
    if len({mention.label for mention in weak}) == 1:
        return Verdict(weak[0].label, 0, "called_correct")
    if compiled(wording.REFUSAL).search(low.replace("’", "'")) or compiled(
        wording.ERROR_TEXT
    ).match(low):
        return Verdict(None, -1, "refusal")
    listed = bool(lines) and lines[-1].listed and "\n" not in body.rstrip()[lines[-1].end :]
    if not listed and (label := page.texts.concluded(body)) is not None:
        return Verdict(label, 0, "text")
    if (label := page.texts.opening(body)) is not None:
        return Verdict(label, 0, "opening_text")
    if (turned := corrected(page, NO_VERDICT)).label is not None:
        return turned
    for method, rule in _LAST_RESORTS.items():
        if (label := rule(page)) is not None:
            return Verdict(label, 0, method)
    worn = [mention for mention in page.mentions if dressed(body, mention)]
    firm = [mention for mention in worn if not rejected(low, mention)]
    if len({m.label for m in worn}) == 1 and firm and not any(m.several for m in firm):
        return Verdict(firm[-1].label, 0, "only_label")
    return NO_VERDICT


def _by_position(page: Page) -> str | None:
    """Read "option 4" where the labels are letters: the one place that is named."""
    labels = page.names.labels
    if any(label.isdigit() for label in labels):
        return None
    places = {
        int(match[1])
        for match in compiled(
            r"(?:option|choice|vikalp|विकल्प|বিকল্প)\s(?:no\.?\s|number\s)?[(\[*]{0,3}(\d)(?![\d.])"
        ).finditer(page.low)
    }
    if len(places) != 1:
        return None
    place = places.pop()
    return labels[place - 1] if 0 < place <= len(labels) else None


def _by_value(page: Page) -> str | None:
    """Where every option is a number: the option with the number that the last line states."""
    numbers = page.texts.numbers
    if not numbers or None in numbers or len(set(numbers)) != len(numbers):
        return None
    line = page.body.rstrip().rsplit("\n", 1)[-1]
    stated = slots.conclude(line[-1_500:])
    if stated is None or stated[0] is None or stated[0].value not in numbers:
        return None
    return page.names.labels[numbers.index(stated[0].value)]


def _closing(page: Page) -> str | None:
    """The label with which a reply ends, where its last line names no other."""
    if page.lines and page.lines[-1].listed:
        return None
    body = page.body.rstrip().rstrip(".!*)।\"' ")
    start = body.rfind("\n") + 1
    named = [m for m in page.mentions if m.start >= start and not rejected(page.low, m)]
    if not named or named[-1].end != len(body) or len({m.label for m in named}) != 1:
        return None
    return None if named[-1].several else named[-1].label


_LAST_RESORTS = {"position": _by_position, "value": _by_value, "closing_label": _closing}


def _ticked(text: str) -> bool:
    mark = r"[✓✅✔☑]|\((?:correct|sahi|सही)\)|[-–—:]\s*\**correct\b"
    if compiled(r"(?i)\W*(?:correct|true|right|sahi|सही|সঠিক)\W*$").match(text.partition("\n")[0]):
        return True
    return "ncorrect" not in text and re.search(mark, text[:300], re.IGNORECASE) is not None


def _called_correct(page: Page, mention: Mention) -> bool:
    """Does "… is correct" follow, with the label dressed as one or right before it?"""
    low = page.low
    if compiled(IS_CORRECT).match(low, mention.end, mention.end + 120) is None:
        return False
    near = r"\s*(?:is|hi|sahi|सही|সঠিক|aur|and|और|,)"
    if not dressed(page.body, mention) and not compiled(near).match(
        low, mention.end, mention.end + 12
    ):
        return False
    sentence = low[mention.end : mention.end + 60].split(".")[0]
    return re.search(NO_PRAISE + r"|\?", sentence) is None
