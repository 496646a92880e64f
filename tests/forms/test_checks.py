"""Scripts, expressions, doubles, mixing and the report that gathers them."""

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinglishbench.forms.checks import Bounds, check_fault, verify
from hinglishbench.forms.duplicates import near_duplicates, shingles, similarity
from hinglishbench.forms.expression import ExpressionError, evaluate
from hinglishbench.forms.mixing import language, mixing
from hinglishbench.forms.names import FORMS, form_title
from hinglishbench.forms.scripts import native_digits, script_faults, script_of, scripts
from hinglishbench.suites.items import Item


@pytest.mark.parametrize(
    ("char", "script"),
    [
        ("a", "Latin"),
        ("é", "Latin"),
        ("क", "Devanagari"),
        ("ि", "Devanagari"),
        ("ক", "Bengali"),
        ("я", "Other"),
        ("।", None),
        ("5", None),
        ("५", None),
        ("₹", None),
        ("²", None),
    ],
)
def test_script_of(char: str, script: str | None) -> None:
    """Letters and marks have a script; digits, signs and the danda have none."""
    assert script_of(char) == script


@pytest.mark.parametrize(
    ("form", "text", "said"),
    [
        ("en", "He paid ₹50 at 9:30.", ""),
        ("en", "He paid पचास", "Devanagari"),
        ("hi", "उसने 50 रुपये दिए।", ""),
        ("hi", "उसने 50 rupees दिए।", "6 Latin letters (rupees)"),
        ("hi", "50 + 5", "no Devanagari"),
        ("cm", "उसने 50 rupees दिए", ""),
        ("cm", "उसने दिए", "no Latin"),
        ("cm", "usne diye", "no Devanagari"),
        ("cm-rom", "usne 50 rupaye diye", ""),
        ("cm-rom", "usne रुपये diye", "Devanagari"),
        ("hi-rom", "usnē rupaye", "diacritics: ē"),
        ("bn", "সে ৫০ টাকা দিল।", ""),
        ("bn", "সে রुपये", "Devanagari"),
        ("en", "a\u200bb", "U+200B"),
        ("en", "pаid", "Other"),  # a Cyrillic letter that looks like a
        ("hi", "साढ\u093cे", ""),
        ("hi", "सा\u095dे", "NFC"),
        ("any", "क a я", ""),
    ],
)
def test_script_faults(form: str, text: str, said: str) -> None:
    """Each form takes its scripts, and nothing that a reader cannot see or tell apart."""
    faults = script_faults(text, form)
    assert bool(faults) == bool(said)
    assert said in "; ".join(faults)


def test_native_digits_are_listed() -> None:
    """Devanagari digits are no fault of script, but a suite has one style of digits."""
    assert native_digits("१२ और 3") == ["१", "२"]
    assert scripts("१२ और 3") == {"Devanagari": 2}


def test_known_forms_have_titles() -> None:
    """Every form has a title; an unknown form is its own."""
    assert list(FORMS) == ["en", "cm-rom", "cm", "hi", "hi-rom", "bn"]
    assert form_title("cm-rom") == "Hinglish, romanized"
    assert form_title("ta") == "ta"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3*55 + 80", "245"),
        ("(2.5 * 640) + 0.5*900", "2050"),
        ("1/3 + 1/6", "1/2"),
        ("2 - 3 - 4", "-5"),
        ("8/4/2", "1"),
        ("-2*-3", "6"),
        ("2*(3+(4-1))/5", "12/5"),
        ("0.1+0.2", "3/10"),
        (" 7 ", "7"),
    ],
)
def test_evaluate(text: str, value: str) -> None:
    """Exact rationals, the usual precedence, left to right."""
    assert evaluate(text) == Fraction(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1+",
        "(1",
        "1)",
        "2 3",
        "2**3",
        "2//3",
        "7%2",
        "x",
        "1e3",
        "min(1,2)",
        "1,000",
        "१",
        "()",
        "1/0",
        "1/(2-2)",
        "__import__('os')",
        "(" * 1000 + "1" + ")" * 1000,
        "-" * 1000 + "1",
        ".",
    ],
)
def test_evaluate_refuses_all_else(text: str) -> None:
    """No names, no calls, no powers, no other digits, no depth; zero is no divisor."""
    with pytest.raises(ExpressionError):
        evaluate(text)


