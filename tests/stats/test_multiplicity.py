"""Holm and Benjamini-Hochberg."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from hinglishbench.stats.multiplicity import benjamini_hochberg, holm


@settings(max_examples=25)  # statsmodels takes 45 ms a call for Holm
@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_both_agree_with_statsmodels(p_values: list[float]) -> None:
    """Adjusted p values in the order given."""
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))
    assert benjamini_hochberg(p_values) == pytest.approx(
        list(multipletests(p_values, method="fdr_bh")[1])
    )


def test_by_hand() -> None:
    """Holm: .01*3, .02*2, .03*1 made monotone. BH: .01*3/1, .02*3/2, .03*3/3."""
    assert holm([0.03, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert benjamini_hochberg([0.03, 0.01, 0.02]) == pytest.approx([0.03, 0.03, 0.03])


@pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
def test_an_undefined_p_stays_none_and_does_not_enlarge_the_family(adjust: object) -> None:
    """Two tests among four rows are a family of two."""
    assert callable(adjust)
    assert adjust([None, 0.02, None, 0.9])[1] == pytest.approx(0.04)
    assert adjust([None, 0.02, None, 0.9])[::2] == [None, None]
    assert adjust([]) == []
    assert adjust([None]) == [None]
