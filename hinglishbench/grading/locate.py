"""Find the number that a reply gives as its answer.

A person looks at the last line; if it is only a number, that is it. Else for a box or the
word "answer"; else at what the last line of prose concludes. So does this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from hinglishbench.grading.contract import Outcome
from hinglishbench.grading.numbers import Number, fold, scan
from hinglishbench.grading.prepare import Prepared
from hinglishbench.grading.runon import cut_run_on

HEAD, TAIL = 40_000, 60_000  # of a giant reply, the parts that can hold the answer
LINE = 1_500  # characters of a line that are looked at, from its end
SLOT = 500  # characters behind an answer word that are looked at
MAX_MARKERS = 60


@dataclass(frozen=True, slots=True)
class Found:
    """A number and the rule that found it, or why there is none."""

    number: Number | None
    method: str
    failure: Outcome = "unparsed"
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Explicit:
    number: Number
    at: int
    method: str
    clean: bool


def answer(ready: Prepared) -> Found:
    """The answer of a prepared reply."""
    text = ready.text
    if len(text) > HEAD + TAIL:
        text = f"{text[:HEAD]}\n{text[-TAIL:]}"
    body, was_cut = cut_run_on(text)
    flags = ("run_on",) if was_cut else ()
    whole = ready.whole or was_cut
    lines = _last_lines(body)
    if whole and lines and (number := _bare(lines[0])):
        return Found(number, "final_line", flags=flags)
    explicit = _explicit(body, whole)
    if explicit is not None and (explicit.clean or not whole):
        return Found(explicit.number, explicit.method, flags=flags)
    if not whole:
        failure: Outcome = "filtered" if ready.filtered else "truncated"
        return Found(None, failure, failure, flags)
    if _refuses(body):
        return Found(None, "refusal", flags=flags)
    for line in lines:
        if (concluded := _conclude(line)) is not None:
            number, method = concluded
            if explicit is not None and explicit.at > body.rfind(line):
                return Found(explicit.number, explicit.method, flags=flags)
            return Found(number, method, flags=flags)
    if explicit is not None:
        return Found(explicit.number, explicit.method, flags=flags)
    return Found(None, "no_number", flags=flags)


@cache
def _re(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _last_lines(body: str) -> list[str]:
    """The last lines that say something, last first."""
    lines: list[str] = []
    end = len(body)
    for _ in range(400):
        start = body.rfind("\n", 0, end)
        line = body[start + 1 : end]
        if any(map(str.isalnum, line[-200:])) and not _re(r"\s*```").match(line):
            lines.append(line[-LINE:])
            if len(lines) == 40:
                break
        if start < 0:
            break
        end = start
    return lines


_LEAD = r"[\s>#*_•●▪\"'“‘(\[|~≈=→:∴◦·]*(?:[-–—]\s+)?[\s>#*_•\"'“‘(\[|~≈=→:∴]*"
_UNIT_TAIL = r"[\s)\]\"'”’*_|.,!।/\-:✓✅🎉°^]*"


def _bare(line: str) -> Number | None:
    """The number of a line that is nothing but a number, perhaps with a unit."""
    text = fold(line).strip()
    lead = _re(_LEAD).match(text)
    text = text[lead.end() :] if lead else text
    found = scan(text, 3)
    if len(found) != 1:
        return None
    number = found[0]
    if text[: number.start].strip(" ₹$"):
        return None
    tail = text[number.end :]
    if not _re(_UNIT_TAIL + r"$").match(tail) and (
        _re(r"[.)]\s").match(tail) or not _short_unit(tail)
    ):
        return None
    return number


def _short_unit(tail: str) -> bool:
    words = _re(r"[.!।]\s*$").sub("", tail).strip(" /-.)]\"'*")
    return len(words.split()) <= 5 and len(words) <= 40 and not _re(r"[;:?=]|[.,]\s").search(words)


def _explicit(body: str, whole: bool) -> _Explicit | None:  # a private step
    best: _Explicit | None = None
    for candidate in _candidates(body, whole):
        if candidate.clean:
            if best is None or not best.clean or candidate.at > best.at:
                best = candidate
        elif best is None or (not best.clean and candidate.at > best.at):
            best = candidate
    return best


def _candidates(body: str, whole: bool) -> Iterator[_Explicit]:  # a private step
    if "oxed" in body or "fbox" in body:
        box = _last_box(body, whole)
        if box is not None:
            yield box
    low = body.lower()
    if len(low) != len(body):
        low = body
    matches = list(_marker().finditer(low))
    for match in reversed(matches[-MAX_MARKERS:]):
        read = _marked(body, low, match)
        if read is not None:
            yield read
            if read.clean:
                break


def _last_box(body: str, whole: bool) -> _Explicit | None:  # a private step
    at = len(body)
    for _ in range(20):
        match = None
        at = max(body.rfind("oxed", 0, at), body.rfind("fbox", 0, at))
        if at < 0:
            return None
        match = _re(r"\s*(\{|\d|\(|\s)").match(body, at + 4)
        if match is None:
            continue
        if match[1] != "{":
            inner, closed = body[at + 4 : at + 40].split("\n", maxsplit=1)[0], True
        else:
            inner, closed = _braced(body, match.end())
        if not closed and not whole:
            continue
        number = _in_box(inner)
        if number is not None:
            return _Explicit(number, at, "box", clean=True)
    return None


def _braced(body: str, start: int) -> tuple[str, bool]:
    """Text up to the brace that closes; up to the line's end when none does."""
    depth = 1
    for at in range(start, min(len(body), start + 2_000)):
        char = body[at]
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if not depth:
                return body[start:at], True
    return body[start : start + 200].split("\n", maxsplit=1)[0], False


