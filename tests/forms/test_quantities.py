"""Quantities are read exactly, whatever the script, the grouping and the spelling."""

import re
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinglishbench.forms.mixing import _lists
from hinglishbench.forms.number_words import (
    _HINDI,
    english_words,
    fold_nagari,
    fold_roman,
    hindi_words,
)
from hinglishbench.forms.quantities import Difference, compare, plain, quantities


def read(text: str, form: str = "en") -> list[str]:
    """Sure values as people write them, unsure ones with a question mark."""
    return [plain(q.value) + ("" if q.sure else "?") for q in quantities(text, form)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        # grouping and decimals
        ("1,25,000 and 1,250,000 and 12,500.50", ["125000", "1250000", "12500.5"]),
        ("2,3,4", ["2", "3", "4"]),
        ("10,20 and 5,00,000", ["10", "20", "500000"]),
        ("It cost 55. Then 60.", ["55", "60"]),
        ("add .5 litre to 0.75", ["0.5", "0.75"]),
        # currency
        ("Rs.55, Rs. 60, ₹70/-, $8, 90 rupees", ["55", "60", "70", "8", "90"]),
        ("₹55/kg", ["55"]),
        ("₹60 a dozen", ["60", "12"]),
        ("₹60 dozen", ["60", "12"]),
        ("₹2 lakh", ["200000"]),
        ("1.6 lakh rs. 25% down", ["160000", "25"]),
        # fractions and signs
        ("1/2 kg, 2 1/2 kg, ½ kg, 2¾ kg, 7/10", ["0.5", "2.5", "0.5", "2.75", "0.7"]),
        ("from 10-15 to -5 degrees, 3 - 2", ["10", "15", "-5", "3", "2"]),
        ("\u22125 degrees", ["-5"]),
        ("24/0", ["24", "0"]),
        # scripts of digits
        ("₹१,२५,००० and ২৫", ["125000", "25"]),
        ("10² is no 102", ["10", "102"]),
        # digits beside letters
        ("2kg, T20, 50k, 50kg, 3G, 5th", ["2", "20", "50000", "50", "3", "5"]),
        # clock and ratio
        ("at 9:30 am", ["9.5"]),
        ("at 9.30 am, 9.30 litres", ["9.5", "9.3"]),
        ("half past nine, quarter to 8, quarter past 6", ["9.5", "7.75", "6.25"]),
        ("in the ratio 3:25", ["3", "25"]),
        ("25:61", ["25", "61"]),
    ],
)
def test_digits(text: str, values: list[str]) -> None:
    """Digits in every dress that price tags, messages and schoolbooks give them."""
    assert read(text) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("twenty-five, twenty five, seventy", ["25", "25", "70"]),
        ("two hundred and fifty", ["250"]),
        ("two thousand five hundred", ["2500"]),
        ("one lakh twenty thousand", ["120000"]),
        ("2 lakh 50 thousand", ["250000"]),
        ("3.5 crore", ["35000000"]),
        ("two and a half kilos, 2 and a half, one and a half", ["2.5", "2.5", "1.5"]),
        ("half an hour, half a kilo, half a dozen, a dozen", ["0.5", "0.5", "6", "12"]),
        ("three quarters, two-thirds of, one third", ["0.75", "2/3", "1/3"]),
        ("a quarter of the cake, a third of it", ["0.25", "1/3"]),
        ("the third day of the first quarter", []),
        ("twice as many, double, thrice", ["2", "2", "3"]),
        ("a double bed", []),
        ("both brothers", ["2?"]),
        ("one of them, which one, one apple", ["1?", "1?", "1?"]),
        ("in the second half", ["0.5?"]),
        ("hundreds of people, thousands of dozens", []),
        ("What do they do? Sat in a tin.", []),
        ("a hundred, five hundred", ["100", "500"]),
        ("zero runs", ["0"]),
    ],
)
def test_english_words(text: str, values: list[str]) -> None:
    """English number words compose; articles, ordinals and vague plurals are none."""
    assert read(text) == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("dhai kilo, dedh ghanta, aadha litre", ["2.5", "1.5", "0.5"]),
        ("sava do lakh, sava lakh, sava kilo", ["225000", "125000", "1.25"]),
        ("sadhe 3 baje, saadhe teen hazaar", ["3.5", "3500"]),
        ("paune 8 baje, paune do sau, paun ghanta, paune sau", ["7.75", "175", "0.75", "75"]),
        ("dhai sau, dedh sau, sau rupaye", ["250", "150", "100"]),
        ("do hazaar paanch sau bees rupaye", ["2520"]),
        ("12 hazaar, 5 sau, 2 lakh 50 hazaar", ["12000", "500", "250000"]),
        ("ek darjan, 9 dozen, 90 rs dozen, 2.5 crore", ["12", "108", "90", "12", "25000000"]),
        ("aadha kilo, adha, aadhe", ["0.5", "0.5", "0.5"]),
        ("teen chauthai, do tihai, tihai", ["0.75", "2/3", "1/3"]),
        ("dugna, duguna, doguni, double", ["2", "2", "2", "2"]),
        ("pav kilo, paav bhar", ["0.25", "0.25"]),
        ("pav bhaji", []),
        ("do kilo, do baar, do log", ["2", "2", "2"]),
        ("bata do, total bata do na, paise de do aur, jawab do.", []),
        ("do gulab", ["2?"]),
        ("ek dukaan, ek aur", ["1?", "1?"]),
        ("dono bhai, teeno dost", ["2?", "3?"]),
        ("uske saath 5 log", ["5"]),
        ("saath rupaye", ["60?"]),
        ("Amit Das aaya. Das rupaye", ["10?", "10"]),
        ("tin ka dibba, Sat ko", ["3?", "7?"]),
        ("teenager log, teen aged", []),
        ("hazaaron log, lakhon rupaye, saikdon", []),
        ("chai pi, chauda hai, tera kaam, no ball", []),
        ("char dost", ["4"]),
        ("chaar, char, panch, paanch, chhe, chhah", ["4", "4", "5", "5", "6", "6"]),
        ("hajaar, hazar, Hazaar", ["1000", "1000", "1000"]),
        ("subah 9.30 baje", ["9.5"]),
    ],
)
def test_hinglish_words(text: str, values: list[str]) -> None:
    """Number words as typed; `do`, `saath`, `pav`, `das` and `ek` only where context says so."""
    assert read(text, "cm-rom") == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("ढाई किलो, डेढ़ घंटा, आधा लीटर", ["2.5", "1.5", "0.5"]),
        ("साढ़े तीन, सवा दो लाख, पौने दो सौ, सवा लाख", ["3.5", "225000", "175", "125000"]),
        ("एक दर्जन, दो सौ पचास, 2 लाख", ["12", "250", "200000"]),
        ("पाव किलो, पाव भाजी", ["0.25"]),
        ("उत्तर दो।", []),
        ("दो पेन, दो रुपये", ["2", "2"]),
        ("दोनों भाई, एक दुकान", ["2?", "1?"]),
        ("के साथ, साठ रुपये", ["60"]),
        ("दो तिहाई, तीन चौथाई, दोगुना", ["2/3", "0.75", "2"]),
        ("साढे, साढे तीन, डेढ, करोड", ["3.5", "1.5", "10000000"]),
        ("पांच, पाँच, पंद्रह, पन्द्रह", ["5", "5", "15", "15"]),
        ("5वीं कक्षा, १८ प्रतिशत", ["5", "18"]),
    ],
)
def test_hindi_words(text: str, values: list[str]) -> None:
    """Devanagari spellings with and without nukta and chandrabindu are one word."""
    assert read(text, "hi") == values


