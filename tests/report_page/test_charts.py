"""Charts: what is drawn is what the rows say, in an SVG that a strict policy admits."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from hinglishbench.report import charts, lines
from hinglishbench.report.draw import standalone, svg
from hinglishbench.report.gallery import NARROW, PANEL, WIDE, Figure, gallery
from hinglishbench.report.gather import Findings


def _drawn(spec: dict[str, Any], name: str = "n") -> str:
    return svg(spec, name=name, title="A <title> & more", description="What \u202eit shows")


def _row(**more: Any) -> dict[str, Any]:
    return {
        "label": "model", "form": "cm-rom", "max_tokens": 256, "tax_median": 1.5, "tax_ci": [1.2, 1.8],
        "tax_at_cap": False, "gap_pts": -3.0, "gap_ci": [-8.0, 2.0], "acc_base": 0.9, "acc_form": 0.87,
        "usd_per_correct_base": 0.001, "usd_per_correct_form": 0.0015, **more,
    }  # fmt: skip


@pytest.fixture(scope="module")
def figures(found: Findings) -> list[Figure]:
    """All figures of the usual ledger."""
    return list(gallery(found))


def test_every_figure_of_the_report_is_there(figures: list[Figure]) -> None:
    """In order; what the ledger lacks is said and not drawn."""
    assert [f.name for f in figures] == [
        "tax", "gap", "accuracy", "cost", "tokens", "endings", "limit", "spend",
    ]  # fmt: skip
    empty = [f for f in figures if not f.drawings]
    assert [f.name for f in empty] == ["limit"]
    assert "No run" in empty[0].caption


def test_drawings_fit_a_strict_page(figures: list[Figure]) -> None:
    """Well-formed, named, without style attributes, scripts, links to elsewhere or double ids."""
    ids: list[str] = []
    for figure in figures:
        for drawing in figure.drawings:
            for image in filter(None, (drawing.wide, drawing.narrow)):
                root = ET.fromstring(image)
                assert root.get("role") == "img"
                title, described = root[0], root[1]
                assert f"{title.get('id')} {described.get('id')}" == root.get("aria-labelledby")
                assert title.text
                assert described.text
                assert "style=" not in image
                assert "<script" not in image
                assert not re.search(r"(href|src)=\"(?!#)", image)
                assert 'aria-roledescription="' not in image
                ids += [e.get("id", "") for e in root.iter() if e.get("id")]
    assert len(ids) == len(set(ids))


def test_text_is_drawn_as_text_in_the_page_s_colour(figures: list[Figure]) -> None:
    """Labels can be searched and read in light and dark; nothing but marks has a fixed colour."""
    image = figures[0].drawings[0].wide
    assert "currentColor" in image
    assert "1.52x" in image or re.search(r">\d\.\d\dx \[", image)
    assert 'fill="black"' not in image
    assert 'fill="#000' not in image


def test_widths_are_those_of_page_and_phone(figures: list[Figure]) -> None:
    """The narrow drawing fits a phone of 320 pixels."""
    for figure in figures:
        for drawing in figure.drawings:
            if drawing.narrow is not None:
                assert float(ET.fromstring(drawing.narrow).get("width", "999")) <= NARROW + 20
                assert float(ET.fromstring(drawing.wide).get("width", "999")) <= WIDE + 20
            else:
                assert float(ET.fromstring(drawing.wide).get("width", "999")) <= PANEL + 80


def test_titles_of_strangers_are_escaped() -> None:
    """In the title and in the drawing itself."""
    image = _drawn(charts.tax_forest([_row(label="<b>m</b> & \u202ex")], 300))
    ET.fromstring(image)
    assert "A &lt;title&gt; &amp; more" in image
    assert "<b>" not in image
    assert "[U+202E]it" in image
    assert "\u202e" not in image


def test_an_open_end_is_an_arrow() -> None:
    """An interval that nothing bounds above reaches the edge and says `open`."""
    spec = charts.tax_forest([_row(tax_ci=[1.2, None], tax_at_cap=True)], 300)
    [value] = spec["data"]["values"]
    assert value["open_hi"]
    assert not value["open_lo"]
    assert value["words"] == "1.50x [1.20, open] at cap 256"
    assert _drawn(spec).count("<path") > _drawn(charts.tax_forest([_row()], 300)).count("<path")


def test_the_reference_is_always_in_sight() -> None:
    """1x and 0 points lie inside the axis, however far away the estimates are."""
    far = charts.tax_forest([_row(tax_median=9.0, tax_ci=[8.0, 10.0])], 300)
    domain = far["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert domain[0] < 1
    assert domain[1] > 10
    one_side = charts.gap_forest([_row(gap_pts=-30.0, gap_ci=[-40.0, -20.0])], 300)
    domain = one_side["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert domain[0] < -40
    assert domain[1] > 0


def test_a_row_without_an_interval_is_a_point() -> None:
    """Below six pairs there is none."""
    [value] = charts.tax_forest([_row(tax_ci=None)], 300)["data"]["values"]
    assert value["lo"] == value["hi"] == value["value"] == 1.5
    assert value["words"] == "1.50x"
    _drawn(charts.tax_forest([_row(tax_ci=None)], 300))


def test_a_median_of_nothing_is_not_drawn() -> None:
    """Rows without a value leave no mark."""
    assert charts.gap_forest([_row(gap_pts=None), _row()], 300)["data"]["values"][0]["value"] == -3
    assert len(charts.gap_forest([_row(gap_pts=None), _row()], 300)["data"]["values"]) == 1


def test_words_that_do_not_fit_one_line_take_two() -> None:
    """On a phone label and figures stand below each other."""
    long = [_row(label="a-model-with-a-very-long-name")]
    assert charts.tax_forest(long, 300)["height"] == charts.TALL_STEP
    assert charts.tax_forest(long, 600)["height"] == charts.STEP


def test_dollars_start_at_nothing() -> None:
    """A bar of dollars that did not start at 0 would lie."""
    spec = charts.cost_dumbbell([_row()], 300)
    assert spec["layer"][0]["encoding"]["x"]["scale"]["domain"][0] == 0
    assert spec["data"]["values"][0]["base"] == pytest.approx(1.0)


def _pairs(n: int) -> list[dict[str, Any]]:
    return [
        {"base_tokens": 20 + i % 50, "form_tokens": 30 + i % 70, "cut": i % 9 == 0, "pairs": 1}
        for i in range(n)
    ]


def test_many_pairs_are_counted_in_squares() -> None:
    """All pairs are still there, in fewer marks."""
    for n in (lines.MOST_POINTS, 5000):
        points, binned = lines._points(_pairs(n))
        assert binned == (n > lines.MOST_POINTS)
        assert sum(point["pairs"] for point in points) == n
        assert len(points) <= lines.MOST_POINTS
        assert sum(p["pairs"] for p in points if p["cut"]) == sum(i % 9 == 0 for i in range(n))


@pytest.mark.parametrize("median", [None, 0.01, 1.0, 1.4, 300.0])
def test_the_median_line_stays_in_the_square(median: float | None) -> None:
    """However steep, both its ends are inside the axes."""
    spec = lines.scatter(_pairs(40), "hi", median, 200)
    low, high = spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    if median is not None and low / high < median < high / low:
        ends = spec["layer"][2]["data"]["values"]
        assert all(low * 0.999 <= e["x"] <= high * 1.001 for e in ends)
        assert all(low * 0.999 <= e["y"] <= high * 1.001 for e in ends)
    _drawn(spec)


def test_a_file_of_its_own_has_both_themes() -> None:
    """Standing alone, it brings its colours for light and dark."""
    image = standalone(_drawn(charts.tax_forest([_row()], 300)))
    ET.fromstring(image)
    assert "prefers-color-scheme:dark" in image
    assert image.index("<style>") < image.index("<title")


def test_over_time_in_minutes_or_seconds() -> None:
    """A short run is not drawn in hundredths of minutes."""
    rows: list[dict[str, Any]] = [
        {"at_s": float(i * 30), "line": "run 1", "c": i} for i in range(3)
    ]
    short = lines.over_time(rows, 300, value="c", upper=None, title="x", money=False, step=True)
    assert "seconds" in short["layer"][0]["encoding"]["x"]["axis"]["title"]
    rows = [{**row, "at_s": row["at_s"] * 10} for row in rows]
    long = lines.over_time(rows, 300, value="c", upper=None, title="x", money=False, step=True)
    assert "minutes" in long["layer"][0]["encoding"]["x"]["axis"]["title"]
    _drawn(long)
