"""Find the number that a reply gives as its answer.

A person looks at the last line; if it is only a number, that is it. Else for a box or the
word "answer"; else at what the last line of prose concludes. So does this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from hinglishbench.grading import slots
from hinglishbench.grading.contract import Outcome
from hinglishbench.grading.fold import fold
from hinglishbench.grading.numbers import Number, scan
from hinglishbench.grading.numberwords import read_words
from hinglishbench.grading.prepare import Prepared
from hinglishbench.grading.runon import cut_run_on
from hinglishbench.grading.wording import (
    ANSWER,
    CONNECTOR,
    CORRECTION,
    ERROR_TEXT,
    NO_ANNOUNCEMENT,
    NO_GAP,
    REFUSAL,
    compiled,
    occurrences,
)

HEAD, TAIL = 40_000, 60_000  # of a giant reply, the parts that can hold the answer
LINE = 1_500  # characters of a line that are looked at, from its end
MAX_MARKERS = 120
MAX_LINES = 40


@dataclass(frozen=True, slots=True)
class Found:
    """A number and the rule that found it, or why there is none."""

    number: Number | None
    method: str
    failure: Outcome = "unparsed"
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Explicit:
    """An answer that a marker or a box announces."""

    number: Number | None  # None: it announces several numbers
    at: int
    end: int  # of its line
    method: str
    clean: bool
    last: bool = False  # nothing stands behind the number


def answer(ready: Prepared) -> Found:
    """The answer of a prepared reply."""
    text = ready.text
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    body, was_cut = cut_run_on(text)
    found = _find(body, whole=ready.whole or was_cut)
    if found.failure == "truncated" and ready.filtered:
        found = replace(found, failure="filtered", method="filtered")
    return replace(found, flags=("run_on",)) if was_cut else found


def _find(body: str, *, whole: bool) -> Found:
    lines = _last_lines(body)
    last = next(lines, None)
    if last is None:
        return Found(None, "no_number", "unparsed" if whole else "truncated")
    begun = _begun_entry(body, last)
    if whole and not begun and (number := slots.bare(last)):
        return Found(number, "final_line")
    explicit = _explicit(body, whole=whole)
    if explicit is not None and (explicit.clean or not whole):
        return _corrected(body, explicit, whole=whole) or _announced(explicit)
    if not whole:
        return Found(None, "truncated", "truncated")
    if compiled(ERROR_TEXT).match(body.lower()):
        return Found(None, "error_text")
    if explicit is None and (number := _answer_first(body, last)):
        return Found(number, "first_line")
    if header := compiled(_EXPLANATION).search(body):
        before = body[: header.start()].rstrip()
        if 0 < len(before.split("\n")) <= 3 and any(map(str.isdigit, before)) and before[-1] != ":":
            lines = _last_lines(before)
            last = next(lines, last)
    return _concluded(body, last, lines, explicit)


def _begun_entry(body: str, last: str) -> bool:
    """Is the last line "3." only the number of a list's entry that never came?"""
    match = compiled(r"\s*[*_]{0,2}(\d{1,2})[.)][*_]{0,2}\s*$").match(last)
    if match is None or match[1] in {"0", "1"}:
        return False
    return compiled(rf"(?:^|\n)\s*[*_]{{0,2}}{int(match[1]) - 1}[.)]").search(body) is not None


_EXPLANATION = (
    r"(?i)\n[ \t]*[#*_]{0,4}[ \t]*(?:explanation|reasoning|reason|here(?:'s| is) (?:how|why|(?:the|a) (?:breakdown|calculation|explanation|working|step))|breakdown|व्याख्या|स्पष्टीकरण|कारण"
    r"|samjhaya|ব্যাখ্যা)[^\n]{0,80}(?:\n|:)"
)


def _answer_first(body: str, last: str) -> Number | None:
    """Read a reply that answers in its first line and explains behind an empty one."""
    text = body.lstrip()
    first, _, rest = text.partition("\n")
    numbered = compiled(r"\W*\d[.)]\W*$").match(first)
    if numbered or not rest.startswith(("\n", " \n", "\r\n")) or len(first) > 80:
        return None
    if compiled(
        r"\W*(?:so|therefore|thus|hence|in total|isliye|toh|to|कुल|अतः|इसलिए|तो|সুতরাং|তাই)\b"
    ).match(last.lower()):
        return None  # it concludes again at its end
    return slots.bare(first)


def _announced(explicit: _Explicit) -> Found:
    if explicit.number is None:
        return Found(None, "several_numbers")
    return Found(explicit.number, explicit.method)


