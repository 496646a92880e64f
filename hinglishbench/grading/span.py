"""Grader ``span``: a short text out of a passage, by exact match and word overlap.

SQuAD's normalisation (lower case, no punctuation, no English articles, single blanks), with
the punctuation and digits of Indic scripts treated like their Latin sisters. `outcome` is
the exact match, `score` the best F1 over the golds; both after Rajpurkar et al., 2016
(SQuAD), section 6.1.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from hinglishbench.grading import wording
from hinglishbench.grading.contract import GoldError, Grade, Outcome, Parsed, Reply, Task
from hinglishbench.grading.prepare import prepare
from hinglishbench.grading.runon import cut_run_on

MAX_SPAN = 2_000  # characters of an answer that are compared
_ARTICLES = frozenset({"a", "an", "the"})
_ZEROS = (0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0xFF10)


@lru_cache(maxsize=1)
def _digits() -> dict[int, str]:
    return {zero + n: str(n) for zero in _ZEROS for n in range(10)}


def normalise(text: str) -> str:
    """SQuAD's normal form; punctuation and symbols of every script are dropped."""
    text = unicodedata.normalize("NFC", text).lower().translate(_digits())
    kept = [
        char
        for char in text
        if not (category := unicodedata.category(char)).startswith(("P", "S")) and category != "Cf"
    ]
    words = ["".join(kept)] if not kept else "".join(kept).split()
    return " ".join(word for word in words if word not in _ARTICLES)


def f1(answer: str, gold: str) -> float:
    """Overlap of words of two normal forms, as F1 in 0..1."""
    mine, wanted = answer.split(), gold.split()
    if not mine or not wanted:
        return float(mine == wanted)
    shared = sum((Counter(mine) & Counter(wanted)).values())
    return 2 * shared / (len(mine) + len(wanted))


class SpanGrader:
    """Exact match and F1 against the best of several golds."""

    version = "span-1"

    def parse(self, reply: Reply, task: Task) -> Parsed:  # noqa: ARG002  # a span needs no options
        """The span: behind an answer word, else the first line that says something."""
        ready = prepare(reply)
        if ready.failure is not None:
            return Parsed(None, ready.method, ready.failure, ready.flags)
        body, was_cut = cut_run_on(
            ready.text[:40_000], lambda before: any(map(str.isalnum, before))
        )
        marked = _marked(body)
        if marked is not None:
            return Parsed(marked, "marker", flags=ready.flags)
        if not ready.whole and not was_cut:
            failure: Outcome = "filtered" if ready.filtered else "truncated"
            return Parsed(None, failure, failure, ready.flags)
        low = body.lower().replace("’", "'")
        if re.match(wording.ERROR_TEXT, low):
            return Parsed(None, "error_text", flags=ready.flags)
        line = next((line for line in body.split("\n") if any(map(str.isalnum, line))), "")
        span = _clean(line)
        if not span:
            return Parsed(None, "no_span", flags=ready.flags)
        return Parsed(span, "first_line", flags=ready.flags)

    def judge(self, parsed: Parsed, gold: str | Sequence[str], task: Task) -> Grade:
        """Exact match decides the outcome; the score is the best F1."""
        self.check_gold(gold, task)
        golds = (gold,) if isinstance(gold, str) else tuple(gold)
        if parsed.value is None:
            return Grade(None, parsed.failure, parsed.method, 0.0)
        mine = normalise(parsed.value)
        wanted = [normalise(one) for one in golds]
        outcome: Outcome = "correct" if mine in wanted else "wrong"
        return Grade(parsed.value, outcome, parsed.method, max(f1(mine, one) for one in wanted))

    def check_gold(self, gold: str | Sequence[str], task: Task) -> None:  # noqa: ARG002
        """Refuse an empty list and a gold that is empty in its normal form."""
        golds = (gold,) if isinstance(gold, str) else tuple(gold)
        if not golds:
            raise GoldError("the list of golds is empty; give at least one span")
        for one in golds:
            if not normalise(one):
                raise GoldError(f"the gold {one!r} is empty once punctuation and articles are gone")


GRADER = SpanGrader()


def _marked(body: str) -> str | None:
    found = None
    pattern = wording.compiled(
        r"(?im)(?:^[\s#>*_-]*(?:final |short |the )?(?:answer|ans|uttar|jawab|उत्तर|जवाब|উত্তর)[*_ ]{0,3}\s?(?::|-|–|=)[*_ ]{0,3}"
        r"|<answer>|\bthe (?:correct |final )?answer is:?\s)[ \t]*(?P<span>[^\n]*)"
    )
    for match in pattern.finditer(body):
        text = match["span"]
        if not any(map(str.isalnum, text)):
            rest = body[match.end() :].lstrip("\n *_")
            text = rest.split("\n")[0]
        if cleaned := _clean(text):
            found = cleaned
    return found


def _clean(text: str) -> str:
    text = re.sub(r"</?\w{1,12}>|\*\*|__|`", "", text[:MAX_SPAN])
    text = re.sub(r"\\(?:boxed|text)\{([^{}]*)\}", r"\1", text)
    text = text.strip(" \t\r*_#>-").strip()
    for left, right in (('"', '"'), ("“", "”"), ("'", "'"), ("‘", "’"), ("«", "»")):
        if len(text) > 1 and text.startswith(left) and text.rstrip(".।").endswith(right):
            text = text.rstrip(".।")[1:-1]
    return text.strip()
