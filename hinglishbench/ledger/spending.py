"""What a ledger may have come to so far, for a cap on the whole of it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from hinglishbench.errors import RefusedError
from hinglishbench.ledger.journal import is_dead
from hinglishbench.ledger.store import first_row, journal_dir, query

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