def _concluded(body: str, last: str, lines: Iterator[str], explicit: _Explicit | None) -> Found:
    """From the last line upwards: the first that states a number or refuses to."""
    if explicit is None and _begun_entry(body, last):
        return Found(None, "unfinished")
    if explicit is None and compiled(r"[=+×÷(]\s*$|\s[*/-]\s*$").search(body[-20:]):
        return Found(None, "unfinished")  # it stops inside a calculation
    line: str | None = last
    while line is not None:
        low = line[-300:].lower().replace("’", "'")
        if compiled(REFUSAL).search(low) and not compiled(
            r"\b(?:but|however|still|lekin)\b[^\n]*\d"
        ).search(low):
            return Found(None, "refusal")
        stated = slots.conclude(line)
        if stated is None and not slots.explains(line) and (words := _word_number(line)):
            stated = words, "last_line"
        if stated is not None:
            if explicit is not None and explicit.at > body.rfind(line):
                return _announced(explicit)
            return Found(*stated)
        line = next(lines, None)
    if explicit is None and (stated := slots.conclude(last, anyway=True)):
        return Found(*stated)
    if explicit is not None:
        return _announced(explicit)
    return Found(None, "no_number")


def _word_number(line: str) -> Number | None:
    """Read a last line whose only number is a word: "She needs five boxes."."""
    text = fold(line).strip()
    if len(text) > 120 or any(map(str.isdigit, text)):
        return None
    values: list[str] = []
    at = 0
    for match in compiled(r"[^\W\d_]+(?:-[a-z]+)?").finditer(text.lower()):
        if match.start() < at or match[0] in {
            "one",
            "do",
            "a",
            "an",
            "sat",
            "char",
            "tin",
            "half",
            "se",
            "bis",
            "das",
            "che",
        }:
            continue
        if read := read_words(text.lower()[match.start() :]):
            values.append(read[0])
            at = match.start() + read[1]
    return Number(values[0], 0, 0) if len(values) == 1 else None


def _corrected(body: str, explicit: _Explicit, *, whole: bool) -> Found | None:
    """Take what the last line concludes when it takes the announced answer back."""
    if not whole:
        return None
    behind = body[explicit.end :]
    if len(behind) < 8 or not (turn := compiled(CORRECTION).search(behind[-6_000:].lower())):
        return None
    lines = [
        line for line in behind[-6_000:][turn.start() :].split("\n") if any(map(str.isdigit, line))
    ]
    for line in reversed(lines[-3:]):
        stated = slots.conclude(line)
        if stated is not None and stated[0] is not None:
            return Found(stated[0], "correction")
    return None


def _last_lines(body: str) -> Iterator[str]:
    """The lines that say something, last first."""
    end = len(body)
    given = 0
    for _ in range(400):
        start = body.rfind("\n", 0, end)
        line = body[start + 1 : end]
        if any(map(str.isalnum, line[-200:])) and not compiled(r"\s*```").match(line):
            yield line[-LINE:]
            given += 1
        if start < 0 or given == MAX_LINES:
            return
        end = start


# --- markers and boxes -------------------------------------------------------------------

_WORDS = (
    ANSWER + r"|####"
    r"|(?<![a-z])(?:final\s(?:result|value|amount|total|cost|price|output|solution|number)|result|output|natija|parinam)(?=[*_\s]{0,4}[:=])"
    r"|अंतिम\s(?:परिणाम|मान)|परिणाम(?=[*_\s]{0,4}:)"
    r"|(?<=<)(?:result|output)(?=>)|(?<![^\n])a(?=:\s)"
)


_STEMS = (
    "ans", "uttar", "jaw", "jav", "jwab", "उत्तर", "जवाब", "উত্তর", "জবাব", "####", "final ", "result",
    "output", "natija", "parinam", "अंतिम", "परिणाम", "a:",
)  # fmt: skip


def _explicit(body: str, *, whole: bool) -> _Explicit | None:
    """The last clean announcement, else the last one."""
    best: _Explicit | None = None
    for candidate in _candidates(body, whole=whole):
        if candidate.clean:
            if best is None or not best.clean or candidate.at > best.at:
                best = candidate
        elif best is None or (not best.clean and candidate.at > best.at):
            best = candidate
    return best


def _candidates(body: str, *, whole: bool) -> Iterator[_Explicit]:
    if ("oxed" in body or "fbox" in body) and (box := _last_box(body, whole=whole)):
        yield box
    low = body.lower()
    if len(low) != len(body):
        low = body
    matches = occurrences(low, _STEMS, compiled(_WORDS), MAX_MARKERS)
    cut_off: _Explicit | None = None
    for match in reversed(matches[-MAX_MARKERS:]):
        read = _marked(body, low, match)
        if read is None:
            continue
        if not whole and cut_off is None and read.last:
            cut_off = read  # the number may go on; an earlier announcement is better
            continue
        yield read
        if read.clean:
            return
    if cut_off is not None:
        yield cut_off


