"""The user's `prices.toml`: dollars per million tokens, as price pages print them.

::

    [[prices]]
    provider = "baseten"
    model = "org/model"
    input = 0.60            # US$ per million tokens
    output = 2.20
    cached_input = 0.11     # optional: cached input costs as input when left out
    cache_write = 0.75      # optional: counts in upper bounds alone
    reasoning = 2.20        # optional: reasoning costs as output when left out
    request = 0.0           # optional: US$ per request on top
    from = 2026-11-01       # optional: in force from this day (UTC) on; always when left out
    route = "hf"            # optional: only by this route (direct, hf)
    above = 200000          # optional: for prompts of more tokens than this
    hours = "16:30-00:30"   # optional: in these hours (UTC); the entry without hours has the rest
    note = "price page, 2026-11-20"   # optional

Entries with `above` or `hours` stand beside one without, of the same provider, model, route and day.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from hinglishbench.clock import as_utc
from hinglishbench.errors import InputError
from hinglishbench.pricing.price import ALWAYS, DAY_S, PriceRow, exact, per_token, spread_over_day

PRIORITY = 10
# US$ per million tokens (or per request): with the most tokens that the ledger takes for one reply,
# a cost still fits its column.
MOST = 2_000
_AMOUNTS = ("input", "output", "cached_input", "cache_write", "reasoning", "request")
_KEYS = {"provider", "model", "from", "note", "route", "above", "hours", *_AMOUNTS}
_HOURS = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\s*-\s*(24:00|(?:[01]?\d|2[0-3]):[0-5]\d)")


class _Entry(NamedTuple):
    line: int | None
    hours: tuple[int, int] | None
    row: PriceRow


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
    sets: dict[Any, list[_Entry]] = {}
    for line, raw in zip(starts, entries, strict=True):
        entry = _entry(path, line or None, raw)
        sets.setdefault(entry.row.set_key, []).append(entry)
    return [row for set_ in sets.values() for row in _rows(path, set_)]


def _rows(path: Path, entries: list[_Entry]) -> list[PriceRow]:
    """The rows of one set, with the day divided between its hours."""
    seen: set[Any] = set()
    for line, hours, row in entries:
        if (hours, row.above_tokens) in seen:
            raise InputError(
                path, line, f"a second price of {row.model} at {row.provider} for the same time",
                hint="give the later one the day from which it holds: from = 2026-11-01",
            )  # fmt: skip
        seen.add((hours, row.above_tokens))
    first = entries[0]
    for hours in dict.fromkeys(entry.hours for entry in entries):
        if (hours, 0) not in seen:
            raise InputError(
                path,
                first.line,
                f"{first.row.model} needs an entry without above beside the others",
            )
    try:
        return spread_over_day([(entry.hours, entry.row) for entry in entries])
    except ValueError as error:
        raise InputError(
            path, first.line, f"{error}: {first.row.model} at {first.row.provider}",
            hint="an entry without hours has the rest of the day",
        ) from error  # fmt: skip


def _entry(path: Path, line: int | None, entry: Mapping[str, Any]) -> _Entry:
    if not isinstance(entry, dict):
        raise InputError(path, line, "prices must be tables", hint="write [[prices]]")
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
    row = PriceRow(
        provider=entry["provider"],
        model=entry["model"],
        source="user",
        priority=PRIORITY,
        input_usd=per_token(amounts["input"]),
        output_usd=per_token(amounts["output"]),
        cached_input_usd=per_token(amounts["cached_input"]),
        reasoning_usd=per_token(amounts["reasoning"]),
        request_usd=None if amounts["request"] is None else exact(amounts["request"]),
        cache_write_usd=per_token(amounts["cache_write"]),
        start_at=_start(path, line, entry.get("from")),
        note=_word(path, line, "note", entry.get("note")),
        route=_word(path, line, "route", entry.get("route"), ("direct", "hf", "local")),
        above_tokens=_above(path, line, entry.get("above", 0)),
    )
    return _Entry(line, _hours(path, line, entry.get("hours")), row)


def _word(
    path: Path, line: int | None, key: str, value: Any, allowed: tuple[str, ...] = ()
) -> str | None:
    if value is not None and not isinstance(value, str):
        raise InputError(path, line, f"{key} must be a text")
    if value is not None and allowed and value not in allowed:
        raise InputError(path, line, f"{key} must be one of {', '.join(allowed)}")
    return value


def _above(path: Path, line: int | None, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise InputError(path, line, "above must be a number of prompt tokens")
    return value


def _hours(path: Path, line: int | None, value: Any) -> tuple[int, int] | None:
    """Seconds of the day, from and to."""
    if value is None:
        return None
    found = _HOURS.fullmatch(value.strip()) if isinstance(value, str) else None
    if found is None:
        raise InputError(path, line, 'hours must be such as "16:30-00:30", in UTC')
    start = int(found[1]) * 3600 + int(found[2]) * 60
    hour, minute = found[3].split(":")
    end = int(hour) * 3600 + int(minute) * 60
    if start == end or (start == 0 and end == DAY_S):
        raise InputError(path, line, "these hours are the whole day: leave them out")
    return start, end


def _amount(path: Path, line: int | None, key: str, value: Any) -> Decimal | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise InputError(path, line, f"{key} must be a number")
    amount = Decimal(value)
    if not amount.is_finite() or amount < 0:
        raise InputError(path, line, f"{key} must be 0 or more")
    if amount > MOST:
        raise InputError(path, line, f"{key} is {amount} US$: that cannot be (the most is {MOST})")
    return amount


def _start(path: Path, line: int | None, value: Any) -> datetime:
    if value is None:
        return ALWAYS
    if isinstance(value, datetime):
        return as_utc(value)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001  naive UTC, as the ledger
    raise InputError(path, line, "from must be a date, such as 2026-11-01")
