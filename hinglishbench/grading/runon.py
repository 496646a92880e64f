"""Cut what a model writes after its answer when it goes on to invent the next question."""

from __future__ import annotations

import re
from functools import lru_cache

_HINTS = (
    "uestion",
    "Q:",
    "Q.",
    "roblem",
    "uman:",
    "ser:",
    "nstruction",
    "प्रश्न",
    "सवाल",
    "प্রশ্ন",
    "QUESTION",
    "प्रश्‍न",
    "awaal",
    "awal:",
    "Exercise",
    "Q1",
    "Q2",
)


@lru_cache(maxsize=1)
def _next_question() -> re.Pattern[str]:
    return re.compile(
        r"\n[ \t]*[#*>_ ]{0,6}(?:(?:next |new |another |follow[- ]?up )?(?:question|problem|exercise)(?: ?\d{1,3})?[*_ ]{0,3}[:.]"
        r"|q ?\d{0,3}[*_ ]{0,3}[:.]\s|human:|user:|(?:###\s*)?instructions?:|input:|प्रश्न|सवाल ?:|প্রশ্ন|sawaa?l ?:)",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1)
def _answered() -> re.Pattern[str]:
    return re.compile(
        r"(?:answer|ans|उत्तर|जवाब|uttar|jawab|####|oxed|therefore|=|hoga|hai|है)[^\n]{0,80}\d|(?:^|\n)[\s*$₹]*[\d,.]+[\s*%.]*$",
        re.IGNORECASE,
    )


def cut_run_on(text: str) -> tuple[str, bool]:
    """The text before the next question, and whether there was one."""
    if not any(hint in text for hint in _HINTS):
        return text, False
    for match in _next_question().finditer(text):
        before = text[: match.start()]
        if before.strip() and _answered().search(before[-3000:].rstrip()):
            return before, True
    return text, False
