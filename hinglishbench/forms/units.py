"""Units that stand beside numbers, each to one canonical name over all forms.

Used for two things: a word before a unit is a number more surely (`pav kilo` but not `pav bhaji`),
and the same value with two different units in two forms is a fault (`2 kg` against `2 grams`).
"""

from __future__ import annotations

from functools import cache

from hinglishbench.forms.number_words import fold_nagari, fold_roman

_UNITS = {
    "%": "percent pratishat pratishath prtishat fisadi feesadi parsent प्रतिशत फीसदी परसेंट पर्सेंट শতাংশ",
    "rupee": "rupee rupees rupaye rupaya rupay rupaiya rupaiye rupye rs inr re रुपये रुपए रुपया "
    "रुपयों रुपयो रु টাকা",
    "paisa": "paise paisa पैसे पैसा",
    "dollar": "dollar dollars डॉलर",
    "kg": "kg kgs kilo kilos kilogram kilograms kilogramme किलो किलोग्राम কেজি",
    "g": "g gm gms gram grams graam ग्राम গ্রাম",
    "quintal": "quintal quintals kvintal क्विंटल कुंतल",
    "tonne": "ton tons tonne tonnes टन",
    "l": "l ltr litre litres liter liters लीटर লিটার",
    "ml": "ml millilitre millilitres मिलीलीटर मिली एमएल",
    "km": "km kms kilometre kilometres kilometer kilometers kilomitar किलोमीटर किमी কিলোমিটার",
    "m": "m metre metres meter meters mitar मीटर মিটার",
    "cm": "cm cms centimetre centimetres centimeter centimeters sentimitar सेंटीमीटर सेमी",
    "foot": "foot feet ft fut फुट फीट",
    "inch": "inch inches इंच",
    "hour": "hour hours hr hrs ghanta ghante ghanton ghanto घंटा घंटे घंटों ঘণ্টা",
    "minute": "minute minutes min mins minat मिनट মিনিট",
    "second": "second seconds sec secs sekand सेकंड सेकेंड",
    "day": "day days din dino dinon दिन दिनों দিন",
    "week": "week weeks hafta hafte hafton haphta haphte सप्ताह हफ्ता हफ्ते हफ्तों saptah সপ্তাহ",
    "month": "month months mahina mahine mahinon mahino maah महीना महीने महीनों माह মাস",
    "year": "year years saal saalon varsh साल सालों वर्ष वर्षों বছর",
    "GB": "gb जीबी",
    "MB": "mb एमबी",
    "clock": "baje am pm o'clock oclock बजे बजकर",
}
_MONEY = {"₹": "rupee", "$": "dollar", "€": "euro", "£": "pound"}
_WEIGHED = {"kg", "g", "l", "ml", "quintal", "tonne"}


@cache
def _table() -> dict[str, str]:
    table = {}
    for unit, words in _UNITS.items():
        for word in words.split():
            table[word if word.isascii() else fold_nagari(word)] = unit
            if word.isascii():
                table.setdefault(fold_roman(word), unit)
    return table


def unit_of(word: str) -> str | None:
    """Canonical unit of a word in any form, or None; `%` counts as a unit."""
    if word in _MONEY:
        return _MONEY[word]
    if word == "%":
        return "%"
    if not word:
        return None
    lower = word.lower()
    table = _table()
    return table.get(lower) or table.get(fold_roman(word) if word.isascii() else fold_nagari(word))


def is_weighed(word: str) -> bool:
    """Whether a word is a unit of weight or volume (what people buy by the quarter)."""
    return unit_of(word) in _WEIGHED
