"""Which prices a run copies into its ledger: the sources in order of precedence."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path

from hinglishbench.pricing.price import PriceRow
from hinglishbench.pricing.user_file import read_prices

DEFAULT_FILE = Path("prices.toml")
_FREE = 90


def price_rows(
    wanted: Iterable[tuple[str, str, str]], user_file: Path = DEFAULT_FILE
) -> list[PriceRow]:
    """Prices for models under test.

    Args:
        wanted: (provider, model, route) of each.
        user_file: the user's `prices.toml`.

    Raises:
        InputError: the user's file makes no sense.
    """
    asked = {(provider, model): route for provider, model, route in wanted}
    rows = [row for row in read_prices(user_file) if (row.provider, row.model) in asked]
    rows += [
        PriceRow(provider, model, "builtin", _FREE, Decimal(0), Decimal(0),
                 note="runs inside this program, on this machine")
        for (provider, model), route in asked.items()
        if route == "local"
    ]  # fmt: skip
    return rows