def _in_box(inner: str) -> Number | None:
    read = _slot(fold(inner[:SLOT]))
    return read[0] if read else None


_ANSWER_WORDS = (
    r"(?<![a-z])(?:answers?|ans|uttar|jawaa?b|javaa?b)(?![a-z])|उत्तर|जवाब|উত্তর|####|"
    r"(?<![a-z])(?:final\s(?:result|value|amount|total|cost|price|output|solution)|result|output)(?=[*_\s]{0,4}[:=])"
    r"|<(?:answer|final_answer|ans|result|output)>|[\"']final_answer[\"']|^a(?=:\s)|(?<=\n)a(?=:\s)"
)


@lru_cache(maxsize=1)
def _marker() -> re.Pattern[str]:
    return re.compile(_ANSWER_WORDS)


@lru_cache(maxsize=1)
def _connector() -> re.Pattern[str]:
    return re.compile(
        r"[\s*_`\"'”’)\]]{0,6}(?:\([^()\n]{0,60}\)[\s*_`]{0,4})?"
        r"(?P<gap>[^\n.:=?!।→]{0,80}?)[ \t*_`\"]{0,4}"
        r"(?P<link>::?|=>?|→|->|⇒|–|—|\s-\s?|(?<![a-z])(?:is|are|was|be|becomes|equals|comes\sto|comes\sout\sto"
        r"|hai|hain|hoga|hogi|honge)(?![a-z])|है|हैं|होगा|होगी|হলো|হল|হবে|\.?\s*\n)"
    )


