"""Whether the reasoning that was asked for is the reasoning that came.

A switch with a wrong name, or one that the server ignores, raises no error anywhere: the only sign is
in the replies. Each answer that does not fit is counted, and each arm is warned of once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from hinglishbench.client.normalise import Answer
from hinglishbench.run.plan import Arm, PlannedCell

# So many answers without reasoning are no accident; one alone may have been an easy question.
SURE = 5
_NO_CLAIM = (None, "minimal")


@dataclass
class EffortWatch:
    """Counts answers whose reasoning is not what the arm asked for.

    Attributes:
        mismatches: by index of the arm.
    """

    mismatches: Counter[int] = field(default_factory=Counter)
    _answers: Counter[int] = field(default_factory=Counter)
    _arms: dict[int, Arm] = field(default_factory=dict)
    _warned: set[int] = field(default_factory=set)

    def seen(self, cell: PlannedCell, answer: Answer) -> str | None:
        """Count an answer; a warning when it is time for the arm's one."""
        arm, index = cell.arm, cell.arm_index
        if arm.effort in _NO_CLAIM:
            return None
        self._answers[index] += 1
        if answer.reasoning_observed == (arm.effort != "none"):
            return None
        self._arms[index] = arm
        self.mismatches[index] += 1
        count = self.mismatches[index]
        none_wanted = arm.effort == "none"
        if none_wanted or count == self._answers[index] >= SURE:
            return self._warning(index)
        return None

    def _warning(self, index: int) -> str | None:
        if index in self._warned:
            return None
        self._warned.add(index)
        arm = self._arms[index]
        what = "reasoning" if arm.effort == "none" else "no reasoning"
        return (
            f"warning: effort {arm.effort} was asked of {arm.model} at {arm.endpoint.provider.name},"
            f" but {self.mismatches[index]} of {self._answers[index]} answers so far show {what}:"
            " does the server know this switch?"
        )

    def closing(self) -> list[str]:
        """Warnings for arms with mismatches that have had none yet."""
        return [text for index in self._arms if (text := self._warning(index))]
