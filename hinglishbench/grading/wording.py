"""The words with which replies announce, correct, reject and refuse an answer.

English, Hindi in both scripts, Hinglish and Bengali; lower case throughout.
"""

from __future__ import annotations

import re
from functools import cache

# "answer" in its languages, as a heading or in a sentence.
ANSWER = r"(?<![a-z])(?:answers?|ans|uttar|jawaa?b|javaa?b|jwab)(?![a-z])|उत्तर|जवाब|উত্তর|জবাব"

# From an answer word to its answer: closing marks, a remark in brackets, a few words, a link.
CONNECTOR = (
    r"[\s*_`\"'”’)\]]{0,6}(?:\([^()\n]{0,60}\)[\s*_`]{0,4})?"
    r"(?P<gap>[^\n.:=?!।→]{0,80}?)[ \t*_`\"]{0,4}"
    r"(?P<link>::?|=>?|→|->|⇒|–|—|\s-\s"
    r"|(?<![a-z])(?:is|are|was|be|becomes|equals|comes\sto|comes\sout\sto|hai|hain|hoga|hogi|honge)(?![a-z])"
    r"|है|हैं|होगा|होगी|হলো|হল|হবে|\.?[ \t*_]*\n)"
)
# What stands before "answer" when it announces none.
NO_ANNOUNCEMENT = (
    r"(?:\b(?:find|get|check|verify|to|if|round|give|need|provide|reach|double-check|state|express|write)"
    r"\s(?:the|our|your|my|an|a)?\s?(?:correct\s|final\s|right\s)?|\b(?:no|wrong|incorrect|possible|in this|in my|of this|of my|galat)\s)$"
)
NO_GAP = r"\b(?:need|must|let|choices?|options?|key|based|find|calculat\w+|first|can|if|not|nahi|cannot|dene|dena|pata|could|might|may)\b|n['’]t\b|नहीं"

CORRECTION = (
    r"\b(?:wait|actually|correction|on second thought|reconsider|my mistake|i made (?:a|an) (?:mistake|error)|apolog|scratch that"
    r"|let me (?:re|correct|fix|double)|sorry|oops|hmm|ruko|ruk jao|galti|revised|corrected)|रुक|गलती|ভুল হয়েছে"
)

REFUSAL = (
    r"(?:cannot|can't|can not|could not|couldn't|unable to|not able to|impossible to|not possible to)"
    r" (?:be )?(?:accurately |definitively )?(?:determined?|answer(?:ed)?|solved?|calculated?|computed?|provide|help|assist|found|find (?:the|an?) (?:answer|solution|value))"
    r"|(?:not|in)\s?(?:enough|sufficient) (?:information|data|details)|i don't know|i do not know|(?<!now we )(?:would |we |i )need to know (?:the|more)|need (?:more|additional|further) (?:information|details|context)|(?:is|are|seems) incomplete|(?:please|kindly) (?:provide|clarify|share)|i(?: can|'m able to| am able to) only (?:help|discuss|answer|provide|assist|talk)"
    r"|jaa?nkaa?ri (?:nahi|kam)|nahi (?:bata|nikal|de|kar) sak|नहीं (?:बता|निकाल|दे सक|दिया जा)|पर्याप्त जानकारी नहीं|তথ্য (?:যথেষ্ট )?নেই"
)
ERROR_TEXT = (
    r"\s*(?:\{\s*\"(?:error|detail|message)\"|(?:internal |server |api )?error\b[ :(]|http(?:/\d\.\d)? \d{3}"
    r"|\d{3} (?:bad|internal|service|too many|gateway)|traceback|exception|rate limit|request timed out|upstream)"
)


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern, compiled when first used: importing the graders must cost nothing."""
    return re.compile(pattern)


@cache
def _any_of(stems: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, stems)))


def occurrences(
    text: str, stems: tuple[str, ...], pattern: re.Pattern[str], limit: int
) -> list[re.Match[str]]:
    """The matches of a pattern that begin with one of the stems, in order; the last `limit`.

    Looking for plain stems first is many times faster than letting a pattern with
    surroundings and alternatives search through a text.
    """
    places = [match.start() for match in _any_of(stems).finditer(text)]
    found = (pattern.match(text, at) for at in places[-limit:])
    return [match for match in found if match is not None]
