"""Ledgers and pages made once, and a real Chromium to read them with.

The browser tests always run where CI=true; elsewhere they are skipped when Chromium, its driver or
axe-core is absent, and say what installs them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from hinglishbench.ledger.reader import Ledger
from hinglishbench.report.gather import Findings, gather
from hinglishbench.report.options import TaxOptions
from hinglishbench.report.write import Written, write_report
from tests.report_page import hostile
from tests.report_page.browser import Browser
from tests.report_page.ledgers import make_ledger

ROOT = Path(__file__).resolve().parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
NOW = datetime(2026, 11, 29, 12, 0)  # noqa: DTZ001  the report's time is UTC without a zone
OPTIONS = TaxOptions(hodges_lehmann=False)


def _needed(what: str, found: object) -> None:
    if found:
        return
    message = f"{what} is absent: scripts/install_browser.sh installs what browser tests need"
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One headless Chromium for all tests."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    _needed("Chromium", chromium)
    _needed("chromedriver", driver)
    assert chromium is not None
    assert driver is not None
    with Browser.start(chromium, driver, tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core."""
    _needed("axe-core", AXE.exists())
    return AXE.read_text("utf-8")


@pytest.fixture(scope="session")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """120 items, two arms, three forms: everything that can happen to an answer happens."""
    return make_ledger(
        tmp_path_factory.mktemp("ledger") / "usual.duckdb",
        items=120,
        models=("acme/small", "acme/large"),
        forms=("en", "cm-rom", "hi"),
    )


@pytest.fixture(scope="session")
def found(ledger: Path) -> Findings:
    """What the usual ledger holds."""
    return gather(Ledger(ledger), OPTIONS, now=NOW)


@pytest.fixture(scope="session")
def written(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The report of the usual ledger."""
    return write_report(Ledger(ledger), tmp_path_factory.mktemp("report"), OPTIONS, now=NOW)


@pytest.fixture(scope="session")
def split(ledger: Path, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The same, with so little room that its texts go into several files."""
    out = tmp_path_factory.mktemp("split")
    return write_report(Ledger(ledger), out, OPTIONS, now=NOW, part_mb=0.05)


@pytest.fixture(scope="session")
def hostile_page(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The report of a ledger in which every string tries to be more than a string."""
    path = make_ledger(
        tmp_path_factory.mktemp("hostile") / "h.duckdb",
        items=len(hostile.REPLIES),
        models=(hostile.MODEL,),
        suite=hostile.SUITE,
        answer=hostile.answer,
    )
    return write_report(Ledger(path), tmp_path_factory.mktemp("page"), OPTIONS, now=NOW)
