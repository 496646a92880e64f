"""How much the numeric-preservation check sees: precision and recall on planted faults, as Markdown.

    python benchmarks/preservation.py [--seed 1]

Pairs: `en` with `cm-rom` and with `hi-rom` of every packaged suite (the rules were made with the
first, tiered-100, at hand), and `preservation_pairs.jsonl`, sixty pairs written afterwards, each with
numbers said in another way (held out). In each translation one fault of each kind is planted where it fits; the harmless changes
are those that must pass. A pair counts as found when the check says that the quantities differ.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hinglishbench.forms.quantities import compare, quantities
from hinglishbench.stats.proportions import wilson
from hinglishbench.suites.items import load_suite, packaged_names

FORMS = ("cm-rom", "hi-rom")
HELD_OUT = Path(__file__).parent / "preservation_pairs.jsonl"
NUMBER = re.compile(r"(?<![\w.,:/])\d(?:[\d,]*\d)?(?:\.\d+)?(?![\w:/]|[.,]\d)")
# Spelled by hand, apart from the table that the check itself uses.
WORDS = {
    3: "teen", 4: "chaar", 5: "paanch", 6: "chhe", 7: "saat", 8: "aath", 9: "nau", 10: "das", 11: "gyarah",
    12: "barah", 13: "terah", 14: "chaudah", 15: "pandrah", 16: "solah", 17: "satrah", 18: "atharah",
    20: "bees", 24: "chaubees", 25: "pachees", 30: "tees", 35: "paintees", 40: "chalis", 45: "paintalis",
    50: "pachaas", 55: "pachpan", 75: "pachhattar", 80: "assi", 90: "nabbe", 100: "sau", 200: "do sau",
    500: "paanch sau", 1000: "ek hazaar", 2000: "do hazaar",
}  # fmt: skip
UNITS = {
    "kg": "gram", "kilo": "gram", "gram": "kilo", "km": "metre", "kilometre": "metre", "metre": "kilometre",
    "litre": "ml", "rupaye": "dollar", "rupees": "dollars", "rs": "dollar", "minute": "ghante",
    "minutes": "hours", "ghante": "minute", "hours": "minutes", "din": "hafte", "days": "weeks",
    "mahine": "saal", "saal": "mahine", "percent": "rupaye", "%": " rupaye",
}  # fmt: skip
UNIT = re.compile(
    rf"(?P<number>\d[\d,]*(?:\.\d+)?)(?P<gap> ?)(?P<unit>{'|'.join(map(re.escape, sorted(UNITS, key=len, reverse=True)))})(?![a-z])"
)

Planter = Callable[[str, random.Random], str | None]


def numbers(text: str) -> list[re.Match[str]]:
    """Numbers in digits that stand free."""
    return list(NUMBER.finditer(text))


def put(text: str, match: re.Match[str], new: str) -> str:
    """The text with a match replaced."""
    return text[: match.start()] + new + text[match.end() :]


def value_of(match: re.Match[str]) -> float:
    """The number as a number."""
    return float(match.group().replace(",", ""))


def dropped(text: str, rng: random.Random) -> str | None:
    """A number is gone."""
    found = numbers(text)
    return put(text, rng.choice(found), "kuch") if found else None


def changed(text: str, rng: random.Random) -> str | None:
    """One digit is another."""
    found = numbers(text)
    if not found:
        return None
    match = rng.choice(found)
    digits = [i for i, c in enumerate(match.group()) if c.isdigit()]
    at = rng.choice(digits)
    old = match.group()[at]
    new = rng.choice([d for d in "123456789" if d != old])
    return put(text, match, match.group()[:at] + new + match.group()[at + 1 :])


def swapped(text: str, rng: random.Random) -> str | None:
    """Two neighbouring digits changed places (45 became 54)."""
    found = [m for m in numbers(text) if re.fullmatch(r"(\d)(?!\1)[1-9]", m.group())]
    if not found:
        return None
    match = rng.choice(found)
    return put(text, match, match.group()[::-1])


def merged(text: str, rng: random.Random) -> str | None:
    """Two numbers became one."""
    found = numbers(text)
    if len(found) < 2:
        return None
    at = rng.randrange(len(found) - 1)
    first, second = found[at], found[at + 1]
    text = put(text, second, "")
    return put(text, first, first.group() + second.group().replace(",", ""))


def doubled(text: str, rng: random.Random) -> str | None:
    """A number is said a second time in a place of its own."""
    found = numbers(text)
    return f"{text} Matlab wahi {rng.choice(found).group()} wala." if found else None


def wrong_word(text: str, rng: random.Random) -> str | None:
    """A digit became the word of another number."""
    found = [m for m in numbers(text) if value_of(m) in WORDS]
    if not found:
        return None
    match = rng.choice(found)
    others = [w for v, w in WORDS.items() if v != value_of(match)]
    return put(text, match, rng.choice(others))


def unit_changed(text: str, rng: random.Random) -> str | None:
    """The number stayed and its unit is another."""
    found = list(UNIT.finditer(text))
    if not found:
        return None
    match = rng.choice(found)
    new = UNITS[match["unit"]]
    return put(text, match, match["number"] + (match["gap"] or " ") + new.strip())


def times_ten(text: str, rng: random.Random) -> str | None:
    """A zero too many."""
    found = [m for m in numbers(text) if "." not in m.group() and value_of(m)]
    if not found:
        return None
    match = rng.choice(found)
    return put(text, match, match.group().replace(",", "") + "0")


def untouched(text: str, rng: random.Random) -> str | None:  # noqa: ARG001  a planter takes both
    """Nothing is done."""
    return text


def same_word(text: str, rng: random.Random) -> str | None:
    """A digit became its own word."""
    found = [m for m in numbers(text) if value_of(m) in WORDS]
    if not found:
        return None
    match = rng.choice(found)
    return put(text, match, WORDS[int(value_of(match))])


def native_digits(text: str, rng: random.Random) -> str | None:  # noqa: ARG001  the same
    """Every digit in Devanagari."""
    return text.translate({ord("0") + d: 0x966 + d for d in range(10)})


def other_commas(text: str, rng: random.Random) -> str | None:
    """Grouped the Indian way, or not at all."""
    found = [m for m in numbers(text) if value_of(m) >= 1000 and "." not in m.group()]
    if not found:
        return None
    match = rng.choice(found)
    plain = match.group().replace(",", "")
    head, tail = plain[:-3], plain[-3:]
    grouped = ",".join([*re.findall(r"\d{1,2}(?=(?:\d{2})*$)", head), tail])
    return put(text, match, plain if "," in match.group() else grouped)


def other_order(text: str, rng: random.Random) -> str | None:  # noqa: ARG001  the same
    """The last sentence comes first."""
    sentences = re.split(r"(?<=[.?!]) ", text)
    return " ".join([sentences[-1], *sentences[:-1]]) if len(sentences) > 1 else None


FAULTS: dict[str, Planter] = {
    "dropped": dropped,
    "digit changed": changed,
    "digits swapped": swapped,
    "zero too many": times_ten,
    "merged": merged,
    "said once more": doubled,
    "wrong word for a digit": wrong_word,
    "unit changed": unit_changed,
}
HARMLESS: dict[str, Planter] = {
    "untouched": untouched,
    "word for a digit": same_word,
    "Devanagari digits": native_digits,
    "other commas": other_commas,
    "sentences in another order": other_order,
}


@dataclass
class Count:
    """How many were made, and how many of them the check spoke up about."""

    n: int = 0
    told: int = 0
    examples: list[str] = field(default_factory=list)


def pairs() -> Iterator[tuple[str, str, str, str]]:
    """Where from, the form, English, translation."""
    for name in packaged_names():
        for form in FORMS:
            for item in load_suite(name).items:
                if {"en", form} <= item.forms.keys():
                    yield f"{name} {form}", form, item.forms["en"], item.forms[form]
    for line in HELD_OUT.read_text("utf-8").splitlines():
        row = json.loads(line)
        yield "held out", "cm-rom", row["en"], row["cm-rom"]


def measure(seed: int) -> dict[str, dict[str, Count]]:
    """Counts by kind and by where the pairs come from."""
    counts: dict[str, dict[str, Count]] = {kind: {} for kind in (*FAULTS, *HARMLESS)}
    for where, form, english, translation in pairs():
        stated = quantities(english, "en")
        for kind, plant in (*FAULTS.items(), *HARMLESS.items()):
            made = plant(translation, random.Random(f"{seed}/{kind}/{translation}"))
            if made is None:
                continue
            count = counts[kind].setdefault(where, Count())
            told = bool(compare(stated, quantities(made, form)))
            count.n += 1
            count.told += told
            if told == (kind in HARMLESS):
                count.examples.append(made)
    return counts


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="print what was judged wrongly")
    options = parser.parse_args()
    counts = measure(options.seed)
    wheres = list(dict.fromkeys(where for where, *_ in pairs()))
    number = {where: sum(1 for w, *_ in pairs() if w == where) for where in wheres}
    print("pairs: " + ", ".join(f"{n} {where}" for where, n in number.items()), end="\n\n")
    print("| planted | " + " | ".join(wheres) + " | found | recall | 95% |")
    print("| --- |" + " ---: |" * (len(wheres) + 3))
    for kind in FAULTS:
        print(_row(kind, counts[kind], wheres))
    print("\n| harmless | " + " | ".join(wheres) + " | false alarms | rate | 95% |")
    print("| --- |" + " ---: |" * (len(wheres) + 3))
    for kind in HARMLESS:
        print(_row(kind, counts[kind], wheres))
    print("\n| pairs | recall | precision | false alarms on untouched pairs |")
    print("| --- | ---: | ---: | ---: |")
    for scope in (*wheres, None):
        print(_overall(counts, scope))
    if options.show:
        for kind, by_where in counts.items():
            for where, count in by_where.items():
                for text in count.examples:
                    print(f"{kind} · {where} · {text}")


def _row(kind: str, by_where: dict[str, Count], wheres: list[str]) -> str:
    n = sum(c.n for c in by_where.values())
    told = sum(c.told for c in by_where.values())
    cells = [f"{c.told}/{c.n}" if (c := by_where.get(w)) else "-" for w in wheres]
    return f"| {kind} | {' | '.join(cells)} | {told}/{n} | {told / n:.1%} | {_interval(told, n)} |"


def _overall(counts: dict[str, dict[str, Count]], scope: str | None) -> str:
    def total(kinds: dict[str, Planter]) -> tuple[int, int]:
        chosen = [c for k in kinds for w, c in counts[k].items() if scope in (None, w)]
        return sum(c.told for c in chosen), sum(c.n for c in chosen)

    hit, faults = total(FAULTS)
    alarms, _ = total(HARMLESS)
    raw, clean = total({"untouched": untouched})
    return (
        f"| {scope or 'all'} | {hit}/{faults} = {hit / faults:.1%} ({_interval(hit, faults)}) |"
        f" {hit}/{hit + alarms} = {hit / (hit + alarms):.1%} ({_interval(hit, hit + alarms)}) | {raw}/{clean} |"
    )


def _interval(k: int, n: int) -> str:
    limits = wilson(k, n)
    assert limits is not None
    return f"{limits[0]:.1%} to {limits[1]:.1%}"


if __name__ == "__main__":
    main()
