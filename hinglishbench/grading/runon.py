"""Cut what a model writes after its answer when it goes on to invent the next question."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import islice

from hinglishbench.grading.wording import CORRECTION, compiled

# One of these is in every text that the pattern below can match; most texts have none.
_HINTS = (
    r"uestion|roblem|uman:|ser:|nstruct|nput:|xercise|ollow|xample|ry this|ow,? try|ractice|imilar|onus|awaa?l|Q|q ?\d{0,3}[:.]"
    r"|प्रश्न|सवाल|প্রশ্ন"
)


@lru_cache(maxsize=1)
def _next_question() -> re.Pattern[str]:
    return re.compile(
        r"\n[ \t]*[#*>_ ]{0,6}(?:(?:next |new |another |follow[- ]?up |similar )?(?:question|problem|exercise|follow[- ]?up)(?: ?\d{1,3})?[*_ ]{0,3}[:.]"
        r"|example ?\d{1,3}[*_ ]{0,3}:|now,? try\b|try this\b|(?:practice|similar|bonus|another) (?:question|problem|example)"
        r"|q ?\d{0,3}[*_ ]{0,3}[:.]\s|human:|user:|(?:###\s*)?instructions?:|input:|(?:अगला )?(?:प्रश्न|सवाल|প্রশ্ন|sawaa?l)(?: ?[\d]{1,3})?[*_ ]{0,3}[:：])",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _answered() -> re.Pattern[str]:
    return re.compile(
        r"(?:^|\n)\W{0,6}(?:final )?(?:answer|ans|a|solution|response|uttar|jawab|उत्तर|जवाब|উত্তর)[*_ ]{0,3}:\s*\S"
        r"|(?:answer|ans|उत्तर|जवाब|uttar|jawab|####|oxed|therefore|\bso,?\s|\bthus|\bhence|in total|hoga|hai|है)[^\n]{0,80}\d|(?:^|\n)(?!\s*(?:[-*•]|given|let))[^\n]{0,200}=[^\n=]{0,30}\d[^\n=]{0,20}$|(?:^|\n)[\s*$₹]*[\d,.]+[\s*%.]*$",
        re.IGNORECASE,
    )


# A solution in questions of its own begins with the first of them.
_OWN_QUESTIONS = r"(?i)\W*(?:sub-?)?(?:question|q|problem) ?1\b"


def _has_number_answer(before: str) -> bool:
    return _answered().search(before[-3000:].rstrip()) is not None


@lru_cache(maxsize=1)
def _settled() -> re.Pattern[str]:
    """A line that gives the answer and nothing behind it."""
    return re.compile(
        r"(?:####[ \t]*[^\n]{0,24}\d[^\n]{0,24}\n|\banswer is:?[^\n]{0,40}\n[ \t]*\n)",
        re.IGNORECASE,
    )


def cut_run_on(text: str, answered: Callable[[str], bool] | None = None) -> tuple[str, bool]:
    """The text before the next question, and whether there was one.

    Args:
        text: the visible text of a reply.
        answered: tells whether the text before a question holds an answer already; a reply
            that first repeats its question is not cut there. The default looks for numbers.
    """
    answered = answered or _has_number_answer
    if compiled(_HINTS).search(text) and not compiled(_OWN_QUESTIONS).match(text):
        for match in islice(_next_question().finditer(text), 20):
            before = text[: match.start()]
            if before.strip() and answered(before):
                return before, True
    if text.count("####") > 1 or text.count("nswer is") > 1:
        settled = _settled().search(text)
        if settled is not None:
            rest = text[settled.end() :].lower()
            again = "####" in rest or "answer is" in rest
            if again and "?" in rest and not compiled(CORRECTION).search(rest[:4_000]):
                return text[: settled.end()], True
    return text, False