def _last_box(body: str, *, whole: bool) -> _Explicit | None:
    at = len(body)
    for _ in range(20):
        at = max(body.rfind("oxed", 0, at), body.rfind("fbox", 0, at))
        if at < 0:
            return None
        match = compiled(r"\s*(\{|\d|\(|\s)").match(body, at + 4)
        if match is None:
            continue
        if match[1] != "{" and body[at - 2 : at - 1] != "\\" and body[at - 1 : at] != "\x08":
            continue  # the word "boxed"
        if match[1] == "{":
            inner, end, closed = _braced(body, match.end())
        else:
            inner, closed = body[at + 4 : at + 40].split("\n", maxsplit=1)[0], whole
            end = at + 4 + len(inner)
        if not closed and not whole:
            continue
        read = slots.read(fold(inner[: slots.SLOT]))
        if read is not None:
            return _Explicit(read.number, at, end, "box", clean=True)
    return None


def _braced(body: str, start: int) -> tuple[str, int, bool]:
    """Text up to the brace that closes, its end; up to the line's end when none does."""
    depth = 1
    for match in compiled(r"[{}]").finditer(body, start, start + 2_000):
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return body[start : match.start()], match.end(), True
    inner = body[start : start + 200].split("\n", maxsplit=1)[0]
    return inner, start + len(inner), False


def _marked(body: str, low: str, match: re.Match[str]) -> _Explicit | None:
    """What one answer word announces."""
    word, start = match[0], match.end()
    line_start = low.rfind("\n", 0, match.start()) + 1
    before = low[max(line_start, match.start() - 60) : match.start()]
    edge = low[match.start() - 1 : match.start()] + low[start : start + 1]
    if edge.startswith("/"):  # a closing tag
        return None
    slot_at = start + 1 if edge == "<>" else start
    if word != "####" and edge != "<>":
        if compiled(NO_ANNOUNCEMENT).search(before):
            return None
        link = compiled(CONNECTOR).match(low, start)
        if link is None or (link["link"].endswith("\n") and link["gap"].strip()):
            return _reverse(body, low, match, line_start)
        if compiled(NO_GAP).search(link["gap"]):
            return None
        slot_at = link.end()
    slot, end = _slot_text(body, slot_at)
    rejected = compiled(r"\s*(?:\*\*)?not\b").match(slot.lower())
    if rejected:
        turn = compiled(r"\b(?:but|rather|instead|it is|it's)\b").search(slot.lower())
        if turn is None:
            return None
        slot = slot[turn.end() :]
    folded = fold(slot)
    read = slots.read(folded)
    if read is None:
        return _reverse(body, low, match, line_start)
    number, clean = read.number, read.clean
    last = end >= len(body) and number is not None and number.end >= len(folded.rstrip())
    if word == "####" and (not clean or _is_heading(slot)):
        return None
    if clean and not read.bare:
        clean = not _works_on(body, end)
    return _Explicit(number, match.start(), end, "marker", clean, last)


def _is_heading(slot: str) -> bool:
    """Tell "#### 2. Multiply by the price", a heading, from "#### 2", an answer."""
    return compiled(r"\s*(?:step\b|\d+[.)]\s+\S*[a-z])").match(slot.lower()) is not None


def _works_on(body: str, end: int) -> bool:
    """Does a solution follow the line, so that the line was only its first step?"""
    behind = body[end : end + 3_000]
    line = behind.lstrip("\n").split("\n")[0] if not behind.startswith("\n\n") else ""
    if not any(map(str.isdigit, line)) or slots.explains(line):
        return False
    return (
        compiled(
            r"\s*(?:[*-]|\d+[.)])?\s*\**(?:explanation|reason|steps?\b|calculation|solution|working|here)"
        ).match(line.lower())
        is None
    )


def _slot_text(body: str, at: int) -> tuple[str, int]:
    """The rest of the line behind a marker, or the next line when the rest is empty; its end."""
    for _ in range(4):
        end = body.find("\n", at)
        if end < 0:
            return body[at : at + slots.SLOT], len(body)
        line = body[at : min(end, at + slots.SLOT)]
        if any(map(str.isalnum, line)) and not compiled(r"\s*(?:```|\\begin|\\text\{?$)").match(
            line
        ):
            return line, end
        at = end + 1
    return "", at


def _reverse(body: str, low: str, match: re.Match[str], line_start: int) -> _Explicit | None:
    """Read a number that stands before the word: "So, 18 is the answer", "18 hi answer hai"."""
    at = match.start()
    before = fold(body[max(line_start, at - 80) : at])
    sentence = compiled(r"(?<!\d)[.!?।]\s|\n").split(before)[-1]
    found = scan(sentence)
    if not found:
        return None
    between = sentence[found[-1].end :].lower()
    after = low[match.end() : match.end() + 12]
    english = compiled(r"[^,;:]{0,40}\b(?:is|as|=)\b[^,;:]{0,30}$").match(between)
    hindi = compiled(r"[^,;:.]{0,25}$").match(between) and compiled(
        r"[*_\s]*(?:hai|hoga|है|होगा|হবে)"
    ).match(after)
    if english or hindi:
        return _Explicit(found[-1], at, match.end(), "marker", clean=True)
    return None
