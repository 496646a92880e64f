"""Which price a call would be charged by, why, and where the sources disagree."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from hinglishbench.client.provider import Provider, Route
from hinglishbench.pricing.book import PriceBook
from hinglishbench.pricing.price import PriceRow
from hinglishbench.pricing.sources import Sources
from hinglishbench.pricing.wanted import Wanted, wanted


@dataclass(frozen=True, slots=True)
class View:
    """What one source says at one moment.

    Attributes:
        rows: its prices in force then (several: by prompt size or hour).
        used: it is the one that counts.
        differs: it states other amounts than the one that counts.
        reason: why it has none.
    """

    wanted: Wanted
    source: str
    rows: tuple[PriceRow, ...]
    used: bool = False
    differs: bool = False
    reason: str | None = None


def views(sources: Sources, one: Wanted, at: datetime) -> list[View]:
    """Each source's price of a model at a moment (naive UTC), in order of precedence."""
    found: list[View] = []
    used: tuple[PriceRow, ...] = ()
    for opinion in sources.opinions(one):
        rows = tuple(PriceBook(opinion.rows).in_force(at))
        reason = opinion.reason
        if opinion.rows and not rows:
            first = min(row.start_at for row in opinion.rows)
            reason = f"its first price is of {first:%Y-%m-%d}"
        counts = bool(rows) and not used
        if counts:
            used = rows
        found.append(
            View(
                one,
                opinion.source,
                rows,
                counts,
                bool(rows) and _amounts(rows) != _amounts(used),
                reason,
            )
        )
    return found


Amounts = tuple[int, int, int, Decimal | None, Decimal | None]


def _amounts(rows: Iterable[PriceRow]) -> set[Amounts]:
    return {(r.above_tokens, r.day_from_s, r.day_to_s, r.input_usd, r.output_usd) for r in rows}


def places(
    model: str, provider: str | None, route: str | None, providers: Mapping[str, Provider]
) -> Iterator[Wanted]:
    """Where a model could be asked for: one provider's routes, or those of all.

    Args:
        model: as it would be given to `hbench run`.
        provider: only there; None: everywhere that is not this machine.
        route: only by this route; None: by each that the provider has.
        providers: as `load_providers` gives them.
    """
    names = [provider] if provider else [n for n, p in providers.items() if p.key_required]
    for name in names:
        for each in _routes(name, providers.get(name)):
            if route is None or route == each:
                yield wanted(name, model, each, providers)


def _routes(name: str, provider: Provider | None) -> tuple[Route, ...]:
    if provider is not None and provider.route == "local":
        return ("local",)
    if name == "hf":
        return ("hf",)
    return ("direct", "hf") if provider is not None and provider.hf_id else ("direct",)
