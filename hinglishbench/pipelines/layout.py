"""Datasets in the layout of HinglishBench's repository, brought into our parallel files.

The files are known by name; the keys of their lines are not published, so they are mapped
(`mapping`) or guessed, and what was guessed is told.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hinglishbench.errors import InputError, RefusedError
from hinglishbench.pipelines import files
from hinglishbench.pipelines.mapping import KeyMap, flat_keys, key_map
from hinglishbench.suites.items import Item
from hinglishbench.suites.parallel import read_items

# The files of the layout (HinglishBench dataset card, section "What's in this dataset") and their forms.
FILES: Mapping[str, tuple[str, ...]] = {
    "gsm8k_hinglish.jsonl": ("en", "cm-rom"),
    "tiered_100.jsonl": ("en", "cm-rom"),
    "hinglish_reasoning_beam.jsonl": ("cm-rom",),
    "beamgen_parallel.jsonl": ("en", "cm-rom"),
}
_EN = ("en", "english", "question_en", "en_question", "problem_en", "english_question", "text_en",
       "question_english", "prompt_en", "forms.en", "original", "original_question")  # fmt: skip
_HINGLISH = (
    "cm-rom", "hinglish", "question_hinglish", "hinglish_question", "problem_hinglish", "hinglish_problem",
    "text_hinglish", "question_hi", "hi_question", "problem_hi", "hi", "text_hi", "prompt_hi", "forms.cm-rom",
    "translation",
)  # fmt: skip
_ALONE = ("problem", "question", "text", "prompt")
USUAL: Mapping[str, Sequence[str]] = {
    "id": ("id", "item_id", "qid", "uid", "problem_id", "idx", "index", "source_index"),
    "answer": ("answer", "gold", "gold_answer", "final_answer", "answer_gold", "target", "label"),
    "tier": ("tier", "difficulty", "level"),
    "topic": ("topic", "category", "domain"),
}


@dataclass
class Pulled:
    """One dataset brought over.

    Attributes:
        stem: the name of its file without the ending; predictions name it.
        path: what was written.
        items: what can be used.
        left_out: (line, why) of what cannot.
        mapped: how its keys were read; `guessed` are those to look at.
    """

    stem: str
    path: Path
    items: list[Item]
    left_out: list[tuple[int, str]] = field(default_factory=list)
    mapped: KeyMap = field(default_factory=KeyMap)


def fetch(name: str, revision: str | None) -> Path:
    """Copy a dataset repository of the hub to the local cache; its folder.

    Raises:
        RefusedError: it cannot be had.
    """
    from huggingface_hub import snapshot_download  # noqa: PLC0415  heavy
    from huggingface_hub.errors import HfHubHTTPError  # noqa: PLC0415  the same

    wanted = ["*.jsonl", "*.txt", "predictions/**", "README.md"]
    try:
        return Path(
            snapshot_download(name, repo_type="dataset", revision=revision, allow_patterns=wanted)
        )
    except (HfHubHTTPError, OSError, ValueError) as error:
        raise RefusedError(
            f"{name} cannot be had from the hub: {type(error).__name__}",
            hint="a folder with its files works too",
        ) from error


def pull(folder: Path, out: Path, rules: Sequence[tuple[str, Mapping[str, str]]]) -> list[Pulled]:
    """Bring every dataset of the layout that the folder has into `out`.

    Raises:
        RefusedError: the folder has none of the files.
        UsageError: the keys of a file cannot be told.
        InputError: a file is not JSON Lines.
    """
    found = [name for name in FILES if (folder / name).is_file()]
    if not found:
        raise RefusedError(
            f"{folder} has none of {', '.join(FILES)}", hint="give the folder that holds them"
        )
    return [_pull_file(folder / name, out, FILES[name], rules) for name in found]


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON Lines file.

    Raises:
        InputError: a line is no JSON object.
    """
    rows = []
    for number, line in enumerate(path.read_text("utf-8").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(path, number, f"not JSON: {error}") from error
        if not isinstance(row, dict):
            raise InputError(path, number, "not an object")
        rows.append(row)
    return rows


def _pull_file(
    path: Path, out: Path, forms: Sequence[str], rules: Sequence[tuple[str, Mapping[str, str]]]
) -> Pulled:
    rows = read_rows(path)
    usual = dict(USUAL)
    usual |= (
        {"en": _EN, "cm-rom": _HINGLISH} if len(forms) > 1 else {"cm-rom": (*_HINGLISH, *_ALONE)}
    )
    if len(forms) > 1:
        usual["en"] = (*_EN, "question", "problem")
    mapped = key_map(path.name, rows, rules, usual)
    lacking = [key for key in ("answer", *forms) if key not in mapped.paths]
    if lacking:
        keys = ", ".join(flat_keys(rows[0])) if rows else "none"
        raise InputError(
            path, None, f"it is not clear which key is {' and which '.join(lacking)}",
            hint=f"its keys are {keys}; say with --map {path.stem}:{lacking[0]}=…",
        )  # fmt: skip
    lines = [_line(row, mapped, path.stem, number) for number, row in enumerate(rows, 1)]
    written = files.write_lines(out / path.name, lines)
    items, faults = read_items(written)
    if faults:  # written again without the lines that no run could use
        bad = {fault.line for fault in faults}
        files.write_lines(written, [line for n, line in enumerate(lines, 1) if n not in bad])
    left_out = [(fault.line, fault.message) for fault in faults]
    return Pulled(path.stem, written, items, left_out, mapped)


def _line(row: Mapping[str, Any], mapped: KeyMap, stem: str, number: int) -> dict[str, Any]:
    forms = {
        form: text for form in mapped.paths if form in ("en", "cm-rom", "cm", "hi", "hi-rom", "bn")
        if (text := mapped.get(row, form)) is not None
    }  # fmt: skip
    own = mapped.get(row, "id")
    line: dict[str, Any] = {
        "id": f"{stem}-{number:04d}" if own is None else str(own),
        "answer": gold_of(mapped.get(row, "answer")),
        "forms": forms,
    }
    line |= {k: str(v) for k in ("tier", "topic") if (v := mapped.get(row, k)) is not None}
    return line


def gold_of(value: Any) -> Any:
    """A gold as we keep it: GSM8K's solutions end in `#### N`, whole numbers lose their `.0`."""
    if isinstance(value, str):
        _, mark, gold = value.rpartition("####")
        return gold.strip() if mark else value.strip()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value
