"""How large the report of N pairs is, how long it takes to write, and how soon Chromium can use it.

    python -m benchmarks.report_open [N]

Needs scripts/install_browser.sh. "usable" is from the request for the page until its list can be used.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from hinglishbench.ledger.reader import Ledger
from hinglishbench.report.options import TaxOptions
from hinglishbench.report.write import write_report
from tests.report_page.browser import Browser
from tests.report_page.ledgers import make_ledger

REPEATS = 7


def main() -> None:
    """Print one row."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        sys.exit("Chromium is absent: scripts/install_browser.sh")
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder)
        ledger = make_ledger(base / "l.duckdb", items=pairs, models=("acme/large",))
        began = time.perf_counter()
        written = write_report(
            Ledger(ledger),
            base / "out",
            TaxOptions(hodges_lehmann=False),
            now=datetime(2026, 1, 1),  # noqa: DTZ001  only printed
        )
        wrote = time.perf_counter() - began
        usable = []
        with Browser.start(chromium, driver, base / "profile") as browser:
            for _ in range(REPEATS):
                browser.open(written.page)
                usable.append(int(browser.js("document.body.dataset.ready")))
        size = sum(path.stat().st_size for path in written.files)
        print("| pairs | written in | page | all files | usable, median | worst |")
        print("|---|---|---|---|---|---|")
        print(
            f"| {pairs:,} | {wrote:.1f} s | {written.page.stat().st_size / 1e6:.1f} MB"
            f" | {size / 1e6:.1f} MB | {statistics.median(usable):.0f} ms | {max(usable)} ms |"
        )


if __name__ == "__main__":
    main()
