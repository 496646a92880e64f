"""The packaged set `tiered-100` keeps what its card promises."""

import json
import os
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path
from statistics import fmean

import pytest

from hinglishbench.forms.checks import Bounds, check_fault, verify
from hinglishbench.forms.duplicates import near_duplicates
from hinglishbench.forms.mixing import mixing, words
from hinglishbench.forms.quantities import compare, quantities
from hinglishbench.forms.scripts import native_digits, script_faults
from hinglishbench.suites.items import DATA, Item, Suite, load_suite

FORMS = ("en", "cm-rom", "cm", "hi", "hi-rom")
TOPICS = {
    *("bazaar", "kirana", "cricket", "travel", "cooking", "school", "salary", "recharge"),
    *("farming", "wedding", "electricity", "time-distance", "festival", "home"),
}
REGISTERS = {"chat", "exam", "shop", "forward", "plain"}
SUITE: Suite = load_suite("tiered-100", need_forms=FORMS)
ITEMS = SUITE.items
ids = pytest.mark.parametrize("item", ITEMS, ids=[item.id for item in ITEMS])


def test_the_tiers_have_their_sizes_and_ids() -> None:
    """34 easy, 33 medium, 33 hard, numbered without a gap, in the file of their tier."""
    for letter, tier, size in (("e", "easy", 34), ("m", "medium", 33), ("h", "hard", 33)):
        own = [item.id for item in ITEMS if item.tier == tier]
        assert own == [f"t100-{letter}{n:02d}" for n in range(1, size + 1)]
    assert len(ITEMS) == len({item.id for item in ITEMS}) == 100
    assert SUITE.forms == FORMS


def test_every_tier_has_every_topic() -> None:
    """Fourteen topics, each two or three times in each tier."""
    cells = Counter((item.tier, item.topic) for item in ITEMS)
    assert {topic for _, topic in cells} == TOPICS
    assert len(cells) == 3 * len(TOPICS)
    assert set(cells.values()) <= {2, 3}


def test_the_register_varies() -> None:
    """Five registers, none of them most of the set, each at least eight times."""
    registers = Counter(item.meta["register"] for item in ITEMS)
    assert set(registers) == REGISTERS
    assert min(registers.values()) >= 8
    assert max(registers.values()) <= 40


@ids
def test_the_check_gives_the_answer(item: Item) -> None:
    """Exact rational arithmetic over the check equals the gold, which is written plainly."""
    assert item.check is not None
    assert check_fault(item) is None
    assert isinstance(item.answer, str)
    assert re.fullmatch(r"\d+(\.\d*[1-9])?", item.answer)


@ids
def test_all_forms_state_the_same_quantities(item: Item) -> None:
    """Each form against each other one: same values, same count, no unit turned into another."""
    stated = {form: quantities(text, form) for form, text in item.forms.items()}
    for first in FORMS:
        for second in FORMS:
            assert not compare(stated[first], stated[second]), (first, second)


@ids
def test_number_words_are_marked(item: Item) -> None:
    """Number words stand only where the item says so; else the digits alone agree over the forms."""
    spoken = [
        q.text for q in quantities(item.forms["cm-rom"], "cm-rom") if re.search("[a-z]", q.text)
    ]
    certain = [q for q in quantities(item.forms["cm-rom"], "cm-rom") if q.sure]
    sure_words = [q.text for q in certain if re.search("[a-z]", q.text)]
    marked = item.meta["number_words"]
    assert all(word in item.forms["cm-rom"] for word in marked)
    assert all(any(text in word for word in marked) for text in sure_words), spoken
    if not marked:
        digits = [sorted(re.findall(r"\d+(?:[.:]\d+)*", _plain(t))) for t in item.forms.values()]
        assert all(found == digits[0] for found in digits)


def _plain(text: str) -> str:
    return re.sub(r"(?<=\d),(?=\d)", "", text)


def test_a_few_items_of_each_tier_use_number_words() -> None:
    """Three or four a tier, because people do say dhai kilo."""
    marked = Counter(item.tier for item in ITEMS if item.meta["number_words"])
    assert set(marked) == {"easy", "medium", "hard"}
    assert set(marked.values()) <= {3, 4}


@ids
def test_scripts_are_those_of_the_form(item: Item) -> None:
    """Scripts as each form says, digits 0-9, nothing invisible, Unicode form NFC."""
    for form, text in item.forms.items():
        assert script_faults(text, form) == []
        assert native_digits(text) == []
        assert text == text.strip()
        assert "  " not in text


@ids
def test_lengths_are_within_bounds(item: Item) -> None:
    """15 to 90 words a form, and no form twice as long as the English one."""
    n = {
        form: len(words(text)) + len(re.findall(r"\d[\d,.:]*", text))
        for form, text in item.forms.items()
    }
    assert all(15 <= count <= 95 for count in n.values()), n
    assert all(0.6 <= count / n["en"] <= 1.7 for count in n.values()), n


@ids
def test_hinglish_is_neither_english_nor_pure_hindi(item: Item) -> None:
    """15 to 60 % of the known words are English, in the romanized form and in mixed script."""
    roman, script = (mixing(item.forms[form], form) for form in ("cm-rom", "cm"))
    for mix in (roman, script):
        assert mix.share_english is not None
        assert 0.15 <= mix.share_english <= 0.60
    assert roman.markers >= 4
    assert mixing(item.forms["hi-rom"], "hi-rom").markers >= 4
    assert mixing(item.forms["en"], "en").markers <= 1


