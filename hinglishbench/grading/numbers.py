"""Numbers as people and models write them, read exactly.

`scan` lists the numbers of a folded text, each with an exact value in canonical spelling: an
integer or a finite decimal as digits, anything else as a reduced fraction ``a/b``, a clock
time or a ratio as ``h:mm``. There is no float anywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd

from hinglishbench.grading.wording import compiled

# Longer digit strings and larger exponents are compared as text and never computed with.
MAX_DIGITS = 300
MAX_EXPONENT = 400

_MULTIPLIERS = {
    100: ("hundred", "sau", "सौ", "শত"),
    1000: ("thousand", "k", "K", "hazaar", "hazar", "hajaar", "hajar", "हज़ार", "हज़ार", "हजार", "হাজার"),
    10**5: ("lakh", "lakhs", "lac", "lacs", "laakh", "लाख", "লাখ", "লক্ষ"),
    10**6: ("million", "millions", "mn", "मिलियन", "মিলিয়ন", "মিলিয়ন"),
    10**7: ("crore", "crores", "cr", "karod", "karor", "करोड़", "करोड़", "कोटि", "কোটি"),
    10**9: ("billion", "billions", "bn", "arab", "अरब", "बिलियन"),
    10**12: ("trillion", "trillions"),
}  # fmt: skip


@lru_cache(maxsize=1)
def _factor() -> dict[str, int]:
    return {word: factor for factor, words in _MULTIPLIERS.items() for word in words}


@lru_cache(maxsize=1)
def _token() -> re.Pattern[str]:
    words = sorted((w for w in _factor() if w not in {"k", "K"}), key=len, reverse=True)
    return re.compile(
        r"(?<![A-Za-z0-9_^])(?<!\d\.)(?:"
        r"(?P<group>\d{1,3}(?:,\d{2,3}){0,8},\d{3}(?![\d])|\d{1,3}(?:_\d{3}){1,8}(?!\d)"
        r"|\d{1,3}(?:'\d{3}){1,8}(?!\d)|\d{1,3}(?:\.\d{3}){2,8}(?![\d.]))(?P<gdec>\.\d+)?"
        r"|(?P<plain>\d+(?:\.\d+)?|\.\d+))"
        r"(?:[eE](?P<exp>[-+]?\d{1,12})(?![A-Za-z\d])"
        r"|\s?[×x*·]\s?10\s?\^\s?\(?(?P<pow>[-+]?\d{1,12}(?:\^\d)*)\)?"
        r"|\^\(?(?P<own>[-+]?\d{1,12}(?:\^\d)*)\)?"
        r"|(?:\s(?:and\s|&\s)?|\s?-)(?P<mnum>\d{1,6})\s?/\s?(?P<mden>\d{1,6})(?![\d/]|\.\d)"
        r"|\s?/\s?(?P<den>\d{1,3}(?:,\d{2,3}){0,8},\d{3}|\d+)(?!\d|/\d|,\d|\.\d)"
        r"|:(?P<colon>\d+(?::\d+)?))?"
        r"(?:(?P<pct>\s?%|\s?(?:percent|per\scent|pratishat|प्रतिशत|फ़ीसदी|फीसदी|শতাংশ)(?![a-z]))"
        r"|(?P<k>[kK])(?![A-Za-z])"
        rf"|\s?-?(?P<mult>(?i:{'|'.join(words)}))(?![A-Za-z\u0900-\u09ff]))?"
    )


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text.

    Attributes:
        value: canonical spelling of its exact value.
        start: where it begins in the folded text, currency and sign included.
        end: where it ends, percent sign and multiplier included.
        percent: a percent sign or word follows it.
        currency: a currency sign stands before it or a currency word behind it.
        also: other exact readings (25% is 0.25, 5:00 is 5).
    """

    value: str
    start: int
    end: int
    percent: bool = False
    currency: bool = False
    also: tuple[str, ...] = ()


def plain(digits: str, negative: bool) -> str:  # a private step of `scan`
    """Canonical spelling of digits with at most one point, without computing anything."""
    whole, _, part = digits.partition(".")
    whole = whole.lstrip("0") or "0"
    part = part.rstrip("0")
    text = f"{whole}.{part}" if part else whole
    return f"-{text}" if negative and text != "0" else text


def rational(num: int, den: int) -> str:
    """Canonical spelling of num/den: a finite decimal where there is one, else a/b."""
    if den < 0:
        num, den = -num, -den
    common = gcd(num, den)
    num, den = num // common, den // common
    rest, twos, fives = den, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return f"{num}/{den}"
    places = max(twos, fives)
    scaled = abs(num) * 10**places // den
    digits = str(scaled).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return plain(text, num < 0)


def ratio_of(value: str) -> tuple[int, int] | None:
    """Canonical spelling back to numerator and denominator; None for a clock or a giant."""
    if len(value) > MAX_DIGITS + 2 or ":" in value or "e" in value:
        return None
    if "/" in value:
        num, den = value.split("/")
        return int(num), int(den)
    whole, _, part = value.partition(".")
    return int(whole + part), 10 ** len(part)