def _marked(body: str, low: str, match: re.Match[str]) -> _Explicit | None:
    word = match[0]
    start = match.end()
    line_start = low.rfind("\n", 0, match.start()) + 1
    before = low[max(line_start, match.start() - 60) : match.start()]
    if word == "####" or word[0] == "<":
        slot_at = start
    else:
        if _re(
            r"(?:find|get|check|verify|to|if|round|give|need)\s(?:the|our|your|my|an)?\s?(?:correct\s|final\s)?$"
        ).search(before):
            return None
        link = _connector().match(low, start)
        if link is None:
            return _reverse(body, low, match, line_start)
        gap = link["gap"].strip()
        if link["link"].endswith("\n") and gap:
            return _reverse(body, low, match, line_start)
        if _re(
            r"\b(?:need|must|let|choices?|options?|based|find|calculat\w+|first|can|if)\b"
        ).search(gap):
            return None
        slot_at = link.end()
    slot = _slot_text(body, slot_at)
    if _re(r"\s*not\b").match(slot.lower()):
        turn = _re(r"\b(?:but|rather|instead|it is|it's)\b").search(slot.lower())
        if turn is None:
            return None
        slot = slot[turn.end() :]
    read = _slot(fold(slot))
    if read is None:
        return _reverse(body, low, match, line_start)
    number, clean = read
    if word == "####" and not clean:
        return None
    return _Explicit(number, match.start(), "marker", clean)


def _slot_text(body: str, at: int) -> str:
    """The rest of the line behind a marker, or the next line when the rest is empty."""
    for _ in range(4):
        end = body.find("\n", at)
        if end < 0:
            return body[at : at + SLOT]
        line = body[at : min(end, at + SLOT)]
        if any(map(str.isalnum, line)):
            return line
        at = end + 1
    return ""


def _reverse(body: str, low: str, match: re.Match[str], line_start: int) -> _Explicit | None:
    """Read a number that stands before the word: "So, 18 is the answer", "18 hi answer hai"."""
    at = match.start()
    before = fold(body[max(line_start, at - 80) : at])
    sentence = _re(r"(?<!\d)[.!?।]\s|\n").split(before)[-1]
    found = scan(sentence)
    if not found:
        return None
    between = sentence[found[-1].end :].lower()
    after = low[match.end() : match.end() + 12]
    english = _re(r"[^,;:]{0,40}\b(?:is|as|=)\b[^,;:]{0,30}$").match(between)
    hindi = _re(r"[^,;:.]{0,25}$").match(between) and _re(r"\s*(?:hai|hoga|है|होगा|হবে)").match(
        after
    )
    if english or hindi:
        return _Explicit(found[-1], at, "marker", clean=True)
    return None


@lru_cache(maxsize=1)
def _aside() -> re.Pattern[str]:
    """What begins an explanation behind an answer."""
    return re.compile(
        r"(?<![a-z])(?:because|since|as|which|where|when|if|or|kyunki|kyonki|kyuki|i\.e|that\sis|so)(?![a-z])"
        r"|क्योंकि|[;—]|\s[–-]\s|[.!?।](?=\s|$)|\n|\(",
        re.IGNORECASE,
    )


_NEUTRAL = (
    r"(?:[\s*_\"'“‘(\[|~≈=→:>∴.,-]|approximately|approx|about|roughly|exactly|around|simply|just|only|equal to|equals|"
    r"a total of|total|kul|lagbhag|कुल|लगभग|therefore|thus|indeed|now|the number|₹|\$|be|is|hai|है|[a-z]\s?=)*$"
)


def _slot(text: str) -> tuple[Number, bool] | None:
    """The number that an answer slot gives, and whether it is given cleanly.

    Clean: the number leads the slot, or the slot is one short sentence about it.
    """
    found = scan(text, 40)
    if not found:
        return None
    first = found[0]
    cut = _aside().search(text, first.end)
    head = text[: cut.start()] if cut else text
    inside = [number for number in found if number.end <= len(head)]
    lead = text[: first.start].lower()
    if len(inside) <= 1:
        neutral = _re(_NEUTRAL).match(lead) is not None
        rest = text[first.end : len(head)]
        if neutral and _re(r"[.)]\s+[A-Z*]").match(text[first.end :]) and len(found) > 1:
            return first, len(text) - first.end < 3
        return first, (neutral and len(rest.split()) <= 8) or not found[1:]
    if "=" in head and (equal := _after_equals(head, inside)):
        return equal, True
    return choose(head, inside), False


