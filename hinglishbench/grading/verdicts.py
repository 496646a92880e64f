"""Find the verdict of a multiple-choice reply.

Whether a reply answers first and explains then, or reasons and concludes, is decided by its
shape: verdicts are collected with their places, and the last firm one counts that is not
rejected, conditional or part of a list of the options. Looser signs count only where there
is no firm one, and two labels at once are no answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from hinglishbench.grading import slots, wording
from hinglishbench.grading.labels import OPENING, LabelSet, Mention
from hinglishbench.grading.optiontext import OptionTexts
from hinglishbench.grading.wording import compiled

SLOT = 400  # characters behind a phrase that are looked at
MAX_PHRASES = 80
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
class _Page:
    """A reply with what is looked up in it again and again."""

    body: str
    low: str
    names: LabelSet
    texts: OptionTexts
    mentions: list[Mention]
    lines: list[_Line]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that begins with a label: "B) Paris"."""

    label: str
    at: int
    end: int  # of the label and its mark
    listed: bool  # part of a list of the options
    text: str


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
    page = _Page(body, low, names, texts, names.all(body), _label_lines(body, names))
    found = _verdicts(page)
    if not whole:
        found = [verdict for verdict in found if verdict.explicit]
    firm = [verdict for verdict in found if verdict.firm] or found
    if firm:
        last = max(firm, key=lambda verdict: verdict.at)
        if whole:
            last = _corrected(page, last)
        return last if last.label is not None else SEVERAL
    return _by_loose_signs(page) if whole else NO_VERDICT


# --- lines that begin with a label -------------------------------------------------------


def _label_lines(body: str, names: LabelSet) -> list[_Line]:
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
    lines: list[_Line] = []
    for index, (label, start, end, text) in enumerate(found):
        rank = order[label]
        after = index + 1 < len(found) and order[found[index + 1][0]] == rank + 1
        before = index > 0 and order[found[index - 1][0]] == rank - 1
        lines.append(_Line(label, start, end, before or after, text))
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
_NOT_BEFORE = (
    r"(?:\b(?:not|isn['’]t|never|neither|nor|rather than|instead of|eliminat\w+|exclud\w+|rul\w+ out|wrong is)\s+(?:the\s)?"
    r"(?:options?\s|choices?\s|answers?\s)?(?:is\s)?[\s(\[*\"']*)$"
)
_NOT_AFTER = (
    r"[)\]\"'*.:]{0,4}\s*(?:\([^()\n]{0,60}\)\s*)?(?:nahi|nahin|नहीं|নয়|নয়|galat|गलत|ভুল"
    r"|(?:is|are|was|would be|seems|hai|bhi)\s+(?:also\s|clearly\s|simply\s)?(?:not|incorrect|wrong|false|out|ruled|eliminated|unlikely|galat|nahi)"
    r"|isn['’]t|cannot|can['’]t|doesn['’]t|does not|भी (?:नहीं|गलत))"
)
_SET_ASIDE = r"\b(?:are|is|do|does|can|were|galat)\b[^.]{0,20}\b(?:wrong|incorrect|not|false|out|eliminated|hain|ruled)\b|गलत"
_CONDITIONAL = r"\b(?:if|had|were|suppose|unless|agar|yadi|whether)\b|अगर|यदि|যদি"
# Behind a label that is announced directly: "Answer C", "उत्तर C है".
_DIRECT_END = r"\s*(?:$|\n|[).\],;:*!।\"'`]|hai\b|hoga\b|है|হবে|होगा|हैं)"


def _verdicts(page: _Page) -> list[Verdict]:
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


def _line_verdicts(page: _Page) -> list[Verdict]:
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
        elif not re.match(_NOT_AFTER, page.low[line.end - 1 : line.end + 40]):
            found.append(
                Verdict(line.label, line.at, "opening" if opening and not bare else "letter")
            )
    if not lines and page.texts.any:
        found.extend(_whole_text(page, first))
    return found


def _lists_more(page: _Page, line: _Line, *, opening: bool) -> bool:
    """Does the line go on with other options: "A) acid B) base"?"""
    text = line.text.partition("\n")[0]
    labels = page.names.labels
    others = [m for m in page.names.all(text) if _dressed(text, m) and m.label != line.label]
    if not opening:
        return bool(others)
    rank = labels.index(line.label)
    return bool(others) and labels.index(others[0].label) == rank + 1 and len(others) > 1


def _whole_text(page: _Page, first: int) -> list[Verdict]:
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


def _boxes(page: _Page) -> list[Verdict]:
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


def _sentence_before(low: str, at: int) -> str:
    """What the sentence says before a place."""
    window = low[max(0, at - 120) : at]
    marks = compiled(r"[.?!:](?=\s)|[।\n]").finditer(window)
    end = 0
    for mark in marks:
        end = mark.end()
    return window[end:]


