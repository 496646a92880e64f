"""`import hinglishbench as hb` does what the README shows."""

from __future__ import annotations

from pathlib import Path

import pytest

import hinglishbench as hb
from tests.fakeprovider import FakeProvider


def test_runs_and_reads_from_python_more_than_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second `hb.run` works as the first did, and reuses what it answered."""
    monkeypatch.chdir(tmp_path)
    with FakeProvider() as server:
        asked = [
            hb.run(
                provider="openai-compatible",
                base_url=server.base_url,
                model="fake/model",
                limit=2,
                ledger="l.duckdb",
            )
            for _ in range(2)
        ]
    assert [result.asked for result in asked] == [4, 0]
    ledger = hb.Ledger("l.duckdb")
    (row,) = ledger.tax().dicts()
    assert row["n_pairs"] == 2
    assert ledger.cost().dicts()[0]["attempts"] == 4
    assert ledger.sql("select count(*) as n from answers").dicts() == [{"n": 4}]


def test_every_public_name_is_there() -> None:
    """`__all__` is what can be imported."""
    assert all(hasattr(hb, name) for name in hb.__all__)


def test_an_unknown_option_is_a_type_error() -> None:
    """A misspelt option is not swallowed."""
    with pytest.raises(TypeError, match="lmit"):
        hb.run(lmit=3)
