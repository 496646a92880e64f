"""Grader ``choice``: one label of the item's own set, or no answer; never a guess.

Whether the reply answers first and explains then, or reasons and concludes, is decided by
its shape: verdicts are collected with their places, and the last one that is not rejected,
conditional or part of a list of options counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from hinglishbench.grading import wording
from hinglishbench.grading.contract import GoldError, Grade, Outcome, Parsed, Reply, Task
from hinglishbench.grading.labels import LabelSet, Mention, label_set, labels_of
from hinglishbench.grading.optiontext import OptionTexts, option_texts
from hinglishbench.grading.prepare import prepare
from hinglishbench.grading.runon import cut_run_on

HEAD, TAIL = 20_000, 40_000
SLOT = 400
MAX_VERDICTS = 80


@dataclass(frozen=True, slots=True)
class _Verdict:
    label: str | None  # None: several labels at once
    at: int
    method: str
    explicit: bool  # counts in a reply that was cut


class ChoiceGrader:
    """Compares the label that a reply names with the gold label."""

    version = "choice-1"

    def parse(self, reply: Reply, task: Task) -> Parsed:
        """Read the label, or the option's text, that the reply gives as its answer."""
        ready = prepare(reply)
        if ready.failure is not None:
            return Parsed(None, ready.method, ready.failure, ready.flags)
        text = ready.text
        if len(text) > HEAD + TAIL:
            text = f"{text[:HEAD]}\n{text[-TAIL:]}"
        names = label_set(labels_of(task.labels, task.options))
        texts = option_texts(names.labels, task.options)
        body, was_cut = cut_run_on(
            text, lambda before: _decide(before, names, texts, whole=True).label is not None
        )
        whole = ready.whole or was_cut
        flags = (*ready.flags, "run_on") if was_cut else ready.flags
        found = _decide(body, names, texts, whole=whole)
        if found.label is not None:
            return Parsed(found.label, found.method, flags=flags)
        if whole:
            return Parsed(None, found.method, "unparsed", flags)
        failure: Outcome = "filtered" if ready.filtered else "truncated"
        return Parsed(None, failure, failure, flags)

    def judge(self, parsed: Parsed, gold: str | Sequence[str], task: Task) -> Grade:
        """Correct when the label is (one of) the gold."""
        wanted = _gold(gold, task)
        if parsed.value is None:
            return Grade(None, parsed.failure, parsed.method, 0.0)
        right = parsed.value in wanted
        return Grade(
            parsed.value, "correct" if right else "wrong", parsed.method, 1.0 if right else 0.0
        )

    def check_gold(self, gold: str | Sequence[str], task: Task) -> None:
        """Refuse a gold that is not a label of the item (or the text of one option)."""
        labels = labels_of(task.labels, task.options)
        if task.options and len(labels) != len(task.options):
            raise GoldError(f"there are {len(labels)} labels for {len(task.options)} options")
        if len({label.casefold() for label in labels}) != len(labels):
            raise GoldError(f"the labels {list(labels)!r} are not distinct")
        _gold(gold, task)


GRADER = ChoiceGrader()


def _gold(gold: str | Sequence[str], task: Task) -> tuple[str, ...]:
    golds = (gold,) if isinstance(gold, str) else tuple(gold)
    labels = labels_of(task.labels, task.options)
    if not golds:
        raise GoldError("the list of golds is empty; give a label")
    return tuple(_one_gold(one, labels, task.options) for one in golds)


@lru_cache(maxsize=4096)
def _one_gold(gold: str, labels: tuple[str, ...], options: tuple[str, ...]) -> str:
    bare = gold.strip().strip("().[]:")
    for label in labels:
        if bare.casefold() == label.casefold():
            return label
    matching = [
        label
        for label, option in zip(labels, options, strict=False)
        if option.strip() == gold.strip()
    ]
    if len(matching) == 1:
        return matching[0]
    raise GoldError(f"the gold {gold!r} is none of the labels {', '.join(labels)}")


