"""Every golden reply gets the verdict that a person gave it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from hinglishbench.grading import Reply, Task, grade

from .conftest import golden_rows
from .naive import any_number, first_capital, last_number


def _task(row: dict[str, Any]) -> Task:
    return Task(
        row["grader"], tuple(row["options"]), tuple(row.get("labels", ())), row.get("tolerance")
    )


def _reply(row: dict[str, Any]) -> Reply:
    return Reply(row["reply"], row.get("reasoning"), row.get("finish_reason"))


@pytest.mark.parametrize(
    "row", golden_rows(), ids=lambda row: f"{row['id']}-{row['style']}-{row['language']}"
)
def test_verdict_is_a_persons(row: dict[str, Any]) -> None:
    """The outcome is the one that a person reading the reply gives."""
    assert grade(_reply(row), row["gold"], _task(row)).outcome == row["outcome"], row["reason"]


def test_golden_file_is_wide(golden: list[dict[str, Any]]) -> None:
    """There are 300 replies or more, in every form, for every grader, with every outcome."""
    assert len(golden) >= 300
    assert len({str(row["reply"]) + str(row["gold"]) for row in golden}) > 0.95 * len(golden)
    assert {row["language"] for row in golden} >= {"en", "cm-rom", "cm", "hi", "hi-rom", "bn"}
    assert {row["outcome"] for row in golden} == {
        "correct",
        "wrong",
        "unparsed",
        "truncated",
        "filtered",
    }
    assert min(Counter(row["grader"] for row in golden).values()) >= 20
    assert all(row["reason"] for row in golden)


def _naive_verdict(row: dict[str, Any]) -> bool:
    text = row["reply"] or ""
    if row["grader"] == "numeric":
        return bool(last_number(text) == row["gold"])
    labels = tuple(row.get("labels") or "ABCDEFGHIJ"[: len(row["options"])])
    return bool(first_capital(text, labels) == row["gold"])


def test_naive_extractors_show_what_the_rules_are_worth(golden: list[dict[str, Any]]) -> None:
    """First capital letter and last number are wrong about a quarter of these replies."""
    rows = [row for row in golden if row["grader"] in {"numeric", "choice"}]
    wrong = [row for row in rows if _naive_verdict(row) != (row["outcome"] == "correct")]
    assert len(wrong) > 0.2 * len(rows)


@pytest.mark.parametrize(
    ("reply", "gold", "rule"),
    [
        ("<think>maybe 18</think>\n20", "18", "reasoning is stripped"),
        ("16 - 3 = 13, so 13", "16", "only the stated answer counts"),
        ("18 was my first guess, the answer is 20.", "18", "the marker decides"),
        ("The answer is 20.\n\nQ: and 2 x 9?\nA: 18", "18", "run-on text is cut"),
        ("She comes at 18:30.", "18", "a clock time is one token"),
    ],
)
def test_peeking_at_the_gold_flatters(reply: str, gold: str, rule: str) -> None:
    """An extractor that looks for the gold among the numbers calls wrong replies correct."""
    peeked = any_number(reply, gold)
    assert peeked, rule
    assert grade(Reply(reply), gold, Task("numeric")).outcome == "wrong", rule


@pytest.mark.parametrize(
    ("reply", "gold", "naive", "rule"),
    [
        ("A good question! The answer is B.", "B", "A", "the article is no label"),
        (
            "Considering all options, B is the correct answer.",
            "B",
            "C",
            "letters of words are no labels",
        ),
        ("A) is wrong. So it is B.", "B", "A", "rejected labels do not count"),
        ("Answer: B", "B", "A", "the initial of the answer word is no label"),
        ("Cannot say.", "B", "C", "a refusal gives no answer"),
    ],
)
def test_first_capital_invents_answers(reply: str, gold: str, naive: str, rule: str) -> None:
    """The first capital letter is something else than the answer in each of these."""
    labels = ("A", "B", "C", "D")
    assert first_capital(reply, labels) == naive, rule
    assert grade(Reply(reply), gold, Task("choice", labels=labels)).parsed in {"B", None}, rule
