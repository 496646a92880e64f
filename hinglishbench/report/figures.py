"""Numbers, money and percentages as people read them: one place for every table and sentence."""

from __future__ import annotations

from decimal import Decimal


def number(value: float | None, places: int = 0) -> str:
    """`1,234`; `-` for unknown."""
    return "-" if value is None else f"{value:,.{places}f}"


def percent(value: float | None, places: int = 1) -> str:
    """A rate of 0..1 as `95.1%`."""
    return "-" if value is None else f"{100 * value:.{places}f}%"


def points(value: float | None) -> str:
    """A gap in points, with its sign: `-1.2`."""
    return "-" if value is None else f"{value:+.1f}"


def ratio(value: float | None) -> str:
    """A tax as `1.47x`."""
    return "-" if value is None else f"{value:.2f}x"


def p_value(value: float | None) -> str:
    """A p value as `0.034`, `<0.001`; `-` for undefined."""
    if value is None:
        return "-"
    return "<0.001" if value < 0.001 else f"{min(value, 0.999) if value < 1 else 1:.3f}"


def usd(value: Decimal | float | None) -> str:
    """Dollars: `$12.34`, `$0.0012`, `$0`; `-` for unknown."""
    if value is None:
        return "-"
    if value == 0:
        return "$0"
    sign, value = "-" if value < 0 else "", abs(float(value))
    return f"{sign}${value:,.2f}" if value >= 1 else f"{sign}${value:.{_places(value)}f}"


def _places(value: float) -> int:
    # Three figures of a small amount are enough to compare two of them.
    return min(12, max(4, 2 - _exponent(value)))


def _exponent(value: float) -> int:
    return int(f"{abs(value):e}".split("e")[1])