_NONE = _Verdict(None, -1, "no_label", explicit=False)


def _decide(body: str, names: LabelSet, texts: OptionTexts, whole: bool) -> _Verdict:
    lines = _label_lines(body, names)
    verdicts = _verdicts(body, names, texts, lines)
    if not whole:
        verdicts = [verdict for verdict in verdicts if verdict.explicit]
    if verdicts:
        last = max(verdicts, key=lambda verdict: verdict.at)
        if last.label is None:
            return _Verdict(None, last.at, "several_labels", explicit=False)
        return last if not whole else _corrected(body, names, last)
    if not whole:
        return _NONE
    return _by_weak_signs(body, names, texts, lines)


# --- lines that begin with a label -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Line:
    label: str
    at: int
    end: int  # of the label and its mark
    listed: bool  # part of a list of the options
    text: str


def _label_lines(body: str, names: LabelSet) -> list[_Line]:
    found: list[tuple[str, int, int, str]] = []
    at = 0
    for _ in range(3_000):
        end = body.find("\n", at)
        stop = end if end >= 0 else len(body)
        match = names.line.match(body, at, min(stop, at + 200))
        if match is not None and (label := _spelled(names, match, body, stop)):
            found.append((label, at, match.end(), body[match.end() : min(stop, at + SLOT)]))
        if end < 0:
            break
        at = end + 1
    order = {label: index for index, label in enumerate(names.labels)}
    lines: list[_Line] = []
    for index, (label, start, end, text) in enumerate(found):
        rank = order[label]
        after = index + 1 < len(found) and order[found[index + 1][0]] == rank + 1
        before = index > 0 and order[found[index - 1][0]] == rank - 1
        lines.append(_Line(label, start, end, before or after, text))
    return lines


def _spelled(names: LabelSet, match: re.Match[str], body: str, stop: int) -> str | None:
    spelling = match["label"]
    label = names.spellings.get(spelling)
    if label is None:
        label = names.spellings.get(spelling.upper()) or names.spellings.get(spelling.lower())
    if label is None:
        return None
    alone = not body[match.end() : stop].strip(" \t*_`.)\"'")
    if spelling in "aAiI" and match["mark"].strip() in {"", ",", "-"} and not alone:
        return None
    return label


# --- verdicts ----------------------------------------------------------------------------

_PHRASES = (
    r"(?P<answer>" + wording.ANSWER + r")"
    r"|(?P<correct>(?<![a-z])(?:correct|right|best|appropriate|suitable|accurate|sahi|final)\s(?:option|choice|statement|letter|one|response|match|vikalp|selection|conclusion)(?![a-z])|सही\s?विकल्प|সঠিক\s?বিকল্প)"
    r"|(?P<hash>####|<(?:answer|final_answer|ans|choice|result|output)>|[\"'](?:answer|final_answer|choice|option)[\"']\s?:)"
    r"|(?P<pick>(?<![a-z])(?:choose|pick|select|chose|picked|selected|go(?:ing)?\swith|opt\sfor|settle\s(?:on|for)|say|choosing|chunta|chunte|chunungaa?|my\s(?:choice|pick|selection|answer)\sis)(?![a-z])|मेरा चयन)"
    r"|(?P<so>(?<![a-z])(?:therefore|thus|hence|so|conclusion|isliye|toh|matches|corresponds\sto|leaves(?:\sus\swith)?|leaving|points\sto|makes|but|rather|instead|balki|it(?:['’]s|\sis|\smust\sbe|\sshould\sbe|\swould\sbe|\shas\sto\sbe)|is|be)(?![a-z'’])|अतः|इसलिए|बल्कि|সুতরাং|অতএব|তাই)"
)
_NOT_BEFORE = r"(?:\b(?:not|isn['’]t|never|neither|nor|rather than|instead of|eliminate|exclude|rule out|rules out|ruled out)\s+(?:the\s)?(?:options?\s|choices?\s|answers?\s)?(?:is\s)?[\s(\[*\"']*)$"
_NOT_AFTER = r"[)\]\"'*.:]{0,4}\s*(?:\([^()\n]{0,60}\)\s*)?(?:nahi|nahin|नहीं|নয়|নয়|galat|गलत|ভুল|(?:is|are|was|would be|seems|hai)\s+(?:also\s)?(?:not|incorrect|wrong|false|out|ruled|eliminated|unlikely|galat|nahi)|isn['’]t|cannot|can['’]t|doesn['’]t|does not)"
_CONDITIONAL = r"\b(?:if|had|were|suppose|unless|agar|yadi)\b|अगर|यदि|যদি"


