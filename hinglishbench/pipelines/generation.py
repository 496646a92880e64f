"""Problems conceived in Hinglish: written by a model, checked, compared, solved again independently.

The reasons for which a problem is rejected, in the order in which they are looked for:

    error      no answer came (the endpoint's fault, not the author's)
    filtered   the endpoint's filter ended the reply
    truncated  the reply was cut by the token limit
    empty      the reply holds no text
    format     no problem, or no line with its answer
    answer     the answer is no number, or not a plausible one
    scripts    letters that romanized Hinglish does not have, characters that cannot be seen
    markers    fewer than two Hindi grammar words (the list: forms/words/hindi.txt)
    length     under 12 or over 150 words
    duplicate  too close to an earlier problem
    unsolved   the solver gave no number in most of its votes
    disagree   the solver's answer is not the author's
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from hinglishbench.forms.checks import Bounds
from hinglishbench.forms.mixing import mixing, words
from hinglishbench.forms.quantities import plain
from hinglishbench.forms.scripts import script_faults
from hinglishbench.grading import GRADERS, contract
from hinglishbench.ledger.requests import Reply
from hinglishbench.pipelines.asking import Stage, Task, after, ask
from hinglishbench.pipelines.neardup import drop_near_duplicates, require
from hinglishbench.pipelines.replies import Exclusion, read
from hinglishbench.run.options import RunOptions
from hinglishbench.suites.items import Item
from hinglishbench.suites.prompts import Prompt

HINGLISH_FIRST = "hinglish-first"
FORM = "cm-rom"
REASONS = ("error", "filtered", "truncated", "empty", "format", "answer", "scripts", "markers", "length",
           "duplicate", "unsolved", "disagree")  # fmt: skip
AUTHOR_SLOTS = frozenset({"topic", "scene", "tier", "steps"})
SOLVER_SLOTS = frozenset({"text"})
WORDS = (12, 150)
MOST = 10**8  # ten crore: no everyday answer is larger
PLACES = 2  # decimals: paise
SIMILARITY = 0.5

_LINE = re.compile(
    r"^[\s*_#>-]*(?P<label>problem|question|sawal|answer|ans|jawab|uttar)[\s*_]*[:=-][\s*_]*(?P<rest>.*)$",
    re.IGNORECASE | re.MULTILINE,
)
_ANSWERS = frozenset({"answer", "ans", "jawab", "uttar"})
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?![\w.]*\d)")


@dataclass(frozen=True, slots=True)
class Written:
    """A problem as its author gave it; `answer` in plain digits."""

    text: str
    answer: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A problem left out.

    Attributes:
        task: topic, tier and scene as ordered.
        exclusion: why.
        reply: the author's reply, whole.
        written: what was read from it, None where nothing could be.
        votes: the solver's answers, None for a vote without a number.
    """

    key: str
    ordered: Mapping[str, str]
    exclusion: Exclusion
    reply: str | None
    written: Written | None = None
    votes: tuple[str | None, ...] = ()


@dataclass
class Generated:
    """What a generation came to; `complete` False when something was left unasked."""

    kept: list[Item] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    stages: list[Stage] = field(default_factory=list)
    checked: int = 0
    complete: bool = True

    @property
    def reasons(self) -> dict[str, int]:
        """Rejects by reason, in the order of `REASONS`."""
        counts = Counter(rejected.exclusion.reason for rejected in self.rejected)
        return {reason: counts[reason] for reason in REASONS if counts[reason]}


