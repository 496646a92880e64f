"""Parallel sets made by translation: `gsm8k-hinglish`, and any file of items in another form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hinglishbench.errors import RefusedError
from hinglishbench.pipelines import files, gsm8k, prompts
from hinglishbench.pipelines.translation import (
    SLOTS,
    Translated,
    default_prompt,
    summary,
    translate,
)
from hinglishbench.run.options import RunOptions
from hinglishbench.run.result import RunResult
from hinglishbench.suites.items import Item, items_digest, load_suite
from hinglishbench.suites.parallel import safe_name

GSM8K_HINGLISH = "gsm8k-hinglish"


@dataclass
class Built:
    """What a build came to.

    Attributes:
        name: of the dataset.
        counts: how many were asked, kept and excluded, and why.
        files: what was written; empty when the build stopped early or was a dry run.
        results: the runs of its stages, in order.
    """

    name: str
    counts: dict[str, Any]
    files: list[Path] = field(default_factory=list)
    results: list[RunResult] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """That of the stage that ended worst: 130, 4, 5, 1; 1 too when nothing could be written yet."""
        codes = {result.exit_code for result in self.results}
        worst = next((code for code in (130, 4, 5, 1) if code in codes), 0)
        asked = not any(result.dry_run for result in self.results)
        # Left unasked without a fault of an endpoint: another run is asking it.
        return worst or int(asked and not self.counts["complete"])

    def as_json(self) -> dict[str, Any]:
        """One object."""
        return {
            "name": self.name,
            **self.counts,
            "status": [result.status for result in self.results],
            "runs": [result.run_id for result in self.results],
            "files": [str(path) for path in self.files],
            "estimate": self.results[0].estimate if self.results else None,
        }


def build_gsm8k_hinglish(
    options: RunOptions,
    out: Path,
    *,
    n: int = 100,
    seed: int = 42,
    source: Path | None = None,
    revision: str = gsm8k.REVISION,
    prompt: str | None = None,
    retry_failed: int = 0,
    quiet: bool = False,
) -> Built:
    """Sample GSM8K's test split and translate the sample to romanized Hinglish.

    Raises:
        RefusedError: the source cannot be had, or something about the model or the prompt is wrong.
    """
    asked_with = prompts.load(prompt or default_prompt("en", "cm-rom"), SLOTS)
    rows = gsm8k.read_file(source) if source else gsm8k.fetch(revision)
    sampled = gsm8k.sample(rows.items, n, seed)
    done = translate(
        options, sampled, source="en", target="cm-rom", prompt=asked_with, dataset=GSM8K_HINGLISH,
        retry_failed=retry_failed, quiet=quiet,
    )  # fmt: skip
    built = _built(GSM8K_HINGLISH, done, len(sampled))
    if not done.complete or options.dry_run:
        return built
    drawn = [item.meta["source_index"] for item in sampled]
    sampling = {
        "source": rows.origin, "source_digest": rows.digest, "source_rows": len(rows.items), "n": n,
        "seed": seed, "sample": drawn,
    }  # fmt: skip
    intro = (
        f"English: a uniform sample of {n} of the {len(rows.items)} items of GSM8K's test split (seed"
        f" {seed}; their numbers are in `build.json`), from {rows.origin}."
        " Gold: the number after `####` in GSM8K's own solution, untouched."
    )
    built.files = _write(
        out, "gsm8k_hinglish", done, built, source="en", target="cm-rom", title="GSM8K-Hinglish",
        intro=intro, retry_failed=retry_failed, excluded_name="excluded_items.txt", more=sampling,
        licence=f"English and gold: {gsm8k.LICENCE}. {files.MODEL_TERMS}",
    )  # fmt: skip
    return built


def translate_file(
    options: RunOptions,
    file: str,
    out: Path,
    *,
    source: str,
    target: str,
    prompt: str | None = None,
    retry_failed: int = 0,
    quiet: bool = False,
) -> Built:
    """Translate a packaged suite or a file of items; the result is a parallel suite.

    Raises:
        RefusedError: no such suite, an item without the form, or the form is there already.
        InputError: the file has faults.
    """
    asked_with = prompts.load(prompt or default_prompt(source, target), SLOTS)
    suite = load_suite(file, need_forms=(source,))
    if source == target or target in suite.forms:
        raise RefusedError(
            f"{suite.name} has the form {target} already", hint="choose another with --to"
        )
    stem = f"{safe_name(suite.name)}_parallel"
    done = translate(
        options, suite.items, source=source, target=target, prompt=asked_with, dataset=stem,
        retry_failed=retry_failed, quiet=quiet,
    )  # fmt: skip
    done.kept = [_ordered(item, target) for item in done.kept]
    built = _built(stem, done, len(suite.items))
    if not done.complete or options.dry_run:
        return built
    intro = (
        f"The form {source} and the gold are those of {suite.title} (`{suite.name}`, {suite.digest});"
        f" the form {target} is a translation of it."
    )
    built.files = _write(
        out, stem, done, built, source=source, target=target, title=f"{suite.name}, {source} to {target}",
        intro=intro, retry_failed=retry_failed, excluded_name=f"{stem}_excluded.txt",
        licence=f"The form `{source}` keeps the licence of its source. {files.MODEL_TERMS}",
        more={"source": suite.path, "source_digest": suite.digest},
    )  # fmt: skip
    return built


def _ordered(item: Item, target: str) -> Item:
    """English first, as in every parallel file here."""
    if target != "en":
        return item
    return replace(item, forms={"en": item.forms["en"], **item.forms})


def _built(name: str, done: Translated, sampled: int) -> Built:
    counts = {"items": sampled, **summary(done), "complete": done.complete}
    return Built(name, counts, results=[stage.result for stage in done.stages])


def _write(
    out: Path,
    stem: str,
    done: Translated,
    built: Built,
    *,
    source: str,
    target: str,
    title: str,
    intro: str,
    retry_failed: int,
    excluded_name: str,
    licence: str,
    more: Mapping[str, Any],
) -> list[Path]:
    items: Sequence[Item] = done.kept
    about = done.stages[0].about
    rejected = [
        {
            "id": r.item.id, "reason": r.exclusion.reason, "detail": r.exclusion.detail, "tries": r.tries,
            "answer": r.item.answer, source: r.item.forms[source], "reply": r.reply,
        }
        for r in done.rejected
    ]  # fmt: skip
    left_out = files.excluded_text(
        ((r.item.id, r.exclusion.reason, r.exclusion.detail) for r in done.rejected),
        what=f"items left out of {stem}",
    )
    card = _card(title, intro, done, about, stem, (source, target), retry_failed, licence)
    record = files.record(
        items, name=built.name, counts=built.counts, translator=about, retry_failed=retry_failed,
        runs=[stage.result.run_id for stage in done.stages], **more,
    )  # fmt: skip
    return [
        files.write_lines(out / f"{stem}.jsonl", map(files.item_line, items)),
        files.write_text(out / excluded_name, left_out),
        files.write_lines(out / f"{stem}_rejected.jsonl", rejected),
        files.write_json(out / "build.json", record),
        files.write_text(out / "card.md", card),
    ]


def _card(
    title: str,
    intro: str,
    done: Translated,
    about: Mapping[str, Any],
    stem: str,
    forms: tuple[str, str],
    retry_failed: int,
    licence: str,
) -> str:
    source, target = forms
    total = len(done.kept) + len(done.rejected)
    rounds = (
        "Every item was asked for once; a failed translation was not asked for again."
        if not retry_failed
        else f"Failed translations were asked for up to {retry_failed} more times, and"
        f" {sum('tries' in item.meta for item in done.kept)} of the kept ones came in that way (`tries`"
        " in their lines). This selects: the set holds more of the items that the translator can only"
        " do sometimes, so the share that was kept says nothing about how well it translates, and the"
        " set is not to be compared with one that was asked for once."
    )
    return f"""# {title}

{len(done.kept)} items in the forms `{source}` and `{target}`, of {total} that were tried.

{intro}

Translated by {files.made_by(about)}. {rounds}

A translation is kept when the whole reply came, it is written in the letters of `{target}`, it is in
that language, and it states the same quantities as the source (rules: docs/forms.md of hinglishbench).
No person has read it. What was left out, by the first reason that held:

{files.reasons_table(done.reasons)}

Digest of the items: `{items_digest(done.kept)}`. {licence}

`{stem}_rejected.jsonl` has each of them with its text and its reply. Items that are hard to translate
are missing here, and they may be the hard ones.
"""
