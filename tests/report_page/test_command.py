"""`hbench report` after a real run against the test server."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest

from hinglishbench.report.chunks import unpack
from tests.conftest import Hbench, asking
from tests.fakeprovider import FakeProvider


def test_a_live_run_becomes_a_report(hbench: Hbench, provider: Callable[..., FakeProvider]) -> None:
    """With the concurrency limit, the spend and the run's own options; stdout names the page."""
    server = provider(completion_spread=0.4, state_cost=True, price_in=1.0, price_out=2.0)
    hbench(*asking(server, "--suite", hbench.pairs(8), "--quiet"))
    done = hbench("report", "--out", "out")
    assert done.out.strip() == "out/index.html"
    page = (hbench.folder / "out" / "index.html").read_text("utf-8")
    assert "asked by the runs of this ledger" in page
    assert "stated by the provider" in page
    assert "seed=42" in page
    for name in ("tax", "gap", "spend", "limit"):
        assert (hbench.folder / "out" / "charts" / f"{name}.svg").exists()


def test_samples_and_suites_are_told_apart(hbench: Hbench, fp: FakeProvider) -> None:
    """Two suites and three samples: every block is in the index once, under its own name."""
    hbench(*asking(fp, "--suite", hbench.pairs(3), "--samples", 3, "--quiet"))
    hbench(*asking(fp, "--suite", hbench.pairs(2, name="other.jsonl"), "--quiet"))
    hbench("report", "--out", "o")
    page = (hbench.folder / "o" / "index.html").read_text("utf-8")
    [packed] = re.findall(r'id="index-data">([^<]+)<', page)
    index = unpack(packed)
    assert sorted(index["suites"]) == ["other", "pairs"]
    names = [
        (*index["items"][item][:2], sample)
        for item, sample in zip(index["item"], index["sample"], strict=True)
    ]
    assert len(set(names)) == len(names) == 3 * 3 + 2
    assert "model · pairs" in page
    assert "Samples of a cell: 1 to 3" in page
    assert "5 items of other and pairs in the forms en and cm-rom, put to 1 arm" in page


def test_json_lists_the_files(hbench: Hbench, fp: FakeProvider) -> None:
    """For scripts: every file written."""
    hbench(*asking(fp, "--suite", hbench.pairs(3), "--quiet"))
    files = hbench("report", "--out", "o", "--json", "--no-items").json
    assert files[0] == "o/index.html"
    assert "o/report.md" in files
    assert all((hbench.folder / name).exists() for name in files)


def test_a_small_limit_splits_and_says_so(hbench: Hbench, fp: FakeProvider) -> None:
    """On stderr, with the number of files."""
    hbench(*asking(fp, "--suite", hbench.pairs(400), "--quiet"))
    done = hbench("report", "--out", "o", "--split-mb", "0.01")
    files = list((hbench.folder / "o").glob("items-*.html"))
    assert f"they stand in {len(files)} files beside the page" in done.err
    assert len(files) > 1


def test_without_a_ledger_nothing_is_made(hbench: Hbench) -> None:
    """Exit 3, and no folder."""
    done = hbench("report", code=3)
    assert "there is no ledger" in done.err
    assert not (hbench.folder / "report").exists()
    assert not hbench.ledger.exists()


def test_without_the_extra_it_says_what_to_install(
    hbench: Hbench, fp: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit 3 with the command to give, and no half-made folder."""
    hbench(*asking(fp, "--suite", hbench.pairs(2), "--quiet"))
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert "hinglishbench[report]" in hbench("report", "--out", "o", code=3).err
    assert not (hbench.folder / "o").exists()


def test_a_wrong_option_is_named(hbench: Hbench, fp: FakeProvider) -> None:
    """Exit 2."""
    hbench(*asking(fp, "--suite", hbench.pairs(2), "--quiet"))
    assert "no 'sideways'" in hbench("report", "--adjust", "sideways", code=2).err
