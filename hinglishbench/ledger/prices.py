"""Copying prices into the ledger, so that its dollars can be read from any DuckDB client."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hinglishbench.ledger.intake import next_id, transaction
from hinglishbench.ledger.store import query
from hinglishbench.pricing.price import PriceRow

if TYPE_CHECKING:
    import duckdb

# The columns of `prices` that a row brings, in one order for reading and writing.
_SET = ("provider", "model", "route", "source", "priority", "start_at")
_OWN = ("above_tokens", "day_from_s", "day_to_s", "input_usd", "cached_input_usd", "output_usd",
        "reasoning_usd", "request_usd", "cache_write_usd", "note")  # fmt: skip


def add_prices(
    connection: duckdb.DuckDBPyConnection, prices: Iterable[PriceRow], now: datetime
) -> int:
    """Copy prices into the ledger; sets that stand there already are left; how many rows were new.

    Nothing is ever removed: a changed set stands beside the old one and counts from now on, also
    for the calls of the past (a price that truly changed has a start date of its own).

    Args:
        connection: open for writing.
        prices: rows of any number of models.
        now: naive UTC.
    """
    sets: dict[Any, list[PriceRow]] = {}
    for price in prices:
        sets.setdefault(price.set_key, []).append(price)
    added = 0
    with transaction(connection):
        for rows in sets.values():
            added += _add_set(connection, rows, now)
    return added


def _add_set(connection: duckdb.DuckDBPyConnection, rows: Sequence[PriceRow], now: datetime) -> int:
    shared = [getattr(rows[0], name) for name in _SET]
    standing = connection.execute(
        f"select {', '.join(_OWN)} from prices"  # noqa: S608  the names are ours
        " where provider = ? and model = ? and route is not distinct from ? and source = ?"
        " and priority = ? and start_at = ?"
        " qualify set_id = max(set_id) over ()",
        shared,
    ).fetchall()
    own = [tuple(getattr(row, name) for name in _OWN) for row in rows]
    if sorted(map(_place, standing)) == sorted(map(_place, own)):
        return 0
    first = next_id(connection, "prices", "price_id")
    names = ("price_id", "set_id", *_SET, *_OWN, "recorded_at")
    connection.executemany(
        f"insert into prices ({', '.join(names)}) values ({', '.join('?' * len(names))})",  # noqa: S608  the same
        [[price_id, first, *shared, *values, now] for price_id, values in enumerate(own, first)],
    )
    return len(rows)


def _place(values: Sequence[Any]) -> tuple[Any, ...]:
    """Values that sort: None stands before everything."""
    return tuple((value is not None, value if value is not None else 0) for value in values)


def models_asked(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, str, str]]:
    """Every (provider, model, route) of the ledger."""
    rows: list[tuple[str, str, str]] = connection.execute(query("prices_models")).fetchall()
    return rows