def test_the_word_lists_agree_with_the_script() -> None:
    """Where the writer showed each word's language by its script, the lists find the same share."""
    off = [
        abs(
            (mixing(i.forms["cm-rom"], "cm-rom").share_english or 0)
            - (mixing(i.forms["cm"], "cm").share_english or 0)
        )
        for i in ITEMS
    ]
    assert fmean(off) < 0.05
    assert max(off) < 0.15


def test_the_set_as_a_whole_is_mixed() -> None:
    """About a third English on the average; `hi-rom` far less."""
    shares = {f: fmean(mixing(i.forms[f], f).share_english or 0 for i in ITEMS) for f in FORMS}
    assert 0.30 <= shares["cm-rom"] <= 0.50
    assert shares["hi-rom"] < 0.15
    assert shares["en"] > 0.95


def test_spelling_varies_as_people_type() -> None:
    """The commonest words of the romanized form stand in more than one spelling over the set."""
    seen = Counter(w.lower() for i in ITEMS for w in words(i.forms["cm-rom"]))
    for spellings in (("hai", "h"), ("mein", "me"), ("nahi", "nhi"), ("to", "toh"), ("pe", "par")):
        assert all(seen[s] for s in spellings), spellings


@ids
def test_the_forms_are_written_apart(item: Item) -> None:
    """Romanized Hinglish is no respelling of romanized Hindi: at least a quarter of words differ."""
    a, b = (Counter(w.lower() for w in words(item.forms[f])) for f in ("cm-rom", "hi-rom"))
    shared = sum((a & b).values())
    assert shared / max(sum(a.values()), sum(b.values())) <= 0.75


@ids
def test_the_answer_does_not_stand_in_the_text(item: Item) -> None:
    """Reading one is not enough: no form states the gold."""
    assert isinstance(item.answer, str)
    for form, text in item.forms.items():
        assert Fraction(item.answer) not in {q.value for q in quantities(text, form)}


def test_no_two_items_share_a_plot() -> None:
    """No near-duplicates in any form, and no two items with the same numbers."""
    for form in FORMS:
        texts = {item.id: item.forms[form] for item in ITEMS}
        assert near_duplicates(texts, 0.15) == []
    numbers = Counter(tuple(sorted(q.value for q in quantities(i.forms["en"]))) for i in ITEMS)
    assert max(numbers.values()) == 1


def test_no_item_is_near_gsm8k() -> None:
    """No item shares its plot with a GSM8K test problem, where that file is at hand."""
    root = Path(__file__).resolve().parents[2]
    folder = Path(os.environ.get("HBENCH_SHARED_DATA", root.parent / "shared" / "data"))
    file = folder / "gsm8k" / "test.jsonl"
    if not file.exists():
        pytest.skip("GSM8K is not at hand: set HBENCH_SHARED_DATA")
    lines = file.read_text("utf-8").splitlines()
    others = {f"gsm8k-{n}": json.loads(line)["question"] for n, line in enumerate(lines)}
    assert len(others) == 1319
    assert near_duplicates({i.id: i.forms["en"] for i in ITEMS}, 0.15, against=others) == []


def test_planted_faults_are_found() -> None:
    """A number dropped or changed is missed against English, but for a 1 or 2 that a word covers.

    `ek` (one, or "a") and a free-standing `do` (two, or "give") may stand for a number of the other
    text, so the check lets a dropped 1 or 2 pass beside them: under one fault in two hundred.
    """
    planted: list[str] = []
    missed: list[str] = []
    for item in ITEMS:
        stated = quantities(item.forms["en"], "en")
        text = item.forms["cm-rom"]
        for match in re.finditer(r"\d[\d,]*(?:[.:]\d+)?", text):
            changed = f"{text[: match.start()]}7{match.group()}{text[match.end() :]}"
            dropped = text[: match.start()] + text[match.end() :]
            planted += [match.group()] * 2
            missed += [
                match.group()
                for fault in (changed, dropped)
                if not compare(stated, quantities(fault, "cm-rom"))
            ]
    assert len(planted) > 1000
    assert set(missed) <= {"1", "2"}
    assert len(missed) < len(planted) / 200


def test_the_whole_report_is_clean() -> None:
    """`hbench data verify tiered-100` has nothing to say, also within tight bounds."""
    tight = Bounds(words=(15, 90), english=(0.15, 0.60), ratio=(0.6, 1.7), similarity=0.15)
    assert [f.message for f in verify(ITEMS, bounds=tight).findings] == []


def test_the_card_states_the_digest_and_the_limits() -> None:
    """The card beside the items belongs to these items and hides nothing."""
    card = (DATA / "tiered-100" / "card.md").read_text("utf-8")
    assert SUITE.digest in card
    for said in ("CC BY-SA 4.0", "language model", "no human", "Second reading"):
        assert said in card
    for topic in TOPICS:
        row = [
            sum(i.topic == topic and i.tier == t for i in ITEMS) for t in ("easy", "medium", "hard")
        ]
        assert f"| {topic} | {row[0]} | {row[1]} | {row[2]} |" in card
