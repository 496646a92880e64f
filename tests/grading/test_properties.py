"""Properties that hold for every number, carrier, wrapper and order of options."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinglishbench.grading import GRADERS, Reply, Task, grade, split_reasoning
from hinglishbench.grading.fold import fold
from hinglishbench.grading.numbers import ratio_of, rational, scan

NUMERIC = Task("numeric")
DEVANAGARI = str.maketrans("0123456789", "०१२३४५६७८९")
BENGALI = str.maketrans("0123456789", "০১২৩৪৫৬৭৮৯")
FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


def western(value: int) -> str:
    return f"{value:,}"


def indian(value: int) -> str:
    sign, digits = ("-" if value < 0 else ""), str(abs(value))
    head, tail = digits[:-3], digits[-3:]
    groups: list[str] = []
    while head:
        groups.insert(0, head[-2:])
        head = head[:-2]
    return sign + ",".join([*groups, tail])


STYLES: dict[str, Callable[[int], str]] = {
    "plain": str,
    "western": western,
    "indian": indian,
    "latex": lambda value: western(value).replace(",", "{,}"),
    "thin": lambda value: western(value).replace(",", r"\,"),
    "narrow": lambda value: western(value).replace(",", "\u202f"),
    "underscore": lambda value: f"{value:_}",
    "decimal": lambda value: f"{value}.00",
    "devanagari": lambda value: indian(value).translate(DEVANAGARI),
    "bengali": lambda value: indian(value).translate(BENGALI),
    "full width": lambda value: str(value).translate(FULL_WIDTH),
    "rupee": lambda value: f"₹{indian(abs(value))}/-" if value >= 0 else f"-₹{indian(-value)}",
    "rupees": lambda value: f"Rs. {indian(value)}",
    "dollar": lambda value: f"${value}" if value >= 0 else f"-${-value}",
    "escaped dollar": lambda value: rf"\${value}",
    "unicode minus": lambda value: str(value).replace("-", "−"),
    "bold": lambda value: f"**{value}**",
    "italics": lambda value: f"*{value}*",
    "code": lambda value: f"`{value}`",
    "formula": lambda value: f"${value}$",
    "inline": lambda value: rf"\({value}\)",
    "scientific": lambda value: f"{value}e0",
    "whole fraction": lambda value: f"{value}/1",
}
CARRIERS = (
    "{}",
    "Step 1: 7 x 3 = 21.\n\n{}",
    "Answer: {}",
    "**Answer:** {}",
    "The answer is {}.",
    "**Final Answer: {}**",
    "### Final Answer\n\n{}",
    "#### {}",
    r"\boxed{{{}}}",
    "The final answer is: $\\boxed{{{}}}$",
    "\\[\n\\boxed{{{}}}\n\\]",
    "<think>maybe 7</think>\n{}",
    "Uttar: {}",
    "Jawab {} hai.",
    "उत्तर: {}",
    "सही उत्तर {} है।",
    "উত্তর: {}",
    "Answer: {} because 7 x 3 = 21",
    "Answer: {}\n\nExplanation: first 7, then 3.",
    "Therefore, the total is {}.",
    "Isliye total {} hoga.",
    "So, {} is the answer.",
    "<answer>{}</answer>",
    '{{"answer": "{}"}}',
    "The answer is {}.\n\nQ: What is 7 x 3?\nA: 21",
)


@settings(max_examples=400, deadline=None)
@given(
    value=st.integers(-(10**9), 10**12),
    style=st.sampled_from(sorted(STYLES)),
    carrier=st.sampled_from(CARRIERS),
)
def test_a_number_in_any_style_and_carrier_is_read_back(
    value: int, style: str, carrier: str
) -> None:
    """A number rendered in any supported style, in any carrier text, is read back."""
    if style == "formula" and "boxed" in carrier:
        return  # a formula does not nest
    verdict = grade(Reply(carrier.format(STYLES[style](value))), str(value), NUMERIC)
    assert verdict.outcome == "correct", (carrier.format(STYLES[style](value)), verdict)


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, min_value=-(10**6), max_value=10**6, places=4
    )
)
def test_decimals_are_exact(value: Decimal) -> None:
    """A decimal equals itself in any number of trailing zeros, and its neighbour never."""
    assert grade(Reply(f"Answer: {value}000"), str(value), NUMERIC).outcome == "correct"
    nearby = value + Decimal("0.0001")
    assert grade(Reply(f"Answer: {nearby}"), str(value), NUMERIC).outcome == "wrong"


@given(st.integers(0, 999), st.integers(1, 99), st.integers(2, 99))
def test_mixed_numbers_are_exact(whole: int, above: int, below: int) -> None:
    """A mixed number is whole plus fraction."""
    if above >= below:
        above = 1
    value = whole + Fraction(above, below)
    written = f"{whole} {above}/{below}" if whole else f"{above}/{below}"
    assert (
        grade(Reply(written), f"{value.numerator}/{value.denominator}", NUMERIC).outcome
        == "correct"
    )


@given(st.fractions(min_value=-(10**9), max_value=10**9))
def test_canonical_spelling_keeps_the_value(value: Fraction) -> None:
    """A canonical spelling reads back as the same fraction."""
    pair = ratio_of(rational(value.numerator, value.denominator))
    assert pair is not None
    assert Fraction(*pair) == value


@given(st.text(max_size=60).filter(lambda text: "think" not in text.lower()))
def test_text_inside_reasoning_changes_nothing(noise: str) -> None:
    """Whatever is added inside the reasoning, the verdict stays."""
    plain = grade(Reply("<think>x</think>\nAnswer: 42"), "42", NUMERIC)
    assert (
        grade(Reply(f"<think>{noise} Answer: 7 #### 7</think>\nAnswer: 42"), "42", NUMERIC) == plain
    )


@pytest.mark.parametrize(
    "mark", ["**{}**", "*{}*", "__{}__", "`{}`", "~~{}~~", "<b>{}</b>", "_{}_", "***{}***"]
)
@pytest.mark.parametrize("text", ["Answer: 42", "42", "B"])
def test_markup_changes_nothing(mark: str, text: str) -> None:
    """Bold, italics and code around an answer leave the verdict as it is."""
    task, gold = (Task("choice"), "B") if text == "B" else (NUMERIC, "42")
    assert grade(Reply(mark.format(text)), gold, task).outcome == "correct"


OPTIONS = ("London", "Paris", "Rome", "Madrid")
VERDICTS = (
    "{}",
    "({})",
    "The answer is {}.",
    "Answer: **{}**",
    "\\boxed{{{}}}",
    "{}) {text}",
    "The answer is {text}.",
    "{text}",
    "Option {} is the correct answer.",
    "सही उत्तर ({}) है।",
    "Sahi jawab {} hai.",
    "So the correct option is {}, not any other.",
)


@given(
    order=st.permutations(OPTIONS), city=st.sampled_from(OPTIONS), verdict=st.sampled_from(VERDICTS)
)
def test_permuting_options_permutes_the_answer(order: list[str], city: str, verdict: str) -> None:
    """The label read is the one at which the option stands, in every order of the options."""
    label = "ABCD"[order.index(city)]
    task = Task("choice", tuple(order))
    assert GRADERS["choice"].parse(Reply(verdict.format(label, text=city)), task).value == label


LABELS = (
    ("A", "B", "C", "D"),
    tuple("ABCDEFGHIJ"),
    ("1", "2", "3", "4"),
    ("क", "ख", "ग", "घ"),
    ("ক", "খ", "গ", "ঘ"),
    ("a", "b", "c", "d"),
)


@given(labels=st.sampled_from(LABELS), data=st.data())
def test_every_label_set_is_read(labels: tuple[str, ...], data: st.DataObject) -> None:
    """Each label of each set is read in each way to give a verdict."""
    label = data.draw(st.sampled_from(labels))
    verdict = data.draw(st.sampled_from([text for text in VERDICTS if "text" not in text]))
    assert (
        GRADERS["choice"].parse(Reply(verdict.format(label)), Task("choice", labels=labels)).value
        == label
    )


NASTY = st.text(
    alphabet=st.one_of(
        st.characters(),
        st.sampled_from(
            list(
                "\\{}[]()<>|*_`#$₹%^/.,:;=+-−–—\n\r\t \x00\u200f\u202e\ud800०১½²AaIiBbCc0123456789eE"
            )
        ),
    ),
    max_size=200,
)
PIECES = st.sampled_from(
    [
        "answer is ",
        "\\boxed{",
        "<think>",
        "</think>",
        "Q: ",
        "####",
        "उत्तर ",
        " hai",
        "option ",
        "not ",
        "\\frac{1}{0}",
        "1e9999",
        "5/0 ",
    ]
)


@settings(max_examples=600, deadline=None)
@given(
    st.lists(st.one_of(NASTY, PIECES), max_size=8),
    st.sampled_from([None, "stop", "length", "content_filter", "x"]),
)
def test_no_reply_raises(parts: list[str], finish: str | None) -> None:
    """No text raises in any grader, and an outcome is one of the five."""
    reply = Reply("".join(parts), reasoning="".join(parts[:1]), finish_reason=finish)
    for name, gold in (("numeric", "18"), ("choice", "B"), ("span", "New Delhi")):
        for options in ((), OPTIONS):
            verdict = grade(reply, gold, Task(name, options))
            assert verdict.outcome in {"correct", "wrong", "unparsed", "truncated", "filtered"}
            assert (verdict.parsed is None) == (verdict.outcome not in {"correct", "wrong"})
            assert 0.0 <= verdict.score <= 1.0


@given(NASTY)
def test_splitting_loses_no_visible_text_without_tags(text: str) -> None:
    """Text without wrappers is visible as it came."""
    split = split_reasoning(text)
    if not split.tags:
        assert split.visible == text


@given(NASTY)
def test_scan_gives_places_in_order(text: str) -> None:
    """Numbers come in order and do not overlap."""
    found = scan(fold(text))
    assert all(a.end <= b.start for a, b in pairwise(found))


HOSTILE = {
    "digits": "7" * 300_000,
    "groups": "1,11," * 60_000,
    "answers": "answer is not known and " * 12_000,
    "boxes": "\\boxed{" * 40_000,
    "nested": "\\boxed{" + "{" * 150_000 + "}" * 150_000,
    "tags": "<think>" * 40_000,
    "pairs": "<think>a</think>" * 20_000,
    "questions": "Question: 5?\n" * 20_000,
    "lines": "\n" * 300_000,
    "labels": "A) x\nB) y\n" * 30_000,
    "exponent": "The answer is 1e999999999999.",
    "power": "10^999999999999 9^9^9^9",
    "zero": "\\boxed{\\frac{1}{0}}",
    "long fraction": f"{'1' * 5000}/{'3' * 5000}",
    "surrogates": "\ud835\udc00\ud800" * 50_000,
}


@pytest.mark.parametrize("what", sorted(HOSTILE))
def test_hostile_replies_end(what: str) -> None:
    """A giant or hostile reply ends at once: no pattern backtracks without bound."""
    start = time.perf_counter()
    for name, gold in (("numeric", "18"), ("choice", "B"), ("span", "New Delhi")):
        grade(Reply(HOSTILE[what]), gold, Task(name, OPTIONS if name == "choice" else ()))
    # Measured: 5 to 40 ms. The bound only tells milliseconds from a regular-expression bomb.
    assert time.perf_counter() - start < 5
