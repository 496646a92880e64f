"""Read the number out of a piece of text that is known to give the answer.

A slot is what stands behind "answer:", inside a box or on the last line. Where it holds
several numbers, a reader takes the right side of the last equation, or the number that the
sentence's verb is about (`hinglishbench.grading.choose`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hinglishbench.grading.choose import choose
from hinglishbench.grading.fold import fold
from hinglishbench.grading.numbers import Number, scan
from hinglishbench.grading.numberwords import read_words
from hinglishbench.grading.wording import compiled

SLOT = 500  # characters of a slot that are looked at

_LEAD = (
    r"[\s>#*_•●▪\"'“‘(\[|~≈=→:∴◦·√✓✔✅]*(?:[-–—]\s+)?[\s>#*_•\"'“‘(\[|~≈=→:∴]*"
    r"(?:(?:approximately|approx\.?|about|roughly|exactly|around|only|just|lagbhag|kul|sirf|कुल|लगभग|केवल|মোট|প্রায়|a total of)[\s:=*_]+)*"
)
_END = r"[\s)\]\"'”’*_|.,!?।/\-:✓✔✅🎉°^$]*"
_NEUTRAL = (
    r"(?:[\s*_\"'“‘(\[|~≈=→:>∴.,-]|approximately|approx|about|roughly|exactly|around|simply|just|only|equal\sto|equals"
    r"|a\stotal\sof|the\stotal\sis|total|kul|lagbhag|कुल|लगभग|मोट|therefore|thus|indeed|now|the\snumber|be|is|hai|है|₹|\$|[a-z]\s?=)*$"
)
# Behind an answer: words that begin its reason, and marks that end its sentence.
_REASON = (
    r"(?<![a-z])(?:because|since|as|which|where|when|if|or|kyunki|kyonki|kyuki|i\.e|that\sis|so|not|after|given|considering)(?![a-z])"
    r"|क्योंकि|কারণ|—|\s[–-]\s(?!\s*[$₹]?\d)|(?<![-+*/×x÷=·(])(?<![-+*/×x÷=·(]\s)\((?![^()]*\)\s*[-+*/×÷])"
)
_STOP = r"[;\n]|,\s*\"|\}|[.!?।](?=\s|$)"
# A slot that begins like this starts a solution instead of giving its result.
_BEGINS_WORK = (
    r"^[\s*_#>\"'(-]*(?:first|step|let\b|let['’]|to (?:find|solve|calculate|determine|get)|we (?:need|know|have to|start|first)|start|given"
    r"|initially|there (?:are|were)|each|every|suppose|originally|at first|pehle|sabse pehle|पहले|सबसे पहले|मान|প্রথমে|1[.)]\s+[a-z*])"
)
_SO = r"(?<![a-z])(?:so|then|thus|hence|therefore|next)(?![a-z])"
_VERB = r"\b(?:is|are|was|were|has|have|had|will|gave|gives?|left|sold|sells?|buys?|bought|remain\w*|eats?|ate|costs?|makes?|uses?|used)\b"


def bare(line: str) -> Number | None:
    """The number of a line that is nothing but a number, perhaps with its unit."""
    text = grouped(_unnumbered(fold(line).strip()))
    lead = compiled(_LEAD).match(text)
    text = text[lead.end() :] if lead else text
    found = scan(text, 3)
    if not found:
        return _bare_words(text)
    if len(found) != 1:
        return None
    number = found[0]
    if text[: number.start].strip(" ₹$"):
        return None
    tail = text[number.end :]
    if compiled(_END + "$").match(tail):
        return number
    if compiled(r"[.)]\s").match(tail) or not _is_unit(tail):
        return None
    return number


def _unnumbered(text: str) -> str:
    """Without the number of a list whose entry is only a number: "1. 18"."""
    return compiled(r"^\s*[1-9][.)]\s+(?=[$₹]?\d[\d,.]*\W*$)").sub("", text)


def _is_unit(tail: str) -> bool:
    words = compiled(r"[.!।]\s*$").sub("", tail).strip(" /-.)]\"'*|$✓✔✅")
    return (
        len(words) <= 40
        and len(words.split()) <= 5
        and not compiled(r"[;:?=(|]|[.,]\s").search(words)
        and not compiled(_VERB).search(words)
    )


def _bare_words(text: str) -> Number | None:
    if len(text) > 60 or len(text.split()) > 6:
        return None
    read = read_words(text)
    if read is None or not _is_unit(text[read[1] :]) or len(text[read[1] :].split()) > 2:
        return None
    return Number(read[0], 0, read[1])


def grouped(text: str) -> str:
    """A slot's "12 500" as 12,500; elsewhere a blank never joins digits."""
    comma = compiled(r"([^\d]{0,4}\d+),(\d{1,2})(?![\d,]|\s*[^\s\d]+\s*\d)\D{0,20}$").match(text)
    if comma is not None:  # "26,50 euros": no grouping has one or two digits
        return f"{comma[1]}.{text[comma.start(2) :]}"
    match = compiled(r"[^\w-]*(\d{1,3}(?: \d{3}){1,4})(?![\d/,.]*\d| ?[-+*/×x÷=:])").match(text)
    if match is None:
        return text
    return text[: match.start(1)] + match[1].replace(" ", ",") + text[match.end(1) :]


