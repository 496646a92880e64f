"""The finding in plain words."""

from __future__ import annotations

import pytest

from hinglishbench.stats.decision import decide, sentence


@pytest.mark.parametrize(
    ("p", "p_same", "word", "text"),
    [
        (0.01, None, "different", "different"),
        (0.01, 0.3, "different", "different"),
        (0.4, 0.01, "equivalent", "equivalent within 2 points"),
        (0.01, 0.01, "different but within margin", "different, but within 2 points"),
        (0.4, 0.4, "not decided", "not decided at n=82"),
        (0.4, None, "not decided", "not decided at n=82"),
        (0.05, 0.05, "not decided", "not decided at n=82"),
    ],
)
def test_every_combination_of_the_two_tests(
    p: float, p_same: float | None, word: str, text: str
) -> None:
    """A p of exactly alpha decides nothing."""
    found = decide(82, p, p_equivalence=p_same, margin="2 points")
    assert (found.word, found.text) == (word, text)


def test_an_undefined_test_gives_its_reason() -> None:
    """Never "the same"."""
    found = decide(0, None, reason="no pairs")
    assert found.text == "not decided at n=0: no pairs"
    assert sentence(decide(9, 0.001), found) == "gap: different; tax: not decided at n=0: no pairs"
