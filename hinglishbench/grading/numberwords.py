"""Numbers written as words: English, Hindi in both scripts, Bengali up to twenty.

Words are read only where the answer itself stands (a marked slot, a box, a last line of
few words), never out of running prose: "do", "one" and "saath" are words of other meaning.
Romanized Hindi has no fixed spelling; the common spellings are listed, others are no number.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hinglishbench.forms.number_words import ENGLISH, ENGLISH_TENS
from hinglishbench.grading.numbers import rational

_HINDI = [
    "शून्य",
    "एक",
    "दो",
    "तीन",
    "चार",
    "पांच",
    "छह",
    "सात",
    "आठ",
    "नौ",
    "दस",
    "ग्यारह",
    "बारह",
    "तेरह",
    "चौदह",
    "पंद्रह",
    "सोलह",
    "सत्रह",
    "अठारह",
    "उन्नीस",
    "बीस",
    "इक्कीस",
    "बाईस",
    "तेईस",
    "चौबीस",
    "पच्चीस",
    "छब्बीस",
    "सत्ताईस",
    "अट्ठाईस",
    "उनतीस",
    "तीस",
    "इकतीस",
    "बत्तीस",
    "तैंतीस",
    "चौंतीस",
    "पैंतीस",
    "छत्तीस",
    "सैंतीस",
    "अड़तीस",
    "उनतालीस",
    "चालीस",
    "इकतालीस",
    "बयालीस",
    "तैंतालीस",
    "चवालीस",
    "पैंतालीस",
    "छियालीस",
    "सैंतालीस",
    "अड़तालीस",
    "उनचास",
    "पचास",
    "इक्यावन",
    "बावन",
    "तिरपन",
    "चौवन",
    "पचपन",
    "छप्पन",
    "सत्तावन",
    "अट्ठावन",
    "उनसठ",
    "साठ",
    "इकसठ",
    "बासठ",
    "तिरसठ",
    "चौंसठ",
    "पैंसठ",
    "छियासठ",
    "सड़सठ",
    "अड़सठ",
    "उनहत्तर",
    "सत्तर",
    "इकहत्तर",
    "बहत्तर",
    "तिहत्तर",
    "चौहत्तर",
    "पचहत्तर",
    "छिहत्तर",
    "सतहत्तर",
    "अठहत्तर",
    "उन्यासी",
    "अस्सी",
    "इक्यासी",
    "बयासी",
    "तिरासी",
    "चौरासी",
    "पचासी",
    "छियासी",
    "सत्तासी",
    "अट्ठासी",
    "नवासी",
    "नब्बे",
    "इक्यानवे",
    "बानवे",
    "तिरानवे",
    "चौरानवे",
    "पचानवे",
    "छियानवे",
    "सत्तानवे",
    "अट्ठानवे",
    "निन्यानवे",
]
_ROMAN = {
    0: "shunya", 1: "ek", 2: "do", 3: "teen tin", 4: "chaar char", 5: "paanch panch", 6: "chhah chhe chah che",
    7: "saat sat", 8: "aath", 9: "nau", 10: "das dus", 11: "gyarah gyaarah", 12: "barah baarah", 13: "terah",
    14: "chaudah", 15: "pandrah", 16: "solah", 17: "satrah", 18: "atharah athaarah aatharah attharah athara",
    19: "unnis unnees", 20: "bees bis", 21: "ikkis ikkees", 22: "bais baees", 23: "teis", 24: "chaubis chaubees",
    25: "pachchis pachis pachees pachchees", 26: "chhabbis", 27: "sattais", 28: "atthais", 29: "untis", 30: "tees tis",
    32: "battis", 35: "paintis", 36: "chhattis", 40: "chalis chaalis chalees", 45: "paintalis", 48: "adtalis",
    50: "pachas pachaas", 55: "pachpan", 60: "saath", 65: "painsath", 70: "sattar", 72: "bahattar", 75: "pachhattar",
    80: "assi", 90: "nabbe", 99: "ninyanve",
}  # fmt: skip
_BENGALI = [
    "শূন্য",
    "এক",
    "দুই",
    "তিন",
    "চার",
    "পাঁচ",
    "ছয়",
    "সাত",
    "আট",
    "নয়",
    "দশ",
    "এগারো",
    "বারো",
    "তেরো",
    "চৌদ্দ",
    "পনেরো",
    "ষোলো",
    "সতেরো",
    "আঠারো",
    "উনিশ",
    "বিশ",
]
_VARIANTS = {
    "पाँच": 5, "छः": 6, "छे": 6, "पन्द्रह": 15, "अट्ठारह": 18, "अठ्ठाईस": 28, "चौवालीस": 44, "पंचानवे": 95,
    "अठासी": 88, "अठानवे": 98, "अठावन": 58, "उन्तीस": 29, "उन्तालीस": 39,
}  # fmt: skip
_SCALES = {
    "hundred": 100, "sau": 100, "सौ": 100, "thousand": 1000, "hazaar": 1000, "hazar": 1000, "hajar": 1000,
    "हजार": 1000, "हज़ार": 1000, "lakh": 10**5, "lakhs": 10**5, "लाख": 10**5, "million": 10**6, "crore": 10**7,
    "karod": 10**7, "करोड़": 10**7, "billion": 10**9,
}  # fmt: skip
# Value in halves, so that everything stays an integer.
_HALVES = {
    "half": 1, "aadha": 1, "adha": 1, "आधा": 1, "dedh": 3, "डेढ़": 3, "dhai": 5, "dhaai": 5, "ढाई": 5,
}  # fmt: skip


@lru_cache(maxsize=1)
def _units() -> dict[str, int]:
    units = {word: value for value, word in enumerate(ENGLISH)}
    units |= {word: 20 + 10 * n for n, word in enumerate(ENGLISH_TENS)} | {"fourty": 40}
    units |= {word: value for value, word in enumerate(_HINDI)} | _VARIANTS
    units |= {word: value for value, words in _ROMAN.items() for word in words.split()}
    return units | {word: value for value, word in enumerate(_BENGALI)}


def read_words(text: str) -> tuple[str, int] | None:
    """The number that a text begins with, as canonical value and its length in characters.

    None when the first word is no number. "a hundred" and "twenty-five" are read, "one of
    them" is not (the caller decides what may follow).
    """
    start = re.match(
        r"[\s*_\"'“‘(\[]*(?:(?:minus|negative)\s+(?P<minus>))?(?:an?\s+(?=hundred|thousand|million|half))?",
        text,
    )
    at = start.end() if start else 0
    total = current = 0  # in halves
    end = 0
    last = 0
    for match in re.finditer(
        r"[^\s\-,.।!?;:()\"'*_]+|(?P<stop>[,.।!?;:()\"*])", text[:200].lower()
    ):
        if match.start() < at:
            continue
        word = match[0]
        if match["stop"]:
            break
        if word in {"and", "aur", "और"} and end:
            continue
        if (halves := _HALVES.get(word)) is not None:
            current += halves
        elif (value := _units().get(word)) is not None:
            if last and (last < 20 or value >= 10):
                break  # "five six" are two numbers
            current, last = current + 2 * value, value
            end = match.end()
            continue
        elif (scale := _SCALES.get(word)) is not None:
            if scale == 100:
                current = (current or 2) * 100
            else:
                total, current = total + (current or 2) * scale, 0
        else:
            break
        last = 0
        end = match.end()
    if not end:
        return None
    value2 = total + current
    minus = start is not None and start["minus"] is not None
    return rational(-value2 if minus else value2, 2), end
