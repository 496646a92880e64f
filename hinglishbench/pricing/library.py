"""Prices of the package genai-prices: offline, with history, prompt sizes and hours of the day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from hinglishbench.pricing.price import ALWAYS, DAY_S, PriceRow, exact, per_token
from hinglishbench.pricing.wanted import Wanted

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice

ROUTED_PRIORITY = 30
OWN_PRIORITY = 40
SOURCE = "genai-prices"
OWN_SOURCE = "genai-prices, provider's own list"
_THOUSAND = Decimal(1000)


@dataclass(frozen=True, slots=True)
class Found:
    """What genai-prices says of a model: its rows, or why there are none."""

    rows: list[PriceRow]
    reason: str | None = None


def library_prices(wanted: Wanted, *, own: bool) -> Found:
    """Look a model up.

    Args:
        wanted: what is asked for.
        own: under the provider's own ids, else under those of the router. A direct call's own list
            is the right one; a routed call's is second best, and its source says so.
    """
    ids = wanted.own_ids if own else wanted.routed_ids
    if not ids:
        return Found([], "genai-prices has no list of this provider")
    model = wanted.hub_model or wanted.model
    source = OWN_SOURCE if own and wanted.route == "hf" else SOURCE
    priority = OWN_PRIORITY if own else ROUTED_PRIORITY
    reason = ""
    for provider_id in ids:
        info = _find(provider_id, model)
        if info is None:
            reason = f"genai-prices does not list {model} under {provider_id}"
            continue
        note = f"genai-prices {_version()}: {provider_id} {info.id}"
        rows = [
            _row(wanted, source, priority, note, start, piece, above, price)
            for start, piece, price in _history(info)
            for above in _tiers(price)
        ]
        if any(row.input_usd is None or row.output_usd is None for row in rows):
            reason = f"genai-prices lists {info.id} under {provider_id}, but states no price of its tokens"
            continue
        return Found(rows)
    return Found([], reason)


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415  slow, and rarely needed

    return version("genai-prices")


def _find(provider_id: str, model: str) -> ModelInfo | None:
    from genai_prices.data import providers  # noqa: PLC0415  a fifth of a second

    for provider in providers:
        if provider.id == provider_id:
            return provider.find_model(model)
    return None


def _history(info: ModelInfo) -> Iterator[tuple[datetime, tuple[int, int], ModelPrice]]:
    """(start, part of the day, price), by asking the package at one moment of each stretch.

    So its own rule holds: of the conditions that are met the last counts.
    """
    from genai_prices.types import (  # noqa: PLC0415  heavy
        ModelPrice,
        StartDateConstraint,
        TimeOfDateConstraint,
    )

    if isinstance(info.prices, ModelPrice):
        yield ALWAYS, (0, DAY_S), info.prices
        return
    if not info.prices:
        return
    constraints = [part.constraint for part in info.prices]
    days = sorted({c.start_date for c in constraints if isinstance(c, StartDateConstraint)})
    edges = {0, DAY_S}
    for constraint in constraints:
        if isinstance(constraint, TimeOfDateConstraint):
            edges |= {_second(constraint.start_time), _second(constraint.end_time)}
    clock = sorted(edges)
    for day in (None, *days):
        start = ALWAYS if day is None else datetime(day.year, day.month, day.day)  # noqa: DTZ001  naive UTC
        # Before the first date there is no day to ask for but one before it.
        asked = day or (days[0] - timedelta(days=1) if days else date(2000, 1, 1))
        midnight = datetime(asked.year, asked.month, asked.day, tzinfo=UTC)
        parts = [
            (begin, end, info.get_prices(midnight + timedelta(seconds=begin)))
            for begin, end in pairwise(clock)
        ]
        for begin, end, price in _joined(parts):
            yield start, (begin, end), price


def _joined(parts: list[tuple[int, int, ModelPrice]]) -> list[tuple[int, int, ModelPrice]]:
    joined: list[tuple[int, int, ModelPrice]] = []
    for begin, end, price in parts:
        if joined and joined[-1][2] == price:
            joined[-1] = (joined[-1][0], end, price)
        else:
            joined.append((begin, end, price))
    return joined


def _second(at: time) -> int:
    if at.tzinfo is not None:  # as the package reads it: in UTC
        at = datetime.combine(date(1970, 1, 2), at).astimezone(UTC).time()
    return at.hour * 3600 + at.minute * 60 + at.second


_KEYS = ("input_mtok", "output_mtok", "cache_read_mtok", "output_reasoning_mtok", "cache_write_mtok")  # fmt: skip


def _tiers(price: ModelPrice) -> list[int]:
    """Prompt sizes above which something costs otherwise, 0 first."""
    starts = {0}
    for key in _KEYS:
        starts |= {tier.start for tier in getattr(getattr(price, key), "tiers", ())}
    return sorted(starts)


def _at(value: Any, above: int) -> Decimal | None:
    """The price of a tiered or plain value for prompts just above a size."""
    if value is None or isinstance(value, Decimal):
        return value
    best: Decimal = value.base
    for tier in value.tiers:
        if tier.start <= above and above > 0:
            best = tier.price
    return best


def _row(
    wanted: Wanted,
    source: str,
    priority: int,
    note: str,
    start: datetime,
    piece: tuple[int, int],
    above: int,
    price: ModelPrice,
) -> PriceRow:
    amounts = {key: per_token(_at(getattr(price, key), above)) for key in _KEYS}
    requests = _at(price.requests_kcount, above)
    return PriceRow(
        wanted.provider, wanted.model, source, priority,
        amounts["input_mtok"], amounts["output_mtok"],
        cached_input_usd=amounts["cache_read_mtok"], reasoning_usd=amounts["output_reasoning_mtok"],
        request_usd=None if requests is None else exact(requests / _THOUSAND),
        start_at=start, note=note, route=wanted.route, above_tokens=above,
        day_from_s=piece[0], day_to_s=piece[1], cache_write_usd=amounts["cache_write_mtok"],
    )  # fmt: skip
