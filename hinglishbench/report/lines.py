"""The charts of many points: tokens against tokens, and what happened over time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from hinglishbench.report.palette import look

Row = dict[str, Any]
Spec = dict[str, Any]

MOST_POINTS = 600
"""Above, pairs are counted in squares: 10,000 marks show less than 300, and weigh a megabyte."""
_PER_OCTAVE = 5
MOST_RUNS = 6


def scatter(rows: Sequence[Row], form: str, median: float | None, width: int) -> Spec:
    """English against form tokens, both logarithmic, with the diagonal and the median line.

    Args:
        rows: of queries/report_pairs.sql, of one arm and form.
        form: the form on the vertical axis.
        median: the median tax; None: no line.
        width: pixels; the drawing is square.
    """
    points, binned = _points(rows)
    counts = [n for row in rows for n in (row["base_tokens"], row["form_tokens"])]
    low, high = min(counts) * 0.9, max(counts) * 1.1
    axis = {"format": "~s", "values": _decades(low, high)}
    scale = {"type": "log", "domain": [low, high], "nice": False}
    colour = look(form).colour
    x = {"scale": scale, "axis": {**axis, "title": "English, tokens"}}
    y = {"scale": scale, "axis": {**axis, "title": f"{form}, tokens"}}
    mark = {"type": "point", "filled": True, "color": colour, "opacity": 0.6, "clip": True}
    size: Spec = {
        "field": "pairs",
        "type": "quantitative",
        "legend": None,
        "scale": {"range": [6, 150] if binned else [30, 120], "zero": False},
    }
    if len({point["pairs"] for point in points}) == 1:
        size = {"value": 18 if len(points) > 100 else 40}
    xy = {
        "x": {"field": "x", "type": "quantitative", **x},
        "y": {"field": "y", "type": "quantitative", **y},
    }
    layers: list[Spec] = [
        {
            "data": {"values": points},
            "mark": mark,
            "encoding": {
                **xy,
                "size": size,
                "shape": {"field": "cut", "type": "nominal", "legend": None,
                          "scale": {"domain": [False, True], "range": ["circle", "triangle-up"]}},
            },
        },
        _line([(low, low), (high, high)], xy, dash=True),
    ]  # fmt: skip
    labels = [{"x": high * 0.97, "y": high * 0.97, "text": "1x"}]
    if median is not None and median > 0:
        ends = [(low, low * median), (high, high * median)]
        inside = [_inside(ends[0], median, low, high), _inside(ends[1], median, low, high)]
        layers.append(_line(inside, xy, dash=False))
        labels = [{"x": inside[1][0] * 0.97, "y": inside[1][1] * 0.97, "text": f"{median:.2f}x"}]
    layers.append(
        {
            "data": {"values": labels},
            "mark": {"type": "text", "align": "right", "baseline": "bottom", "dx": -6,
                     "fontWeight": 600, "color": "currentColor"},
            "encoding": {**xy, "text": {"field": "text"}},
        }
    )  # fmt: skip
    return {"width": width, "height": width, "layer": layers}


def _inside(
    point: tuple[float, float], median: float, low: float, high: float
) -> tuple[float, float]:
    """The end of the line y = median * x, moved along it into the square."""
    x = min(max(point[0], low / median), high / median)
    return x, x * median


def _line(ends: Sequence[tuple[float, float]], xy: Spec, *, dash: bool) -> Spec:
    return {
        "data": {"values": [{"x": x, "y": y} for x, y in ends]},
        "mark": {
            "type": "line",
            "color": "currentColor",
            "opacity": 0.6 if dash else 0.9,
            "strokeWidth": 1 if dash else 1.5,
            **({"strokeDash": [4, 3]} if dash else {}),
        },
        "encoding": xy,
    }


def _points(rows: Sequence[Row]) -> tuple[list[Row], bool]:
    if sum(row["pairs"] for row in rows) <= MOST_POINTS:
        return [
            {"x": r["base_tokens"], "y": r["form_tokens"], "cut": r["cut"], "pairs": r["pairs"]}
            for r in rows
        ], False
    squares: dict[tuple[int, int, bool], int] = defaultdict(int)
    for row in rows:
        at = (_octave(row["base_tokens"]), _octave(row["form_tokens"]), row["cut"])
        squares[at] += row["pairs"]
    return [
        {"x": _middle(i), "y": _middle(j), "cut": cut, "pairs": n}
        for (i, j, cut), n in squares.items()
    ], True


def _octave(tokens: int) -> int:
    return math.floor(math.log2(tokens) * _PER_OCTAVE)


def _middle(square: int) -> float:
    return float(2 ** ((square + 0.5) / _PER_OCTAVE))


def _decades(low: float, high: float) -> list[int]:
    steps = [m * 10**e for e in range(7) for m in (1, 2, 5)]
    inside = [step for step in steps if low <= step <= high]
    return inside if len(inside) <= 6 else [step for step in inside if str(step)[0] == "1"]


def over_time(
    rows: Sequence[Row], width: int, *, value: str, upper: str | None, title: str, money: bool, step: bool
) -> Spec:  # fmt: skip
    """A quantity since each run began; each line is labelled at its end, `upper` is a shade.

    Args:
        rows: with `at_s`, `line` (the label) and the value, in order.
        width: pixels.
        value: the column drawn.
        upper: the column up to which the shade goes; None: no shade.
        title: of the vertical axis.
        money: whether the axis is in dollars.
        step: whether the value holds until the next one.
    """
    longest = max((row["at_s"] for row in rows), default=1.0)
    unit, by = ("minutes", 60.0) if longest >= 180 else ("seconds", 1.0)
    data = [
        {"line": r["line"], "x": r["at_s"] / by, "y": r[value], "top": r[upper] if upper else None}
        for r in rows
        if r[value] is not None
    ]
    last = {row["line"]: row for row in data}
    names = list(last)
    colours = [_LINE_COLOURS[i % len(_LINE_COLOURS)] for i in range(len(names))]
    xy: Spec = {
        "x": {
            "field": "x",
            "type": "quantitative",
            "axis": {"title": f"{unit} since the run began", "grid": False, "tickCount": 6},
        },
        "y": {
            "field": "y",
            "type": "quantitative",
            "axis": {
                "title": title, "tickCount": 5, "format": "$~g" if money else "~g",
                "titleAlign": "left", "titleAngle": 0, "titleAnchor": "start", "titleX": 0,
                "titleY": -12,
            },
        },
        "color": {
            "field": "line",
            "type": "nominal",
            "legend": None,
            "scale": {"domain": names, "range": colours},
        },
    }  # fmt: skip
    layers: list[Spec] = []
    if upper:
        shade = {**xy, "y2": {"field": "top"}}
        layers.append({"mark": {"type": "area", "opacity": 0.2}, "encoding": shade})
    line: Spec = {"type": "line", "strokeWidth": 2}
    layers += [
        {"mark": {**line, "interpolate": "step-after"} if step else line, "encoding": xy},
        {
            "data": {"values": list(last.values())},
            "mark": {"type": "point", "filled": True, "size": 40, "opacity": 1},
            "encoding": xy,
        },
        {
            "data": {"values": list(last.values())},
            "mark": {"type": "text", "align": "right", "dx": -4, "dy": -10, "color": "currentColor"},
            "encoding": {k: v for k, v in xy.items() if k != "color"} | {"text": {"field": "line"}},
        },
    ]  # fmt: skip
    return {"width": width, "height": 200, "data": {"values": data}, "layer": layers}


_LINE_COLOURS = ("#055aff", "#e86f04", "#06a66b", "#d561b1", "#836429", "#725dc5")
