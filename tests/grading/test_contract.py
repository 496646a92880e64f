"""The interface that the rest of the program calls."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import FrozenInstanceError

import pytest

from hinglishbench import grading
from hinglishbench.grading import GRADERS, GoldError, Reply, Task, grade


def test_all_names_can_be_imported() -> None:
    """`__all__` is what there is."""
    assert all(hasattr(grading, name) for name in grading.__all__)


def test_three_graders_with_versions() -> None:
    """Each grader carries its name and number."""
    assert list(GRADERS) == ["numeric", "choice", "span"]
    assert len(GRADERS) == 3
    for name, grader in GRADERS.items():
        assert grader.version.startswith(f"{name}-")
        assert grader.version.removeprefix(f"{name}-").isdigit()
    with pytest.raises(KeyError):
        GRADERS["other"]


def test_grade_is_judge_after_parse() -> None:
    """`grade` adds nothing to its two steps."""
    reply, task = Reply("Answer: 18"), Task("numeric")
    grader = GRADERS["numeric"]
    assert grade(reply, "18", task) == grader.judge(grader.parse(reply, task), "18", task)


def test_values_are_frozen() -> None:
    """Replies and verdicts cannot be changed behind someone's back."""
    with pytest.raises(FrozenInstanceError):
        Reply("x").text = "y"  # type: ignore[misc]


def test_import_loads_no_patterns_and_nothing_heavy() -> None:
    """Importing the package loads neither graders nor anything beyond the standard library."""
    code = (
        "import sys, hinglishbench.grading\n"
        "bad = [m for m in sys.modules if m.startswith(('hinglishbench.grading.n', 'hinglishbench.grading.ch'))"
        " or m.split('.')[0] in {'duckdb', 'pydantic', 'typer', 'rich', 'openai', 'decimal'}]\n"
        "print(bad)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("gold", "task"),
    [
        ("eighteen apples", Task("numeric")),
        ("3-5", Task("numeric")),
        ("18", Task("numeric", tolerance="some")),
        ("E", Task("choice", ("a", "b", "c", "d"))),
        ("A", Task("choice", ("a", "b"), ("A", "B", "C"))),
        ("A", Task("choice", labels=("A", "a"))),
        ([], Task("choice")),
        ([], Task("span")),
        ("...", Task("span")),
    ],
)
def test_bad_golds_are_refused_with_a_sentence(gold: str | list[str], task: Task) -> None:
    """A gold that cannot be compared with is refused, and the message says why."""
    with pytest.raises(GoldError, match=r"\w+ .*\w+"):
        GRADERS[task.grader].check_gold(gold, task)


@pytest.mark.parametrize(
    ("gold", "task"),
    [
        ("18", Task("numeric")),
        ("₹1,25,000", Task("numeric")),
        ("2 1/2", Task("numeric")),
        ("25%", Task("numeric")),
        ("18 dollars", Task("numeric")),
        (["0.5", "1/2"], Task("numeric")),
        ("10:30", Task("numeric")),
        ("18", Task("numeric", tolerance="1%")),
        ("b", Task("choice")),
        ("Paris", Task("choice", ("London", "Paris"))),
        (["A", "C"], Task("choice")),
        (["नई दिल्ली", "Delhi"], Task("span")),
    ],
)
def test_good_golds_are_accepted(gold: str | list[str], task: Task) -> None:
    """Golds in usual spellings are accepted."""
    GRADERS[task.grader].check_gold(gold, task)


@pytest.mark.parametrize(
    ("reply", "gold", "tolerance", "outcome"),
    [
        ("13.33", "13.333", None, "wrong"),
        ("13.33", "13.333", "0.01", "correct"),
        ("13.32", "13.333", "0.01", "wrong"),
        ("98", "100", "2%", "correct"),
        ("97.9", "100", "2%", "wrong"),
        ("0.33", "1/3", "0.01", "correct"),
        ("-98", "-100", "2%", "correct"),
        ("10:30", "10", "5", "wrong"),
    ],
)
def test_tolerance_is_exact_at_its_edge(
    reply: str, gold: str, tolerance: str | None, outcome: str
) -> None:
    """Only an item that asks for a tolerance gets one, and its edge is exact."""
    assert grade(Reply(reply), gold, Task("numeric", tolerance=tolerance)).outcome == outcome


@pytest.mark.parametrize(
    ("answer", "golds", "score"),
    [
        ("New Delhi", ["New Delhi"], 1.0),
        ("the city of New Delhi", ["New Delhi"], 2 * 2 / (4 + 2)),
        ("Delhi", ["Mumbai", "New Delhi"], 2 / 3),
        ("Mumbai", ["New Delhi"], 0.0),
        ("नई दिल्ली शहर", ["नई दिल्ली"], 4 / 5),
    ],
)
def test_span_score_is_the_best_f1(answer: str, golds: list[str], score: float) -> None:
    """The score of a span is SQuAD's F1, the best over the golds."""
    assert grade(Reply(answer), golds, Task("span")).score == pytest.approx(score)