@lru_cache(maxsize=1)
def _phrases() -> re.Pattern[str]:
    return re.compile(_PHRASES)


def _verdicts(body: str, names: LabelSet, texts: OptionTexts, lines: list[_Line]) -> list[_Verdict]:
    found: list[_Verdict] = []
    found.extend(_line_verdicts(body, names, texts, lines))
    found.extend(_boxes(body, names, texts))
    low = body.lower()
    if len(low) != len(body):
        low = body
    matches = list(_phrases().finditer(low))
    for match in matches[:20] + matches[20:][-MAX_VERDICTS:]:
        verdict = _phrase(body, low, match, names, texts)
        if verdict is not None:
            found.append(verdict)
    found.extend(_named_correct(body, low, names))
    return found


def _line_verdicts(
    body: str, names: LabelSet, texts: OptionTexts, lines: list[_Line]
) -> list[_Verdict]:
    """A first or last line that is a label, with or without its option."""
    found: list[_Verdict] = []
    first = len(body) - len(body.lstrip())
    end = len(body.rstrip())
    for line in lines:
        opening = line.at <= first
        closing = body.find("\n", line.end, end) < 0
        bare = not any(map(str.isalnum, line.text))
        if not (opening or closing):
            continue
        if line.listed and not (
            bare and not any(other is not line and other.listed for other in lines)
        ):
            continue
        if names.several.match(body, line.end - 1, line.end + 60) and not bare:
            mention = names.at(body, line.at)
            if mention is not None and mention.several:
                found.append(_Verdict(None, line.at, "letter", explicit=True))
                continue
        if re.match(_NOT_AFTER, body[line.end - 1 : line.end + 40].lower()):
            continue
        found.append(
            _Verdict(
                line.label, line.at, "opening" if opening and not bare else "letter", explicit=True
            )
        )
    if not lines:
        head = body.strip()
        if (label := texts.exact(head)) is not None:
            found.append(_Verdict(label, first, "text", explicit=True))
        elif (
            texts.any
            and (mention := names.at(body, first)) is not None
            and texts.starts(mention.label, body[mention.end : mention.end + SLOT])
        ):
            found.append(_Verdict(mention.label, first, "opening", explicit=True))
    return found


def _boxes(body: str, names: LabelSet, texts: OptionTexts) -> list[_Verdict]:
    at = len(body)
    for _ in range(20):
        at = body.rfind("oxed", 0, at)
        if at < 0:
            return []
        inner = re.match(r"\s*\{", body[at + 4 : at + 12])
        if inner is None:
            continue
        start = at + 4 + inner.end()
        content = body[start : start + SLOT].split("\n", maxsplit=1)[0]
        verdict = _read_slot(content.rstrip("$] .)"), at, "box", names, texts)
        if verdict is not None:
            return [verdict]
    return []


def _phrase(
    body: str, low: str, match: re.Match[str], names: LabelSet, texts: OptionTexts
) -> _Verdict | None:
    kind = match.lastgroup or ""
    at, start = match.start(), match.end()
    before = _sentence_before(low, at)
    if kind in {"answer", "correct"}:
        return _announced(body, low, match, names, texts)
    if kind == "hash":
        return _read_slot(_slot(body, start), at, "marker", names, texts)
    mention = names.at(body, _skip(low, start))
    if mention is None or mention.start - start > 40:
        return None
    if re.search(_CONDITIONAL, before) or _rejected(low, mention):
        return None
    if "\n" in body[start : mention.start]:
        return None
    if kind == "so" and not _stands_alone(body, mention, texts):
        return None
    label = None if mention.several else mention.label
    return _Verdict(label, mention.start, "verdict", explicit=kind == "pick")


