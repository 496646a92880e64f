"""What a build leaves behind: the items, every reject with its reason, the record, the card.

Each file is replaced whole through a neighbour, so a reader never sees half of one, and nothing is
written before every request has its end: a build that stopped early leaves its replies in the ledger.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hinglishbench import __version__
from hinglishbench.suites.items import Item, items_digest

MODEL_TERMS = (
    "What a model wrote is subject to the terms of the model and of its provider: read them before"
    " you publish."
)


def write_text(path: Path, text: str) -> Path:
    """Write a file through a temporary neighbour; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.write_text(text, "utf-8")
    os.replace(part, path)  # noqa: PTH105  atomic on every platform, unlike rename
    return path


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write JSON Lines."""
    return write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def write_json(path: Path, document: Any) -> Path:
    """Write one JSON document."""
    return write_text(path, json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def item_line(item: Item) -> dict[str, Any]:
    """An item as `hbench run --suite FILE.jsonl` reads it; its meta as further keys."""
    line: dict[str, Any] = {
        "id": item.id,
        "answer": item.answer if isinstance(item.answer, str) else list(item.answer),
        "forms": dict(item.forms),
    }
    line |= {k: v for k in ("tier", "topic", "check") if (v := getattr(item, k)) is not None}
    line |= {k: list(v) for k in ("options", "labels") if (v := getattr(item, k))}
    if item.context is not None:
        line["context"] = item.context
    return {**line, **{k: v for k, v in item.meta.items() if k not in line}}


def excluded_text(rows: Iterable[tuple[str, str, str]], *, what: str) -> str:
    """`excluded_items.txt`: one line an item, parted by tabs: id, reason, what exactly."""
    lines = [f"# {what}: id, reason, what exactly"]
    lines += ["\t".join(" ".join(part.split()) for part in row) for row in rows]
    return "\n".join(lines) + "\n"


def record(items: Sequence[Item], **fields: Any) -> dict[str, Any]:
    """The record of a build: how it can be repeated, and by what it is known."""
    return {
        "made_with": f"hinglishbench {__version__}",
        "made_at": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "items": len(items),
        "items_digest": items_digest(items),
        **fields,
    }


def file_digest(path: Path) -> str:
    """`sha256:…` of a file's bytes."""
    with path.open("rb") as file:
        return f"sha256:{hashlib.file_digest(file, 'sha256').hexdigest()}"


def made_by(about: Mapping[str, Any]) -> str:
    """One sentence: model, provider, effort, prompt."""
    effort = f", effort {about['effort']}" if about.get("effort") else ""
    return (
        f"{about['model']} at {about['provider']} ({about['route']}{effort}, at most"
        f" {about['max_tokens']} tokens), prompt `{about['prompt']}` ({about['prompt_digest'][:22]}…)"
    )


def reasons_table(reasons: Mapping[str, int]) -> str:
    """A Markdown table of exclusions by reason."""
    rows = [f"| {reason} | {count} |" for reason, count in reasons.items()] or ["| none | 0 |"]
    return "\n".join(["| reason | items |", "| --- | --- |", *rows])
