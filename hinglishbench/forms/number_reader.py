"""Reads the numbers of one text, left to right, the longest first.

Grammar, in the order in which it is tried::

    number      = clock | "half past" coefficient | coefficient tail
    coefficient = digits | modifier (digits | word) | word | ""   (before a multiplier)
    tail        = ["and a half"] multiplier* ["third"] [smaller number]

so that `sava 2 lakh`, `do hazaar paanch sau`, `two and a half kilos`, `2 lakh 50 hazaar` and
`teen chauthai` are one number each.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from hinglishbench.forms.number_context import Token, is_negative, judge
from hinglishbench.forms.number_words import (
    NumberWord,
    bengali_words,
    english_words,
    fold_nagari,
    fold_roman,
    hindi_words,
)
from hinglishbench.forms.units import unit_of

_CLOCK = r"(?P<clock>(?<![\d:])(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:]))|"
_REST = r"""
    (?P<mixed>\d+[ ]\d+/[1-9]\d*(?![\d/]))
  | (?P<ratio>\d+/[1-9]\d*(?![\d/]))
  | (?P<vulgar>\d*[¼½¾⅐-⅞])
  | (?P<number>(?:\d{1,3}(?:,\d{2,3})*,\d{3}(?!\d)|\d+)(?:\.\d+)?|(?<![\w.])\.\d+)
  | (?P<word>[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0903\u093a-\u094f\u0981-\u09cd\u200c\u200d]
      |['’](?=[^\W\d_]))*)
  | (?P<symbol>[^\s\w])
"""
_TOKEN = re.compile(_CLOCK + _REST, re.VERBOSE)
_TOKEN_RATIO = re.compile(_REST, re.VERBOSE)
_RATIO_WORD = re.compile(r"\b(?:ratio|anupaa?t)\b|अनुपात|অনুপাত", re.IGNORECASE)
_HYPHEN = re.compile(r"(?<=[a-z])-(?=[a-z])", re.IGNORECASE)
_DOTTED_CLOCK = re.compile(r"(\d{1,2})\.([0-5]\d)")
_HINDI_FORMS = {"cm-rom", "cm", "hi", "hi-rom"}
_PAST_HOUR = {
    ("half", "past"): Fraction(1, 2),
    ("quarter", "past"): Fraction(1, 4),
    ("quarter", "to"): Fraction(-1, 4),
}


@dataclass(frozen=True, slots=True)
class Number:
    """A number found: value, first token, one past the last token, and what is known of it."""

    value: Fraction
    start: int
    end: int
    sure: bool = True
    unit: str | None = None
    scale: Fraction = Fraction(0)  # the last multiplier, 0 when there was none


class NumberReader:
    """The tokens of one text and the words that count in its form."""

    def __init__(self, text: str, form: str) -> None:
        digits = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
        self.text = _HYPHEN.sub(" ", digits)
        pattern = _TOKEN_RATIO if _RATIO_WORD.search(text) else _TOKEN
        self.tokens = [
            Token(m.lastgroup or "", m.group(), m.start(), m.end())
            for m in pattern.finditer(self.text)
        ]
        self._hindi = form in _HINDI_FORMS
        nagari, roman = hindi_words() if self._hindi else ({}, {})
        self._nagari = bengali_words() if form == "bn" else nagari
        self._roman = roman
        self._english = english_words() if form not in {"hi", "bn"} else {}

    def read(self) -> Iterator[tuple[Number, str]]:
        """Each number with the text it stands in."""
        at = 0
        last: Number | None = None
        while at < len(self.tokens):
            number = self._number(at)
            if number is None or number.end <= at:
                at += 1
                continue
            text = self.text[self.tokens[at].start : self.tokens[number.end - 1].end]
            unit = number.unit or self._unit(number)
            value = number.value
            if unit == "clock" and (dotted := _DOTTED_CLOCK.fullmatch(text)):
                value = _hours(*dotted.groups())  # 9.30 baje is half past nine
            number = replace(number, value=value, unit=unit)
            if self._says_again(last, number):
                number = replace(number, sure=False)
            yield number, text
            at, last = number.end, number

    def _says_again(self, last: Number | None, number: Number) -> bool:
        """The second half of `3-3` or `chhe-chhe`: three each, six at a time (or a score of 3-3)."""
        if last is None or not self._hindi or last.value != number.value:
            return False
        between = self.text[self.tokens[last.end - 1].end : self.tokens[number.start].start]
        return number.end > number.start and between in {" ", "-", "–"}

    def _lower(self, at: int) -> str:
        return self.tokens[at].text.lower() if 0 <= at < len(self.tokens) else ""

    def _word(self, at: int) -> NumberWord | None:
        """What a token does as a number word, if it is one."""
        if not 0 <= at < len(self.tokens) or self.tokens[at].kind != "word":
            return None
        text = self.tokens[at].text
        if text[0].isascii():
            return self._english.get(text.lower()) or self._roman.get(fold_roman(text))
        return self._nagari.get(fold_nagari(text))

    def _english_at(self, at: int) -> bool:
        word = self._word(at)
        return word is not None and word.english

    def _number(self, at: int) -> Number | None:
        token = self.tokens[at]
        if token.kind == "clock":
            return Number(_hours(*token.text.split(":")), at, at + 1, unit="clock")
        shift = _PAST_HOUR.get((self._lower(at), self._lower(at + 1)))
        hour = self._coefficient(at + 2) if shift is not None and self._english else None
        if hour is not None and shift is not None:
            return Number(hour.value + shift, at, hour.end, unit="clock")
        head = self._coefficient(at)
        number = self._tail(head) if head is not None else None
        if number is None or token.kind != "word" or number.end != at + 1:
            return number
        word = self._word(at)
        verdict = judge(self.tokens, at, word) if word is not None else None
        return None if verdict is None else replace(number, sure=verdict)

    def _coefficient(self, at: int) -> Number | None:
        """Digits, a word, or a modifier with either; before a bare multiplier, one."""
        if at >= len(self.tokens):
            return None
        token = self.tokens[at]
        if token.kind in {"number", "ratio", "mixed", "vulgar"}:
            value = _digit_value(token)
            return Number(-value if is_negative(self.text, token.start) else value, at, at + 1)
        word = self._word(at)
        if word is None:
            return None
        if word.role == "modifier":
            return self._modified(at, word)
        if word.role == "multiplier":
            return None if token.text.lower() == "cr" else Number(Fraction(1), at, at)
        if word.role == "fraction":
            return self._lone_fraction(at, word)
        return Number(
            word.value + self._english_units(at, word),
            at,
            at + 1 + bool(self._english_units(at, word)),
        )

    def _english_units(self, at: int, tens: NumberWord) -> Fraction:
        """The five of `twenty five`, else 0."""
        units = self._word(at + 1)
        if not (tens.english and tens.value >= 20 and units and units.english):
            return Fraction(0)
        whole = units.role == "base" and units.value in range(1, 10) and units.sure
        return units.value if whole else Fraction(0)

    def _modified(self, at: int, modifier: NumberWord) -> Number | None:
        """`sava 2`, `sadhe teen`, `paune do`, `paune sau`; `sava kilo` alone."""
        inner = self._coefficient(at + 1)
        if inner is not None and inner.end > at + 1 and inner.value > 0:
            return Number(inner.value + modifier.value, at, inner.end)
        if modifier.alone is None:
            return None
        return Number(modifier.alone, at, at + 1)

    def _lone_fraction(self, at: int, word: NumberWord) -> Number | None:
        """`tihai` by itself; `a third of`, `quarter kilo`, but not `the third day`."""
        after = self._lower(at + 1)
        parted = after == "of" and self._lower(at - 1) in {"a", "an", "one", "by"}
        if not word.english or parted or (unit_of(after) and self._lower(at) == "quarter"):
            return Number(word.value, at, at + 1)
        return None

    def _tail(self, head: Number) -> Number:
        number = self._fractioned(self._multiplied(self._and_a_half(head)))
        return self._with_smaller(number)

    def _and_a_half(self, head: Number) -> Number:
        """`two and a half`, `2 and a quarter`."""
        if self._lower(head.end) != "and" or not self._english or head.value.denominator != 1:
            return head
        at = head.end + 1 + (self._lower(head.end + 1) == "a")
        part = {"half": Fraction(1, 2), "quarter": Fraction(1, 4)}.get(self._lower(at))
        if part is None or (at == head.end + 1 and part.denominator == 4):
            return head
        return replace(head, value=head.value + part, end=at + 1)

    def _multiplied(self, number: Number) -> Number:
        """Multipliers after a number: `2 lakh`, `half a dozen`, `50k`; not `₹60 dozen`."""
        while True:
            at = number.end
            if self._lower(at) == "a" and number.value == Fraction(1, 2):
                at += 1
            word = self._word(at)
            if word is None or word.role != "multiplier":
                return self._thousands(number)
            coefficient = number.end > number.start
            priced = coefficient and unit_of(self._lower(number.start - 1)) == "rupee"
            if word.value == 12 and priced:
                return number
            number = replace(number, value=number.value * word.value, end=at + 1, scale=word.value)

    def _thousands(self, number: Number) -> Number:
        """`50k`, written together."""
        at = number.end
        joined = self._lower(at) == "k" and at and self.tokens[at].start == self.tokens[at - 1].end
        if not joined or self.tokens[at - 1].kind != "number":
            return number
        return replace(number, value=number.value * 1000, end=at + 1, scale=Fraction(1000))

    def _fractioned(self, number: Number) -> Number:
        """`do tihai`, `three quarters`, `1 third`."""
        word = self._word(number.end)
        if word is None or word.role != "fraction" or number.scale or number.end == number.start:
            return number
        if not 0 < number.value * word.value < 1 or number.value.denominator != 1:
            return number
        if word.english and self._lower(number.end).endswith("s") == (number.value == 1):
            return number
        return replace(number, value=number.value * word.value, end=number.end + 1)

    def _with_smaller(self, number: Number) -> Number:
        """`do hazaar` + `paanch sau`, `two hundred` + `and fifty`, `2 lakh` + `50 hazaar`."""
        if number.scale < 100:
            return number
        at = number.end
        if self._lower(at) == "and" and self._english_at(at + 1):
            at += 1
        part = self._number(at) if at < len(self.tokens) else None
        if part is None or part.unit or part.end <= at:
            return number
        said_one = part.value == 1 and (self._english_at(at) or unit_of(self._lower(part.end)))
        if not (part.sure or said_one):
            return number  # do sau do: two hundred and two, or "give two hundred"
        spoken = self.tokens[at].kind == "word" or part.scale > 0
        bare = self._word(at)
        if not spoken or (bare and bare.role != "base") or part.value.denominator != 1:
            return number
        if not 0 < part.value < number.scale:
            return number
        return replace(number, value=number.value + part.value, end=part.end)

    def _unit(self, number: Number) -> str | None:
        """The unit beside a number: a percent sign, a currency before it, the word after it."""
        after = number.end + (self._lower(number.end) == "-")
        if self._lower(after) in {"a", "an"} and number.value == Fraction(1, 2):
            after += 1  # half an hour
        if self._lower(after) == "per" and self._lower(after + 1) == "cent":
            return "%"
        unit = unit_of(self._lower(after))
        return unit if unit == "%" else self._currency_before(number.start) or unit

    def _currency_before(self, start: int) -> str | None:
        """`₹55`, `Rs.55`; not the `rs` of `40 rs. 25 …`, which belongs to the number before."""
        at = start - 1 - (self._lower(start - 1) == ".")
        sign = self._lower(at)
        if sign in {"₹", "$", "€", "£", "inr"}:
            return unit_of(sign)
        free = at < 1 or not (self.tokens[at - 1].kind == "number" or self._word(at - 1))
        return "rupee" if sign in {"rs", "रु"} and free else None


def _hours(hours: str, minutes: str) -> Fraction:
    return int(hours) + Fraction(int(minutes), 60)


def _digit_value(token: Token) -> Fraction:
    text = token.text
    if token.kind == "mixed":
        whole, part = text.split(" ")
        return Fraction(whole) + Fraction(part)
    if token.kind == "vulgar":
        part_value = Fraction(unicodedata.numeric(text[-1])).limit_denominator(20)
        return Fraction(text[:-1] or 0) + part_value
    return Fraction(text.replace(",", ""))