@dataclass(frozen=True, slots=True)
class Slot:
    """What a slot gives: a number (None: several where one is asked, "12 and 18").

    Attributes:
        number: the number, None for several.
        clean: nothing but a number and its unit, or one sentence that states it.
        bare: the number leads the slot.
    """

    number: Number | None
    clean: bool
    bare: bool = False


def read(text: str) -> Slot | None:
    """The number that a folded slot gives; None when there is no number in it."""
    text = grouped(_unnumbered(text[:SLOT]))
    found = scan(text, 40)
    if not found:
        words = read_words(compiled(_LEAD).sub("", text, count=1))
        return Slot(Number(words[0], 0, words[1]), clean=True, bare=True) if words else None
    if several(text, found):
        return Slot(None, clean=True, bare=True)
    first = found[0]
    lead = text[: first.start].lower()
    neutral = compiled(_NEUTRAL).match(lead) is not None
    works = compiled(_BEGINS_WORK).match(text.lower()) is not None
    hard = compiled(_REASON).search(text.lower(), first.end)
    head = text[: hard.start()] if hard else text
    stop = compiled(_STOP).search(head, first.end)
    sentence = head[: stop.start()] if stop else head
    inside = [number for number in found if number.end <= len(sentence)]
    if len(inside) <= 1 and neutral and not works:
        rest = sentence[first.end :].lower()
        later = len(found) > 1
        if not (later and (len(rest.split()) > 4 or compiled(_VERB).search(rest))):
            return Slot(first, clean=True, bare=True)
    if len(found) == 1:
        return Slot(first, clean=not works)
    stated = compiled(r"[$₹%]?\s*(?:[-+*/×x÷·=]|\w+\s*[-+*×÷=])").match(text, first.end) is None
    if _is_solution(text, found):
        return Slot(_last_stated(text, found), clean=False)
    if neutral and stated and not works and not stop and len(inside) == 1:
        return Slot(inside[0], clean=True, bare=True)
    equations = text.count("=")
    within = [number for number in found if number.end <= len(head)]
    if (
        equations == 1 or (equations and not compiled(_STOP).search(text.rstrip()[:-1], first.end))
    ) and (equal := after_equals(head, within)):
        return Slot(
            equal,
            clean=not works
            and equations == head.count("=")
            and not compiled(_SO).search(text.lower()),
        )
    if len(inside) == 1 and not works and not equations:
        return Slot(inside[0], clean=True)
    return Slot(_last_stated(text, found), clean=False)


def _is_solution(text: str, found: Sequence[Number]) -> bool:
    """Is the slot a whole solution, sentence by sentence, with its result at the end?"""
    telling = [
        sentence
        for at, sentence in sentences(text)
        if any(at <= number.start < at + len(sentence) for number in found)
    ]
    if len(telling) < 2 or bare(telling[0]) is not None:
        return False
    if compiled(r"\b(?:explanation|reason|check|verification)\b").search(text.lower()):
        return False
    worked = [s for s in telling if compiled(r"=|\b(?:equals|plus|minus|times)\b").search(s)]
    return len(telling) > 2 or len(worked) > 1


