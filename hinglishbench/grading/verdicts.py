"""Find the verdict of a multiple-choice reply.

Whether a reply answers first and explains then, or reasons and concludes, is decided by its
shape: verdicts are collected with their places, and the last firm one counts that is not
rejected, conditional or part of a list of the options. Looser signs count only where there
is no firm one, and two labels at once are no answer.
"""

from __future__ import annotations

import re

from hinglishbench.grading import wording
from hinglishbench.grading.labels import OPENING, LabelSet, Mention
from hinglishbench.grading.loose import by_loose_signs, corrected
from hinglishbench.grading.optiontext import OptionTexts
from hinglishbench.grading.page import (
    IS_CORRECT,
    NO_PRAISE,
    NO_VERDICT,
    NOT_AFTER,
    PRAISE,
    SEVERAL,
    SLOT,
    Line,
    Page,
    Verdict,
    dressed,
    label_lines,
    rejected,
    sentence_before,
)
from hinglishbench.grading.wording import compiled

MAX_PHRASES = 160


def decide(body: str, names: LabelSet, texts: OptionTexts, *, whole: bool) -> Verdict:
    """The verdict of a reply; its `label` is None when there is none.

    Args:
        body: the visible text.
        names: the item's labels.
        texts: the item's options.
        whole: the reply was not cut; in a cut one only explicit verdicts count.
    """
    low = body.lower()
    if len(low) != len(body):  # a letter whose lower case is longer: places would shift
        low = body
    mentions = names.all(body)
    if texts.raw and (spans := texts.inside(low)):
        mentions = [m for m in mentions if not any(a < m.start < b for a, b in spans)]
    page = Page(body, low, names, texts, mentions, label_lines(body, names))
    found = _verdicts(page)
    if not whole:
        found = [verdict for verdict in found if verdict.explicit]
    firm = [verdict for verdict in found if verdict.firm] or found
    if firm:
        last = max(firm, key=lambda verdict: verdict.at)
        if whole:
            last = corrected(page, last)
        return last if last.label is not None else SEVERAL
    return by_loose_signs(page) if whole else NO_VERDICT


# --- verdicts ----------------------------------------------------------------------------

# Phrases behind which, perhaps after a few words, the answer stands.
_ANNOUNCING = (
    wording.ANSWER
    + r"|(?<![a-z])(?:correct|right|best|appropriate|suitable|accurate|sahi|final)\s(?:option|choice|statement|letter|one"
    r"|response|match|vikalp|selection|conclusion)(?![a-z])|सही\s?विकल्प|সঠিক\s?বিকল্প|####|(?<=<)choice(?=>)"
    r"|(?<=[\"'])(?:choice|option)(?=[\"']\s?:)"
)
_STEMS = (
    "ans", "uttar", "jaw", "jav", "jwab", "उत्तर", "जवाब", "উত্তর", "জবাব", "####", "correct ", "right ", "best ",
    "appropriate ", "suitable ", "accurate ", "sahi ", "final ", "सही", "সঠিক", "choice", "option",
)  # fmt: skip
# Phrases right behind which a label is a verdict: a choice made, a conclusion drawn, a name given.
_LEADING = (
    r"(?:(?P<pick>(?<![a-z])(?:choose|pick|select|chose|picked|selected|go(?:ing)?\swith|opt\sfor|settle\s(?:on|for)|say|choosing|lean(?:ing)?\stowards?|guess(?:\sis)?(?:\swould\sbe)?"
    r"|chunta|chunte|chunungaa?|my\s(?:choice|pick|selection)\sis)(?![a-z])|मेरा चयन)"
    r"|(?P<so>(?<![a-z])(?:therefore|thus|hence|so|conclusion|isliye|toh|yes|haan)(?![a-z'’])|हाँ|अतः|इसलिए|সুতরাং|অতএব|তাই)"
    r"|(?P<is>(?<![a-z])(?:matches|corresponds\sto|leaves(?:\sus\swith)?|leaving|points\sto|makes|but|rather|instead|balki|it['’]s"
    r"|is|be)(?![a-z'’])|बल्कि))"
    r"[\s,:]*(?:(?:we|i|it|that|this|the|us|is|are|would|be|say|with|must|leaves|have|get|to|only|answer|means|clearly|definitely"
    r"|karunga|ho|jaata|hai|should|has)\s){0,4}" + OPENING + "$"
)
_LEAD_WORDS = (
    "choose", "pick", "select", "chose", "choos", " with", " for", "settle", "say", "lean", "guess", "chun", "my ", "चयन", "so", "thus",
    "hence", "yes", "haan", "हाँ", "therefore", "conclusion", "isliye", "toh", "अतः", "इसलिए", "সুতরাং", "অতএব", "তাই", "matches", "correspond",
    "leav", "point", "makes", "but", "rather", "instead", "balki", "it's", "it’s", "is", "be", "बल्कि",
)  # fmt: skip
_SET_ASIDE = r"\b(?:are|is|do|does|can|were|galat)\b[^.]{0,20}\b(?:wrong|incorrect|not|false|out|eliminated|hain|ruled)\b|गलत"
_CONDITIONAL = r"\b(?:if|had|were|suppose|unless|agar|yadi|whether)\b|अगर|यदि|যদি"
# Behind a label that is announced directly: "Answer C", "उत्तर C है".
_DIRECT_END = r"\s*(?:$|\n|[).\],;:*!।\"'`]|hai\b|hoga\b|है|হবে|होगा|हैं)"


