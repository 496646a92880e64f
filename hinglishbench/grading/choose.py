"""Choose among the numbers of a sentence the one that it states as its result.

The words before and behind a number speak for it (it "makes $18") or against it ("from 9
eggs", "5 din mein"); the reasons and their weights are the lists below.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from hinglishbench.grading.numbers import Number
from hinglishbench.grading.wording import compiled


@lru_cache(maxsize=1)
def _before() -> tuple[tuple[re.Pattern[str], float], ...]:
    """What the words before a number say for it (positive) or against it."""
    return (
        (re.compile(r"(?:=|≈|→)\s*[$₹]?\s*$"), 3.0),
        (re.compile(r"(?:^|[\s(])[a-z]\s*=\s*[$₹]?\s*$"), -2.0),
        (
            re.compile(
                r"(?:\btotal|\bkul|कुल|মোট|altogether)(?:\s+(?:of|is|was|=|:|cost|amount))*\s*$"
            ),
            2.5,
        ),
        (
            re.compile(
                r"\b(?:is|are|was|were|be|makes?|made|making|earns?|earned|earning|has|have|had|costs?|costing|needs?|needed|spends?|spent|takes?|took"
                r"|pays?|paid|saves?|saved|gets?|got|gives?|obtain|yields?|leaves?|leaving|left with|equals|profit of|approximately|about|exactly|requires?"
                r"|charges?|charged|receives?|received|lost|loses?|eats?|ate|reads?|walks?|runs?|drives?|sells?|sold|totals?|total of|sum of"
                r"|average of|remaining|becomes|weighs?|travels?|travelled|traveled|covers?|owes?|produces?|uses?|used|will be|bought|collects?|collected)"
                r"\s*(?:a total of\s*|about\s*|only\s*|approximately\s*|exactly\s*|another\s*)?[$₹]?\s*$"
            ),
            2.0,
        ),
        (
            re.compile(
                r"(?:^|\b)(?:in|after|for|at|by|from|per|every|each|with|over|than|since|of|within|during|through|step|day|week|month"
                r"|year|part|question|problem|option|number|age|all|these|those|the|other|first|last|next|to|between|out of|on|among|using|following|into)"
                r"\s*(?:the\s|all\s|her\s|his\s|their\s|these\s|those\s|only\s|another\s)?[$₹]?\s*$"
            ),
            -2.0,
        ),
        (
            re.compile(
                r"\b(?:remainder|sum|product|difference|average|balance|loss|profit|area|perimeter|speed|height|length|total|result|answer|value) of\s*[$₹]?\s*$"
                r"|\b(?:for|of|at|to|by) a total (?:of|cost of|price of)\s*[$₹]?\s*$|\b(?:comes?|amounts?|adds? up|reduced|increased|rises?|falls?|up|down) to\s*[$₹]?\s*$"
            ),
            3.0,
        ),
        (re.compile(r"\([^)]*$"), -3.0),
        (re.compile(r"[+*×÷·/]\s*[$₹]?\s*$|\d\s*-\s*$"), -2.0),
        (
            re.compile(
                r"(?:, which is|\bi\.e\.,?|\bthat is,?|, or|\bor about|, yaani|, यानी)\s*(?:about |exactly )?[$₹]?\s*$"
            ),
            -1.0,
        ),
        (re.compile(r"\b(?:so|therefore|thus|hence|isliye|toh|अतः|इसलिए)\W*$"), 0.5),
        (
            re.compile(
                r"(?<!needs )(?<!need )(?<!needed )(?<!has )(?<!have )(?<!had )(?<!able )(?<!going )(?<!wants )"
                r"\bto (?!the\b|her\b|his\b|be\b|a\b|get\b|give\b|obtain\b|yield\b)[a-z]+\s*(?:the |a |all )?[$₹]?\s*$"
            ),
            -5.0,
        ),
        (
            re.compile(
                r"\b(?:more|less|fewer|greater|larger|smaller|higher|lower) than\s*[$₹]?\s*$"
            ),
            -1.0,
        ),
    )


@lru_cache(maxsize=1)
def _after() -> tuple[tuple[re.Pattern[str], float], ...]:
    """What the words behind a number say for it or against it."""
    edge = r"(?![a-z\u0900-\u097f])"
    return (
        (
            re.compile(
                r"\s*(?:dollars?|rupees?|rupaye|rupay|rupiye|rs|रुपये|रुपए|टका|টাকা|cents|euros?|pounds)\b"
            ),
            1.5,
        ),
        (re.compile(r"\s*(?:times\b|x\b|th\b|st\b|nd\b|rd\b|guna\b|गुना)"), -2.0),
        (re.compile(r"\s*[+*×÷·]\s*[$₹]?\d|\s*[-/]\s*[$₹]?\d"), -2.0),
        (re.compile(r"\s*=\s*"), -2.0),
        (
            re.compile(
                r"(?:\s*[^\s,.;\d]{1,15}){0,2}?\s*(?:mein|mai|me|main|ke liye|ke baad|ke bad|ko|se|par|pe|wale|waale|wali|ke saath|ki dar|tak|bechkar|khareedkar"
                rf"|में|के लिए|के बाद|को|से|पर|वाले|वाली|तक|के साथ){edge}"
            ),
            -2.0,
        ),
        (
            re.compile(
                r"(?:\s*[^\s,.;\d]{1,15}){0,3}?\s*(?:hoga|hogi|honge|hongi|hai|hain|bachenge|bache|bacha|bachegi|lagenge|lagega|milenge|milega|है|हैं|होगा|होगी|होंगे|बचे|बचेंगे|लगेंगे|मिलेंगे)"
                rf"{edge}"
            ),
            2.0,
        ),
        (re.compile(r"\s*\S{0,12}\s*(?:each|apiece)\b"), -1.5),
        (re.compile(r"\s*%?\s*(?:of|off)\b"), -1.0),
        (
            re.compile(r"\s*(?:\S+\s){0,2}(?:in total|altogether|in all|left|remaining|total)\b"),
            2.0,
        ),
    )


def choose(text: str, found: Sequence[Number], bold: Sequence[str] = ()) -> Number:
    """Of several numbers in a sentence the one that it states as its result; ties: the last."""
    for number in found:  # "1/4, or 25%": the percentage reads as both
        if number.percent and any(other.value in number.also for other in found):
            return number
    low = text.lower()
    best, best_score = found[-1], -99.0
    last_end = 0
    for index, number in enumerate(found):
        before = low[max(last_end, number.start - 60) : number.start]
        until = found[index + 1].start + 2 if index + 1 < len(found) else number.end + 60
        after = low[number.end : until]
        score = 2.0 if number.currency else 0.0
        score += sum(weight for pattern, weight in _before() if pattern.search(before))
        score += sum(weight for pattern, weight in _after() if pattern.match(after))
        if number.value in bold:
            score += 4.0
        part = number.percent or "/" in text[number.start : number.end]
        if part and compiled(r"\s*(?:of|off|discount|ka|का)\b").match(after):
            score -= 2.0  # a share of something is on the way to the answer
        tie = score == best_score and not _is_aside(low[best.end : number.start])
        if score > best_score or tie:
            best, best_score = number, score
        last_end = number.end
    return best


def _is_aside(between: str) -> bool:
    """Is the second number about something else: "Tom is 12 and his brother is 15"?"""
    return (
        compiled(
            r"[^.;:=]{0,40}?\b(?:and|while)\b(?!.*\b(?:so|now|then|total)\b)[^.;:=,\d]{0,40}\b(?:is|are)\s*[$₹]?\s*$"
        ).match(between)
        is not None
    )