def several(text: str, found: Sequence[Number]) -> bool:
    """Are these "12 and 18", "12, 18": several answers where one is asked?"""
    if not 2 <= len(found) <= 6:
        return False
    edges = [
        text[: found[0].start],
        *(text[a.end : b.start] for a, b in pairwise(found)),
    ]
    if (
        compiled(_NEUTRAL).match(compiled(r"\b(?:between|from)\b").sub("", edges[0].lower()))
        is None
    ):
        return False
    joint = compiled(r"[\s*$₹%]*(?:,|and|or|aur|ya|&|और|या|ও|to|se|-|–|,\s?and|,\s?or)[\s*$₹]*")
    tail = text[found[-1].end :]
    return all(joint.fullmatch(edge) for edge in edges[1:]) and bool(
        compiled(_END + "$").match(tail)
    )


def _last_stated(text: str, found: list[Number]) -> Number:
    for at, sentence in reversed(sentences(text)):
        inside = [n for n in found if n.start >= at and n.end <= at + len(sentence)]
        if inside and not explains(sentence):
            part = text[: at + len(sentence)]
            if "=" in sentence and (equal := after_equals(part, inside)):
                return equal
            return choose(part, inside)
    return choose(text, found)


def after_equals(text: str, found: Sequence[Number]) -> Number | None:
    """The number that the last equation of a text comes to."""
    at = max(text.rfind("="), text.rfind("≈"))
    if at < 0:
        return None
    after = [number for number in found if number.start > at]
    if not after:
        return None
    lead = text[at + 1 : after[0].start].lower()
    if compiled(r"(?:[\s$₹*~≈>(\"'-]|in|about|only|approximately|exactly|a\stotal\sof|rs)*$").match(
        lead
    ) is None or _lone_variable(text, at):
        return None
    if len(after) > 1:
        between = text[after[0].end : after[1].start].strip()
        if compiled(r"[$₹%]?\s*[-+*/×x÷·]\s*[$₹(]*$").match(between):
            # "18 = 9 * 2": the sum stands on the right, its result on the left.
            left = [number for number in found if number.end <= at]
            return left[0] if len(left) == 1 else None
        if between.lower() in {"is", "are"}:  # "the x with 3x + 5 = 26 is 7"
            return after[1]
        if compiled(r"round|≈|approximately|or about|\bor\b").search(between.lower()):
            return after[1] if "or" not in between.lower().split() else after[0]
        if compiled(r"(?:total|kul|altogether|left|remain|बचे|कुल)").search(between.lower()):
            return None
    return after[0]


def _lone_variable(text: str, at: int) -> bool:
    """Is this "x = 3" inside a sentence that goes on?"""
    return (
        compiled(r"(?:^|[\s(,])[a-z]\s*$").search(text[max(0, at - 6) : at].lower()) is not None
        and len(text) - at > 14
    )


def sentences(text: str) -> list[tuple[int, str]]:
    """The sentences of a folded line with their places."""
    pieces: list[tuple[int, str]] = []
    at = 0
    for match in compiled(r"(?:[.!?](?:[\"')*\]]{0,3})(?=\s+[^a-z\s]|\s*$)|।)\s*").finditer(text):
        if match.start() - at > 1:
            pieces.append((at, text[at : match.end()]))
            at = match.end()
    if at < len(text):
        pieces.append((at, text[at:]))
    return pieces