def _verdicts(page: Page) -> list[Verdict]:
    found = _line_verdicts(page)
    if "oxed" in page.body:
        found.extend(_boxes(page))
    pattern = compiled(_ANNOUNCING)
    for match in wording.occurrences(page.low, _STEMS, pattern, MAX_PHRASES):
        verdict = _announced(page, match)
        if verdict is not None:
            found.append(verdict)
    for mention in page.mentions:
        verdict = _led_to(page, mention)
        if verdict is not None:
            found.append(verdict)
    found.extend(_named_correct(page))
    return found


def _line_verdicts(page: Page) -> list[Verdict]:
    """A first or last line that is a label, with or without its option."""
    body, lines = page.body, page.lines
    found: list[Verdict] = []
    first = len(body) - len(body.lstrip())
    end = len(body.rstrip())
    any_listed = any(line.listed for line in lines)
    for line in (lines[0], lines[-1]) if lines else ():
        opening = line.at <= first
        closing = body.find("\n", line.end, end) < 0
        bare = not any(map(str.isalnum, line.text))
        if not (opening or closing) or (line.listed and not (bare and len(lines) == 1)):
            continue
        if (
            any_listed
            and opening
            and not closing
            and line.label == page.names.labels[0]
            and not bare
        ):
            continue
        if not bare and _lists_more(page, line, opening=opening):
            continue
        mention = page.names.at(body, line.at)
        if mention is not None and mention.several and not bare:
            if not compiled(_SET_ASIDE).search(line.text.lower()):
                found.append(Verdict(None, line.at, "letter"))
        elif not re.match(NOT_AFTER, page.low[line.end - 1 : line.end + 40]):
            found.append(
                Verdict(line.label, line.at, "opening" if opening and not bare else "letter")
            )
    if not lines and page.texts.any:
        found.extend(_whole_text(page, first))
    return found


def _lists_more(page: Page, line: Line, *, opening: bool) -> bool:
    """Does the line go on with other options: "A) acid B) base"?"""
    text = line.text.partition("\n")[0]
    labels = page.names.labels
    others = [m for m in page.names.all(text) if dressed(text, m) and m.label != line.label]
    if not opening:
        return bool(others)
    rank = labels.index(line.label)
    return bool(others) and labels.index(others[0].label) == rank + 1 and len(others) > 1


def _whole_text(page: Page, first: int) -> list[Verdict]:
    """A reply that is nothing but an option's text, or opens with label and text."""
    body = page.body
    if (label := page.texts.exact(body.strip())) is not None:
        return [Verdict(label, first, "text")]
    mention = page.names.at(body, first)
    if mention is not None and page.texts.starts(
        mention.label, body[mention.end : mention.end + SLOT]
    ):
        return [Verdict(mention.label, first, "opening")]
    return []


def _boxes(page: Page) -> list[Verdict]:
    body = page.body
    at = len(body)
    for _ in range(20):
        at = body.rfind("oxed", 0, at)
        if at < 0:
            return []
        inner = compiled(r"\s*\{").match(body, at + 4, at + 12)
        if inner is None:
            continue
        content = body[inner.end() : inner.end() + SLOT].split("\n", maxsplit=1)[0]
        verdict = _read_slot(page, content.rstrip("$] .)"), at, "box")
        if verdict is not None:
            return [verdict]
    return []


def _led_to(page: Page, mention: Mention) -> Verdict | None:
    """A label right behind "so", "I choose", "it is"."""
    window = page.low[max(0, mention.start - 70) : mention.start]
    window = window[window.rfind("\n") + 1 :]
    if not any(word in window for word in _LEAD_WORDS):
        return None
    lead = compiled(_LEADING).search(window)
    if lead is None or (not lead["pick"] and not _stands_alone(page, mention)):
        return None
    before = sentence_before(page.low, mention.start - len(window) + lead.start())
    if compiled(_CONDITIONAL).search(before) or rejected(page.low, mention):
        return None
    label = None if mention.several else mention.label
    return Verdict(
        label, mention.start, "verdict", explicit=bool(lead["pick"]), firm=not lead["is"]
    )


def _stands_alone(page: Page, mention: Mention) -> bool:
    """Behind "so" or "is" a label must look like one: "so B.", "is (C)", "is option D"."""
    before = page.low[max(0, mention.start - 14) : mention.start]
    if compiled(r"(?:option|choice|विकल्प|বিকল্প|answer|[(\[*])\s*[(\[*\"']*$").search(before):
        return True
    behind = page.body[mention.end : mention.end + SLOT]
    return compiled(r"\s*(?:$|\n|[).\],;:*!।\"'])").match(behind) is not None or page.texts.starts(
        mention.label, behind
    )


