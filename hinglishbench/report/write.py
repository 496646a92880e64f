"""From a ledger to files: the page, its charts, the Markdown, and the items' files when one is not enough."""

from __future__ import annotations

import os
import pickle
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from hinglishbench.errors import UsageError
from hinglishbench.ledger.reader import Ledger
from hinglishbench.ledger.store import connect, query
from hinglishbench.report.draw import standalone
from hinglishbench.report.explorer import ArmLabel, Index, Part, parts
from hinglishbench.report.gallery import Figure, gallery
from hinglishbench.report.gather import Findings, gather
from hinglishbench.report.labels import short_digest
from hinglishbench.report.markdown import report_markdown
from hinglishbench.report.options import TaxOptions
from hinglishbench.report.page import (
    data_blocks,
    explorer_section,
    items_page,
    no_explorer,
    report_page,
)

PART_MB = 18.0
"""Texts of one file, at most: with 25 MB, the usual limit of a mail, base64 of the mail counted."""
_BATCH = 512
_ITEMS_FILE = re.compile(r"items-\d{3,}\.html")


@dataclass(frozen=True)
class Written:
    """What was written.

    Attributes:
        page: the page to open.
        files: every file, in order.
        items_files: how many files hold the items' texts beside the page; 0: the page holds them.
        n_blocks: blocks in the explorer.
        notes: what a person should know of the ledger.
    """

    page: Path
    files: list[Path]
    items_files: int
    n_blocks: int
    notes: list[str]


def write_report(
    ledger: Ledger,
    out: Path,
    options: TaxOptions,
    *,
    now: datetime,
    part_mb: float = PART_MB,
    items: bool = True,
) -> Written:
    """Write the report of a ledger into a folder.

    Args:
        ledger: what to report.
        out: the folder; made when absent. Files of an earlier report are replaced.
        options: those of `hbench tax`.
        now: when the report is made, UTC.
        part_mb: megabytes of (compressed) texts that one file may hold.
        items: whether the items' texts go along at all.

    Raises:
        NoLedgerError: there is no ledger.
        RefusedError: it has no such answers, or charts cannot be drawn here.
        UsageError: `out` is a file, or `part_mb` is not positive.
    """
    if not part_mb > 0:
        raise UsageError(f"--split-mb must be positive, not {part_mb:g}")
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file", hint="name a folder with --out")
    found = gather(ledger, options, now=now)
    figures = list(gallery(found))
    (out / "charts").mkdir(parents=True, exist_ok=True)
    files = _write_charts(figures, out / "charts")
    index = Index(
        [
            ArmLabel(a["arm_id"], short_digest(a["digest"]), found.labels[a["arm_id"]])
            for a in found.arms
        ],
        found.forms,
    )
    if items:
        pages = _write_items(ledger, found, figures, index, out, part_bytes=int(part_mb * 1e6))
    else:
        pages = [_write(out / "index.html", report_page(found, figures, no_explorer(), ()))]
    files = [*pages, _write(out / "report.md", [report_markdown(found, figures)]), *files]
    _sweep(out, {path.name for path in pages})
    return Written(pages[0], files, len(pages) - 1, len(index), list(ledger.notes))


def _write_charts(figures: Iterable[Figure], folder: Path) -> list[Path]:
    return [
        _write(folder / f"{drawing.name}.svg", [standalone(drawing.wide)])
        for figure in figures
        for drawing in figure.drawings
    ]


def _write_items(
    ledger: Ledger, found: Findings, figures: list[Figure], index: Index, out: Path, *, part_bytes: int
) -> list[Path]:  # fmt: skip
    """The page and its items; one part at a time is in memory."""
    made = parts(_cells(ledger, found), part_bytes=part_bytes)
    first = next(made, Part(0))
    second = next(made, None)
    index.add(first)
    if second is None:
        explorer = explorer_section(len(index))
        data = data_blocks(index.as_json(), first.chunks)
        return [_write(out / "index.html", report_page(found, figures, explorer, data))]
    # How many files there are stands in each of them: texts first, headings when all are known.
    held: list[tuple[Part, Path]] = []
    for part in _all(first, second, made):
        if part is not first:
            index.add(part)
        held.append((part, _keep_aside(out, part)))
        part.chunks.clear()
    return _write_split(found, figures, index, out, held)


def _all(first: Part, second: Part, rest: Iterator[Part]) -> Iterator[Part]:
    yield first
    yield second
    yield from rest


def _keep_aside(out: Path, part: Part) -> Path:
    path = out / f"{items_file(part.number)}.texts.part"
    return _write(path, (f"{chunk}\n" for chunk in part.chunks))


def _write_split(
    found: Findings, figures: list[Figure], index: Index, out: Path, held: list[tuple[Part, Path]]
) -> list[Path]:
    pages = []
    for part, aside in held:
        own = Index(index.arms, index.forms)
        own.add(part)
        local = own.as_json()
        with aside.open(encoding="ascii") as chunks:
            data = data_blocks(local, (line.rstrip("\n") for line in chunks))
            explorer = explorer_section(len(own))
            page = items_page(found, part, len(held), explorer, data)
            pages.append(_write(out / items_file(part.number), page))
        aside.unlink()
    listed = [(items_file(part.number), part.n_blocks) for part, _ in held]
    data = data_blocks(index.as_json(items_file), ())
    page = report_page(found, figures, explorer_section(len(index), listed), data)
    return [_write(out / "index.html", page), *pages]


def items_file(number: int) -> str:
    """The file of a part's texts."""
    return f"items-{number + 1:03d}.html"


def _cells(ledger: Ledger, found: Findings) -> Iterator[dict[str, Any]]:
    """Cells a batch at a time: a ledger's texts may be larger than the memory.

    They go through a file of our own, so that the ledger is let go after seconds, not after the
    minute that compressing takes: a run that is going on wants to write to it.
    """
    with tempfile.TemporaryFile() as spool:
        with connect(ledger.path, write=False, wait_s=ledger.wait_s) as connection:
            cursor = connection.execute(
                query("report_cells"), {"origin": found.origin, "suite": found.suite}
            )
            names = [column[0] for column in cursor.description or ()]
            while batch := cursor.fetchmany(_BATCH):
                pickle.dump(batch, spool, pickle.HIGHEST_PROTOCOL)
        end = spool.tell()
        spool.seek(0)
        while spool.tell() < end:
            for row in pickle.load(spool):  # noqa: S301  written above, seen by nobody else
                yield dict(zip(names, row, strict=True))


def _write(path: Path, pieces: Iterable[str]) -> Path:
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("w", encoding="utf-8", errors="replace", newline="\n") as file:
        file.writelines(pieces)
    os.replace(temporary, path)  # noqa: PTH105  atomic on every platform, unlike rename
    return path


def _sweep(out: Path, written: set[str]) -> None:
    """Remove items' files of an earlier, larger report: they would show its texts as this one's."""
    for path in out.iterdir():
        if _ITEMS_FILE.fullmatch(path.name) and path.name not in written:
            with path.open(encoding="utf-8", errors="replace") as file:
                if "hinglishbench" in file.read(2000):
                    path.unlink()
