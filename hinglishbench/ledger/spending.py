"""What a ledger may have come to so far, and what it would have come to at another price."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hinglishbench.errors import RefusedError
from hinglishbench.ledger.journal import is_dead
from hinglishbench.ledger.store import first_row, journal_dir, query
from hinglishbench.pricing.price import PriceRow

if TYPE_CHECKING:
    import duckdb


def so_far(connection: duckdb.DuckDBPyConnection, ledger: Path) -> Decimal:
    """Dollars that all live attempts may have come to, at most.

    Raises:
        RefusedError: that cannot be said: another run is spending, or attempts have no price.
    """
    running = connection.execute(
        "select journal from runs where status is null and journal <> '' and origin = 'live'"
    ).fetchall()
    if any(not is_dead(journal_dir(ledger) / name) for (name,) in running):
        raise RefusedError(
            "another run is spending on this ledger, so what it comes to is not known yet",
            hint="wait until it is done, or cap this run alone with --max-usd",
        )
    row = first_row(connection, query("cost_so_far"))
    assert row is not None
    upper, unpriced = row
    if unpriced:
        models = connection.execute(query("cost_unpriced_models")).fetchall()
        lines = "\n".join(
            f'[[prices]]\nprovider = "{provider}"\nmodel = "{model}"\n'
            "input = ?     # US$ per million tokens\noutput = ?"
            for provider, model, _ in models
        )
        raise RefusedError(
            f"{unpriced} attempts in this ledger have no price, so what it comes to is not known",
            hint=f"write it into prices.toml, then `hbench prices apply`:\n{lines}",
        )
    return Decimal(upper)


def price_lists(rows: Sequence[PriceRow]) -> dict[str, list[Any]]:
    """The parameters of `cost_elsewhere.sql` for one set of prices."""
    lists: dict[str, list[Any]] = {name: [] for name in _LISTS}
    for row in rows:
        same_hours = [other for other in rows if other.day_from_s == row.day_from_s]
        higher = [r.above_tokens for r in same_hours if r.above_tokens > row.above_tokens]
        lower = [r for r in same_hours if r.above_tokens <= row.above_tokens]
        values = (
            row.above_tokens or -1, min(higher, default=2**31 - 1), row.day_from_s, row.day_to_s,
            row.input_usd, _or(row.cached_input_usd, row.input_usd),
            row.output_usd, _or(row.reasoning_usd, row.output_usd), row.request_usd or Decimal(0),
            _most(p for r in lower for p in (r.input_usd, r.cached_input_usd, r.cache_write_usd)),
            _most(p for r in lower for p in (r.output_usd, r.reasoning_usd)),
        )  # fmt: skip
        for name, value in zip(_LISTS, values, strict=True):
            lists[name].append(value)
    return lists


_LISTS = ("above", "upto", "day_from", "day_to", "input", "cached", "output", "reasoning", "request",
          "max_input", "max_output")  # fmt: skip


def _or(price: Decimal | None, otherwise: Decimal | None) -> Decimal | None:
    return otherwise if price is None else price


def _most(prices: Iterable[Decimal | None]) -> Decimal | None:
    return max((price for price in prices if price is not None), default=None)
