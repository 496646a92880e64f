"""Bills of providers, kept in the ledger and set against it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from hinglishbench.clock import as_utc, utc_now
from hinglishbench.errors import InputError
from hinglishbench.ledger.intake import next_id, transaction
from hinglishbench.ledger.reader import Ledger
from hinglishbench.ledger.store import connect, query

# Names of columns, as exports of usage pages have them, the surest first.
_AMOUNTS = ("amount_usd", "cost_usd", "amount (usd)", "cost (usd)", "usd", "amount", "cost", "total",
            "total cost", "total_cost", "total_usd", "charge", "charges", "spend")  # fmt: skip
_DAYS = ("date", "day", "usage_date", "usage date", "timestamp", "time", "start_time", "start time",
         "created_at", "created", "start_date", "period")  # fmt: skip
_CLEAN = re.compile(r"[\s$,]|US\$|USD", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Bill:
    """What a provider says was spent.

    Attributes:
        amount: US dollars.
        source: the file, or "given".
        from_at, to_at: of sending, naive UTC, the end not in it; None: from the first, to the last.
        rows: rows of the file that were added up.
    """

    amount: Decimal
    source: str
    provider: str | None = None
    from_at: datetime | None = None
    to_at: datetime | None = None
    rows: int = 0


def read_csv(
    path: Path, provider: str | None, from_at: datetime | None, to_at: datetime | None
) -> Bill:
    """Add up a provider's export; rows outside the period are left out.

    A period that is not given is taken from the days in the file.

    Raises:
        InputError: no column of amounts, or one that cannot be read.
    """
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(path, None, f"cannot be read: {error}") from error
    table = list(csv.reader(io.StringIO(text)))
    if not table:
        raise InputError(path, None, "empty")
    names = [name.strip().lower() for name in table[0]]
    amount_at = _column(names, _AMOUNTS)
    if amount_at is None:
        raise InputError(
            path, 1, f"has no column of amounts (it has: {', '.join(table[0])})",
            hint=f"name it amount_usd; known names: {', '.join(_AMOUNTS)}",
        )  # fmt: skip
    day_at = _column(names, _DAYS)
    if day_at is None and (from_at or to_at):
        raise InputError(path, 1, "has no column of days, so no period can be cut out of it")
    total, rows, days = Decimal(0), 0, []
    for number, line in enumerate(table[1:], 2):
        if not any(cell.strip() for cell in line):
            continue
        at = None if day_at is None else _day(path, number, _cell(line, day_at))
        if at is not None:
            if (from_at is not None and at < from_at) or (to_at is not None and at >= to_at):
                continue
            days.append(at)
        total += _amount(path, number, _cell(line, amount_at))
        rows += 1
    if days:
        from_at = from_at or midnight(min(days))
        to_at = to_at or midnight(max(days)) + timedelta(days=1)
    return Bill(total, path.name, provider, from_at, to_at, rows)


def midnight(at: datetime) -> datetime:
    """The start of its day."""
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def _column(names: Sequence[str], known: Sequence[str]) -> int | None:
    return next((names.index(name) for name in known if name in names), None)


def _cell(line: Sequence[str], at: int) -> str:
    return line[at].strip() if at < len(line) else ""


def _amount(path: Path, number: int, text: str) -> Decimal:
    try:
        amount = Decimal(_CLEAN.sub("", text) or "0")
    except ArithmeticError:
        amount = Decimal("nan")
    if not amount.is_finite() or abs(amount) >= 10**6:
        raise InputError(path, number, f"not an amount of US dollars: {text!r}")
    return amount


def _day(path: Path, number: int, text: str) -> datetime:
    """Naive UTC."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(
            path, number, f"not a day: {text!r}", hint="days are read as 2026-11-30"
        ) from None
    return as_utc(at)


def day(text: str, *, end: bool = False) -> datetime:
    """The moment at which a day begins, or (as the end of a period) has ended; naive UTC.

    Raises:
        ValueError: not a day.
    """
    found = date.fromisoformat(text)
    at = datetime(found.year, found.month, found.day)  # noqa: DTZ001  naive UTC
    return at + timedelta(days=1) if end else at


def enter(ledger: Path, bill: Bill) -> None:
    """Keep a bill in the ledger; the same one is kept once."""
    values = {"provider": bill.provider, "from_at": bill.from_at, "to_at": bill.to_at,
              "amount": bill.amount, "source": bill.source}  # fmt: skip
    with connect(ledger, write=True) as connection, transaction(connection):
        if connection.execute(query("cost_statements"), values).fetchall():
            return
        connection.execute(
            "insert into statements values (?, ?, ?, ?, ?, ?, ?)",
            [next_id(connection, "statements", "statement_id"), bill.provider, bill.from_at,
             bill.to_at, bill.amount, bill.source, utc_now()],
        )  # fmt: skip


def compare(ledger: Ledger, bill: Bill) -> dict[str, Any]:
    """The bill beside the ledger: what is sure, what it may be at most, and the difference.

    `within` is None when attempts without a price leave the bracket open.
    """
    [row] = ledger.cost(provider=bill.provider, from_at=bill.from_at, to_at=bill.to_at).dicts()
    sure, upper = row["cost_usd"], row["cost_upper_usd"]
    known = not row["unpriced_attempts"] and sure is not None and upper is not None
    return {
        "provider": bill.provider, "from": bill.from_at, "to": bill.to_at, "source": bill.source,
        "bill_usd": bill.amount, "cost_usd": sure, "cost_upper_usd": upper,
        "difference_usd": None if sure is None else bill.amount - sure,
        "within": sure <= bill.amount <= upper if known else None,
        "attempts": row["attempts"], "unpriced_attempts": row["unpriced_attempts"],
        "maybe_billed_attempts": row["maybe_billed_attempts"],
    }  # fmt: skip
