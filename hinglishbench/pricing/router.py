"""Dated snapshots of the Hugging Face router's price list: `prices-hf-YYYY-MM-DD.json`.

`hbench prices pull` writes one into the working folder, beside `prices.toml`; every run reads all
that are there, offline. A price is taken from the day on which it was seen until a later snapshot
says otherwise.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from hinglishbench.clock import as_utc
from hinglishbench.errors import InputError, RefusedError
from hinglishbench.pricing.price import PriceRow, per_token
from hinglishbench.pricing.wanted import Wanted

FORMAT = "hinglishbench-router-prices/1"
PATTERN = "prices-hf-*.json"
PRIORITY = 20
SOURCE = "hf-router"
_MOST = Decimal(2_000)  # dollars per million tokens: more is damage

Offer = Mapping[str, Any]
Listing = Mapping[str, Mapping[str, Offer]]
"""Model -> provider -> {input, output} in US$ per million tokens, as text; or {free: true}."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One price list of the router, in force from `pulled_at` (naive UTC, at midnight) on."""

    path: Path
    pulled_at: datetime
    listing: Listing


def read_listing(body: bytes) -> dict[str, dict[str, dict[str, Any]]]:
    """The prices in a reply to `GET /v1/models`; offers without a price are kept without one.

    Raises:
        RefusedError: not such a reply.
    """
    try:
        document = json.loads(body, parse_float=Decimal)
    except (ValueError, RecursionError):
        document = None
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, list):
        raise RefusedError(
            "the router's list of models cannot be read",
            hint="is the address that of the Hugging Face router?",
        )
    listing: dict[str, dict[str, dict[str, Any]]] = {}
    for model in data:
        if not isinstance(model, dict) or not isinstance(model.get("id"), str):
            continue
        offers = model.get("providers")
        for offer in offers if isinstance(offers, list) else []:
            if isinstance(offer, dict) and isinstance(offer.get("provider"), str):
                listing.setdefault(model["id"], {})[offer["provider"]] = _offer(offer)
    if not listing:
        raise RefusedError(
            "the list of models names no provider of any model, so it has no prices",
            hint="only the Hugging Face router lists prices this way",
        )
    return listing


def _offer(offer: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {"status": str(offer.get("status"))}
    pricing = offer.get("pricing")
    amounts = {}
    for key in ("input", "output"):
        amount = _amount(pricing.get(key)) if isinstance(pricing, dict) else None
        if amount is not None:
            amounts[key] = format(amount, "f")
    if len(amounts) == 2:  # half a price prices nothing
        return kept | amounts
    if offer.get("is_free") is True:
        kept["free"] = True
    return kept


def _amount(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | str | Decimal):
        return None
    try:
        amount = Decimal(value)
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and 0 <= amount <= _MOST else None


def write_snapshot(folder: Path, source: str, pulled_at: datetime, listing: Listing) -> Path:
    """Write a snapshot; one pulled on the same day is replaced."""
    path = folder / f"prices-hf-{pulled_at:%Y-%m-%d}.json"
    document = {
        "format": FORMAT, "source": source, "pulled_at": pulled_at.isoformat(timespec="seconds"),
        "unit": "US$ per million tokens", "models": listing,
    }  # fmt: skip
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", "utf-8")
    os.replace(temporary, path)  # noqa: PTH105  atomic on every platform, unlike rename
    return path


def read_snapshots(folder: Path) -> list[Snapshot]:
    """Every snapshot of a folder, the oldest first.

    Raises:
        InputError: a file of that name is no snapshot.
    """
    snapshots = [_read(path) for path in sorted(folder.glob(PATTERN))]
    return sorted(snapshots, key=lambda snapshot: snapshot.pulled_at)


def _read(path: Path) -> Snapshot:
    try:
        document = json.loads(path.read_text("utf-8"))
        if document["format"] != FORMAT:
            raise InputError(path, None, f"not a price snapshot: format must be {FORMAT!r}")
        at = as_utc(datetime.fromisoformat(document["pulled_at"]))
        models = {name: dict(offers) for name, offers in document["models"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            path, None, f"not a price snapshot: {error!r}", hint="remove it, or pull it again"
        ) from error
    return Snapshot(path, at.replace(hour=0, minute=0, second=0, microsecond=0), models)


def router_prices(
    wanted: Wanted, snapshots: Sequence[Snapshot]
) -> tuple[list[PriceRow], str | None]:
    """The router's prices of a model over time, and why there are none.

    A snapshot that repeats the price before it adds no row.
    """
    if wanted.hub_model is None:
        return [], "not reached through the Hugging Face router"
    if wanted.hub_provider is None:
        return [], "the router chooses the provider: pin one as MODEL:PROVIDER"
    if not snapshots:
        return [], "no snapshot of the router's prices: `hbench prices pull` makes one"
    rows = list(_changes(wanted, snapshots))
    if not rows:
        return [], (
            f"the router's list has no price of {wanted.hub_model} at {wanted.hub_provider}"
            f" ({snapshots[-1].path.name})"
        )
    return rows, None


def _changes(wanted: Wanted, snapshots: Sequence[Snapshot]) -> Iterator[PriceRow]:
    last: tuple[Decimal | None, Decimal | None] | None = None
    for snapshot in snapshots:
        offer = snapshot.listing.get(wanted.hub_model or "", {}).get(wanted.hub_provider or "")
        if not isinstance(offer, Mapping):
            continue
        if offer.get("free") is True:
            amounts: tuple[Decimal | None, Decimal | None] = (Decimal(0), Decimal(0))
        else:
            amounts = (_amount(offer.get("input")), _amount(offer.get("output")))
        if None in amounts or amounts == last:
            continue
        last = amounts
        yield PriceRow(
            wanted.provider, wanted.model, SOURCE, PRIORITY, per_token(amounts[0]), per_token(amounts[1]),
            start_at=snapshot.pulled_at, note=f"{snapshot.path.name}: {wanted.hub_provider}",
            route="hf",
        )  # fmt: skip