def _announced(page: Page, match: re.Match[str]) -> Verdict | None:
    """What "answer", "correct option" and their like announce."""
    low = page.low
    at, start = match.start(), match.end()
    before = sentence_before(low, at)
    if compiled(wording.NO_ANNOUNCEMENT).search(before) or compiled(_CONDITIONAL).search(before):
        return None
    if low[at - 1 : at] == "/":  # a closing tag
        return None
    if match[0] == "####" or (low[at - 1 : at] == "<" and low[start : start + 1] == ">"):
        return _read_slot(page, _slot(page.body, start + (match[0] != "####")), at, "marker")
    direct = page.names.at(page.body, start)
    if direct is not None and direct.start - start <= 14 and "\n" not in low[start : direct.start]:
        if rejected(low, direct):
            return _instead(page, direct)
        if compiled(_DIRECT_END).match(low, direct.end, direct.end + 8):
            return Verdict(None if direct.several else direct.label, direct.start, "marker")
    link = compiled(wording.CONNECTOR).match(low, start)
    if link is None:
        return None
    gap = link["gap"].strip()
    if gap and (link["link"].endswith("\n") or compiled(_NO_GAP).search(gap)):
        return None
    slot = _slot(page.body, link.end())
    lower = slot.lower()
    if compiled(r"\s*(?:\*\*)?(?:not|nahi)\b").match(lower):
        turn = compiled(r"\b(?:but|rather|instead|it is|it['’]s|balki)\b").search(lower)
        if turn is None:
            return None
        slot = slot[turn.end() :]
    return _read_slot(page, slot, at, "marker")


_NO_GAP = (
    wording.NO_GAP.replace("|choices?|options?", "")
    + r"|(?:choices?|options?)\s*$|^(?:choices|options)\b"
)


def _instead(page: Page, named: Mention) -> Verdict | None:
    """Read "answer B nahi, C hai": the one other label of the sentence that is not rejected."""
    low = page.low[named.end : named.end + 160]
    stop = compiled(r"[.!?।](?:\s|$)|\n").search(low)
    end = stop.start() if stop else len(low)
    others = {
        mention.label
        for mention in page.names.all(page.body[named.end : named.end + end])
        if not rejected(low[:end], mention)
    }
    return Verdict(others.pop(), named.start, "marker") if len(others) == 1 else None


def _slot(body: str, at: int) -> str:
    """The rest of the line, or the next line that says something when the rest is empty."""
    for _ in range(4):
        end = body.find("\n", at)
        if end < 0:
            return body[at : at + SLOT]
        line = body[at : min(end, at + SLOT)]
        if any(map(str.isalnum, line)) and not compiled(r"\s*```").match(line):
            return line
        at = end + 1
    return ""


def _read_slot(page: Page, slot: str, at: int, method: str) -> Verdict | None:
    """The label or the option's text that fills an answer slot."""
    names, texts = page.names, page.texts
    mention = names.at(slot, 0)
    if mention is not None:
        low = slot.lower()
        if rejected(low, mention):
            others = {
                other.label
                for other in names.all(slot)
                if other.label != mention.label and not rejected(low, other)
            }
            return Verdict(others.pop(), at, method) if len(others) == 1 else None
        said = texts.exact(slot)
        if said not in {None, mention.label} and not texts.starts(
            mention.label, slot[mention.end :]
        ):
            return Verdict(said, at, method)  # "A dog", where that is the text of option C
        return Verdict(None if mention.several else mention.label, at, method)
    label = texts.exact(slot) or texts.leading(slot) or texts.only(slot)
    if label is not None:
        return Verdict(label, at, method)
    low = slot.lower()
    worn = [m for m in names.all(slot) if dressed(slot, m) and not rejected(low, m)]
    if len({m.label for m in worn}) == 1 and not worn[0].several:
        return Verdict(worn[0].label, at, method)
    return None


# --- a label before its praise -----------------------------------------------------------


def _named_correct(page: Page) -> list[Verdict]:
    """Find labels that stand before their praise: "Option B is the correct answer"."""
    low, mentions = page.low, page.mentions
    if not mentions or not any(word in low for word in PRAISE):
        return []
    found: list[Verdict] = []
    pattern = compiled(IS_CORRECT)
    for index, mention in enumerate(mentions):
        stop = mentions[index + 1].start if index + 1 < len(mentions) else len(low)
        behind = low[mention.end : min(stop, mention.end + 220)].partition("\n")[0]
        if not any(word in behind for word in PRAISE):
            continue
        match = pattern.match(low, mention.end, mention.end + len(behind))
        if match is None or low[match.end() : match.end() + 1] == "?":
            continue
        if rejected(low, mention) or compiled(NO_PRAISE).search(match[0]):
            continue
        if compiled(_CONDITIONAL).search(sentence_before(low, mention.start)):
            continue
        what = match["what"] or ""
        if match["noun"] or compiled(r"answer|option|choice|response|one|best").search(what):
            paired = (
                index > 0
                and mentions[index - 1].several
                and mention.start - mentions[index - 1].end < 12
            )
            found.append(Verdict(None if paired else mention.label, mention.start, "verdict"))
    return found