def scan(text: str, limit: int = 200) -> list[Number]:
    """All numbers of a folded text, in order; at most `limit` of them.

    Numbers that are parts of one quantity ("5 hours 30 minutes", "2 lakh 50 thousand") come
    back as one.
    """
    found = _tokens(text, limit)
    if len(found) > 1:
        found = _joined(text, found)
    return [_with_small_money(text, number) for number in found] if _has_cents(text) else found


def _tokens(text: str, limit: int) -> list[Number]:
    pattern = _token()
    found: list[Number] = []
    at = 0
    while len(found) < limit and (match := pattern.search(text, at)):
        number = _read(match, text)
        if number is None:
            at = match.end("plain") if match.end("plain") > 0 else match.end()
            continue
        found.append(number)
        at = number.end
    return found


_CURRENCY = "$₹€£৳¤"


def _sign(text: str, start: int) -> tuple[int, bool, bool]:
    """Where the number really begins, is it negative, is it money."""
    at = start
    money = negative = False
    before = text[at - 1] if at else ""
    if before == " " and at > 1 and text[at - 2] in _CURRENCY:
        at, money = at - 2, True
    elif before and before in _CURRENCY:
        at, money = at - 1, True
    before = text[at - 1] if at else ""
    if before == " " and at > 1 and text[at - 2] == "-" and not money:
        # "= - 5": a lone minus is a sign only behind an equals sign or a colon.
        ahead = text[: at - 2].rstrip()[-1:]
        return (at - 2, True, money) if ahead and ahead in "=:≈" else (at, negative, money)
    if before and before in "-+" and (at < 2 or text[at - 2] in " \t\n=:(,*>|~≈[\"'$₹"):
        at, negative = at - 1, before == "-"
        if not money and at and text[at - 1] in _CURRENCY:
            at, money = at - 1, True
    return at, negative, money


def _read(match: re.Match[str], text: str) -> Number | None:
    group = match.groupdict()
    if text[match.end() : match.end() + 2].lstrip(" ")[:1] in {"π", "√"}:
        return None  # 2π is not 2
    start, negative, money = _sign(text, match.start())
    end = match.end()
    digits = group["plain"]
    if digits is None:
        whole = group["group"]
        digits = "".join(c for c in whole if c.isdigit()) + (group["gdec"] or "")
    also: tuple[str, ...] = ()
    if group["colon"] is not None:
        return _clock(digits, group["colon"], text, start, end)
    if not (group["exp"] or group["pow"] or group["own"] or group["den"] or group["mden"]
            or group["mult"] or group["k"]):  # fmt: skip
        value = plain(digits, negative)
    else:
        computed = _compute(digits, group)
        if computed is None:
            return None
        num, den, value = computed
        if not value:
            value = rational(-num if negative else num, den)
        elif negative:
            value = f"-{value}"
    percent = group["pct"] is not None
    if percent and (pair := ratio_of(value)):
        also = (rational(pair[0], pair[1] * 100),)
    elif money and digits.startswith(("0.", ".")) and (pair := ratio_of(value)):
        also = (rational(pair[0] * 100, pair[1]),)  # $0.25 are also 25 cents
    return Number(value, start, end, percent, money, also)


def _compute(digits: str, group: dict[str, str | None]) -> tuple[int, int, str] | None:
    """Numerator, denominator, and a ready value for what is too large to compute."""
    if len(digits) > MAX_DIGITS:
        return 0, 1, plain(digits, False) + "e?"
    whole, _, part = digits.partition(".")
    num, den = int((whole or "0") + part), 10 ** len(part)
    power = group["exp"] or group["pow"]
    if power:
        exponent = int(power.replace("^", ""))
        if abs(exponent) > MAX_EXPONENT:
            return 0, 1, f"{plain(digits, False)}e{exponent}"
        num, den = num * 10 ** max(exponent, 0), den * 10 ** max(-exponent, 0)
    elif group["own"]:
        exponent = int(group["own"].replace("^", ""))
        if den != 1 or not 0 <= exponent <= 64 or len(digits) > 4:
            return None
        num = num**exponent
    elif group["den"]:
        below = group["den"].replace(",", "")
        if len(below) > MAX_DIGITS or not below.strip("0"):
            return None
        den *= int(below)
    elif group["mden"] and group["mnum"]:
        above, below = group["mnum"], group["mden"]
        if den != 1 or not below.strip("0") or int(above) >= int(below):
            return None
        num, den = num * int(below) + int(above), int(below)
    word = group["mult"] or group["k"]
    if word:
        num *= _factor().get(word) or _factor()[word.lower()]
    return num, den, ""


