"""The check on numbers sees what docs/datasets.md says that it sees."""

from __future__ import annotations

import pytest

from benchmarks.preservation import FAULTS, HARMLESS, measure, pairs
from hinglishbench.forms.quantities import compare, quantities


def test_precision_and_recall_on_planted_faults() -> None:
    """Over 200 pairs: 99% of all faults are found, with at most one false alarm in 200."""
    counts = measure(1)
    assert sum(1 for _ in pairs()) >= 200

    def total(kind: str) -> tuple[int, int]:
        return (
            sum(c.told for c in counts[kind].values()),
            sum(c.n for c in counts[kind].values()),
        )

    hard = {"dropped": 0.97, "unit changed": 0.95}
    for kind in FAULTS:
        told, n = total(kind)
        assert n >= 100, kind
        assert told / n >= hard.get(kind, 0.99), kind
    told, n = map(sum, zip(*map(total, FAULTS), strict=True))
    assert told / n >= 0.99
    alarms, harmless = map(sum, zip(*map(total, HARMLESS), strict=True))
    assert alarms / harmless <= 0.005


@pytest.mark.parametrize(
    ("english", "hinglish", "same"),
    [
        ("Each of 11 players ate 3.", "11 players ne 3-3 khaye hai.", True),
        ("Packed six to a box.", "Chhe-chhe karke pack kiya hai.", True),
        ("The score was 3-3.", "Score 3-3 tha.", True),
        ("Each ate 3.", "Sabne 4-4 khaye hai.", False),
        ("From 3 to 4.", "3-3 se 4 tak.", True),
        ("He has 5 and 5.", "Uske paas 5 hai.", False),
    ],
)
def test_a_number_said_twice_in_a_row_may_mean_each(
    english: str, hinglish: str, same: bool
) -> None:
    """Hindi doubles a number to say "each": the second one need not stand in the English."""
    lost = compare(quantities(english, "en"), quantities(hinglish, "cm-rom"))
    assert bool(lost) is not same
