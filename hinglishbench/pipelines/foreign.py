"""Predictions of others, brought into our predictions folder, and from there into a ledger as `import`.

Where the raw output is there it is graded again by our grader, so that the accuracies of a table are
of one kind; where only a verdict is there it is taken as published (`method` says which). Figures
that are not there stay unknown: no usage, no tax.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from hinglishbench.clock import as_utc, utc, utc_now
from hinglishbench.errors import InputError, RefusedError, UsageError
from hinglishbench.grading import GRADERS, Reply, Task
from hinglishbench.ledger.identity import ArmRow, EndpointRow, PromptRow
from hinglishbench.ledger.predictions import FORMAT
from hinglishbench.pipelines import files
from hinglishbench.pipelines.layout import Pulled, gold_of, read_rows
from hinglishbench.pipelines.mapping import KeyMap, key_map
from hinglishbench.suites.items import Item
from hinglishbench.suites.parallel import safe_name
from hinglishbench.suites.prompts import Prompt, load_prompt, prompt_names

UNKNOWN_PROMPT = {
    "id": "unknown",
    "user": "{question}",
    "source": "not published with the predictions",
}
FORM_NAMES = {
    "en": "en", "english": "en", "eng": "en", "hi": "cm-rom", "hinglish": "cm-rom", "hing": "cm-rom",
    "cm-rom": "cm-rom", "cm": "cm", "hindi": "hi", "hi-rom": "hi-rom", "bn": "bn",
}  # fmt: skip
_USUAL: Mapping[str, Sequence[str]] = {
    "id": ("id", "item_id", "qid", "uid", "problem_id", "idx", "index", "source_index"),
    "form": ("form", "language", "lang", "variant", "lang_code"),
    "output": ("output", "raw_output", "raw", "response", "completion", "generation", "text", "raw_response", "reply"),
    "reasoning": ("reasoning", "reasoning_content", "thinking"),
    "parsed": ("parsed", "prediction", "pred", "predicted", "parsed_answer", "extracted"),
    "correct": ("correct", "is_correct", "match", "exact_match"),
    "finish_reason": ("finish_reason", "stop_reason"),
    "completion_tokens": ("completion_tokens", "usage.completion_tokens", "output_tokens", "usage.output_tokens",
                          "tokens_out", "tokens"),
    "prompt_tokens": ("prompt_tokens", "usage.prompt_tokens", "input_tokens", "usage.input_tokens", "tokens_in"),
    "reasoning_tokens": ("reasoning_tokens", "usage.completion_tokens_details.reasoning_tokens"),
    "sample": ("sample", "epoch", "run", "sample_index"),
    "asked_at": ("asked_at", "timestamp", "created_at", "time"),
    "error": ("error",),
    "model": ("model", "model_id", "model_name"),
    "provider": ("provider",),
    "effort": ("effort", "reasoning_effort"),
    "prompt": ("prompt_name", "prompt_id"),
    "suite": ("suite", "dataset"),
}  # fmt: skip
_ARM = ("suite", "provider", "model", "effort", "prompt")


@dataclass
class Converted:
    """What became of a folder of predictions.

    Attributes:
        folders: one an arm, as `hbench import` reads them.
        lines: converted.
        unknown_items: lines whose item is in no dataset that was pulled with them.
        regraded: lines whose raw output our grader has read.
        disagree: of these, how many verdicts differ from the published one.
        guessed: by file: our key to theirs, where nobody said.
    """

    folders: list[Path] = field(default_factory=list)
    lines: int = 0
    unknown_items: int = 0
    regraded: int = 0
    disagree: int = 0
    guessed: dict[str, dict[str, str]] = field(default_factory=dict)


def convert(
    folder: Path,
    out: Path,
    datasets: Sequence[Pulled],
    rules: Sequence[tuple[str, Mapping[str, str]]],
    *,
    now: datetime | None = None,
) -> Converted:
    """Convert every `*.jsonl` below `folder`.

    Args:
        folder: the predictions of others.
        out: where ours go, `<suite>/<arm>/arm.json` and `<form>.jsonl`.
        datasets: pulled beside them; they have the questions and the golds.
        rules: `--map-predictions`, see `mapping`.
        now: stands in for the time of asking where the lines have none.

    Raises:
        RefusedError: no predictions there.
        UsageError: a file does not say which form, dataset or item its lines are of.
    """
    paths = sorted(folder.rglob("*.jsonl"))
    if not paths:
        raise RefusedError(f"there are no predictions below {folder}")
    done = Converted()
    arms: dict[tuple[str, ...], dict[str, list[dict[str, Any]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    at = utc_now() if now is None else as_utc(now)
    for path in paths:
        name = path.relative_to(folder).as_posix()
        rows = read_rows(path)
        if not rows:
            continue
        mapped = key_map(name, rows, rules, _USUAL)
        from_name = {k: "the file's name" for k in ("model", "form") if k not in mapped.paths}
        done.guessed[name] = {**mapped.guessed, **from_name}
        if "id" not in mapped.paths:
            raise InputError(
                path, None, "no key is the item's id", hint=f"--map-predictions {path.stem}:id=…"
            )
        suite = _dataset(name, rows, mapped, datasets)
        by_id = {item.id: item for item in suite.items}
        for row in rows:
            item = by_id.get(str(mapped.get(row, "id")))
            if item is None:
                done.unknown_items += 1
                continue
            form = _form(name, mapped.get(row, "form"))
            if form not in item.forms:
                raise UsageError(
                    f"{name} is of the form {form}, which {suite.stem} does not have",
                    hint=f"it has {', '.join(item.forms)}; map it: --map-predictions {path.stem}:form=@cm-rom",
                )
            line = _line(row, mapped, item, form, at, done)
            arms[_arm_key(name, row, mapped, suite.stem)][form].append(line)
            done.lines += 1
    for key, forms in arms.items():
        done.folders.append(_write_arm(out, key, forms))
    return done


def _dataset(
    name: str, rows: Sequence[Mapping[str, Any]], mapped: KeyMap, datasets: Sequence[Pulled]
) -> Pulled:
    """The dataset that a file's items are of: the one named, else the one that has most of them."""
    named = mapped.get(rows[0], "suite")
    if named is not None:
        wanted = safe_name(str(named)).replace("-", "_").lower()
        for dataset in datasets:
            if dataset.stem.replace("-", "_").lower() == wanted:
                return dataset
        if "suite" not in mapped.guessed:
            raise UsageError(
                f"{name} is said to be of {named}, which was not pulled",
                hint=f"there are {', '.join(d.stem for d in datasets)}",
            )
    # A file's name often holds that of its dataset; else the ids decide.
    fitting = [
        d for d in datasets if d.stem.replace("_", "-").lower() in name.replace("_", "-").lower()
    ]
    candidates = fitting or datasets
    shares = []
    for dataset in candidates:
        ids = {item.id for item in dataset.items}
        hits = sum(str(mapped.get(row, "id")) in ids for row in rows)
        shares.append((hits / len(rows), dataset))
    best = max(share for share, _ in shares)
    winners = [dataset for share, dataset in shares if share == best]
    if best < 0.5 or len(winners) > 1:
        raise UsageError(
            f"it is not clear of which dataset {name} is"
            + (f" ({' or '.join(d.stem for d in winners)})" if best >= 0.5 else ""),
            hint="say so: --map-predictions 'PATTERN:suite=@STEM', e.g. 'beam*:suite=@gsm8k_hinglish'",
        )
    return winners[0]


