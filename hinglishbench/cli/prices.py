"""`hbench prices`: what a token costs, where that is known from, and keeping it up to date."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hinglishbench.cli.output import JsonFlag, print_json, print_table, say
from hinglishbench.clock import as_utc, utc_now
from hinglishbench.errors import RefusedError, UsageError

if TYPE_CHECKING:
    from hinglishbench.pricing.price import PriceRow
    from hinglishbench.pricing.show import View

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="What a token costs, where that is known from, and keeping it up to date.",
    epilog=(
        "In order: a cost stated in the reply; prices.toml; the router's list as pulled; the package"
        " genai-prices. Where none has a price, the cost is unknown, never 0."
    ),
)
_MTOK = Decimal(1_000_000)
_ROUTER = "https://router.huggingface.co/v1"


@app.command()
def show(
    model: Annotated[str, typer.Argument(help="As given to `hbench run --model`.")],
    provider: Annotated[str | None, typer.Option(help="Only there. Default: everywhere.")] = None,
    route: Annotated[str | None, typer.Option(help="Only by this route: direct or hf.")] = None,
    on: Annotated[str | None, typer.Option(help="At this day or moment (UTC). Default: now.")] = None,
    json_: JsonFlag = False,
) -> None:  # fmt: skip
    """Show which price would be used, why, and where the sources disagree.

    Amounts are US$ per million tokens.
    """
    from hinglishbench.client.providers import load_providers  # noqa: PLC0415  heavy
    from hinglishbench.pricing.show import places, views  # noqa: PLC0415  heavy
    from hinglishbench.pricing.sources import Sources  # noqa: PLC0415  heavy
    from hinglishbench.run.prepare import USER_FILE  # noqa: PLC0415  heavy

    providers = load_providers(USER_FILE)
    if provider is not None and provider not in providers:
        raise UsageError(
            f"no provider is called {provider!r}", hint=f"one of: {', '.join(providers)}"
        )
    sources, at = Sources(), _moment(on)
    groups = [
        group
        for one in places(model, provider, route, providers)
        if (group := views(sources, one, at)) and (provider or any(view.rows for view in group))
    ]
    if json_:
        print_json([_as_json(view) for group in groups for view in group])
    elif groups:
        _print(groups)
    if not any(view.rows for group in groups for view in group):
        from hinglishbench.pricing.sources import lines_to_paste  # noqa: PLC0415  heavy

        missing = [group[0].wanted for group in groups[:1]]
        raise RefusedError(
            f"no source has a price of {model}" + (f" at {provider}" if provider else ""),
            hint="put it into prices.toml:\n" + lines_to_paste(missing)
            if missing
            else "is the model's name right? name the --provider to see what each source says",
        )


def _moment(text: str | None) -> datetime:
    """Naive UTC."""
    if text is None:
        return utc_now()
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--on must be a date such as 2026-11-01, not {text!r}") from None
    return as_utc(at)


def _print(groups: Sequence[Sequence[View]]) -> None:
    lines: list[list[str]] = []
    for view in (view for group in groups for view in group):
        mark = "used" if view.used else "differs" if view.differs else "same" if view.rows else "-"
        start = [f"{view.wanted.provider} ({view.wanted.route})", view.source, mark]
        if not view.rows:
            lines.append([*start, "", "", "", "", view.reason or ""])
        lines += [
            [*start, _when(row), _mtok(row.input_usd), _mtok(row.cached_input_usd),
             _mtok(row.output_usd), row.note or ""]
            for row in view.rows
        ]  # fmt: skip
    names = ["at", "source", "", "from", "input", "cached", "output", "what it says"]
    print_table(names, lines, left=len(names))


def _when(row: PriceRow) -> str:
    parts = ["always" if row.start_at.year < 2000 else f"{row.start_at:%Y-%m-%d}"]
    if row.above_tokens:
        parts.append(f"over {row.above_tokens:,} tokens")
    if (row.day_from_s, row.day_to_s) != (0, 86_400):
        parts.append(f"{_clock(row.day_from_s)}-{_clock(row.day_to_s)}")
    return ", ".join(parts)


def _clock(second: int) -> str:
    return f"{second // 3600:02d}:{second % 3600 // 60:02d}"


def _mtok(usd: Decimal | None) -> str:
    return "" if usd is None else f"${(usd * _MTOK).normalize():f}"


def _as_json(view: View) -> dict[str, Any]:
    def amount(usd: Decimal | None) -> float | None:
        return None if usd is None else float(usd * _MTOK)

    return {
        "provider": view.wanted.provider, "model": view.wanted.model, "route": view.wanted.route,
        "source": view.source, "used": view.used, "differs": view.differs, "reason": view.reason,
        "prices": [
            {
                "from": row.start_at.isoformat(sep=" "), "above_tokens": row.above_tokens,
                "hours_utc": [_clock(row.day_from_s), _clock(row.day_to_s)],
                "input_usd_per_mtok": amount(row.input_usd),
                "cached_input_usd_per_mtok": amount(row.cached_input_usd),
                "output_usd_per_mtok": amount(row.output_usd),
                "reasoning_usd_per_mtok": amount(row.reasoning_usd),
                "request_usd": None if row.request_usd is None else float(row.request_usd),
                "note": row.note,
            }
            for row in view.rows
        ],
    }  # fmt: skip


@app.command()
def pull(
    base_url: Annotated[str, typer.Option(help="Address of the router, up to /v1.")] = _ROUTER,
    folder: Annotated[Path, typer.Option(help="Where the snapshot goes; runs read ./")] = Path(),
) -> None:
    """Fetch the Hugging Face router's price list into prices-hf-YYYY-MM-DD.json.

    Keep the file with the ledger: it is the proof of what a call cost on that day. Each later run
    in this folder reads all such files, offline; nothing else fetches prices.
    """
    import anyio  # noqa: PLC0415  heavy

    from hinglishbench.client.providers import normalise_base_url  # noqa: PLC0415  heavy
    from hinglishbench.client.transports import new_transport  # noqa: PLC0415  heavy
    from hinglishbench.pricing.pull import pull as fetch  # noqa: PLC0415  heavy
    from hinglishbench.pricing.router import write_snapshot  # noqa: PLC0415  heavy

    address = normalise_base_url(base_url)
    listing = anyio.run(fetch, new_transport(), address)
    now = utc_now()
    path = write_snapshot(folder, f"{address}/models", now, listing)
    offers = [offer for by_provider in listing.values() for offer in by_provider.values()]
    priced = sum("input" in offer or "free" in offer for offer in offers)
    say(f"{path}: {len(listing)} models, {len(offers)} offers, {priced} of them with a price")


@app.command()
def apply(
    ledger: Annotated[Path | None, typer.Option(help="The ledger file.")] = None,
) -> None:
    """Bring the prices known now into a ledger, for every model in it.

    Costs are derived from counts and prices whenever they are read, so calls of the past are
    priced anew where a source now has a price of their day.
    """
    from hinglishbench.client.providers import load_providers  # noqa: PLC0415  heavy
    from hinglishbench.errors import NoLedgerError  # noqa: PLC0415  rarely needed
    from hinglishbench.ledger.prices import add_prices, models_asked  # noqa: PLC0415  heavy
    from hinglishbench.ledger.store import connect, ledger_path  # noqa: PLC0415  heavy
    from hinglishbench.pricing.sources import price_rows  # noqa: PLC0415  heavy
    from hinglishbench.pricing.wanted import wanted  # noqa: PLC0415  heavy
    from hinglishbench.run.prepare import USER_FILE  # noqa: PLC0415  heavy

    path = ledger_path(ledger)
    if not path.exists():
        raise NoLedgerError(f"there is no ledger at {path}", hint="`hbench run` makes one")
    providers = load_providers(USER_FILE)
    with connect(path, write=True) as connection:
        models = models_asked(connection)
        rows = price_rows(
            wanted(provider, model, route, providers) for provider, model, route in models
        )
        added = add_prices(connection, rows, utc_now())
    priced = len({(row.provider, row.model) for row in rows})
    say(f"{len(models)} models in the ledger, {priced} with a price; {added} prices are new")
