"""`hbench cost`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hinglishbench.cli.amounts import dollars
from hinglishbench.cli.output import (
    CsvFlag,
    Format,
    JsonFlag,
    MdFlag,
    format_of,
    number,
    print_rows,
    print_table,
    say,
    usd,
)
from hinglishbench.clock import utc_now
from hinglishbench.errors import RefusedError, UsageError

if TYPE_CHECKING:
    from hinglishbench.ledger.reader import Ledger
    from hinglishbench.ledger.statements import Bill
    from hinglishbench.pricing.price import PriceRow

EXAMPLES = """Examples:

  hbench cost                     the whole ledger

  hbench cost --by model,day

  hbench cost --by run --json

  hbench cost --price-as baseten/reflection/Beam-1.0     what these tokens would cost there

  hbench cost --against-bill 12.34 --provider baseten --from 2026-11-01 --to 2026-11-30

  hbench cost --against-bill usage.csv --provider groq
"""


def cost(
    by: Annotated[str, typer.Option(help="Keys with commas: run, model, provider, suite, prompt, day, purpose.")] = "",
    origin: Annotated[str, typer.Option(help="Which answers count, with commas: live, import, replay.")] = "live",
    provider: Annotated[str | None, typer.Option(help="At this provider alone.")] = None,
    from_: Annotated[str | None, typer.Option("--from", help="From this day on (UTC), e.g. 2026-11-01.")] = None,
    to: Annotated[str | None, typer.Option("--to", help="Up to this day (UTC), it included.")] = None,
    price_as: Annotated[str | None, typer.Option(help="PROVIDER/MODEL: what the same tokens would cost there now.")] = None,
    against_bill: Annotated[str | None, typer.Option(help="US$, or FILE.csv of the provider: set it beside the ledger.")] = None,
    ledger: Annotated[Path | None, typer.Option(help="The ledger file.")] = None,
    json_: JsonFlag = False,
    csv_: CsvFlag = False,
    md: MdFlag = False,
) -> None:  # fmt: skip
    """What it cost, with retries and lost replies counted.

    cost is what is surely billed; "at most" adds attempts that may be billed although no answer
    came. Calls without a known price are counted apart and never taken for free. A bill is kept in
    the ledger (table statements).
    """
    from hinglishbench.ledger.reader import ORIGINS, Ledger  # noqa: PLC0415  heavy

    form = format_of(json_=json_, csv_=csv_, md=md)
    keys = _words(by)
    origins = _words(origin)
    if wrong := [name for name in origins if name not in ORIGINS]:
        raise UsageError(f"no origin {wrong[0]!r}", hint=f"one of: {', '.join(ORIGINS)}")
    from_at, to_at = _period(from_, to)
    reader = Ledger(ledger)
    if against_bill is not None:
        if keys or price_as or origins != ["live"]:
            raise UsageError("--against-bill goes without --by, --price-as and --origin")
        _against(reader, _bill(against_bill, provider, from_at, to_at), form)
        return
    elsewhere = None if price_as is None else _prices_of(price_as)
    rows = reader.cost(
        by=keys, origins=origins, provider=provider, from_at=from_at, to_at=to_at, price_as=elsewhere
    ).dicts()  # fmt: skip
    for note in reader.notes:
        say(note)
    if form is not Format.TABLE:
        print_rows(rows, form)
        return
    total = reader.cost(
        origins=origins, provider=provider, from_at=from_at, to_at=to_at, price_as=elsewhere
    ).dicts() if keys and len(rows) > 1 else []  # fmt: skip
    _print(keys, rows, total)


cost.examples = EXAMPLES  # type: ignore[attr-defined]


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _period(from_: str | None, to: str | None) -> tuple[datetime | None, datetime | None]:
    from hinglishbench.ledger.statements import day  # noqa: PLC0415  heavy

    try:
        from_at = None if from_ is None else day(from_)
        to_at = None if to is None else day(to, end=True)
    except ValueError:
        raise UsageError("--from and --to are days such as 2026-11-30") from None
    if from_at is not None and to_at is not None and from_at >= to_at:
        raise UsageError("--from is after --to")
    return from_at, to_at


def _prices_of(text: str) -> Sequence[PriceRow]:
    """The prices in force now at PROVIDER/MODEL."""
    from hinglishbench.client.providers import load_providers  # noqa: PLC0415  heavy
    from hinglishbench.pricing.show import places  # noqa: PLC0415  heavy
    from hinglishbench.pricing.sources import Sources, lines_to_paste  # noqa: PLC0415  heavy
    from hinglishbench.run.prepare import USER_FILE  # noqa: PLC0415  heavy

    provider, slash, model = text.partition("/")
    providers = load_providers(USER_FILE)
    if not slash or not model or provider not in providers:
        raise UsageError(
            f"--price-as is PROVIDER/MODEL, not {text!r}", hint=f"providers: {', '.join(providers)}"
        )
    now = utc_now()
    sources, looked = Sources(), list(places(model, provider, None, providers))
    for one in looked:
        rows = sources.book(one).in_force(now)
        if rows and all(row.input_usd is not None and row.output_usd is not None for row in rows):
            first = rows[0]
            say(
                f"at the prices of {text} in force now ({first.source}): {_mtok(first.input_usd)} in,"
                f" {_mtok(first.output_usd)} out per million tokens; its own tokenizer would count otherwise"
            )
            return rows
    raise RefusedError(
        f"no source has a price of {model} at {provider}",
        hint="write it into prices.toml:\n" + lines_to_paste(looked[:1]),
    )


def _mtok(per_token: Decimal | None) -> str:
    return usd(None if per_token is None else per_token * 1_000_000)


def _bill(
    text: str, provider: str | None, from_at: datetime | None, to_at: datetime | None
) -> Bill:
    from hinglishbench.ledger.statements import Bill, read_csv  # noqa: PLC0415  heavy

    if text.lower().endswith(".csv") or Path(text).is_file():
        return read_csv(Path(text), provider, from_at, to_at)
    amount = dollars(text, "--against-bill")
    assert amount is not None
    return Bill(amount, "given", provider, from_at, to_at)


def _against(reader: Ledger, bill: Bill, form: Format) -> None:
    from hinglishbench.ledger.statements import compare, enter  # noqa: PLC0415  heavy

    row = compare(reader, bill)
    enter(reader.path, bill)
    for note in reader.notes:
        say(note)
    if form is not Format.TABLE:
        print_rows([row], form)
        return
    names = ["bill", "ledger, surely", "at most", "difference", "bill in the bracket"]
    within = {True: "yes", False: "no", None: "unknown"}[row["within"]]
    print_table(
        names,
        [[usd(row["bill_usd"]), usd(row["cost_usd"]), usd(row["cost_upper_usd"]),
          _signed(row["difference_usd"], row["cost_usd"]), within]],
        left=0,
    )  # fmt: skip
    _doubts([row])
    if row["within"] is False:
        say(
            "the bill is more than this ledger can explain: other ledgers, other users of the key,"
            " another period, or a price that is too low here (`hbench prices show`)"
            if bill.amount > row["cost_upper_usd"]
            else "the bill is less than this ledger holds for sure: another period, a discount or credit,"
            " or a price that is too high here (`hbench prices show`)"
        )


def _signed(difference: Decimal | None, of: Decimal | None) -> str:
    if difference is None:
        return "-"
    text = ("+" if difference >= 0 else "-") + usd(abs(difference))
    return f"{text} ({100 * difference / of:+.1f}%)" if of else text


def _print(
    keys: Sequence[str], rows: Sequence[Mapping[str, Any]], total: Sequence[Mapping[str, Any]]
) -> None:
    names = [
        *keys,
        "attempts",
        "tokens in",
        "tokens out",
        "cost",
        "at most",
        "per correct",
    ]

    def line(labels: Sequence[str], row: Mapping[str, Any]) -> list[str]:
        return [
            *labels, number(row["attempts"]), number(row["prompt_tokens"]),
            number(row["completion_tokens"]), usd(row["cost_usd"]), usd(row["cost_upper_usd"]),
            usd(row["usd_per_correct"]),
        ]  # fmt: skip

    lines = [line([str(row[key]) for key in keys], row) for row in rows]
    lines += [line(["together", *[""] * (len(keys) - 1)], row) for row in total]
    print_table(names, lines, left=len(keys))
    _doubts(rows)


def _doubts(rows: Sequence[Mapping[str, Any]]) -> None:
    unpriced = sum(row["unpriced_attempts"] for row in rows)
    maybe = sum(row["maybe_billed_attempts"] for row in rows)
    if unpriced:
        say(
            f"{unpriced} attempts have no known price and are not in these dollars:"
            " write it into prices.toml, then `hbench prices apply`"
        )
    if maybe:
        say(f"{maybe} attempts may be billed although no answer came; 'at most' counts them")
