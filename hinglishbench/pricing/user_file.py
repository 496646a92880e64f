"""The user's `prices.toml`: dollars per million tokens, as price pages print them.

::

    [[prices]]
    provider = "baseten"
    model = "org/model"
    input = 0.60            # US$ per million tokens
    output = 2.20
    cached_input = 0.11     # optional: cached input costs as input when left out
    reasoning = 2.20        # optional: reasoning costs as output when left out
    request = 0.0           # optional: US$ per request on top
    from = 2026-11-01       # optional: in force from this day (UTC) on; always when left out
    note = "price page, 2026-11-20"   # optional
"""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from hinglishbench.errors import InputError
from hinglishbench.pricing.price import ALWAYS, PriceRow

PRIORITY = 10
_MTOK = Decimal(1_000_000)
_AMOUNTS = ("input", "output", "cached_input", "reasoning", "request")
_KEYS = {"provider", "model", "from", "note", *_AMOUNTS}


def read_prices(path: Path) -> list[PriceRow]:
    """The prices of a file; an absent file has none.

    Raises:
        InputError: the file is not TOML, or an entry of it makes no sense; names file and line.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        return []
    try:
        document = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+)", str(error))
        raise InputError(path, int(at[1]) if at else None, f"not TOML: {error}") from error
    if wrong := sorted(set(document) - {"prices"}):
        raise InputError(path, None, f"unknown table {wrong[0]}", hint="write [[prices]]")
    starts = [n for n, line in enumerate(text.splitlines(), 1) if line.strip() == "[[prices]]"]
    entries = document.get("prices", [])
    if not isinstance(entries, list) or len(starts) != len(entries):
        starts = [0] * len(entries)
    return [_row(path, line or None, entry) for line, entry in zip(starts, entries, strict=True)]


def _row(path: Path, line: int | None, entry: dict[str, Any]) -> PriceRow:
    if wrong := sorted(set(entry) - _KEYS):
        raise InputError(
            path, line, f"unknown key {wrong[0]}", hint=f"allowed: {', '.join(sorted(_KEYS))}"
        )
    for key in ("provider", "model"):
        if not isinstance(entry.get(key), str) or not entry[key]:
            raise InputError(path, line, f"needs {key}, a text")
    amounts = {key: _amount(path, line, key, entry.get(key)) for key in _AMOUNTS}
    if amounts["input"] is None or amounts["output"] is None:
        raise InputError(
            path, line, "needs input and output, in US$ per million tokens", hint="0 means free"
        )
    per_token = {key: None if usd is None else usd / _MTOK for key, usd in amounts.items()}
    return PriceRow(
        provider=entry["provider"],
        model=entry["model"],
        source="user",
        priority=PRIORITY,
        input_usd=per_token["input"],
        output_usd=per_token["output"],
        cached_input_usd=per_token["cached_input"],
        reasoning_usd=per_token["reasoning"],
        request_usd=amounts["request"],
        start_at=_start(path, line, entry.get("from")),
        note=entry.get("note"),
    )


def _amount(path: Path, line: int | None, key: str, value: Any) -> Decimal | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise InputError(path, line, f"{key} must be a number")
    amount = Decimal(value)
    if not amount.is_finite() or amount < 0:
        raise InputError(path, line, f"{key} must be 0 or more")
    if amount > 100_000:
        raise InputError(path, line, f"{key} is {amount} US$ per million tokens: that cannot be")
    return amount


def _start(path: Path, line: int | None, value: Any) -> datetime:
    if value is None:
        return ALWAYS
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001  naive UTC, as the ledger
    raise InputError(path, line, "from must be a date, such as 2026-11-01")