def _after_equals(text: str, found: list[Number]) -> Number | None:
    at = text.rfind("=")
    after = [number for number in found if number.start > at]
    if len(after) == 1:
        return after[0]
    if len(after) > 1:
        between = text[after[0].end : after[1].start].strip()
        if between and between[0] in "+-*/×x÷·":
            # "18 = 9 * 2": the sum is on the right, the answer on the left.
            left = [number for number in found if number.end <= at]
            return left[0] if len(left) == 1 else None
        return after[0]
    return None


@lru_cache(maxsize=1)
def _scores() -> tuple[tuple[re.Pattern[str], float], ...]:
    """Patterns on the words before a number, with what they say for or against it."""
    return (
        (re.compile(r"(?:=|≈)\s*[$₹]?\s*$"), 3.0),
        (re.compile(r"\btotal(?:\s+(?:of|is|was|=|:))?\s*$"), 2.0),
        (
            re.compile(
                r"\b(?:is|are|was|were|be|makes?|made|earns?|earned|has|have|had|costs?|needs?|spends?|spent|takes?|took"
                r"|pays?|paid|saves?|saved|gets?|got|gives?|leaves?|left with|equals|profit of|approximately|about|exactly"
                r"|charges?|charged|receives?|received|lost|loses?|eats?|ate|reads?|walks?|runs?|drives?|sells?|sold|total of|sum of)\s*(?:a total of\s*|about\s*|only\s*)?$"
            ),
            2.0,
        ),
        (
            re.compile(
                r"\b(?:in|after|for|at|by|from|per|every|each|with|over|than|since|of|within|during|through|step|day|week"
                r"|year|part|question|problem|option|number|age|all|these|those|the|other|first|last|next)\s*(?:the\s|all\s|her\s|his\s|their\s|these\s)?$"
            ),
            -2.0,
        ),
        (re.compile(r"\([^)]*$"), -3.0),
        (re.compile(r"[+*×÷·/]\s*[$₹]?\s*$|\d\s*-\s*$"), -2.0),
    )


@lru_cache(maxsize=1)
def _scores_after() -> tuple[tuple[re.Pattern[str], float], ...]:
    return (
        (
            re.compile(
                r"\s*(?:dollars?|rupees?|rupaye|rupay|rs|रुपये|रुपए|टका|টাকা|cents|euros?|pounds)"
            ),
            1.5,
        ),
        (re.compile(r"\s*(?:times|x\b|th\b|st\b|nd\b|rd\b)"), -2.0),
        (re.compile(r"\s*[+*×÷·]\s*[$₹]?\d|\s*[-/]\s*[$₹]?\d"), -2.0),
        (re.compile(r"\s*=\s*"), -2.0),
        (
            re.compile(
                r"(?:\s*\S{1,15}){0,2}?\s*(?:mein|me|ke liye|ke baad|ke bad|ko|se|par|wale|waale|में|के लिए|के बाद|को|से|पर|वाले)(?![a-z\u0900-\u097f])"
            ),
            -2.0,
        ),
        (
            re.compile(
                r"(?:\s*\S{1,15}){0,3}?\s*(?:hoga|hogi|honge|hai|hain|है|हैं|होगा|होगी|होंगे)(?![a-z\u0900-\u097f])"
            ),
            2.0,
        ),
        (re.compile(r"\s*\S{0,12}\s*each\b"), -1.0),
    )


