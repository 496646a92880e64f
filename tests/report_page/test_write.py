"""Files: what is written, split, replaced and refused."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hinglishbench.errors import NoLedgerError, RefusedError, UsageError
from hinglishbench.ledger.reader import Ledger
from hinglishbench.ledger.store import connect
from hinglishbench.report.chunks import unpack
from hinglishbench.report.gather import Findings
from hinglishbench.report.options import TaxOptions
from hinglishbench.report.page import policy
from hinglishbench.report.write import Written, _cells, write_report
from tests.report_page.conftest import NOW, OPTIONS
from tests.report_page.ledgers import make_ledger


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def _tags(path: Path) -> list[tuple[str, dict[str, str | None]]]:
    reader = _Tags()
    reader.feed(path.read_text("utf-8"))
    return reader.found


def _blocks(path: Path) -> dict[str, str]:
    text = path.read_text("utf-8")
    return dict(re.findall(r'<script type="text/plain" id="([\w-]+)">([^<]*)</script>', text))


def test_page_markdown_and_charts_are_written(written: Written) -> None:
    """One page that holds everything, the charts as files, the same in Markdown."""
    assert written.page.name == "index.html"
    names = {path.name for path in written.files}
    assert {"index.html", "report.md", "tax.svg", "gap.svg", "accuracy.svg", "spend.svg"} <= names
    assert {f"tokens-{i}.svg" for i in (1, 2, 3, 4)} <= names
    assert all(path.stat().st_size for path in written.files)
    assert not list(written.page.parent.rglob("*.tmp"))
    assert not list(written.page.parent.rglob("*.part"))


def test_the_page_refers_to_nothing_outside(written: Written, split: Written) -> None:
    """No source, style sheet, font, frame or handler; links lead into the page or to its own files."""
    for path in (written.page, *[p for p in split.files if p.suffix == ".html"]):
        for tag, attributes in _tags(path):
            assert tag not in {"img", "iframe", "object", "embed", "audio", "video", "base"}
            assert "style" not in attributes
            assert not [name for name in attributes if name.startswith("on")]
            assert "src" not in attributes
            link = attributes.get("href")
            if link is not None:
                assert re.fullmatch(r"#[\w-]+|data:,|items-\d+\.html|index\.html", link), link


def test_the_policy_names_the_script_and_the_style_that_stand_in_the_page(written: Written) -> None:
    """Everything is forbidden but those two, by digest."""
    held = policy()
    assert held.startswith("default-src 'none';")
    assert "unsafe" not in held
    assert "require-trusted-types-for 'script'" in held
    [found] = [
        attributes["content"]
        for tag, attributes in _tags(written.page)
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert found == held


def test_every_text_of_the_ledger_is_in_the_page(written: Written, ledger: Path) -> None:
    """Unpacked, the chunks hold each reply once, whole."""
    blocks = _blocks(written.page)
    texts = sorted(
        side["output"]
        for name, packed in blocks.items()
        if name.startswith("chunk-")
        for block in unpack(packed)
        for side in block["forms"].values()
        if "output" in side
    )
    rows = Ledger(ledger).ask("select text from answers where text is not null").rows
    assert texts == sorted(text for (text,) in rows)


def test_too_long_for_one_file_goes_into_several(split: Written, ledger: Path) -> None:
    """The first page keeps the index of all and says where the texts are; none is lost."""
    items = [path for path in split.files if path.name.startswith("items-")]
    assert split.items_files == len(items) > 2
    page = split.page.read_text("utf-8")
    assert f"stand in {len(items)} files beside" in page
    assert not [name for name in _blocks(split.page) if name.startswith("chunk-")]
    index = unpack(_blocks(split.page)["index-data"])
    assert len(index["item"]) == split.n_blocks == 240
    assert {file for file, _, _ in index["chunks"]} == {path.name for path in items}
    blocks = 0
    for path in items:
        data = _blocks(path)
        own = unpack(data["index-data"])
        assert len(own["item"]) == sum(
            len(unpack(packed)) for name, packed in data.items() if name.startswith("chunk-")
        )
        blocks += len(own["item"])
        assert sum(map(len, data.values())) < 200_000
    assert blocks == Ledger(ledger).ask("select count(distinct block_id) from cells").rows[0][0]


def test_files_of_a_larger_report_do_not_stay(ledger: Path, tmp_path: Path) -> None:
    """Items' files of before are removed; anybody else's files stay."""
    write_report(Ledger(ledger), tmp_path, OPTIONS, now=NOW, part_mb=0.05)
    assert list(tmp_path.glob("items-*.html"))
    (tmp_path / "items-900.html").write_text("mine")
    (tmp_path / "notes.txt").write_text("mine")
    write_report(Ledger(ledger), tmp_path, OPTIONS, now=NOW)
    assert [path.name for path in tmp_path.glob("items-*.html")] == ["items-900.html"]
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_without_items_no_text_leaves_the_ledger(ledger: Path, tmp_path: Path) -> None:
    """Neither questions nor replies are in any file."""
    done = write_report(Ledger(ledger), tmp_path, OPTIONS, now=NOW, items=False)
    assert done.n_blocks == 0
    everything = "".join(path.read_text("utf-8") for path in done.files)
    assert "mangoes at" not in everything
    assert "chunk-0" not in done.page.read_text("utf-8").split("<script>")[0]
    assert "Made without" in done.page.read_text("utf-8")


def test_the_same_ledger_gives_the_same_files(ledger: Path, tmp_path: Path) -> None:
    """At the same time of day, byte for byte."""
    one = write_report(Ledger(ledger), tmp_path / "a", OPTIONS, now=NOW)
    two = write_report(Ledger(ledger), tmp_path / "b", OPTIONS, now=NOW)
    for left, right in zip(one.files, two.files, strict=True):
        assert left.read_bytes() == right.read_bytes(), left.name


def test_what_it_refuses(ledger: Path, tmp_path: Path) -> None:
    """No ledger, no such answers, a file for a folder, a size of nothing: each by its own error."""
    with pytest.raises(NoLedgerError):
        write_report(Ledger(tmp_path / "none.duckdb"), tmp_path / "o", OPTIONS, now=NOW)
    assert not (tmp_path / "none.duckdb").exists()
    with pytest.raises(RefusedError):
        write_report(Ledger(ledger), tmp_path / "o", TaxOptions(suite="other"), now=NOW)
    with pytest.raises(RefusedError):
        write_report(Ledger(ledger), tmp_path / "o", TaxOptions(origin="live"), now=NOW)
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError):
        write_report(Ledger(ledger), tmp_path / "file", OPTIONS, now=NOW)
    with pytest.raises(UsageError):
        write_report(Ledger(ledger), tmp_path / "o", OPTIONS, now=NOW, part_mb=0)
    assert not (tmp_path / "o").exists()


def test_the_ledger_is_let_go_while_texts_are_packed(ledger: Path, found: Findings) -> None:
    """A run that is going on can write as soon as the first text is being packed."""
    cells = _cells(Ledger(ledger), found)
    next(cells)
    with connect(ledger, write=True, wait_s=0):
        pass
    assert sum(1 for _ in cells) == 120 * 2 * 3 - 1


def test_english_alone_makes_a_report_too(tmp_path: Path) -> None:
    """There is no pair, so there is no tax; the answers can still be read."""
    path = make_ledger(tmp_path / "l.duckdb", items=4, forms=("en",))
    done = write_report(Ledger(path), tmp_path / "o", OPTIONS, now=NOW)
    assert done.n_blocks == 4
    assert "What the same answer costs in English" in done.page.read_text("utf-8")


def test_markdown_keeps_strangers_in_their_cells(hostile_page: Written) -> None:
    """Pipes, tags, links and line breaks of a model's name are text."""
    text = (hostile_page.page.parent / "report.md").read_text("utf-8")
    assert "<img" not in text.replace("\\<img", "")
    assert "\u202e" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ") and "acme" in line]
    assert rows
    for row in rows:
        assert re.search(r"(?<!\\)\|", row)
    heads = [line for line in text.splitlines() if line.startswith("| Arm | Form")]
    cells = [len(re.findall(r"(?<!\\)\|", line)) for line in (heads[0], rows[0])]
    assert cells[0] == cells[1]
