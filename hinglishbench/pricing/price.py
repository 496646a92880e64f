"""What a price is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

ALWAYS = datetime(1970, 1, 1)  # noqa: DTZ001  the ledger keeps naive UTC
"""The start of a price that has no date."""


@dataclass(frozen=True, slots=True)
class PriceRow:
    """Dollars per token from `start_at` (naive UTC) on.

    Attributes:
        priority: of the sources that know a model, the one with the lowest number counts.
        cached_input_usd: None: cached input costs as input.
        reasoning_usd: None: reasoning costs as output.
        request_usd: dollars per request on top, None: none.
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
