"""The packaged set `hinglish-first-120` keeps what its card promises, apart from `tiered-100`."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from hinglishbench.forms.checks import Bounds, verify
from hinglishbench.forms.duplicates import near_duplicates
from hinglishbench.forms.mixing import language, mixing, words
from hinglishbench.forms.quantities import compare, quantities
from hinglishbench.suites.items import Item, Suite, load_suite

FORMS = ("cm-rom", "en")
TIERS = ("easy", "medium", "hard")
TOPICS = (
    *("chai-stall", "cooking", "courier", "cricket", "dairy", "farming"),
    *("gym", "kirana", "petrol", "salary", "tailor", "wedding"),
)
REGISTERS = {"chat", "voice", "shop", "forward", "plain"}
REGIONS = {"north", "west", "south", "east", "northeast", "central"}
SUITE: Suite = load_suite("hinglish-first-120", need_forms=FORMS)
ITEMS = SUITE.items
OTHERS = load_suite("tiered-100").items
CARD = Path(SUITE.card or "").read_text("utf-8")
DIGITS = re.compile(r"\d[\d,]*(?:[.:]\d+)?")


def test_ids_and_tiers_stand_in_order() -> None:
    """hf120-001 to hf120-120 without a gap, forty a tier, Hinglish first in each item."""
    assert [i.id for i in ITEMS] == [f"hf120-{n:03d}" for n in range(1, 121)]
    assert [i.tier for i in ITEMS] == [tier for tier in TIERS for _ in range(40)]
    assert all(tuple(i.forms) == FORMS for i in ITEMS)


def test_every_tier_has_every_topic() -> None:
    """Twelve topics, ten items each, three or four in each tier."""
    cells = Counter((i.tier, i.topic) for i in ITEMS)
    assert set(cells) == {(tier, topic) for tier in TIERS for topic in TOPICS}
    assert set(cells.values()) == {3, 4}
    assert set(Counter(i.topic for i in ITEMS).values()) == {10}


def test_registers_vary() -> None:
    """Five registers, each at least eight times, none more than forty times."""
    registers = Counter(i.meta["register"] for i in ITEMS)
    assert set(registers) == REGISTERS
    assert min(registers.values()) >= 8
    assert max(registers.values()) <= 40


def test_regions_are_mixed_over_the_tiers() -> None:
    """A difference between tiers is no difference between regions: each is in each, none rules."""
    cells = Counter((i.tier, i.meta["region"]) for i in ITEMS)
    assert set(cells) == {(tier, region) for tier in TIERS for region in REGIONS}
    assert min(cells.values()) >= 3
    assert max(cells.values()) <= 10


def test_the_report_is_clean_within_tight_bounds() -> None:
    """Numbers, gold, scripts, lengths, mixing, markers, leaks and doubles: nothing to say."""
    tight = Bounds(
        words=(15, 90), english=(0.15, 0.60), markers=8, ratio=(0.6, 1.7), similarity=0.15
    )
    assert [f"{f.item} {f.message}" for f in verify(ITEMS, bounds=tight).findings] == []


def test_every_gold_is_plain_and_has_a_check() -> None:
    """The report only judges checks that are there: all are, and golds are written plainly."""
    for item in ITEMS:
        assert item.check
        assert isinstance(item.answer, str)
        assert re.fullmatch(r"\d+(\.\d*[1-9])?", item.answer), item.id


def test_number_words_are_marked() -> None:
    """Six items a tier say quantities in words and list them; the others have digits alone."""
    marked = Counter(i.tier for i in ITEMS if i.meta["number_words"])
    assert marked == dict.fromkeys(TIERS, 6)
    for item in ITEMS:
        text, listed = item.forms["cm-rom"].lower(), item.meta["number_words"]
        spoken = [q.text for q in quantities(text, "cm-rom") if q.sure and not q.text[0].isdigit()]
        assert all(word in text for word in listed), item.id
        assert all(any(word in entry for entry in listed) for word in spoken), item.id
        if listed:
            continue
        digits = [sorted(DIGITS.findall(t.replace(",", ""))) for t in item.forms.values()]
        assert digits[0] == digits[1], item.id


def test_english_is_english_and_hinglish_is_mixed() -> None:
    """English has no Hindi grammar; Hinglish is a quarter to a half English on the average."""
    assert all(mixing(i.forms["en"], "en").markers <= 1 for i in ITEMS)
    summary = verify(ITEMS).forms
    assert (summary["en"].share_english or 0) > 0.95
    assert 0.25 <= (summary["cm-rom"].share_english or 0) <= 0.50


def test_spelling_varies_as_people_type() -> None:
    """The commonest words stand in more than one spelling over the set."""
    seen = Counter(w.lower() for i in ITEMS for w in words(i.forms["cm-rom"]))
    for spellings in (("hai", "h"), ("mein", "me"), ("to", "toh"), ("pe", "par")):
        assert all(seen[s] for s in spellings), spellings


def test_voice_notes_run_on() -> None:
    """A voice note has no full stop inside, the other registers have one nearly always."""
    stops = {i.id: len(re.findall(r"[.!?](?=\s)", i.forms["cm-rom"])) for i in ITEMS}
    assert all(stops[i.id] == 0 for i in ITEMS if i.meta["register"] == "voice")
    assert all(stops[i.id] >= 1 for i in ITEMS if i.meta["register"] != "voice")


@pytest.mark.parametrize("form", FORMS)
def test_no_item_is_near_one_of_tiered_100(form: str) -> None:
    """No shared plots between the two sets, by shingles in either form."""
    other = {i.id: i.forms[form] for i in OTHERS}
    assert near_duplicates({i.id: i.forms[form] for i in ITEMS}, 0.10, against=other) == []


def test_no_two_items_have_the_same_numbers() -> None:
    """Neither within the set nor with an item of `tiered-100`."""
    numbers = Counter(
        tuple(sorted(q.value for q in quantities(i.forms["en"]))) for i in (*ITEMS, *OTHERS)
    )
    assert max(numbers.values()) == 1


def test_no_person_or_place_is_in_both_sets() -> None:
    """Names are disjoint; a name is a capitalised word that neither word list knows."""
    own, other = _names(ITEMS), _names(OTHERS)
    assert {"Mysuru", "Yellamma", "Jamaluddin"} <= own
    assert {"Kolkata", "Murugan", "Simran"} <= other
    assert own & other <= {"Let"}  # of "Let's"


def _names(items: Iterable[Item]) -> set[str]:
    capitals = {
        word
        for item in items
        for form in FORMS
        for word in re.findall(r"\b[A-Z][a-z]+\b", item.forms[form])
    }
    return {
        word
        for word in capitals
        if language(word.lower(), "cm-rom") == language(word.lower(), "en") == "unknown"
    }


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
    assert near_duplicates({i.id: i.forms["en"] for i in ITEMS}, 0.10, against=others) == []


def test_planted_faults_are_found_as_often_as_the_card_says() -> None:
    """Each number dropped or changed is missed, but for a 1, 2 or 3 that a word covers."""
    planted = 0
    missed: list[str] = []
    for item in ITEMS:
        stated = quantities(item.forms["en"], "en")
        text = item.forms["cm-rom"]
        for match in DIGITS.finditer(text):
            before, after = text[: match.start()], text[match.end() :]
            for fault in (f"{before}7{match.group()}{after}", before + after):
                planted += 1
                if not compare(stated, quantities(fault, "cm-rom")):
                    missed.append(match.group())
    assert set(missed) <= {"1", "2", "3"}
    found = planted - len(missed)
    assert f"of {planted:,} faults planted" in CARD
    assert f"{found:,} were found; the {len(missed)} missed ones" in CARD


def test_the_card_states_the_digest_and_the_limits() -> None:
    """The card beside the items belongs to these items and hides nothing."""
    assert SUITE.digest in CARD
    for said in ("CC BY-SA 4.0", "language model wrote", "by the same model", "no human certified"):
        assert said in CARD
    cells = Counter((i.topic, i.tier) for i in ITEMS)
    for topic in TOPICS:
        row = " | ".join(str(cells[topic, tier]) for tier in TIERS)
        assert f"| {topic} | {row} |" in CARD
    for register, count in Counter(i.meta["register"] for i in ITEMS).items():
        assert f"| {register} | {count} |" in CARD
