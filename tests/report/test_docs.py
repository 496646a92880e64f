"""docs/statistics.md names every key that the commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from hinglishbench.ledger.reader import Ledger
from hinglishbench.report.compare import compare_rows
from hinglishbench.report.options import CompareOptions, PowerOptions, TaxOptions
from hinglishbench.report.power import power_rows
from hinglishbench.report.tax import tax_rows
from tests.report.ledgers import arm, pairs, write
from tests.report.test_tax import EIGHT

DOCS = Path(__file__).parents[2] / "docs" / "statistics.md"


@pytest.mark.parametrize("command", ["tax", "compare", "power"])
def test_every_key_is_documented(tmp_path: Path, command: str) -> None:
    """Under the command's own heading."""
    path = write(tmp_path / "ledger.duckdb", pairs(EIGHT))
    write(path, pairs(EIGHT), of=arm(prompt="concise"))
    ledger = Ledger(path)
    rows = {
        "tax": lambda: tax_rows(ledger, TaxOptions()),
        "compare": lambda: compare_rows(ledger, CompareOptions(variant="concise")),
        "power": lambda: power_rows(ledger, PowerOptions()),
    }[command]()
    section = DOCS.read_text("utf-8").split(f"### `{command}`: keys\n")[1].split("\n##")[0]
    words = set(re.findall(r"\w+", section))
    named = words | {f"{word}_ci" for word in words if "`_ci`" in section}
    named |= {"provider", "route", "model", "effort", "prompt", "form", "baseline_form", "origin"}
    assert set(rows[0]) <= named
