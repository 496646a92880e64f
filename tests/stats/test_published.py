"""Published figures: what can be re-derived is, and what cannot is listed."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest

from hinglishbench.errors import InputError
from hinglishbench.suites.published import (
    PublishedRow,
    count_behind,
    published,
    retained_count_behind,
)

ROWS = published()
ACCURACIES = [row for row in ROWS if row.kind == "pairs" and "acc_base_pct" in row.figures]


def _name(row: PublishedRow) -> str:
    return f"{row.keys.get('table', row.kind)} {row.keys.get('model', '')}"


def _points(value: Decimal) -> Decimal:
    return value.quantize(Decimal("0.1"), ROUND_HALF_UP)


@pytest.mark.parametrize(
    ("table", "model", "base", "form"),
    [
        ("headline", "Beam-1.0-501B-A23B", 79, 78),
        ("headline", "Gemma-3-27B-it", 75, 77),
        ("headline", "Qwen3-32B", 74, 68),
        ("tiered", "Beam-1.0-501B-A23B", 98, 98),
        ("reverse direction", "Beam-1.0-501B-A23B", 307, 308),
    ],
)
def test_the_counts_behind_the_accuracies(table: str, model: str, base: int, form: int) -> None:
    """Each printed accuracy can come from one count only, and the note says which."""
    (row,) = [
        r
        for r in ROWS
        if r.keys.get("table") == table and r.keys.get("model") == model and r.kind == "pairs"
    ]
    assert row.n is not None
    assert count_behind(row.figures["acc_base_pct"], row.n) == base
    assert count_behind(row.figures["acc_form_pct"], row.n) == form
    assert f"{base}/{row.n}" in row.verified
    assert f"{form}/{row.n}" in row.verified or base == form


@pytest.mark.parametrize("row", [r for r in ACCURACIES if "gap_pts" in r.figures], ids=_name)
def test_the_gaps_are_those_of_the_counts(row: PublishedRow) -> None:
    """-1/82 is -1.2 points, +2/82 is 2.4, -6/82 is -7.3."""
    assert row.n is not None
    base = count_behind(row.figures["acc_base_pct"], row.n)
    form = count_behind(row.figures["acc_form_pct"], row.n)
    assert base is not None
    assert form is not None
    assert _points(Decimal(100 * (form - base)) / row.n) == Decimal(row.figures["gap_pts"])


@pytest.mark.parametrize("row", [r for r in ROWS if r.kind == "retention"], ids=_name)
def test_the_counts_behind_english_accuracy_and_retention(row: PublishedRow) -> None:
    """1,024 items and a floor of a quarter: both counts are unique, and the note names them."""
    assert row.n is not None
    base = count_behind(row.figures["acc_base_pct"], row.n)
    assert base is not None
    form = retained_count_behind(row.figures["retained_pct"], row.n, base, row.figures["floor"])
    assert form is not None
    assert row.verified == f"{base}/{row.n} and {form}/{row.n} re-derived"


def test_the_distance_between_the_best_in_english_and_the_best_in_romanized_hindi() -> None:
    """README: 6.3 points ahead in English, 24.4 points less retained; from the counts."""
    by_model = {r.keys["model"]: r for r in ROWS if r.kind == "retention"}
    nemotron, sarvam = by_model["Nemotron 3.5 Lightning"], by_model["Sarvam-M 24B"]
    english = Decimal(100 * (915 - 850)) / 1024
    assert _points(english) == Decimal("6.3")
    kept = Decimal(100 * (682 - 256)) / (850 - 256) - Decimal(100 * (568 - 256)) / (915 - 256)
    assert _points(kept) == Decimal("24.4")
    assert _points(kept) == Decimal(sarvam.figures["retained_pct"]) - Decimal(
        nemotron.figures["retained_pct"]
    )


def test_what_cannot_be_re_derived_says_so() -> None:
    """Every row has a note; those without accuracies re-derive nothing."""
    for row in ROWS:
        assert row.verified
        derivable = row in ACCURACIES or row.kind == "retention"
        assert derivable != row.verified.startswith("nothing: ")
    assert sum(row.verified.startswith("nothing: ") for row in ROWS) == 6


def test_a_tax_cannot_be_claimed_as_re_derived() -> None:
    """Medians of token ratios need the replies: no note says otherwise."""
    for row in ROWS:
        if "tax_median" in row.figures:
            assert "the tax needs token counts per item" in row.verified


def test_every_row_is_cited_and_never_ours() -> None:
    """Origin `published`, a source, no interval and no p to be mistaken for our own."""
    for row in ROWS:
        shown = row.as_tax_row()
        assert shown["origin"] == "published"
        assert row.source.author in shown["source"]
        assert not {"gap_ci", "gap_p", "tax_ci", "tax_p"} & set(shown)


def test_figures_come_in_our_units() -> None:
    """Accuracies 0..1, points and ratios as printed, the unpublished None."""
    first = ROWS[0].as_tax_row()
    assert (first["acc_base"], first["acc_form"]) == (0.963, 0.951)
    assert (first["gap_pts"], first["tax_median"], first["prompt"]) == (-1.2, 1.47, None)
    means = [r for r in ROWS if r.kind == "retention_means"]
    assert means[0].number("retained_pct.hi-rom") == 0.414


def test_a_count_is_none_where_the_digits_do_not_pin_it_down() -> None:
    """50% of 1,000 to no decimals fits ten counts; 96.4% of 82 fits none."""
    assert count_behind("50", 1_000) is None
    assert count_behind("96.4", 82) is None
    assert count_behind("0.0", 82) == 0
    assert count_behind("100.0", 82) == 82
    assert retained_count_behind("50.0", 100, 25, "0.25") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[pairs]]\nsource = 'who'", "unknown source 'who'"),
        ("[nonsense]", "unknown table 'nonsense'"),
        ("[[", "not TOML"),
    ],
)
def test_a_faulty_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """The file and the fault are named."""
    file = tmp_path / "published.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        published(file)
