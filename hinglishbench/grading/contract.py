"""The words that graders and their callers share; nothing in here decides anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Outcome = Literal["correct", "wrong", "unparsed", "truncated", "filtered"]


class GoldError(ValueError):
    """A gold that the grader cannot compare with; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What an endpoint sent: its text, the reasoning in a field of its own, why it stopped."""

    text: str | None
    reasoning: str | None = None
    finish_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """What the item asks for, never its gold.

    Attributes:
        grader: name of the grader.
        options: texts of the options, in the order shown (`choice`).
        labels: labels of the options, in the same order; empty stands for A, B, C, …
        tolerance: allowed distance of a number from the gold: ``"0.01"`` absolute,
            ``"1%"`` of the gold; None is exact equality (`numeric`).
    """

    grader: str
    options: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    tolerance: str | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """What was read from a reply, without the gold.

    Attributes:
        value: the answer in canonical spelling, None when there is none.
        method: the rule that found it, or the reason why there is no answer.
        failure: the outcome when `value` is None.
        flags: things seen on the way that a sceptic wants to know.
        also: other exact readings of the same words (25 percent is also 0.25).
    """

    value: str | None
    method: str
    failure: Outcome = "unparsed"
    flags: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Grade:
    """The verdict on one reply; `score` is 1.0 or 0.0, for `span` the F1 in 0..1."""

    parsed: str | None
    outcome: Outcome
    method: str
    score: float


@dataclass(frozen=True, slots=True)
class SplitReply:
    """A reply's text in two: what is shown, and what was thought.

    Attributes:
        visible: the text outside of all reasoning.
        reasoning: the text inside, joined by line breaks.
        unclosed: the reasoning was opened and never closed.
        tags: the kinds of wrapper met, in order of appearance.
    """

    visible: str
    reasoning: str
    unclosed: bool
    tags: tuple[str, ...]


class Grader(Protocol):
    """A grader: pure functions and a version that changes when a verdict may change."""

    @property
    def version(self) -> str:
        """Name and number, such as ``numeric-1``."""

    def parse(self, reply: Reply, task: Task) -> Parsed:
        """Read the answer out of a reply without knowing the gold; never raises."""

    def judge(self, parsed: Parsed, gold: str | Sequence[str], task: Task) -> Grade:
        """Compare what was read with the gold."""

    def check_gold(self, gold: str | Sequence[str], task: Task) -> None:
        """Raise GoldError, with a sentence, for a gold that cannot be compared with."""