def orders(n: int) -> list[Task]:
    """What to ask for: the cells of topic x tier in turn, each time with the topic's next scene.

    A larger `n` asks for all that a smaller one does. After ten rounds a scene comes again, as
    another sample.
    """
    plan = tomllib.loads((Path(__file__).parent / "hinglish_first.toml").read_text("utf-8"))
    cells = [(topic, tier) for tier in plan["tiers"] for topic in plan["topics"]]
    tasks = []
    for number in range(n):
        round_, place = divmod(number, len(cells))
        topic, tier = cells[place]
        scenes = plan["topics"][topic]
        # The tiers of a topic begin at different scenes, so that one round does not tell one story thrice.
        scene = scenes[(round_ + 3 * list(plan["tiers"]).index(tier)) % len(scenes)]
        values = {"topic": topic, "scene": scene, "tier": tier, "steps": plan["tiers"][tier]}
        tasks.append(Task(f"hf-{number + 1:04d}", values, round_ // len(scenes)))
    return tasks


def generate(
    options: RunOptions,
    *,
    n: int,
    author: Prompt,
    solver: Prompt,
    solving: RunOptions | None = None,
    votes: int = 1,
    similarity: float = SIMILARITY,
    quiet: bool = False,
) -> Generated:
    """Have problems written and solved.

    Args:
        options: who writes, and how.
        n: how many are ordered.
        author: prompt that orders one.
        solver: prompt that solves one, in a conversation of its own that never sees the answer.
        solving: who solves; None: the author's model.
        votes: independent solves of each; most of them must give the author's answer.
        similarity: from which a problem is a duplicate of an earlier one, 0..1.
        quiet: no progress.

    Raises:
        RefusedError: see `run.prepare.reach`; or datasketch is not installed.
    """
    require()
    done = Generated()
    tasks = orders(n)
    first = ask(
        options, tasks, prompt=author, purpose="generate", dataset=HINGLISH_FIRST, quiet=quiet
    )
    done.stages.append(first)
    if not first.complete:
        done.complete = False
        return done
    rejected: dict[str, Rejected] = {}
    written = _checked(tasks, first.replies, rejected, similarity)
    done.checked = len(written)
    survivors = [task for task in tasks if task.key in written]
    solves = [
        Task(task.key, {"text": written[task.key].text}, vote)
        for task in survivors
        for vote in range(votes)
    ]
    second = ask(
        after(solving or options, first.result), solves, prompt=solver, purpose="solve",
        dataset=HINGLISH_FIRST, quiet=quiet,
    )  # fmt: skip
    done.stages.append(second)
    if not second.complete:
        done.complete = False
        return done
    wrote = {task.key: reply.text for task, reply in zip(tasks, first.replies, strict=True)}
    for place, task in enumerate(survivors):
        own = second.replies[place * votes : (place + 1) * votes]
        said = tuple(map(solved, own))
        problem = written[task.key]
        if against := verdict(problem.answer, said):
            rejected[task.key] = Rejected(
                task.key, task.values, against, wrote[task.key], problem, said
            )
            continue
        done.kept.append(
            Item(
                task.key, problem.answer, {FORM: problem.text}, tier=task.values["tier"],
                topic=task.values["topic"], meta={"scene": task.values["scene"], "votes": list(said)},
            )
        )  # fmt: skip
    done.rejected = [rejected[task.key] for task in tasks if task.key in rejected]
    return done


def _checked(
    tasks: Sequence[Task],
    replies: Sequence[Reply],
    rejected: dict[str, Rejected],
    similarity: float,
) -> dict[str, Written]:
    """The problems that pass every check; the others go to `rejected`."""
    passed: dict[str, Written] = {}
    for task, reply in zip(tasks, replies, strict=True):
        found = judge(reply)
        if isinstance(found, Written):
            passed[task.key] = found
        else:
            exclusion, written = found
            rejected[task.key] = Rejected(task.key, task.values, exclusion, reply.text, written)
    filtered = drop_near_duplicates({key: w.text for key, w in passed.items()}, similarity)
    by_key = {task.key: (task, reply) for task, reply in zip(tasks, replies, strict=True)}
    for key, pair in filtered.dropped.items():
        task, reply = by_key[key]
        why = Exclusion(
            "duplicate", f"shares {pair.similarity:.0%} of its word runs with {pair.first}"
        )
        rejected[key] = Rejected(key, task.values, why, reply.text, passed[key])
    return {key: passed[key] for key in filtered.kept}


def judge(reply: Reply) -> Written | tuple[Exclusion, Written | None]:
    """The problem of a reply, or why it is not used with what could be read."""
    text = read(reply)
    if isinstance(text, Exclusion):
        return text, None
    found = parse(text)
    if isinstance(found, Exclusion):
        return found, None
    if wrong := fault(found):
        return wrong, found
    return replace(found, answer=plain(_numbers(found.answer)[0]))


def parse(text: str) -> Written | Exclusion:
    """Read `Problem: …` and `Answer: N`; the label of the problem may be missing."""
    marks = list(_LINE.finditer(text))
    ends = [*(mark.start() for mark in marks), len(text)]
    problem, answer = text[: ends[0]].strip(" \n*_#"), None
    for mark, end in zip(marks, ends[1:], strict=True):
        body = (mark["rest"] + text[mark.end() : end]).strip(" \n*_")
        if mark["label"].lower() not in _ANSWERS:
            problem = body or problem
        elif answer is None:
            answer = body
    if not answer:
        return Exclusion("format", "has no line with the answer")
    if not problem:
        return Exclusion("format", "has no problem before its answer")
    return Written(" ".join(problem.split()), answer)


def fault(written: Written) -> Exclusion | None:
    """Why a problem is not used; None when nothing speaks against it."""
    numbers = _numbers(written.answer)
    if len(numbers) != 1:
        return Exclusion("answer", f"the answer is not one number: {written.answer[:60]!r}")
    value = numbers[0]
    if value < 0 or value > MOST or (value * 10**PLACES).denominator > 1:
        return Exclusion("answer", f"the answer {plain(value)} is not a plausible one")
    if faults := script_faults(written.text, FORM):
        return Exclusion("scripts", "; ".join(faults))
    wanted = Bounds().markers
    if (markers := mixing(written.text, FORM).markers) < wanted:
        return Exclusion("markers", f"holds {markers} Hindi grammar words; {wanted} are wanted")
    least, most = WORDS
    if not least <= (count := len(words(written.text))) <= most:
        return Exclusion("length", f"has {count} words; {least} to {most} are wanted")
    return None


def _numbers(text: str) -> list[Fraction]:
    return [Fraction(number.replace(",", "")) for number in _NUMBER.findall(text)]


def solved(reply: Reply) -> str | None:
    """The number that a solver's reply gives, None when it gives none."""
    if reply.state != "answered":
        return None
    said = contract.Reply(reply.text, reply.reasoning, reply.finish_reason)
    return GRADERS["numeric"].parse(said, contract.Task("numeric")).value


def verdict(answer: str, votes: Sequence[str | None]) -> Exclusion | None:
    """Why the solver's votes speak against the author's answer; None when most of them are for it."""
    agreeing = sum(vote is not None and Fraction(vote) == Fraction(answer) for vote in votes)
    if 2 * agreeing > len(votes):
        return None
    silent = sum(vote is None for vote in votes)
    if 2 * silent > len(votes):
        return Exclusion("unsolved", f"no number in {silent} of {len(votes)} solves")
    said = ", ".join(vote or "nothing" for vote in votes)
    return Exclusion("disagree", f"the author says {answer}, the solver {said}")


def summary(done: Generated) -> dict[str, Any]:
    """Counts for the record of a build and for `--json`."""
    results = [stage.result for stage in done.stages]
    return {
        "asked": sum(r.asked for r in results),
        "reused": sum(r.reused for r in results),
        "passed_checks": done.checked,
        "kept": len(done.kept),
        "excluded": len(done.rejected),
        "reasons": done.reasons,
    }
