"""The charts of row figures as Vega-Lite specifications: one row an arm and form.

Every row has its label above its mark on the left and its figures in words on the right, so that no
legend has to be looked up and the same drawing works at the width of a phone. `width` is in pixels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from hinglishbench.report.explorer import form_key
from hinglishbench.report.figures import percent, points, ratio, usd
from hinglishbench.report.palette import PAPER, TROUBLE, look

Row = dict[str, Any]
Spec = dict[str, Any]

STEP = 50
"""Height of a row: a line of words above, the mark below."""
TALL_STEP = 68
"""The same where label and figures do not fit into one line."""
_LETTER = 6.6
"""Pixels of a letter, roughly; only decides whether two texts share a line."""

_NICE = (0.1, 0.2, 0.25, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 8, 10, 20, 50, 100)


def _spec(
    rows: Sequence[Row], layers: list[Spec], width: int, reference: list[Spec] | None = None
) -> Spec:
    tall = any(len(row["label"]) + len(row["words"]) + 2 > width / _LETTER for row in rows)
    height = (TALL_STEP if tall else STEP) * len(rows)
    return {
        "width": width,
        "height": height,
        "data": {"values": [{**row, "row": i} for i, row in enumerate(rows)]},
        "layer": [
            *_down_to(reference or [], height),
            *({**layer, "encoding": {**layer["encoding"], **_Y}} for layer in layers),
            *_words(width, tall=tall),
        ],
    }


_Y: Spec = {
    "y": {
        "field": "row",
        "type": "ordinal",
        "axis": None,
        "scale": {"paddingInner": 0, "paddingOuter": 0},
    }
}


def _down_to(layers: list[Spec], height: int) -> list[Spec]:
    """Reference lines reach from the first row to the axis."""
    for layer in layers:
        if layer["mark"]["type"] == "rule":
            layer["encoding"] |= {"y": {"value": 0}, "y2": {"value": height}}
    return layers


def _words(width: int, *, tall: bool) -> list[Spec]:
    label = {"type": "text", "align": "left", "fontWeight": 600, "baseline": "middle"}
    words = {"type": "text", "align": "left" if tall else "right", "baseline": "middle"}
    texts: list[Spec] = [
        {
            "mark": {**label, "limit": width, "yOffset": -22 if tall else -11},
            "encoding": {"text": {"field": "label"}, "x": {"value": 0}, **_Y},
        },
        {
            "mark": {**words, "limit": width, "yOffset": -5 if tall else -11},
            "encoding": {"text": {"field": "words"}, "x": {"value": 0 if tall else width}, **_Y},
        },
    ]
    return [*(_halo(text) for text in texts), *texts]


def _halo(text: Spec) -> Spec:
    """The same text in the colour of the paper: rules stop short of the words."""
    halo = {"stroke": PAPER, "strokeWidth": 4, "strokeJoin": "round", "color": PAPER}
    return {**text, "mark": {**text["mark"], **halo}}


def _reference(value: float, label: str, x: Spec) -> list[Spec]:
    one = {"values": [{"at": value, "text": label}]}
    return [
        {
            "data": one,
            "mark": {"type": "rule", "color": "currentColor", "opacity": 0.55, "strokeDash": [4, 3]},
            "encoding": {"x": {"field": "at", "type": "quantitative", **x}},
        },
        {
            "data": one,
            "mark": {"type": "text", "align": "center", "baseline": "bottom", "opacity": 0.8},
            "encoding": {
                "x": {"field": "at", "type": "quantitative", **x},
                "y": {"value": -4},
                "text": {"field": "text"},
            },
        },
    ]  # fmt: skip


def _name(row: Row) -> str:
    return f"{row['label']} · {row['form']}"


def _marks(row: Row) -> dict[str, str]:
    colour, shape = look(row["form"])
    return {"colour": colour, "shape": shape}


_LOOK = {
    "color": {"field": "colour", "type": "nominal", "scale": None},
    "shape": {"field": "shape", "type": "nominal", "scale": None},
}
_DOWN = {"yOffset": 11}


# --- forest ------------------------------------------------------------------------------------


def forest(
    rows: Sequence[Row],
    width: int,
    *,
    value: str,
    interval: str,
    words: Callable[[Row], str],
    reference: tuple[float, str],
    axis: Spec,
    log: bool,
) -> Spec:
    """Estimates with their intervals; an end that nothing bounds is an arrow at the edge."""
    drawn = [row for row in rows if row[value] is not None]
    known = [reference[0], *(row[value] for row in drawn)]
    known += [
        end for row in drawn for end in row[interval] or () if end is not None and (end > 0 or not log)
    ]  # fmt: skip
    low, high = _domain(known, log=log)
    data = []
    for row in drawn:
        ends = row[interval] or [None, None]
        lo, hi = (
            ends[0] if ends[0] is not None and (ends[0] > 0 or not log) else low,
            ends[1] if ends[1] is not None else high,
        )
        data.append(
            {
                "label": _name(row),
                "words": words(row),
                "value": row[value],
                "lo": lo if row[interval] else row[value],
                "hi": hi if row[interval] else row[value],
                # a lower end of 0 is infinitely far on a logarithmic scale
                "open_lo": bool(row[interval]) and (ends[0] is None or (log and ends[0] <= 0)),
                "open_hi": bool(row[interval]) and ends[1] is None,
                **_marks(row),
            }
        )
    scale = {
        "type": "log" if log else "linear",
        "domain": [low, high],
        "nice": False,
        "zero": False,
    }
    x = {"scale": scale, "axis": {**axis, **({"values": _ticks(low, high)} if log else {})}}
    colour = {"color": _LOOK["color"]}
    layers: list[Spec] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2.5, **_DOWN},
            "encoding": {
                "x": {"field": "lo", "type": "quantitative", **x},
                "x2": {"field": "hi"},
                **colour,
            },
        },
        *(_arrow(end, turn, x) for end, turn in (("lo", -90), ("hi", 90))),
        {
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, **_DOWN},
            "encoding": {"x": {"field": "value", "type": "quantitative", **x}, **_LOOK},
        },
    ]
    return _spec(data, layers, width, _reference(*reference, x))


def _arrow(end: str, angle: int, x: Spec) -> Spec:
    return {
        "transform": [{"filter": f"datum.open_{end}"}],
        "mark": {"type": "point", "filled": True, "shape": "triangle-up", "angle": angle,
                 "size": 60, "opacity": 1, **_DOWN},
        "encoding": {"x": {"field": end, "type": "quantitative", **x}, "color": _LOOK["color"]},
    }  # fmt: skip


def _domain(values: Sequence[float], *, log: bool) -> tuple[float, float]:
    low, high = min(values), max(values)
    if log:
        pad = max((math.log(high) - math.log(low)) * 0.06, math.log(1.1))
        return math.exp(math.log(low) - pad), math.exp(math.log(high) + pad)
    pad = max((high - low) * 0.06, 1.0)
    return low - pad, high + pad


def _ticks(low: float, high: float) -> list[float]:
    inside = [tick for tick in _NICE if low <= tick <= high]
    while len(inside) > 8:
        inside = [t for i, t in enumerate(inside) if t == 1 or (i - inside.index(1)) % 2 == 0]
    return inside


def tax_forest(rows: Sequence[Row], width: int) -> Spec:
    """Median token tax with its interval, on a logarithmic scale."""
    return forest(
        rows,
        width,
        value="tax_median",
        interval="tax_ci",
        words=tax_words,
        reference=(1.0, "as English"),
        axis={"title": "median tokens of the form / of English", "labelExpr": "datum.value + 'x'"},
        log=True,
    )


def tax_words(row: Row) -> str:
    """`1.47x [1.31, 1.60]`, with `at cap N` where cut replies leave it open."""
    text = ratio(row["tax_median"])
    if row["tax_ci"]:
        lo, hi = row["tax_ci"]
        text += f" [{_end(lo, 2)}, {_end(hi, 2)}]"
    if row.get("tax_at_cap") and row["max_tokens"]:
        text += f" at cap {row['max_tokens']:,}"
    return text


def gap_forest(rows: Sequence[Row], width: int) -> Spec:
    """Accuracy gap in points with its interval."""
    return forest(
        rows,
        width,
        value="gap_pts",
        interval="gap_ci",
        words=gap_words,
        reference=(0.0, "no gap"),
        axis={
            "title": "accuracy of the form - of English, points",
            "tickCount": _tick_count(width),
            "labelExpr": "(datum.value > 0 ? '+' : '') + format(datum.value, '~r')",
        },
        log=False,
    )


def gap_words(row: Row) -> str:
    """`-3.7 [-9.6, +2.1]`."""
    text = points(row["gap_pts"])
    if row["gap_ci"]:
        lo, hi = row["gap_ci"]
        text += f" [{points(lo) if lo is not None else 'open'}, {points(hi) if hi is not None else 'open'}]"
    return text


def _end(value: float | None, places: int) -> str:
    return "open" if value is None else f"{value:.{places}f}"


# --- dumbbells ---------------------------------------------------------------------------------


def _dumbbell(
    rows: Sequence[Row], width: int, *, base: str, form: str, words: Callable[[Row], str],
    axis: Spec, zero: bool,
) -> Spec:  # fmt: skip
    drawn = [row for row in rows if row[base] is not None and row[form] is not None]
    english = look("en")
    data = [
        {"label": _name(row), "words": words(row), "base": row[base], "form": row[form], **_marks(row)}
        for row in drawn
    ]  # fmt: skip
    ends = [end for row in drawn for end in (row[base], row[form])] or [0.0]
    if zero:
        scale: Spec = {"domain": [0, max(ends) * 1.05 or 1.0], "nice": False}
    else:
        scale = {"domain": [max(0.0, min(ends) - 0.05), min(1.0, max(ends) + 0.05)], "nice": False}
    x = {"scale": scale, "axis": {**axis, "tickCount": _tick_count(width)}}
    layers: list[Spec] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.7, **_DOWN},
            "encoding": {
                "x": {"field": "base", "type": "quantitative", **x},
                "x2": {"field": "form"},
                "color": _LOOK["color"],
            },
        },
        {
            "mark": {"type": "point", "filled": False, "size": 80, "strokeWidth": 2, "opacity": 1,
                     "color": english.colour, "shape": english.shape, **_DOWN},
            "encoding": {"x": {"field": "base", "type": "quantitative", **x}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, **_DOWN},
            "encoding": {"x": {"field": "form", "type": "quantitative", **x}, **_LOOK},
        },
    ]  # fmt: skip
    return _spec(data, layers, width)


def accuracy_dumbbell(rows: Sequence[Row], width: int) -> Spec:
    """Accuracy in English (hollow circle) and in the form, on the same pairs."""
    return _dumbbell(
        rows,
        width,
        base="acc_base",
        form="acc_form",
        words=lambda r: f"{percent(r['acc_base'])} in English, {percent(r['acc_form'])}",
        axis={"title": "accuracy", "format": "~%"},
        zero=False,
    )


def cost_dumbbell(rows: Sequence[Row], width: int) -> Spec:
    """Dollars per thousand correct answers, in English (hollow circle) and in the form."""
    scaled = [
        {
            **row,
            "base_k": _times(row["usd_per_correct_base"], 1000),
            "form_k": _times(row["usd_per_correct_form"], 1000),
        }
        for row in rows
    ]
    return _dumbbell(
        scaled,
        width,
        base="base_k",
        form="form_k",
        words=lambda r: f"{usd(r['base_k'])} in English, {usd(r['form_k'])}",
        axis={"title": "US$ per 1,000 correct answers", "format": "$~g"},
        zero=True,
    )


def _times(value: float | None, by: float) -> float | None:
    return None if value is None else float(value) * by


# --- rates -------------------------------------------------------------------------------------


def trouble_rates(rows: Sequence[Row], width: int) -> Spec:
    """Shares of answers cut, unparsed, filtered or lost to an error, stacked.

    Args:
        rows: of queries/report_outcomes.sql, with `label`.
        width: pixels.
    """
    data: list[Row] = []
    parts: list[Row] = []
    ordered = sorted(rows, key=lambda row: (row["label"], form_key(row["form"])))
    for i, row in enumerate(ordered):
        asked = row["cells"] - row["unanswered"]
        shares = {name: row[name] / asked if asked else 0.0 for name in TROUBLE}
        said = [f"{name} {percent(share)}" for name, share in shares.items() if share]
        data.append({"label": _name(row), "words": ", ".join(said) or "none"})
        start = 0.0
        for name, share in shares.items():
            parts.append({"row": i, "lo": start, "hi": start + share, "colour": TROUBLE[name]})
            start += share
    x = {
        "scale": {"zero": True, "nice": True},
        "axis": {"title": "share of all answers", "format": "~%", "tickCount": _tick_count(width)},
    }
    bars = {
        "data": {"values": parts},
        "mark": {"type": "bar", "height": 12, **_DOWN},
        "encoding": {
            "x": {"field": "lo", "type": "quantitative", **x},
            "x2": {"field": "hi"},
            "color": _LOOK["color"],
        },
    }
    return _spec(data, [bars], width)


def _tick_count(width: int) -> int:
    return max(3, width // 90)