_EXPLAINS = (
    r"\s*[*_>#(\[•-]*\s*(?:note\b|n\.b|let me know|would you like|feel free|hope (?:this|that)|if you|do you want|please (?:let|note|feel)"
    r"|verification|verif|to (?:verify|check|confirm)|check\b|checking|double[- ]check|sanity|explanation\b|reason(?:ing)?\s?:|this (?:assumes|is because|matches|confirms)"
    r"|that(?:'s| is) (?:because|since)|because|remember|disclaimer|source|confidence|tip\b|assum|feedback|this was|great|good luck|is there anything|want me"
    r"|dhyan|agar aap|jaanch|jaanchein|jaanch:|यदि आप|अगर आप|ध्यान|नोट|जाँच|जांच|सत्यापन|क्या आप|व्याख्या|যাচাই|ব্যাখ্যা|দ্রষ্টব্য)"
)


def explains(text: str) -> bool:
    """Is this line or sentence about the answer (a check, a note, chatter), not the answer?"""
    return re.match(_EXPLAINS, text, re.IGNORECASE) is not None


def bold_values(line: str) -> tuple[str, ...]:
    """Values of the numbers that a line sets in bold."""
    if "**" not in line and "textbf" not in line and "<b>" not in line and "<strong>" not in line:
        return ()
    values: list[str] = []
    for match in compiled(
        r"\*\*([^*]{1,60})\*\*|\\textbf\{([^{}]{1,60})\}|<(?:b|strong)>([^<]{1,60})</"
    ).finditer(line):
        values.extend(number.value for number in scan(fold(match[1] or match[2] or match[3])))
    return tuple(values)


def conclude(line: str, *, anyway: bool = False) -> tuple[Number | None, str] | None:
    """The number that a line of prose states as its result, and how it was found.

    Args:
        line: the line as it came.
        anyway: read also what looks like a note, a check or a reason; it is all there is.
    """
    if explains(line) and not anyway:
        return None
    text = compiled(r"^\s*\d{1,2}[.)]\s+(?=[^\W\d_])").sub("", fold(line))  # a list's number
    found = scan(text)
    if not found:
        return None
    asked = compiled(r"\?[\s*_\"')]*$").search(text) is not None
    if len(found) == 1 and not asked:
        return found[0], "last_line"
    if several(text, found):
        return None, "several_numbers"
    if text.count("|") >= 2:
        return found[-1], "table"
    bold = bold_values(line)
    for at, sentence in reversed(sentences(text)):
        inside = [n for n in found if n.start >= at and n.end <= at + len(sentence)]
        if not inside and (spoken := _spoken_result(sentence)):
            return spoken, "last_line"
        if (
            inside
            and (anyway or not explains(sentence))
            and not sentence.rstrip(" *_\"')").endswith("?")
        ):
            return _sentence(text[: at + len(sentence)], inside, bold)
    return None


def _spoken_result(sentence: str) -> Number | None:
    """Read "so it took three days": a conclusion whose number is a word."""
    low = sentence.lower()
    if not compiled(r"(?<![a-z])(?:so|therefore|thus|hence)(?![a-z])").search(low):
        return None
    values = [
        value
        for match in compiled(r"[a-z]+(?:-[a-z]+)?").finditer(low)
        if match[0]
        not in {"one", "do", "a", "an", "half", "sat", "char", "tin", "bis", "das", "che", "tis"}
        and (value := read_words(match[0]))
    ]
    return Number(values[0][0], 0, 0) if len(values) == 1 else None


def _sentence(text: str, found: list[Number], bold: Sequence[str]) -> tuple[Number, str]:
    """What the last sentence of a text, with these numbers in it, states."""
    if len(found) == 1:
        return found[0], "last_line"
    marked = {number.value: number for number in found if number.value in bold}
    if len(marked) == 1:
        return next(iter(marked.values())), "bold"
    if "=" in text[found[0].end :] or "≈" in text:
        aside = compiled(
            r"(?<![-+*/×÷=])\s\([^()]*[=×*+/][^()]*\)(?!\s*[-+*/×÷=x])|\bsince\b|\bbecause\b|क्योंकि|\bkyunki\b"
        ).search(text, found[0].end)
        if aside:
            text = text[: aside.start()]
            found = [number for number in found if number.end <= len(text)] or found
        equal = after_equals(text, found)
        if equal is not None:
            return equal, "equals"
    return choose(text, found, bold), "conclusion"