def test_mixed_script_reads_both_tables() -> None:
    """In mixed script English and Hindi number words count side by side."""
    assert read("ढाई किलो rice, half litre milk, दो dozen", "cm") == ["2.5", "0.5", "24"]


def test_bengali_reads_digits_and_multipliers() -> None:
    """Of Bengali, digits, multipliers and the percent word are read, and no more."""
    found = quantities("২ লাখ টাকা, ১৮ শতাংশ", "bn")
    assert [(q.value, q.unit) for q in found] == [(Fraction(200_000), "rupee"), (Fraction(18), "%")]


UNSURE = {"ek", "do", "saath", "एक", "दो"}
ROWS = [row.split("|") for row in _HINDI.strip().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_every_spelling_of_the_table_is_read(row: list[str]) -> None:
    """Each word of the table gives its value, in its form, beside a unit."""
    value, nagari, roman = row
    for form, spellings in (("hi", nagari), ("hi-rom", roman), ("cm-rom", roman)):
        for word in spellings.split():
            (found,) = quantities(f"{word} किलो" if form == "hi" else f"{word} kilo", form)
            assert found.value == Fraction(value), word
            assert found.sure or word in UNSURE, word


def test_no_two_numbers_share_a_folded_spelling() -> None:
    """Folding never makes one word of two numbers."""
    for column, fold in ((1, fold_nagari), (2, fold_roman)):
        seen: dict[str, str] = {}
        for row in ROWS:
            for word in row[column].split():
                assert seen.setdefault(fold(word), row[0]) == row[0], word


def test_english_words_are_no_hindi_numbers() -> None:
    """Of the English words shipped, only those with a context rule fold to a Hindi number."""
    _, roman = hindi_words()
    english = _lists().english - english_words().keys()
    assert {w for w in english if fold_roman(w) in roman} == {"do", "sat", "tin"}


def _words(n: int) -> str:
    """Spell an integer below ten crore in Indian English."""
    words = english_words().items()
    names = {
        int(w.value): name for name, w in words if w.role == "base" and w.sure and w.value != 0.5
    }
    tens = "twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905  readable
    for scale, name in ((10**7, "crore"), (10**5, "lakh"), (1000, "thousand"), (100, "hundred")):
        if n >= scale:
            rest = f" {_words(n % scale)}" if n % scale else ""
            return f"{_words(n // scale)} {name}{rest}"
    if n < 20:
        return names[n]
    return tens[n // 10 - 2] + (f"-{names[n % 10]}" if n % 10 else "")


@given(st.integers(2, 99_999_999))
def test_spelled_english_numbers_are_read_back(n: int) -> None:
    """Any integer in words is one quantity with its value."""
    assert read(f"They paid {_words(n)} rupees.") == [str(n)]


def _indian(n: int) -> str:
    head, tail = str(n)[:-3], str(n)[-3:]
    groups = re.findall(r"\d{1,2}", head[::-1])
    return ",".join([*(g[::-1] for g in groups[::-1]), tail]) if head else tail


@given(st.integers(0, 10**12), st.sampled_from(["plain", "western", "indian", "nagari"]))
def test_any_grouping_and_any_digits_give_the_value(n: int, style: str) -> None:
    """Plain, Western and Indian grouping and Devanagari digits are one number."""
    text = {"plain": str(n), "western": f"{n:,}", "indian": _indian(n)}.get(style, _indian(n))
    if style == "nagari":
        text = text.translate({ord(str(d)): chr(0x0966 + d) for d in range(10)})
    assert read(f"₹{text} में", "hi") == [str(n)]


@given(st.decimals(0, 10**6, places=3, allow_nan=False))
def test_decimals_are_exact(value: object) -> None:
    """No float comes in between."""
    (found,) = quantities(f"about {value} litres")
    assert found.value == Fraction(str(value))


@given(st.text(max_size=60), st.sampled_from(["en", "cm-rom", "cm", "hi", "hi-rom", "bn", "xx"]))
def test_no_text_breaks_the_reader(text: str, form: str) -> None:
    """Any text in any form gives quantities that equal themselves."""
    found = quantities(text, form)
    assert not compare(found, found)


@given(st.fractions(max_denominator=400))
def test_plain_spells_exactly(value: Fraction) -> None:
    """What `plain` writes is the value itself."""
    assert Fraction(plain(value)) == value


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("5 pens", "5 pen", ""),
        ("5 pens and 3", "3 aur 5", ""),
        ("5 pens", "pen", "5 is missing"),
        ("5 and 5", "5", "5 is missing"),
        ("5 and 5 and 5", "5", "5 (x2) is missing"),
        ("5 pens", "5 pen 6", "6 is new"),
        ("55 rupees", "65 rupaye", "55 is missing; 65 is new"),
        ("18%", "18 pratishat", ""),
        ("18%", "18", "18% is missing; 18 is new"),
        ("two and a half kilos", "dhai kilo", ""),
        ("a dozen eggs", "12 ande", ""),
        ("2,00,000", "do lakh", ""),
        ("half past nine", "sadhe nau baje", ""),
        ("9:30", "sadhe 9 baje", ""),
        ("12,500", "12 500", "12500 is missing; 12 is new; 500 is new"),
        ("one pen", "ek pen", ""),
        ("1 pen", "ek pen", ""),
        ("a pen", "1 pen", "1 is new"),
        ("two pens", "do pen", ""),
        ("2 friends", "dono dost", ""),
        ("3 friends", "dono dost", "3 is missing"),
        ("2 kg", "2 gram", "2 kg became 2 g"),
        ("2 kg and 2 hours", "2 ghante aur 2 kilo", ""),
        ("2 kg and 2 km", "2 kilo aur 2 metre", "2 km became 2 m"),
        ("2 kg", "2 packet", ""),
        ("₹50", "$50", "50 rupee became 50 dollar"),
    ],
)
def test_compare(first: str, second: str, said: str) -> None:
    """What is lost, new, or has another unit is told; order and spelling are free."""
    assert str(compare(quantities(first, "en"), quantities(second, "cm-rom"))) == said


def test_a_difference_is_false_when_there_is_none() -> None:
    """`if compare(...)` asks whether the texts differ."""
    assert not Difference((), (), ())
    assert Difference((), (), (("2", "kg", "g"),))


@given(st.lists(st.integers(3, 10**6), max_size=8), st.randoms(use_true_random=False))
def test_order_is_free_and_count_is_not(numbers: list[int], rng: object) -> None:
    """Any permutation fits; one number less is found, by its value."""
    shuffled = list(numbers)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis types the strategy as object

    def text(ns: list[int]) -> str:
        return " ; ".join(f"a {n} b" for n in ns)

    assert not compare(quantities(text(numbers)), quantities(text(shuffled)))
    if numbers:
        lost = compare(quantities(text(numbers)), quantities(text(numbers[1:])))
        assert lost.missing == (str(numbers[0]),)
        assert Counter(numbers)[numbers[0]] >= 1
