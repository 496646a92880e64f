r"""Graders: pure, versioned functions from a reply to an outcome.

A grader works in two steps that are kept apart on purpose: `parse` reads what the reply
says without knowing the gold, `judge` compares what was read with the gold. The rules are
set out in ``docs/grading.md``.

::

    task = Task(grader="numeric")
    grade(Reply("16 - 3 - 4 = 9 eggs.\n\n**$18**"), "18", task)
    # Grade(parsed='18', outcome='correct', method='final_line', score=1.0)

The provider's failures never come here: the outcome ``error`` is set by the engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import cast

from hinglishbench.grading.contract import (
    GoldError,
    Grade,
    Grader,
    Outcome,
    Parsed,
    Reply,
    SplitReply,
    Task,
)
from hinglishbench.grading.reasoning import split_reasoning

__all__ = [
    "GRADERS",
    "GoldError",
    "Grade",
    "Grader",
    "Outcome",
    "Parsed",
    "Reply",
    "SplitReply",
    "Task",
    "grade",
    "split_reasoning",
]


class _Graders(Mapping[str, Grader]):
    """The graders by name; a module, with its patterns, is loaded when first asked for."""

    _modules: Mapping[str, str] = {
        "numeric": "hinglishbench.grading.numeric",
        "choice": "hinglishbench.grading.choice",
        "span": "hinglishbench.grading.span",
    }

    def __init__(self) -> None:
        self._loaded: dict[str, Grader] = {}

    def __getitem__(self, name: str) -> Grader:
        grader = self._loaded.get(name)
        if grader is None:
            module = import_module(self._modules[name])
            grader = self._loaded[name] = cast("Grader", module.GRADER)
        return grader

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)


GRADERS: Mapping[str, Grader] = _Graders()


def grade(reply: Reply, gold: str | Sequence[str], task: Task) -> Grade:
    """Read the reply, then compare what was read with the gold.

    Raises:
        GoldError: the gold is not one that this grader can compare with. A reply never
            raises, whatever is in it.
        KeyError: there is no grader of that name.
    """
    grader = GRADERS[task.grader]
    return grader.judge(grader.parse(reply, task), gold, task)