def _form(name: str, value: Any) -> str:
    if value is not None:
        return FORM_NAMES.get(str(value).lower(), str(value))
    parts = re.split(r"[/_.\s]+|--+", name.removesuffix(".jsonl").lower())
    found = [FORM_NAMES[part] for part in parts if part in FORM_NAMES]
    if not found:
        raise UsageError(
            f"neither the lines nor the name of {name} say which form it is of",
            hint="--map-predictions 'PATTERN:form=KEY' or 'PATTERN:form=@cm-rom'",
        )
    return found[-1]


def _arm_key(name: str, row: Mapping[str, Any], mapped: KeyMap, stem: str) -> tuple[str, ...]:
    model = mapped.get(row, "model")
    if model is None:  # of the file's name, what is not its form
        parts = re.split(r"_+", name.removesuffix(".jsonl").rpartition("/")[2])
        model = "_".join(part for part in parts if part.lower() not in FORM_NAMES) or name
    values = {
        "suite": stem,
        "model": str(model),
        "provider": "unknown",
        "prompt": "unknown",
        "effort": "",
    }
    for key in ("provider", "effort", "prompt"):
        if (value := mapped.get(row, key)) is not None:
            values[key] = str(value)
    return tuple(values[key] for key in _ARM)


def _line(
    row: Mapping[str, Any], mapped: KeyMap, item: Item, form: str, at: datetime, done: Converted
) -> dict[str, Any]:
    output, error = mapped.get(row, "output"), mapped.get(row, "error")
    tokens = _count(mapped.get(row, "completion_tokens"))
    line: dict[str, Any] = {
        "id": item.id, "sample": _count(mapped.get(row, "sample")) or 0, "question": item.forms[form],
        "gold": gold_of(item.answer if isinstance(item.answer, str) else list(item.answer)),
        "output": None if output is None else str(output), "grader": "numeric", "billed": "yes",
        "reasoning": mapped.get(row, "reasoning"), "finish_reason": mapped.get(row, "finish_reason"),
        "prompt_tokens": _count(mapped.get(row, "prompt_tokens")), "completion_tokens": tokens,
        "billable_output_tokens": tokens, "output_rule": None if tokens is None else "assumed",
        "reasoning_tokens": _count(mapped.get(row, "reasoning_tokens")),
        "asked_at": _time(mapped.get(row, "asked_at"), at), "tier": item.tier, "topic": item.topic,
        "origin": "import", **_verdict(row, mapped, item, done),
    }  # fmt: skip
    if line["outcome"] == "error":
        line |= {"error": "foreign", "message": str(error or "no output")[:300], "billed": "maybe"}
    return {key: value for key, value in line.items() if value is not None}