def _sentence_before(low: str, at: int) -> str:
    """What the sentence says before a place."""
    sentence_start = (
        max(low.rfind(mark, max(0, at - 200), at) for mark in ("\n", ". ", "? ", "। ", "! ", ": "))
        + 1
    )
    return low[max(sentence_start, at - 120) : at]


def _skip(low: str, at: int) -> int:
    """Past a comma or a few words between a verdict's phrase and its label."""
    match = re.match(
        r"[\s,:]*(?:(?:we|i|it|that|this|the|us|is|are|would|be|say|with|must|leaves|have|get|to|only|answer|means|clearly|definitely|karunga|ho|jaata|hai)\s){0,4}",
        low[at : at + 60],
    )
    return at + (match.end() if match else 0)


def _stands_alone(body: str, mention: Mention, texts: OptionTexts) -> bool:
    """Behind "so" or "is" a label must look like one: "so B.", "is (C)", "is option D"."""
    before = body[max(0, mention.start - 14) : mention.start].lower()
    if re.search(r"(?:option|choice|विकल्प|বিকল্প|answer|[(\[*])\s*[(\[*\"']*$", before):
        return True
    behind = body[mention.end : mention.end + SLOT]
    return re.match(r"\s*(?:$|\n|[).\],;:*!।\"'])", behind) is not None or texts.starts(
        mention.label, behind
    )


def _rejected(low: str, mention: Mention) -> bool:
    before = low[max(0, mention.start - 40) : mention.start]
    return bool(
        re.search(_NOT_BEFORE, before) or re.match(_NOT_AFTER, low[mention.end : mention.end + 110])
    )


def _announced(
    body: str, low: str, match: re.Match[str], names: LabelSet, texts: OptionTexts
) -> _Verdict | None:
    at, start = match.start(), match.end()
    before = _sentence_before(low, at)
    if re.search(wording.NO_ANNOUNCEMENT, before) or re.search(_CONDITIONAL, before):
        return None
    direct = names.at(body, start)
    if (
        direct is not None
        and direct.start - start <= 12
        and "\n" not in body[start : direct.start]
        and not _rejected(low, direct)
    ):
        strict = re.match(
            r"\s*(?:$|\n|[).\],;:*!।\"']|hai\b|hoga\b|है|হবে|होगा)",
            body[direct.end : direct.end + 8],
        )
        if strict:
            return _Verdict(
                None if direct.several else direct.label, direct.start, "marker", explicit=True
            )
    if direct is not None and _rejected(low, direct):
        return _instead(body, low, direct, names)
    link = wording.compiled(wording.CONNECTOR).match(low, start)
    if link is None:
        return None
    gap = link["gap"].strip()
    if gap and (
        link["link"].endswith("\n")
        or wording.compiled(
            wording.NO_GAP.replace("|options?", "").replace("|choices?", "")
        ).search(gap)
    ):
        return None
    if re.match(r"(?:choices?|options?)\s*$", gap) or (
        "would" in low[link.start("gap") : link.end()] and "if" in before
    ):
        return None
    slot = _slot(body, link.end())
    turned = re.match(r"\s*(?:not|nahi)\b", slot.lower())
    if turned:
        turn = re.search(r"\b(?:but|rather|instead|it is|it['’]s|balki)\b", slot.lower())
        if turn is None:
            return None
        slot = slot[turn.end() :]
    return _read_slot(slot, at, "marker", names, texts)


def _instead(body: str, low: str, rejected: Mention, names: LabelSet) -> _Verdict | None:
    """Read "answer B nahi, C hai": the one other label of the sentence that is not rejected."""
    stop = re.search(r"[.!?।](?:\s|$)|\n", low[rejected.end : rejected.end + 160])
    end = rejected.end + (stop.start() if stop else 160)
    others = {
        mention.label
        for mention in names.all(body[rejected.end : end])
        if not _rejected(low[rejected.end : end], mention)
    }
    if len(others) != 1:
        return None
    return _Verdict(others.pop(), rejected.start, "marker", explicit=True)


