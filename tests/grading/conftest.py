"""The golden replies, read once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).with_name("golden.jsonl")


def golden_rows() -> list[dict[str, Any]]:
    """Replies of our own making, each with the verdict of a person and the reason."""
    return [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="session")
def golden() -> list[dict[str, Any]]:
    return golden_rows()