def _led_to(page: _Page, mention: Mention) -> Verdict | None:
    """A label right behind "so", "I choose", "it is"."""
    window = page.low[max(0, mention.start - 70) : mention.start]
    window = window[window.rfind("\n") + 1 :]
    if not any(word in window for word in _LEAD_WORDS):
        return None
    lead = compiled(_LEADING).search(window)
    if lead is None or (not lead["pick"] and not _stands_alone(page, mention)):
        return None
    before = _sentence_before(page.low, mention.start - len(window) + lead.start())
    if compiled(_CONDITIONAL).search(before) or _rejected(page.low, mention):
        return None
    label = None if mention.several else mention.label
    return Verdict(
        label, mention.start, "verdict", explicit=bool(lead["pick"]), firm=not lead["is"]
    )


def _stands_alone(page: _Page, mention: Mention) -> bool:
    """Behind "so" or "is" a label must look like one: "so B.", "is (C)", "is option D"."""
    before = page.low[max(0, mention.start - 14) : mention.start]
    if compiled(r"(?:option|choice|विकल्प|বিকল্প|answer|[(\[*])\s*[(\[*\"']*$").search(before):
        return True
    behind = page.body[mention.end : mention.end + SLOT]
    return compiled(r"\s*(?:$|\n|[).\],;:*!।\"'])").match(behind) is not None or page.texts.starts(
        mention.label, behind
    )


def _rejected(low: str, mention: Mention) -> bool:
    before = low[max(0, mention.start - 40) : mention.start]
    return bool(
        compiled(_NOT_BEFORE).search(before)
        or compiled(_NOT_AFTER).match(low, mention.end, mention.end + 110)
    )


def _announced(page: _Page, match: re.Match[str]) -> Verdict | None:
    """What "answer", "correct option" and their like announce."""
    low = page.low
    at, start = match.start(), match.end()
    before = _sentence_before(low, at)
    if compiled(wording.NO_ANNOUNCEMENT).search(before) or compiled(_CONDITIONAL).search(before):
        return None
    if low[at - 1 : at] == "/":  # a closing tag
        return None
    if match[0] == "####" or (low[at - 1 : at] == "<" and low[start : start + 1] == ">"):
        return _read_slot(page, _slot(page.body, start + (match[0] != "####")), at, "marker")
    direct = page.names.at(page.body, start)
    if direct is not None and direct.start - start <= 14 and "\n" not in low[start : direct.start]:
        if _rejected(low, direct):
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


def _instead(page: _Page, rejected: Mention) -> Verdict | None:
    """Read "answer B nahi, C hai": the one other label of the sentence that is not rejected."""
    low = page.low[rejected.end : rejected.end + 160]
    stop = compiled(r"[.!?।](?:\s|$)|\n").search(low)
    end = stop.start() if stop else len(low)
    others = {
        mention.label
        for mention in page.names.all(page.body[rejected.end : rejected.end + end])
        if not _rejected(low[:end], mention)
    }
    return Verdict(others.pop(), rejected.start, "marker") if len(others) == 1 else None


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


def _read_slot(page: _Page, slot: str, at: int, method: str) -> Verdict | None:
    """The label or the option's text that fills an answer slot."""
    names, texts = page.names, page.texts
    mention = names.at(slot, 0)
    if mention is not None:
        low = slot.lower()
        if _rejected(low, mention):
            others = {
                other.label
                for other in names.all(slot)
                if other.label != mention.label and not _rejected(low, other)
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
    dressed = [m for m in names.all(slot) if _dressed(slot, m) and not _rejected(low, m)]
    if len({m.label for m in dressed}) == 1 and not dressed[0].several:
        return Verdict(dressed[0].label, at, method)
    return None


def _dressed(text: str, mention: Mention) -> bool:
    """Is the label dressed as one: (B), **B**, "B", option B, B)."""
    before = text[max(0, mention.start - 10) : mention.start].lower()
    if compiled(r"(?:option|choice|विकल्प|বিকল্প)\s*[(\[*\"']*$|[(\[*\"'“‘]$").search(before):
        return True
    return text[mention.end : mention.end + 1] in {")", "]"}


# --- a label before its praise -----------------------------------------------------------

_PRAISE = (
    "correct",
    "right",
    "best",
    "appropriate",
    "accurate",
    "final",
    "true",
    "sahi",
    "answer",
    "सही",
    "সঠিক",
)
_IS_CORRECT = (
    r"[)\]\"'*.:]{0,4}\s*[^\n.;!?।]{0,120}?(?:(?<![a-z])(?:is|are|was|be|hi|as|=)(?![a-z])|,)\s*(?:definitely |clearly |therefore |indeed |thus )?"
    r"(?:the |our |my |your |an? )?(?:most |only |single )?(?P<what>(?:correct|right|best|better|appropriate|accurate|final|true|sahi)"
    r"(?:\s(?:answer|option|choice|one|statement|response|match))?|answer)(?![a-z])"
    r"|[)\]\"'*.:]{0,4}\s*[^\n.;!?।]{0,60}?(?:(?<![a-z])(?:sahi|sahee)(?![a-z])|सही|সঠিক)\s*"
    r"(?P<noun>(?:answer|uttar|jawab|option|vikalp|उत्तर|विकल्प|जवाब|উত্তর))?\s*(?:hai|hoga|है|होगा|$|।|\.)"
)
_NO_PRAISE = r"\b(?:not|nahi|incorrect|wrong|if|why|also|whether)\b|n['’]t\b|नहीं|नहीं|নয়"


def _named_correct(page: _Page) -> list[Verdict]:
    """Find labels that stand before their praise: "Option B is the correct answer"."""
    low, mentions = page.low, page.mentions
    if not mentions or not any(word in low for word in _PRAISE):
        return []
    found: list[Verdict] = []
    pattern = compiled(_IS_CORRECT)
    for index, mention in enumerate(mentions):
        stop = mentions[index + 1].start if index + 1 < len(mentions) else len(low)
        behind = low[mention.end : min(stop, mention.end + 220)].partition("\n")[0]
        if not any(word in behind for word in _PRAISE):
            continue
        match = pattern.match(low, mention.end, mention.end + len(behind))
        if match is None or low[match.end() : match.end() + 1] == "?":
            continue
        if _rejected(low, mention) or compiled(_NO_PRAISE).search(match[0]):
            continue
        if compiled(_CONDITIONAL).search(_sentence_before(low, mention.start)):
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


# --- corrections and loose signs ---------------------------------------------------------


def _corrected(page: _Page, last: Verdict) -> Verdict:
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
        if not _rejected(low, mention) and _sure(tail, mention)
    }
    if len(named) == 1 and named != {last.label}:
        return Verdict(named.pop(), last.at, "correction")
    return last