def _slot(body: str, at: int) -> str:
    """The rest of the line, or the next line that says something when the rest is empty."""
    for _ in range(4):
        end = body.find("\n", at)
        if end < 0:
            return body[at : at + SLOT]
        if any(map(str.isalnum, body[at : min(end, at + SLOT)])):
            return body[at : min(end, at + SLOT)]
        at = end + 1
    return ""


def _read_slot(
    slot: str, at: int, method: str, names: LabelSet, texts: OptionTexts
) -> _Verdict | None:
    """The label or the option's text that fills an answer slot."""
    mention = names.at(slot, 0)
    whole_text = texts.exact(slot)
    if mention is not None:
        if (
            whole_text is not None
            and whole_text != mention.label
            and not texts.starts(mention.label, slot[mention.end :])
        ):
            # "A dog" where "A dog" is the text of option C.
            return _Verdict(whole_text, at, method, explicit=True)
        if _rejected(slot.lower(), mention):
            others = [
                m
                for m in names.all(slot)
                if m.label != mention.label and not _rejected(slot.lower(), m)
            ]
            return (
                _Verdict(others[0].label, at, method, explicit=True) if len(others) == 1 else None
            )
        return _Verdict(None if mention.several else mention.label, at, method, explicit=True)
    label = whole_text or texts.leading(slot) or texts.only(slot)
    if label is not None:
        return _Verdict(label, at, method, explicit=True)
    labelled = [m for m in names.all(slot) if _wrapped(slot, m) and not _rejected(slot.lower(), m)]
    if len({m.label for m in labelled}) == 1 and not labelled[0].several:
        return _Verdict(labelled[0].label, at, method, explicit=True)
    return None


def _wrapped(text: str, mention: Mention) -> bool:
    """Is the label dressed as one: (B), **B**, "B", option B, B)."""
    before = text[max(0, mention.start - 10) : mention.start].lower()
    if re.search(r"(?:option|choice|विकल्प|বিকল্প)\s*[(\[*\"']*$|[(\[*\"'“‘]$", before):
        return True
    return text[mention.end : mention.end + 1] in {")", "]"}


_IS_CORRECT = (
    r"[)\]\"'*.:]{0,4}\s*[^\n.;!?।]{0,120}?(?P<verb>(?<![a-z])(?:is|are|was|be|hi|as|=)(?![a-z])|,)\s*(?:definitely |clearly |therefore |indeed |thus )?"
    r"(?:the |our |my |your |an? )?(?:most |only |single )?(?P<what>(?:correct|right|best|appropriate|accurate|final|true|sahi)(?:\s(?:answer|option|choice|one|statement|response|match))?|answer)(?![a-z])"
    r"|[)\]\"'*.:]{0,4}\s*[^\n.;!?।]{0,60}?(?P<hindi>(?<![a-z])(?:sahi|sahee)(?![a-z])|सही|সঠিক)\s*(?P<noun>(?:answer|uttar|jawab|option|vikalp|उत्तर|विकल्प|जवाब|উত্তর))?\s*(?:hai|hoga|है|होगा|$|।|\.)"
)


def _named_correct(body: str, low: str, names: LabelSet) -> list[_Verdict]:
    """Find labels that stand before their praise: "Option B is the correct answer"."""
    found: list[_Verdict] = []
    pattern = wording.compiled(_IS_CORRECT)
    mentions = names.all(body)
    for index, mention in enumerate(mentions):
        stop = mentions[index + 1].start if index + 1 < len(mentions) else len(low)
        match = pattern.match(low, mention.end, min(stop, mention.end + 220))
        if match is None or _rejected(low, mention):
            continue
        praise = match[0]
        if re.search(
            r"\b(?:not|n['’]t|nahi|incorrect|wrong|if|why|also|whether)\b|नहीं|ন[াো]", praise
        ):
            continue
        firm = bool(match["noun"]) or bool(
            match["what"] and re.search(r"answer|option|choice|response|one|best", match["what"])
        )
        if firm:
            found.append(
                _Verdict(
                    None if _paired(mentions, index) else mention.label,
                    mention.start,
                    "verdict",
                    explicit=True,
                )
            )
    return found


