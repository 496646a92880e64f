"""Faults that users of other programs met, as tests of their kind."""

from __future__ import annotations

import pytest

from hinglishbench.grading import GRADERS, GoldError, Reply, Task, grade, split_reasoning

AD = ("A", "B", "C", "D")
AJ = tuple("ABCDEFGHIJ")

NUMBERS = [
    (3, r"\boxed{$9{,}500}", "9500", "correct"),
    (3, r"\boxed{8,000}", "8000", "correct"),
    (3, "The answer is $9{,}500.", "9500", "correct"),
    (3, r"\boxed{9\,500}", "9500", "correct"),
    (3, r"\boxed{9\!,\!500}", "9500", "correct"),
    (4, "The answer is 72, in all.", "72", "correct"),
    (4, "#### 72\n#### ,", "72", "correct"),
    (5, "Rows 3 4", "4", "correct"),
    (7, "<think>e.g. #### 7 ... so #### 40</think>\n#### 42", "42", "correct"),
    (8, "The final value is 13.20%", "13.2", "correct"),
    (9, "905 + 2*234 ...\n\nFinal Answer: **73**", "73", "correct"),
    (10, "2 2/3", "2", "wrong"),
    (10, "1 1/4", "5/4", "correct"),
    (12, "#### 1/2", "0.5", "correct"),
    (12, r"\boxed{1/2}", "0.5", "correct"),
    (13, r"\boxed{\text{The answer is 460}}", "460", "correct"),
    (14, "maybe answer: 5, no.\nAnswer: 10", "10", "correct"),
    (15, "उत्तर: ₹१,२५,०००", "125000", "correct"),
    (16, "10² = 100", "100", "correct"),
    (16, "²", "2", "unparsed"),
]


@pytest.mark.parametrize(
    ("reply", "gold", "outcome"),
    [row[1:] for row in NUMBERS],
    ids=[f"case {row[0]}" for row in NUMBERS],
)
def test_number(reply: str, gold: str, outcome: str) -> None:
    """The number is read as a person reads it."""
    assert grade(Reply(reply), gold, Task("numeric")).outcome == outcome


def test_multi_valued_gold_is_refused() -> None:
    """Case 11: a gold with several required numbers is refused when it is loaded."""
    grader = GRADERS["numeric"]
    for gold in (
        "1331 and 1728",
        "3, 4",
        "x = 3, y = 4",
        ["1331", "1728"],
        [],
        "",
        "none",
        "12 or 13",
    ):
        with pytest.raises(GoldError):
            grader.check_gold(gold, Task("numeric"))


LETTERS = [
    (17, "ANSWER: None of the above", AD, None),
    (17, "ANSWER: Don't know", AD, None),
    (19, "Answer:\n\nAnswer: C", AD, "C"),
    (19, "Uttar: Answer: C", AD, "C"),
    (21, "I cannot determine it.", AD, None),
    (21, "Error: rate limited", AD, None),
    (22, "The answer is C because I computed it.", AJ, "C"),
    (23, "I would pick B — a safe choice.", AD, "B"),
    (25, "It could be option F. Dog is no option.", AJ, "F"),
    (27, "Answer: this asks for a colour\n...\nanswer: b", AD, "B"),
]


@pytest.mark.parametrize(
    ("reply", "labels", "parsed"),
    [row[1:] for row in LETTERS],
    ids=[f"case {row[0]}" for row in LETTERS],
)
def test_letter(reply: str, labels: tuple[str, ...], parsed: str | None) -> None:
    """A label is read where it is one, and nowhere else."""
    assert GRADERS["choice"].parse(Reply(reply), Task("choice", labels=labels)).value == parsed


@pytest.mark.parametrize(
    "reply",
    [
        "<thinking>7?</thinking> 9",
        "<reasoning>7</reasoning>9",
        "◁think▷7◁/think▷ 9",
        "[THINK]7[/THINK]9",
        "<THINK>7</THINK>9",
        "&lt;think&gt;7&lt;/think&gt;9",
    ],
)
def test_every_wrapper_is_known(reply: str) -> None:
    """Case 31: the reasoning is taken out of every known wrapper, and the wrapper is recorded."""
    assert grade(Reply(reply), "9", Task("numeric")).outcome == "correct"
    assert split_reasoning(reply).tags


def test_tag_set_can_be_extended() -> None:
    """Case 31: a tag that we do not know can be named."""
    text = "<musing>7</musing>9"
    assert split_reasoning(text).visible == text
    assert split_reasoning(text, extra_tags=("musing",)).visible == "9"


def test_unclosed_reasoning_is_no_answer() -> None:
    """Case 28: reasoning cut by length gives no answer."""
    verdict = grade(
        Reply("<think>4*5=20 so maybe 20", finish_reason="length"), "20", Task("numeric")
    )
    assert (verdict.parsed, verdict.outcome) == (None, "truncated")
    assert split_reasoning("<think>4*5=20 so maybe 20").unclosed


@pytest.mark.parametrize("text", [None, "", "  \n"])
def test_reasoning_is_never_copied_into_the_answer(text: str | None) -> None:
    """Cases 32, 33: no visible text is truncated at the limit and flagged at a stop, never graded."""
    task = Task("numeric")
    cut = grade(Reply(text, reasoning="so it is 7", finish_reason="length"), "7", task)
    assert (cut.parsed, cut.outcome) == (None, "truncated")
    stopped = grade(Reply(text, reasoning="so it is 7", finish_reason="stop"), "7", task)
    assert (stopped.parsed, stopped.outcome, stopped.method) == (None, "unparsed", "only_reasoning")
    assert (
        "only_reasoning" in GRADERS["numeric"].parse(Reply(text, "so it is 7", "stop"), task).flags
    )


def test_filtered_is_its_own_outcome() -> None:
    """Case 53: a filtered reply is neither wrong nor an error."""
    for name in GRADERS:
        gold = "A" if name == "choice" else "7"
        assert (
            grade(Reply(None, finish_reason="content_filter"), gold, Task(name)).outcome
            == "filtered"
        )


@pytest.mark.parametrize("text", ["\ud835 = 4", "4\x00", "\u202e4\u202c", "\ufeff4", "4\ud800"])
def test_strange_characters_survive(text: str) -> None:
    """Case 84: half a surrogate pair, NUL and bidi marks neither raise nor hide the answer."""
    assert grade(Reply(text), "4", Task("numeric")).outcome == "correct"
