"""What a price is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import ROUND_HALF_EVEN, Decimal
from itertools import pairwise

ALWAYS = datetime(1970, 1, 1)  # noqa: DTZ001  the ledger keeps naive UTC
"""The start of a price that has no date."""

DAY_S = 86_400

_PLACES = Decimal("1e-12")  # the ledger's DECIMAL(18, 12)
_MTOK = Decimal(1_000_000)


@dataclass(frozen=True, slots=True)
class PriceRow:
    """Dollars per token from `start_at` (naive UTC) on.

    Rows of one provider, model, route, source and start are one set: they divide the prompt sizes
    and the hours of the day between them, so that each call meets exactly one of them.

    Attributes:
        priority: of the sources that know a model, the one with the lowest number counts.
        cached_input_usd: None: cached input costs as input.
        reasoning_usd: None: reasoning costs as output.
        request_usd: dollars per request on top, None: none.
        route: direct, hf or local; None: whatever the route.
        above_tokens: for prompts of more than so many tokens, up to the next row's number. The
            whole prompt costs this, as every provider with such tiers has it.
        day_from_s: with `day_to_s` the seconds of the day (UTC) in which it holds, end excluded.
        cache_write_usd: what writing a prompt to the provider's cache costs, where that has a price.
            The ledger does not count written tokens apart, so it moves upper bounds alone.
    """

    provider: str
    model: str
    source: str
    priority: int
    input_usd: Decimal | None
    output_usd: Decimal | None
    cached_input_usd: Decimal | None = None
    reasoning_usd: Decimal | None = None
    request_usd: Decimal | None = None
    start_at: datetime = ALWAYS
    note: str | None = None
    route: str | None = None
    above_tokens: int = 0
    day_from_s: int = 0
    day_to_s: int = DAY_S
    cache_write_usd: Decimal | None = None

    @property
    def set_key(self) -> tuple[str, str, str, str, int, datetime]:
        """What the rows of one set share."""
        return (
            self.provider,
            self.model,
            self.route or "",
            self.source,
            self.priority,
            self.start_at,
        )


def per_token(usd_per_mtok: Decimal | None) -> Decimal | None:
    """Dollars per token from dollars per million, in the 12 places that the ledger keeps."""
    return None if usd_per_mtok is None else exact(usd_per_mtok / _MTOK)


def exact(usd: Decimal) -> Decimal:
    """Dollars in the 12 places that the ledger keeps."""
    return usd.quantize(_PLACES, ROUND_HALF_EVEN)


def spread_over_day(
    parts: Sequence[tuple[tuple[int, int] | None, PriceRow]],
) -> list[PriceRow]:
    """Rows of one set that divide the day between them.

    Args:
        parts: rows, each with the seconds of the day in which it holds; None: whenever no other
            does. A window may pass midnight (its end is then before its start).

    Raises:
        ValueError: two windows overlap, or a part of the day has no price.
    """
    windows = sorted({piece for window, _ in parts if window for piece in _pieces(window)})
    for (_, end), (start, _) in pairwise(windows):
        if start < end:
            raise ValueError("two of the hours overlap")
    rows: list[PriceRow] = []
    for start, end in _segments(windows):
        inside = [
            row
            for window, row in parts
            if window and any(a <= start and end <= b for a, b in _pieces(window))
        ]
        chosen = inside or [row for window, row in parts if window is None]
        if not chosen:
            raise ValueError("a part of the day has no price")
        rows += [replace(row, day_from_s=start, day_to_s=end) for row in chosen]
    return rows


def _pieces(window: tuple[int, int]) -> list[tuple[int, int]]:
    start, end = window
    if start < end:
        return [(start, end)]
    return [(a, b) for a, b in ((start, DAY_S), (0, end)) if a < b]


def _segments(windows: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    edges = sorted({0, DAY_S, *(edge for window in windows for edge in window)})
    return list(pairwise(edges))
