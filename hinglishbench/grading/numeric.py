"""Grader ``numeric``: one exact number, found the way a person reading the reply finds it.

Order: the final line when it is just the answer, then an explicit marker or box, then the
number that the last line of prose states. The rule that decided is the `method`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from hinglishbench.grading import locate, numbers
from hinglishbench.grading.contract import GoldError, Grade, Parsed, Reply, Task
from hinglishbench.grading.fold import fold
from hinglishbench.grading.prepare import Prepared, prepare


class NumericGrader:
    """Exact comparison of numbers; see ``docs/grading.md`` for the rules."""

    version = "numeric-1"

    def parse(self, reply: Reply, task: Task) -> Parsed:  # noqa: ARG002  # a number needs no options
        """Read the number that the reply gives as its answer."""
        ready = prepare(reply)
        if ready.failure is not None:
            return Parsed(None, ready.method, ready.failure, ready.flags)
        return _locate(ready)

    def judge(self, parsed: Parsed, gold: str | Sequence[str], task: Task) -> Grade:
        """Correct when one reading of the reply equals the gold exactly, or within tolerance."""
        wanted = _gold(gold if isinstance(gold, str) else tuple(gold))
        if parsed.value is None:
            return Grade(None, parsed.failure, parsed.method, 0.0)
        right = _equal(parsed, wanted, task.tolerance)
        return Grade(
            parsed.value, "correct" if right else "wrong", parsed.method, 1.0 if right else 0.0
        )

    def check_gold(self, gold: str | Sequence[str], task: Task) -> None:
        """Refuse a gold that is not exactly one number, and a tolerance that is none."""
        _gold(gold if isinstance(gold, str) else tuple(gold))
        if task.tolerance is not None:
            _tolerance(task.tolerance)


GRADER = NumericGrader()


def _locate(ready: Prepared) -> Parsed:
    found = locate.answer(ready)
    if found.number is None:
        return Parsed(None, found.method, found.failure, ready.flags + found.flags)
    flags = ready.flags + found.flags
    if found.number.percent:
        flags = (*flags, "percent")
    return Parsed(found.number.value, found.method, flags=flags, also=found.number.also)


def _equal(parsed: Parsed, gold: numbers.Number, tolerance: str | None) -> bool:
    value = parsed.value
    assert value is not None
    if value == gold.value:
        return True
    both_percent = gold.percent and "percent" in parsed.flags
    if not both_percent and (gold.value in parsed.also or value in gold.also):
        return True
    return tolerance is not None and _close(value, gold.value, tolerance)


@lru_cache(maxsize=4096)
def _gold(gold: str | tuple[str, ...]) -> numbers.Number:
    if isinstance(gold, str):
        return _one_gold(gold)
    if not gold:
        raise GoldError("the list of golds is empty; give one number")
    read = [_one_gold(text) for text in gold]
    if len({number.value for number in read}) > 1:
        raise GoldError(
            f"the gold {list(gold)!r} holds several numbers; a numeric item has exactly one"
        )
    return read[0]


def _one_gold(gold: str) -> numbers.Number:
    folded = fold(gold).strip()
    found = numbers.scan(folded)
    if not found:
        raise GoldError(f"the gold {gold!r} is not a number")
    if len(found) > 1:
        raise GoldError(f"the gold {gold!r} holds several numbers; a numeric item has exactly one")
    rest = (folded[: found[0].start] + " " + folded[found[0].end :]).strip(" .$/-=")
    if any(c.isdigit() for c in rest) or len(rest.split()) > 3:
        raise GoldError(f"the gold {gold!r} is more than a number")
    return found[0]


@lru_cache(maxsize=64)
def _tolerance(text: str) -> tuple[int, int, bool]:
    found = numbers.scan(fold(text).strip())
    pair = numbers.ratio_of(found[0].value) if len(found) == 1 else None
    if pair is None or pair[0] < 0:
        raise GoldError(f"the tolerance {text!r} is not a number or a percentage")
    return pair[0], pair[1] * (100 if found[0].percent else 1), found[0].percent


def _close(value: str, gold: str, tolerance: str) -> bool:
    """|value - gold| <= tolerance (or tolerance * |gold|), in integers."""
    mine, wanted = numbers.ratio_of(value), numbers.ratio_of(gold)
    if mine is None or wanted is None:
        return False
    num, den, relative = _tolerance(tolerance)
    if relative:
        num, den = num * abs(wanted[0]), den * wanted[1]
    distance = abs(mine[0] * wanted[1] - wanted[0] * mine[1])
    return distance * den <= num * mine[1] * wanted[1]