expressions = st.recursive(
    st.integers(0, 999).map(str) | st.decimals(0, 99, places=2, allow_nan=False).map(str),
    lambda e: st.tuples(e, st.sampled_from("+-*/"), e).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
    max_leaves=12,
)


@given(expressions)
def test_evaluate_agrees_with_python_on_fractions(text: str) -> None:
    """The same expression over `Fraction`, evaluated by Python, gives the same value."""
    import re  # noqa: PLC0415  the oracle's own need

    oracle = re.sub(r"\d+(?:\.\d+)?", lambda m: f"Fraction('{m.group()}')", text)
    try:
        expected = eval(oracle, {"Fraction": Fraction})
    except ZeroDivisionError:
        with pytest.raises(ExpressionError, match="division by zero"):
            evaluate(text)
    else:
        assert evaluate(text) == expected


@given(st.text(alphabet="0123456789.+-*/() ", max_size=30))
def test_evaluate_gives_a_number_or_its_own_error(text: str) -> None:
    """Nothing but a Fraction or an ExpressionError comes out."""
    with contextlib.suppress(ExpressionError):
        assert isinstance(evaluate(text), Fraction)


def test_near_duplicates_ignore_numbers_and_case() -> None:
    """The same plot with other numbers is a double; another plot is none."""
    texts = {
        "a": "Ravi bought 5 pens for 10 rupees each from the shop near home.",
        "b": "ravi bought 15 pens for 1,200 rupees each from the shop near home",
        "c": "The bus left Pune at 9:30 with forty people and came back by noon.",
    }
    assert [(p.first, p.second, p.similarity) for p in near_duplicates(texts, 0.4)] == [
        ("a", "b", 1.0)
    ]
    assert near_duplicates({"x": texts["b"]}, 0.4, against={"y": texts["c"]}) == []
    (pair,) = near_duplicates({"x": texts["b"]}, 0.4, against={"x": texts["a"]})
    assert (pair.first, pair.second) == ("x", "x")


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), st.text("ab ", max_size=40)))
def test_the_index_agrees_with_all_pairs(texts: dict[str, str]) -> None:
    """The inverted index finds exactly the pairs that a double loop finds."""
    keys = list(texts)
    naive = {
        (a, b)
        for i, a in enumerate(keys)
        for b in keys[i + 1 :]
        if shingles(texts[a]) and shingles(texts[b]) and similarity(texts[a], texts[b]) >= 0.3
    }
    assert {(p.first, p.second) for p in near_duplicates(texts, 0.3)} == naive


@pytest.mark.parametrize(
    ("word", "form", "tag"),
    [
        ("kitne", "cm-rom", "hi"),
        ("discount", "cm-rom", "en"),
        ("discounts", "cm-rom", "en"),
        ("stopped", "cm-rom", "en"),
        ("baking", "cm-rom", "en"),
        ("copies", "cm-rom", "en"),
        ("seaten", "cm-rom", "en"),
        ("khareedenge", "cm-rom", "hi"),
        ("main", "cm-rom", "hi"),
        ("main", "en", "en"),
        ("the", "cm-rom", "hi"),
        ("the", "en", "en"),
        ("late", "cm-rom", "en"),
        ("kg", "cm-rom", "neutral"),
        ("Rituparna", "cm-rom", "unknown"),
        ("kirana", "en", "hi"),
        ("किलो", "cm", "hi"),
        ("salary", "cm", "en"),
    ],
)
def test_language_of_a_word(word: str, form: str, tag: str) -> None:
    """Lists, derived words and the form decide; words of both languages follow the form."""
    assert language(word, form) == tag


