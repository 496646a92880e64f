"""`hinglish-first`: what a generation leaves behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hinglishbench.pipelines import files, prompts
from hinglishbench.pipelines.build import Built
from hinglishbench.pipelines.generation import (
    AUTHOR_SLOTS,
    FORM,
    HINGLISH_FIRST,
    SIMILARITY,
    SOLVER_SLOTS,
    Generated,
    generate,
    summary,
)
from hinglishbench.run.options import RunOptions
from hinglishbench.suites.items import items_digest

_STEM = "hinglish_first"


def generate_hinglish_first(
    options: RunOptions,
    out: Path,
    *,
    n: int = 340,
    prompt: str | None = None,
    solve_prompt: str | None = None,
    solving: RunOptions | None = None,
    votes: int = 1,
    similarity: float = SIMILARITY,
    quiet: bool = False,
) -> Built:
    """Have `n` problems written, keep those that pass every check and an independent solve.

    Raises:
        RefusedError: something about models, prompts or libraries is wrong; nothing was asked.
    """
    author = prompts.load(prompt or "write-hinglish-problem", AUTHOR_SLOTS)
    solver = prompts.load(solve_prompt or "solve-independently", SOLVER_SLOTS)
    done = generate(
        options, n=n, author=author, solver=solver, solving=solving, votes=votes,
        similarity=similarity, quiet=quiet,
    )  # fmt: skip
    built = Built(
        HINGLISH_FIRST,
        {"items": n, **summary(done), "complete": done.complete},
        results=[stage.result for stage in done.stages],
    )
    if done.complete and not options.dry_run:
        built.files = _write(out, done, built, votes=votes, similarity=similarity)
    return built


def _write(
    out: Path, done: Generated, built: Built, *, votes: int, similarity: float
) -> list[Path]:
    writing, solving = (stage.about for stage in done.stages)
    rejected = [
        {
            "id": r.key, "reason": r.exclusion.reason, "detail": r.exclusion.detail, **r.ordered,
            "problem": r.written and r.written.text, "author_answer": r.written and r.written.answer,
            "solver_answers": list(r.votes), "reply": r.reply,
        }
        for r in done.rejected
    ]  # fmt: skip
    record = files.record(
        done.kept, name=built.name, counts=built.counts, author=writing, solver=solving, votes=votes,
        similarity=similarity, runs=[stage.result.run_id for stage in done.stages],
    )  # fmt: skip
    return [
        files.write_lines(out / f"{_STEM}.jsonl", map(files.item_line, done.kept)),
        files.write_lines(out / f"{_STEM}_rejected.jsonl", rejected),
        files.write_json(out / "build.json", record),
        files.write_text(out / "card.md", _card(done, built, writing, solving, votes, similarity)),
    ]


def _card(
    done: Generated,
    built: Built,
    writing: Mapping[str, Any],
    solving: Mapping[str, Any],
    votes: int,
    similarity: float,
) -> str:
    tiers = ", ".join(
        f"{count} {tier}" for tier, count in Counter(i.tier for i in done.kept).items()
    )
    solver = files.made_by(solving) if solving else "nobody, as no problem passed the checks"
    same = solving and (writing["model"], writing["provider"]) == (
        solving["model"],
        solving["provider"],
    )
    agreement = (
        "Author and solver are the same model: what it gets wrong twice in the same way is kept, so"
        " agreement says less than it seems. `--solver` takes another model."
        if same
        else "Author and solver are different models, so an error has to be shared to survive."
    )
    return f"""# Hinglish-first problems

{len(done.kept)} original problems in `{FORM}` ({tiers or "none"}), of {built.counts["items"]} that were ordered.

Written by {files.made_by(writing)}: 12 everyday topics x 3 tiers, one request each. {done.checked} passed
the automated checks: plain Latin letters, at least two Hindi grammar words, ordinary length, one
plausible numeric answer, and less than {similarity:.0%} of its word runs in common with an earlier problem
(MinHash finds the candidates, their true similarity decides).

Each was then solved {votes} time{"s" if votes > 1 else ""} in a fresh conversation that never saw the author's answer, by
{solver}. It is kept when more than half of the solves give that answer. {agreement}
No person has read them: keys may still be wrong, and problems that the solver cannot solve are missing.

{files.reasons_table(done.reasons)}

Digest of the items: `{items_digest(done.kept)}`. {files.MODEL_TERMS}

`{_STEM}_rejected.jsonl` has each reject with its reason, its reply and both answers.
"""
