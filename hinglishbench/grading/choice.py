"""Grader ``choice``: one label of the item's own set, or no answer; never a guess.

How the label is found is in `hinglishbench.grading.verdicts`; the rules are set out in
``docs/grading.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from hinglishbench.grading.contract import GoldError, Grade, Outcome, Parsed, Reply, Task
from hinglishbench.grading.labels import label_set, labels_of
from hinglishbench.grading.optiontext import option_texts
from hinglishbench.grading.prepare import prepare
from hinglishbench.grading.runon import cut_run_on
from hinglishbench.grading.verdicts import decide
from hinglishbench.grading.wording import compiled

HEAD, TAIL = 20_000, 40_000  # of a giant reply, the parts that can hold the answer


class ChoiceGrader:
    """Compares the label that a reply names with the gold label."""

    version = "choice-1"

    def parse(self, reply: Reply, task: Task) -> Parsed:
        """Read the label, or the option's text, that the reply gives as its answer."""
        ready = prepare(reply)
        if ready.failure is not None:
            return Parsed(None, ready.method, ready.failure, ready.flags)
        text = ready.text
        if len(text) > HEAD + TAIL:
            text = f"{text[:HEAD]}\n{text[-TAIL:]}"
        text = _without_marks(text)
        names = label_set(labels_of(task.labels, task.options))
        texts = option_texts(names.labels, task.options)
        body, was_cut = cut_run_on(
            text, lambda before: decide(before, names, texts, whole=True).label is not None
        )
        whole = ready.whole or was_cut
        flags = (*ready.flags, "run_on") if was_cut else ready.flags
        found = decide(body, names, texts, whole=whole)
        if found.label is not None:
            return Parsed(found.label, found.method, flags=flags)
        if whole or found.method == "several_labels":
            return Parsed(None, found.method, "unparsed", flags)
        failure: Outcome = "filtered" if ready.filtered else "truncated"
        return Parsed(None, failure, failure, flags)

    def judge(self, parsed: Parsed, gold: str | Sequence[str], task: Task) -> Grade:
        """Correct when the label is (one of) the gold."""
        wanted = _gold(gold, task)
        if parsed.value is None:
            return Grade(None, parsed.failure, parsed.method, 0.0)
        right = parsed.value in wanted
        return Grade(
            parsed.value, "correct" if right else "wrong", parsed.method, 1.0 if right else 0.0
        )

    def check_gold(self, gold: str | Sequence[str], task: Task) -> None:
        """Refuse a gold that is not a label of the item (or the text of one option)."""
        labels = labels_of(task.labels, task.options)
        if task.options and len(labels) != len(task.options):
            raise GoldError(f"there are {len(labels)} labels for {len(task.options)} options")
        if len({label.casefold() for label in labels}) != len(labels) or not all(labels):
            raise GoldError(f"the labels {list(labels)!r} are not distinct")
        _gold(gold, task)


GRADER = ChoiceGrader()


def _without_marks(text: str) -> str:
    """Without HTML emphasis and strike-through, which say nothing about an answer."""
    if "~~" in text:
        text = text.replace("~~", "")
    if "</" in text or "<br" in text:
        text = compiled(r"</?(?:b|i|u|em|strong|span|code|mark|p|sup|sub)>").sub("", text)
        text = compiled(r"<br\s*/?>").sub("\n", text)
    return text


def _gold(gold: str | Sequence[str], task: Task) -> tuple[str, ...]:
    golds = (gold,) if isinstance(gold, str) else tuple(gold)
    labels = labels_of(task.labels, task.options)
    if not golds:
        raise GoldError("the list of golds is empty; give a label")
    return tuple(_one_gold(one, labels, task.options) for one in golds)


@lru_cache(maxsize=4096)
def _one_gold(gold: str, labels: tuple[str, ...], options: tuple[str, ...]) -> str:
    bare = gold.strip().strip("().[]:")
    for label in labels:
        if bare.casefold() == label.casefold():
            return label
    matching = [
        label
        for label, option in zip(labels, options, strict=False)
        if option.strip() == gold.strip()
    ]
    if len(matching) == 1:
        return matching[0]
    raise GoldError(f"the gold {gold!r} is none of the labels {', '.join(labels)}")