def _clock(digits: str, rest: str, text: str, start: int, end: int) -> Number:
    """A clock time or a ratio is one token: never its hour, never its minutes."""
    value = f"{digits}:{rest}"
    also: tuple[str, ...] = ()
    if len(digits) <= 2 and len(rest) == 2 and ":" not in rest and digits.isdigit():
        afternoon = compiled(r"\s?p\.?\s?m\b").match(text[end : end + 6].lower())
        hour = int(digits)
        if afternoon and hour < 12:
            also = (f"{hour + 12}:{rest}",)
        if rest == "00":
            also = (*also, str(hour))
    return Number(value, start, end, also=also)


# Units that are said in pairs: (larger, smaller, how many of the smaller make the larger).
_PAIRS = (
    (r"(?:hours?|hrs?|h|gha?nte|ghanta|घंटे|घंटा|ঘণ্টা|ঘন্টা)", r"(?:minutes?|mins?|m|minat|मिनट|মিনিট)", 60),
    (r"(?:minutes?|mins?|minat|मिनट|মিনিট)", r"(?:seconds?|secs?|s|सेकंड|সেকেন্ড)", 60),
    (r"(?:days?|din|दिन|দিন)", r"(?:hours?|hrs?|gha?nte|घंटे)", 24),
    (r"(?:weeks?|hafte|हफ्ते|सप्ताह)", r"(?:days?|din|दिन)", 7),
    (r"(?:years?|saal|साल|वर्ष|বছর)", r"(?:months?|mahine|महीने|মাস)", 12),
    (r"(?:feet|foot|ft|')", r"(?:inch(?:es)?|in|\"|'')", 12),
    (r"(?:dollars?|rupees?|rupaye|rupay|रुपये|रुपए|টাকা)", r"(?:cents?|paise|paisa|पैसे|পয়সা)", 100),
    (r"(?:kgs?|kilograms?|kilos?|किलो|किलोग्राम|কেজি)", r"(?:g|gm|grams?|ग्राम|গ্রাম)", 1000),
    (r"(?:km|kilomet(?:er|re)s?|किमी|किलोमीटर)", r"(?:m|met(?:er|re)s?|मीटर)", 1000),
    (r"(?:m|met(?:er|re)s?|मीटर)", r"(?:cm|centimet(?:er|re)s?|सेमी)", 100),
    (r"(?:l|lit(?:er|re)s?|लीटर)", r"(?:ml|millilit(?:er|re)s?|मिली)", 1000),
)  # fmt: skip


@lru_cache(maxsize=1)
def _pairs() -> tuple[tuple[re.Pattern[str], re.Pattern[str], int], ...]:
    edge = r"(?![a-z\u0900-\u09ff])"
    return tuple(
        (
            re.compile(
                rf"[\s-]?{large}{edge}\s?(?:,\s|and\s|aur\s|और\s|,\sand\s|এবং\s)?$", re.IGNORECASE
            ),
            re.compile(rf"[\s-]?{small}{edge}", re.IGNORECASE),
            size,
        )
        for large, small, size in _PAIRS
    )


def _joined(text: str, found: list[Number]) -> list[Number]:
    joined: list[Number] = []
    for number in found:
        merged = _merge(text, joined[-1], number) if joined else None
        if merged is not None:
            joined[-1] = merged
        else:
            joined.append(number)
    return joined


def _merge(text: str, first: Number, second: Number) -> Number | None:
    """Two numbers as one quantity, or None when they are two."""
    if second.start - first.end > 16 or second.start < first.end:
        return None
    between = text[first.end : second.start]
    one, two = ratio_of(first.value), ratio_of(second.value)
    if one is None or two is None or one[0] < 0 or two[0] < 0:
        return None
    ends_with_word = text[first.end - 1 : first.end].isalpha() or text[first.end - 1] > "\u0900"
    if ends_with_word and not between.strip(" ,") and two[0] * one[1] < one[0] * two[1]:
        # "2 lakh 50 thousand": the first is a multiple, the second only adds to it.
        if one[1] == 1 and one[0] % 100 == 0 and "," not in between:
            value = rational(one[0] * two[1] + two[0] * one[1], one[1] * two[1])
            return replace(first, value=value, end=second.end)
        return None
    if not between.strip():
        return None
    for large, small, size in _pairs():
        unit = small.match(text, second.end, second.end + 14)
        if large.match(between) and unit and two[0] < size * two[1]:
            num, den = one[0] * size * two[1] + two[0] * one[1], one[1] * two[1]
            return replace(
                first, value=rational(num, den * size), end=unit.end(), also=(rational(num, den),)
            )
    return None


def _has_cents(text: str) -> bool:
    return "cent" in text or "pais" in text or "पैसे" in text or "¢" in text


def _with_small_money(text: str, number: Number) -> Number:
    """50 cents are also 0.5 (dollars)."""
    if (
        compiled(r"\s?(?:cents?\b|paise\b|paisa\b|पैसे|¢)").match(text, number.end, number.end + 8)
        is None
    ):
        return number
    pair = ratio_of(number.value)
    if pair is None or number.currency:
        return number
    return replace(number, also=(*number.also, rational(pair[0], pair[1] * 100)))