def choose(text: str, found: list[Number], bold: tuple[str, ...] = ()) -> Number:
    """Of several numbers in a sentence the one that it states as its result; ties: the last."""
    low = text.lower()
    best, best_score = found[-1], -99.0
    last_end = 0
    for index, number in enumerate(found):
        before = low[max(last_end, number.start - 60) : number.start]
        until = found[index + 1].start + 2 if index + 1 < len(found) else number.end + 60
        after = low[number.end : until]
        score = 2.0 if number.currency else 0.0
        score += sum(weight for pattern, weight in _scores() if pattern.search(before))
        score += sum(weight for pattern, weight in _scores_after() if pattern.match(after))
        if bold and number.value in bold:
            score += 4.0
        if score >= best_score:
            best, best_score = number, score
        last_end = number.end
    return best


@lru_cache(maxsize=1)
def _chatter() -> re.Pattern[str]:
    """Lines behind the answer that are not about it."""
    return re.compile(
        r"\s*[*_>#(\[-]*\s*(?:note\b|let me know|would you like|feel free|hope (?:this|that)|if you (?:have|need|want|would)"
        r"|do you want|please (?:let|note|feel)|verification|verify|to verify|check\b|checking|double[- ]check|explanation\b|this (?:assumes|is because)"
        r"|dhyan|agar aapko|यदि आप|ध्यान|नोट|जाँच|जांच)",
        re.IGNORECASE,
    )


def _conclude(line: str) -> tuple[Number, str] | None:
    """The number that a line of prose states as its result."""
    if _chatter().match(line):
        return None
    text = fold(line)
    found = scan(text)
    if not found:
        return None
    if len(found) == 1:
        return found[0], "last_line"
    if "|" in text and text.count("|") >= 2:
        return found[-1], "table"
    sentences = _sentences(text)
    for at, sentence in reversed(sentences):
        inside = [n for n in found if n.start >= at and n.end <= at + len(sentence)]
        if not inside or _chatter().match(sentence):
            continue
        bold = _bold(line)
        if len(inside) == 1:
            return inside[0], "last_line"
        marked = [n for n in inside if n.value in bold]
        if len(marked) == 1:
            return marked[0], "bold"
        if "=" in sentence:
            shifted = text[: at + len(sentence)]
            equal = _after_equals(shifted, inside)
            if equal is not None:
                return equal, "equals"
        return choose(text[: at + len(sentence)], inside, bold), "conclusion"
    return None


def _sentences(text: str) -> list[tuple[int, str]]:
    pieces: list[tuple[int, str]] = []
    at = 0
    for match in _re(r"[.!?।](?:\s+|$)").finditer(text):
        pieces.append((at, text[at : match.end()]))
        at = match.end()
    if at < len(text):
        pieces.append((at, text[at:]))
    return pieces


def _bold(line: str) -> tuple[str, ...]:
    """Values of the numbers set in bold."""
    if "**" not in line and "textbf" not in line:
        return ()
    values: list[str] = []
    for match in _re(r"\*\*([^*]{1,60})\*\*|\\textbf\{([^{}]{1,60})\}").finditer(line):
        values.extend(number.value for number in scan(fold(match[1] or match[2])))
    return tuple(values)


@lru_cache(maxsize=1)
def _refusal() -> re.Pattern[str]:
    return re.compile(
        r"(?:cannot|can't|can not|unable to|not able to|impossible to) (?:be )?(?:determine|answer|solve|calculate|provide|help|assist)"
        r"|(?:not|in)\s?(?:enough|sufficient) (?:information|data)|i don't know|i do not know|i'm sorry, but i can"
        r"|jankari (?:nahi|kam)|नहीं (?:बता|निकाल) सक|पर्याप्त जानकारी नहीं",
    )


@lru_cache(maxsize=1)
def _error_text() -> re.Pattern[str]:
    return re.compile(
        r"\s*(?:\{\s*\"error\"|error\b[ :]|http(?:/\d\.\d)? \d{3}|\d{3} (?:bad|internal|service|too many)|traceback|exception|rate limit|request timed out)",
        re.IGNORECASE,
    )


def _refuses(body: str) -> bool:
    if _error_text().match(body):
        return True
    return _refusal().search(body[-600:].lower().replace("’", "'")) is not None