def _verdict(row: Mapping[str, Any], mapped: KeyMap, item: Item, done: Converted) -> dict[str, Any]:
    output, parsed, correct = (mapped.get(row, key) for key in ("output", "parsed", "correct"))
    published = _truth(correct)
    if output is not None:
        grader, task = GRADERS["numeric"], Task("numeric")
        reply = Reply(str(output), mapped.get(row, "reasoning"), mapped.get(row, "finish_reason"))
        grade = grader.judge(grader.parse(reply, task), item.answer, task)
        done.regraded += 1
        done.disagree += published is not None and published != (grade.outcome == "correct")
        return {"outcome": grade.outcome, "parsed": grade.parsed, "method": grade.method,
                "grader_version": grader.version}  # fmt: skip
    if published is not None:
        outcome = "correct" if published else "wrong" if parsed is not None else "unparsed"
        return {"outcome": outcome, "parsed": None if parsed is None else str(parsed),
                "method": "as published", "grader_version": "published"}  # fmt: skip
    return {"outcome": "error"}


def _write_arm(
    out: Path, key: tuple[str, ...], forms: Mapping[str, Sequence[Mapping[str, Any]]]
) -> Path:
    suite, provider, model, effort, prompt_name = key
    content = dict(UNKNOWN_PROMPT, id=safe_name(prompt_name))
    if prompt_name in prompt_names():
        content = dict(load_prompt(prompt_name).content)
    prompt = Prompt(content["id"], content)
    params = {"model": model}
    arm = ArmRow(
        EndpointRow(provider, "import", f"predictions of {suite}"),
        PromptRow(prompt.name, prompt.digest, content), model, effort or None, None, None, params,
    )  # fmt: skip
    parts = (provider, model, effort or "default", prompt.name, arm.digest.rpartition(":")[2][:8])
    target = out / safe_name(suite) / "__".join(map(safe_name, parts))
    document: dict[str, Any] = {
        "format": FORMAT, "suite": suite, "provider": provider, "route": "import",
        "address": arm.endpoint.address, "model": model, "effort": effort or None, "temperature": None,
        "max_tokens": None, "params": params, "prompt": content, "prompt_digest": prompt.digest,
        "arm_digest": arm.digest, "prices": [],
    }  # fmt: skip
    files.write_json(target / "arm.json", document)
    for form, lines in forms.items():
        files.write_lines(target / f"{safe_name(form)}.jsonl", _once(lines))
    return target


def _once(lines: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Lines of the same item and sample are samples: the second becomes the next."""
    seen: Counter[str] = Counter()
    numbered = len({(line["id"], line["sample"]) for line in lines}) == len(lines)
    for line in lines:
        yield line if numbered else {**line, "sample": seen[line["id"]]}
        seen[line["id"]] += 1


def _count(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return int(number) if number >= 0 and number.is_integer() else None


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    return {"true": True, "false": False}.get(str(value).lower())


def _time(value: Any, otherwise: datetime) -> str:
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return utc(value).isoformat()
        return as_utc(datetime.fromisoformat(str(value))).isoformat()
    except (ValueError, OverflowError, OSError):
        return otherwise.isoformat()
