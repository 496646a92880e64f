"""Colours that most readers can tell apart, on both backgrounds."""

from __future__ import annotations

import itertools
import math

import pytest

from hinglishbench.report.lines import _LINE_COLOURS
from hinglishbench.report.palette import (
    DARK,
    FORMS,
    INK_DARK,
    INK_LIGHT,
    LIGHT,
    OTHER,
    TROUBLE,
    form_name,
    look,
)

# Machado, Oliveira and Fernandes 2009, "A physiologically-based model for simulation of color vision
# deficiency", severity 1.0, on linear RGB.
BLINDNESS = {
    "none": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}


def _linear(colour: str) -> list[float]:
    values = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def _luminance(colour: str) -> float:
    red, green, blue = _linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """WCAG's ratio, 1 to 21."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _lab(colour: str, matrix: tuple[tuple[float, ...], ...]) -> list[float]:
    rgb = _linear(colour)
    red, green, blue = (
        min(1, max(0, sum(m * c for m, c in zip(row, rgb, strict=True)))) for row in matrix
    )
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
    )
    x, y, z = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in xyz)
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)]


def _all_colours() -> set[str]:
    looks = {found.colour for found in (*FORMS.values(), OTHER)}
    return looks | set(TROUBLE.values()) | set(_LINE_COLOURS)


@pytest.mark.parametrize("colour", sorted(_all_colours()))
def test_marks_are_seen_on_both_backgrounds(colour: str) -> None:
    """Three to one, as WCAG asks of graphics, in light and in dark."""
    assert contrast(colour, LIGHT) >= 3
    assert contrast(colour, DARK) >= 3


def test_ink_is_read_on_its_background() -> None:
    """Seven to one."""
    assert contrast(INK_LIGHT, LIGHT) >= 7
    assert contrast(INK_DARK, DARK) >= 7


@pytest.mark.parametrize("eyes", BLINDNESS)
@pytest.mark.parametrize("stacked", [list(TROUBLE.values())], ids=["endings"])
def test_neighbours_in_a_bar_differ(eyes: str, stacked: list[str]) -> None:
    """Parts that touch differ by far more than the eye can miss."""
    for one, other in itertools.pairwise(stacked):
        assert math.dist(_lab(one, BLINDNESS[eyes]), _lab(other, BLINDNESS[eyes])) >= 20


@pytest.mark.parametrize("eyes", BLINDNESS)
def test_forms_differ_in_colour_and_in_shape(eyes: str) -> None:
    """Every form has a shape and a colour of its own."""
    assert len({found.shape for found in (*FORMS.values(), OTHER)}) == len(FORMS) + 1
    colours = [found.colour for found in (*FORMS.values(), OTHER)]
    for one, other in itertools.combinations(colours, 2):
        assert math.dist(_lab(one, BLINDNESS[eyes]), _lab(other, BLINDNESS[eyes])) >= 20, (
            one,
            other,
        )


def test_an_unknown_form_has_a_look_and_a_name() -> None:
    """A user's own form is drawn too."""
    assert look("ta") == OTHER
    assert form_name("ta") == "ta"
    assert form_name("hi") == "Hindi (hi)"
