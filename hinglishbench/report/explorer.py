"""The item explorer's data: a small index of all blocks, and their texts in compressed chunks.

The index is what lists and filters need (columns of numbers and letters); the texts of a block are
read when it is opened. When the texts outgrow one file they go into several, `Part` by `Part`, while
the index of all of them stays in the first page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from typing import Any

from hinglishbench.report.chunks import chunked

Row = dict[str, Any]

LETTERS = {
    "correct": "c",
    "wrong": "w",
    "unparsed": "u",
    "truncated": "t",
    "filtered": "f",
    "error": "e",
    None: "n",
}
"""Outcomes in the index, one letter a cell; n: not asked yet, a blank: the block has no such form."""

PARSED_LETTERS = 80
"""Of a parsed answer in the index, for the search; a span can be a page long."""

FORM_ORDER = ("en", "cm-rom", "cm", "hi", "hi-rom", "bn")


def form_key(form: str) -> tuple[int, str]:
    """Order of forms: English, then as in the documentation, then others by name."""
    return (FORM_ORDER.index(form) if form in FORM_ORDER else len(FORM_ORDER), form)


@dataclass(frozen=True, slots=True)
class Block:
    """One item and sample of an arm with all its forms: what the index keeps of it."""

    suite: str
    item: str
    topic: str | None
    tier: str | None
    arm_id: int
    sample: int
    cells: dict[str, tuple[str, int | None, bool, str | None]]
    """Form to (letter of the outcome, billable output tokens, ended by the limit, parsed answer)."""


@dataclass(slots=True)
class Part:
    """What goes into one file: chunks, and the blocks of each."""

    number: int
    chunks: list[str] = field(default_factory=list)
    groups: list[list[Block]] = field(default_factory=list)
    size: int = 0

    @property
    def n_blocks(self) -> int:
        """Blocks in this file."""
        return sum(len(group) for group in self.groups)


def parts(rows: Iterable[Row], *, part_bytes: int) -> Iterator[Part]:
    """Cells (see queries/report_cells.sql) as parts of at most `part_bytes` characters each.

    A chunk that is larger than that alone makes a part of its own.
    """
    current = Part(0)
    pairs = ((_block(cells), cells) for cells in _by_block(rows))
    for group, packed in chunked(pairs, lambda pair: _detail(pair[1])):
        if current.chunks and current.size + len(packed) > part_bytes:
            yield current
            current = Part(current.number + 1)
        current.chunks.append(packed)
        current.groups.append([block for block, _ in group])
        current.size += len(packed)
    if current.chunks:
        yield current


def _by_block(rows: Iterable[Row]) -> Iterator[list[Row]]:
    for _, cells in groupby(rows, key=lambda row: row["block_id"]):
        yield sorted(cells, key=lambda row: form_key(row["form"]))


def _block(cells: Sequence[Row]) -> Block:
    first = cells[0]
    return Block(
        first["suite"],
        first["item"],
        first["topic"],
        first["tier"],
        first["arm_id"],
        first["sample"],
        {
            c["form"]: (
                LETTERS[c["outcome"]],
                c["completion_tokens"],
                c["cut"],
                None if c["parsed"] is None else c["parsed"][:PARSED_LETTERS],
            )
            for c in cells
        },
    )


_CELL = (
    "question", "outcome", "parsed", "method", "grader_version", "output", "reasoning", "finish_reason",
    "prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens", "cost_usd", "price_source",
    "unpriced_reason", "asked_at", "seconds", "error", "message", "model_observed", "attempts",
)  # fmt: skip


def _detail(cells: Sequence[Row]) -> dict[str, Any]:
    """Everything about a block, as its JSON copy shows it."""
    first = cells[0]
    return {
        "suite": first["suite"],
        "item": first["item"],
        "topic": first["topic"],
        "tier": first["tier"],
        "sample": first["sample"],
        "gold": json.loads(first["gold"]),
        "grader": first["grader"],
        "forms": {
            cell["form"]: {key: _plain(cell[key]) for key in _CELL if cell[key] is not None}
            for cell in cells
        },
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, float):
        return round(value, 3)  # seconds: a millisecond says enough
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, list):
        return [
            {key: _plain(part) for key, part in item.items() if part is not None} for item in value
        ]
    return value


@dataclass(frozen=True, slots=True)
class ArmLabel:
    """How an arm is called in the explorer: its digest's head for links, words for people."""

    arm_id: int
    short: str
    label: str


class Index:
    """Collects blocks in the order in which they are stored; `as_json` is what the page reads."""

    def __init__(self, arms: Sequence[ArmLabel], forms: Sequence[str]) -> None:
        self.arms = arms
        self.forms = sorted(forms, key=form_key)
        self._arm_at = {arm.arm_id: i for i, arm in enumerate(arms)}
        self._suites: dict[str, int] = {}
        self._topics: dict[str, int] = {}
        self._tiers: dict[str, int] = {}
        self._items: dict[tuple[str, str], int] = {}
        self._item_rows: list[list[Any]] = []
        self._columns: dict[str, list[int]] = {k: [] for k in ("item", "arm", "sample")}
        self._chunks: list[list[int]] = []
        self._letters: dict[str, list[str]] = {form: [] for form in self.forms}
        self._tokens: dict[str, list[int | None]] = {form: [] for form in self.forms}
        self._cuts: dict[str, list[str]] = {form: [] for form in self.forms}
        self._words: dict[str, int] = {}
        self._parsed: dict[str, list[int | None]] = {form: [] for form in self.forms}

    def add(self, part: Part) -> None:
        """Take the blocks of a part in."""
        for number, group in enumerate(part.groups):
            self._chunks.append([part.number, number, len(group)])
            for block in group:
                self._add(block)

    def _add(self, block: Block) -> None:
        key = (block.suite, block.item)
        if key not in self._items:
            self._items[key] = len(self._items)
            self._item_rows.append(
                [
                    _number(self._suites, block.suite),
                    block.item,
                    _number(self._topics, block.topic),
                    _number(self._tiers, block.tier),
                ]
            )
        self._columns["item"].append(self._items[key])
        self._columns["arm"].append(self._arm_at[block.arm_id])
        self._columns["sample"].append(block.sample)
        for form in self.forms:
            letter, tokens, cut, parsed = block.cells.get(form, (" ", None, False, None))
            self._letters[form].append(letter)
            self._tokens[form].append(tokens)
            self._cuts[form].append("1" if cut else "0")
            self._parsed[form].append(_number(self._words, parsed))

    def as_json(self, file_of: Callable[[int], str] | None = None) -> dict[str, Any]:
        """The index.

        Args:
            file_of: the file of a part's number, where the texts are in other files; None: here.
        """
        return {
            "suites": list(self._suites),
            "topics": list(self._topics),
            "tiers": list(self._tiers),
            "arms": [{"id": arm.short, "label": arm.label} for arm in self.arms],
            "forms": self.forms,
            "items": self._item_rows,
            "parsed": list(self._words),
            **self._columns,
            # [file, chunk in it, blocks]: blocks stand in the order of the rows
            "chunks": [
                [None if file_of is None else file_of(part), number, length]
                for part, number, length in self._chunks
            ],
            "cells": {
                form: {
                    "outcome": "".join(self._letters[form]),
                    "tokens": self._tokens[form],
                    "cut": "".join(self._cuts[form]),
                    "parsed": self._parsed[form],
                }
                for form in self.forms
            },
        }

    def __len__(self) -> int:
        return len(self._columns["item"])


def _number(known: dict[str, int], name: str | None) -> int | None:
    return None if name is None else known.setdefault(name, len(known))
