"""The chart in the README is drawn from the predictions that stand beside it."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from hinglishbench.ledger.predictions import import_predictions
from hinglishbench.ledger.reader import Ledger
from hinglishbench.report.write import write_report
from tests.report_page.conftest import NOW, OPTIONS, ROOT

CHART = ROOT / "docs" / "tax.svg"
PREDICTIONS = ROOT / "predictions"


def _says(path: Path) -> tuple[str, list[str]]:
    """What was drawn, and every text in it; fonts of a machine move neither."""
    text = path.read_text("utf-8")
    found = re.search(r'data-spec="(chart:sha256:[0-9a-f]{64})"', text)
    assert found is not None
    texts = ET.fromstring(text).iter("{http://www.w3.org/2000/svg}text")
    return found[1], ["".join(element.itertext()) for element in texts]


def test_the_chart_is_not_stale(tmp_path: Path) -> None:
    """`make chart` draws it; predictions without it, or it without predictions, fail too."""
    if not any(PREDICTIONS.rglob("arm.json")):
        assert not CHART.exists(), "a chart of predictions that are not there"
        pytest.skip("predictions/ holds no run yet")
    assert CHART.exists(), "make chart"
    import_predictions(PREDICTIONS, tmp_path / "ledger.duckdb")
    write_report(
        Ledger(tmp_path / "ledger.duckdb"), tmp_path / "out", OPTIONS, now=NOW, items=False
    )
    assert _says(CHART) == _says(tmp_path / "out" / "charts" / "tax.svg"), "make chart"