def _paired(mentions: list[Mention], index: int) -> bool:
    return (
        index > 0
        and mentions[index - 1].several
        and mentions[index].start - mentions[index - 1].end < 12
    )


# --- corrections and weak signs ----------------------------------------------------------


def _corrected(body: str, names: LabelSet, last: _Verdict) -> _Verdict:
    """Take the one label named behind the last correction, if any: "Wait, it is B"."""
    tail = body[last.at :]
    low = tail.lower()
    turns = list(re.finditer(wording.CORRECTION, low))
    if not turns:
        return last
    turn = turns[-1]
    left = [
        mention
        for mention in names.all(tail[turn.end() :])
        if not _rejected(low[turn.end() :], mention) and _sure(tail[turn.end() :], mention)
    ]
    named = {mention.label for mention in left}
    if len(named) == 1 and named != {last.label}:
        return _Verdict(named.pop(), last.at, "correction", explicit=False)
    return last


def _sure(text: str, mention: Mention) -> bool:
    return (
        _wrapped(text, mention)
        or re.match(r"[.*!]|\s*$|\s(?:is|hai|hoga)\b", text[mention.end : mention.end + 6])
        is not None
    )


def _by_weak_signs(body: str, names: LabelSet, texts: OptionTexts, lines: list[_Line]) -> _Verdict:
    ticked = [
        line.label
        for line in lines
        if re.search(
            r"[✓✅✔☑]|\((?:correct|sahi|सही)\)|[-–—:]\s*\**correct\b",
            line.text[:300],
            re.IGNORECASE,
        )
        and "ncorrect" not in line.text
    ]
    if len(set(ticked)) == 1:
        return _Verdict(ticked[0], 0, "ticked", explicit=False)
    low = body.lower()
    weak = [
        mention
        for mention in names.all(body)
        if _called_correct(body, low, mention) and not _rejected(low, mention)
    ]
    if any(mention.several for mention in weak):
        return _Verdict(None, -1, "several_labels", explicit=False)
    if len({mention.label for mention in weak}) == 1:
        return _Verdict(weak[0].label, 0, "called_correct", explicit=False)
    if re.search(wording.REFUSAL, low.replace("’", "'")) or re.match(wording.ERROR_TEXT, low):
        return _Verdict(None, -1, "refusal", explicit=False)
    listed = bool(lines) and lines[-1].listed and "\n" not in body.rstrip()[lines[-1].end :]
    if not listed and (label := texts.concluded(body)) is not None:
        return _Verdict(label, 0, "text", explicit=False)
    named = {mention.label for mention in names.all(body) if _wrapped(body, mention)}
    firm = [
        mention
        for mention in names.all(body)
        if _wrapped(body, mention) and not _rejected(low, mention)
    ]
    if len(named) == 1 and firm and not any(m.several for m in firm):
        return _Verdict(firm[-1].label, 0, "only_label", explicit=False)
    return _NONE


def _called_correct(body: str, low: str, mention: Mention) -> bool:
    """Does "… is correct" follow, with the label dressed as one or right before it?"""
    match = wording.compiled(_IS_CORRECT).match(low, mention.end, mention.end + 120)
    if match is None:
        return False
    if not _wrapped(body, mention) and not re.match(
        r"\s*(?:is|hi|sahi|सही|সঠিক|aur|and|और|,)", low[mention.end : mention.end + 12]
    ):
        return False
    sentence = low[mention.end : mention.end + 60].split(".", maxsplit=1)[0]
    return re.search(r"\b(?:not|incorrect|if|why|also|whether)\b|n['’]t|\?", sentence) is None