def test_mixing_measures() -> None:
    """Share of English and Code-Mixing Index by hand: 3 English, 5 Hindi, 1 name."""
    mix = mixing("Rituparna ne salary se discount wala ticket liya", "cm-rom")
    assert (mix.english, mix.hindi, mix.unknown, mix.neutral) == (3, 4, 1, 0)
    assert mix.share_english == pytest.approx(3 / 7)
    assert mix.cmi == pytest.approx(100 * (1 - 4 / 7))
    assert mix.markers >= 2
    assert mixing("", "cm-rom").cmi is None
    assert mixing("The price is fifty.", "en").markers == 0


GOOD = {
    "en": "Ravi bought 5 pens at ₹10 each and one bag. What did the pens cost him?",
    "cm-rom": "Ravi ne 5 pens 10 rupees each ke rate se liye aur ek bag bhi. Pens ka total cost?",
    "hi": "रवि ने 5 पेन 10 रुपये के भाव से लिए और एक थैला भी। पेन पर कितना खर्च हुआ?",
}


def one(answer: str = "50", check: str | None = "5*10", **forms: str) -> Item:
    """A good item, with what the test changes."""
    return Item("x", answer, GOOD | forms, check=check)


def test_a_good_item_has_no_finding() -> None:
    """What is right raises nothing."""
    report = verify([one()])
    assert report.findings == ()
    assert report.ranked == ()
    assert report.forms["cm-rom"].texts == 1


@pytest.mark.parametrize(
    ("item", "check", "said"),
    [
        (one(hi=GOOD["hi"].replace("10", "100")), "numbers", "10 is missing; 100 is new"),
        (one(hi=GOOD["hi"].replace("रुपये", "rupees")), "scripts", "Latin"),
        (one(check="5*11"), "check", "the check gives 55, the answer is 50"),
        (one(check="5*"), "check", "cannot be evaluated"),
        (one(answer="10", check=None), "leak", "the answer 10 stands in the text"),
        (one(hi=GOOD["hi"].replace("5", "५")), "digits", "५"),
        (one(en="Ravi 5 10"), "length", "has 1 words"),
        (one(hi="रवि 5 और 10"), "ratio", "words for each word"),
        (one(**{"cm-rom": GOOD["en"]}), "markers", "Hindi grammar words"),
        (one(**{"cm-rom": GOOD["en"]}), "mixing", "nearly English"),
    ],
)
def test_each_check_finds_its_fault(item: Item, check: str, said: str) -> None:
    """One planted fault, one finding that says it."""
    found = [f for f in verify([item]).findings if f.check == check]
    assert found
    assert said in found[0].message


def test_pure_hindi_is_not_hinglish() -> None:
    """Romanized Hindi without English words is told from Hinglish."""
    text = "Ravi ne 5 kalam 10 rupaye ke bhaav se liye aur ek thaila bhi. Kalam ka kharch kitna?"
    (finding,) = (f for f in verify([one(**{"cm-rom": text})]).findings if f.check == "mixing")
    assert "nearly pure Hindi" in finding.message


def test_doubles_are_told_once_and_the_worst_item_comes_first() -> None:
    """A pair that is double in three forms is one finding; scores order the items."""
    items = [one(), Item("y", "51", GOOD, check="5*10"), Item("z", "50", {"en": GOOD["en"][::-1]})]
    report = verify(items, bounds=Bounds(similarity=0.5))
    assert [f.item for f in report.findings if f.check == "duplicate"] == ["y"]
    assert report.ranked[0][0] == "y"
    assert [f.check for f in report.faults] == ["check"]


def test_the_base_is_english_or_the_first_form() -> None:
    """A set without English is compared with its first form."""
    item = Item("x", "5", {"hi": "रवि के पास 3 आम और 2 केले हैं", "hi-rom": "Ravi ke paas 3 aam hain"})
    report = verify([item])
    assert report.base == "hi"
    assert any("against hi: 2 is missing" in f.message for f in report.findings)
    assert verify([]).items == 0


def test_check_fault_accepts_any_of_several_answers() -> None:
    """With a list of answers the check must give one of them."""
    assert check_fault(Item("x", ("4", "5"), {}, check="2+3")) is None
    assert check_fault(Item("x", ("4", "6"), {}, check="2+3")) is not None