def _sure(text: str, mention: Mention) -> bool:
    return _dressed(text, mention) or bool(
        compiled(r"[.*!]|\s*$|\s(?:is|hai|hoga)\b").match(text, mention.end, mention.end + 6)
    )


def _by_loose_signs(page: _Page) -> Verdict:
    body, low, lines = page.body, page.low, page.lines
    ticked = {line.label for line in lines if _ticked(line.text)}
    if len(ticked) == 1:
        return Verdict(ticked.pop(), 0, "ticked")
    weak = [m for m in page.mentions if _called_correct(page, m) and not _rejected(low, m)]
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
    if (turned := _corrected(page, NO_VERDICT)).label is not None:
        return turned
    for method, rule in _LAST_RESORTS.items():
        if (label := rule(page)) is not None:
            return Verdict(label, 0, method)
    dressed = [mention for mention in page.mentions if _dressed(body, mention)]
    firm = [mention for mention in dressed if not _rejected(low, mention)]
    if len({m.label for m in dressed}) == 1 and firm and not any(m.several for m in firm):
        return Verdict(firm[-1].label, 0, "only_label")
    return NO_VERDICT


def _by_position(page: _Page) -> str | None:
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


def _by_value(page: _Page) -> str | None:
    """Where every option is a number: the option with the number that the last line states."""
    numbers = page.texts.numbers
    if not numbers or None in numbers or len(set(numbers)) != len(numbers):
        return None
    line = page.body.rstrip().rsplit("\n", 1)[-1]
    stated = slots.conclude(line[-1_500:])
    if stated is None or stated[0] is None or stated[0].value not in numbers:
        return None
    return page.names.labels[numbers.index(stated[0].value)]


def _closing(page: _Page) -> str | None:
    """The label with which a reply ends, where its last line names no other."""
    if page.lines and page.lines[-1].listed:
        return None
    body = page.body.rstrip().rstrip(".!*)।\"' ")
    start = body.rfind("\n") + 1
    named = [m for m in page.mentions if m.start >= start and not _rejected(page.low, m)]
    if not named or named[-1].end != len(body) or len({m.label for m in named}) != 1:
        return None
    return None if named[-1].several else named[-1].label


_LAST_RESORTS = {"position": _by_position, "value": _by_value, "closing_label": _closing}


def _ticked(text: str) -> bool:
    mark = r"[✓✅✔☑]|\((?:correct|sahi|सही)\)|[-–—:]\s*\**correct\b"
    if compiled(r"(?i)\W*(?:correct|true|right|sahi|सही|সঠিক)\W*$").match(text.partition("\n")[0]):
        return True
    return "ncorrect" not in text and re.search(mark, text[:300], re.IGNORECASE) is not None


def _called_correct(page: _Page, mention: Mention) -> bool:
    """Does "… is correct" follow, with the label dressed as one or right before it?"""
    low = page.low
    if compiled(_IS_CORRECT).match(low, mention.end, mention.end + 120) is None:
        return False
    near = r"\s*(?:is|hi|sahi|सही|সঠিক|aur|and|और|,)"
    if not _dressed(page.body, mention) and not compiled(near).match(
        low, mention.end, mention.end + 12
    ):
        return False
    sentence = low[mention.end : mention.end + 60].split(".")[0]
    return re.search(_NO_PRAISE + r"|\?", sentence) is None
