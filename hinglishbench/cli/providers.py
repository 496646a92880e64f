"""`hbench providers`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Annotated, Any

import typer

from hinglishbench.cli.output import JsonFlag, number, plain, print_json, print_table, say, visible

EXAMPLES = """Examples:

  hbench providers                which can be used now, and by which route

  hbench providers baseten        everything known of one, with where it was read

  hbench providers groq --json
"""
_WIDTH = 80
_EFFORT_WIDTH = 13


def providers(
    name: Annotated[str | None, typer.Argument(help="Show everything known of this one.")] = None,
    json_: JsonFlag = False,
) -> None:
    """List endpoints: key present or not, route, effort values, limits, price, what was verified.

    Nothing is asked of anybody. `hbench.toml` in this folder adds endpoints and overrides facts.
    """
    from hinglishbench.run.survey import facts_of, survey  # noqa: PLC0415  heavy

    views = survey(name)
    if json_:
        print_json(plain(views if name is None else views[0]))
        return
    if name is not None:
        for line in _whole(views[0], list(facts_of(views[0]))):
            print(visible(line))  # noqa: T201  the answer
        return
    print_table(
        ["provider", "key", "route", "effort", "rpm/tpm", "$ in/out", "verified"],
        [
            [
                view["name"],
                _short_key(view["key"]),
                view["route"] or "-",
                textwrap.fill(" ".join(view["effort"]), _EFFORT_WIDTH) or "-",
                _limits(view["limits"]),
                _price(view["price"]),
                view["last_verified"] or "never",
            ]
            for view in views
        ],
        left=7,
        width=_WIDTH,
    )
    say("effort and $ per million tokens: of the default model. `hbench providers NAME` says more.")


providers.examples = EXAMPLES  # type: ignore[attr-defined]


def _short_key(key: str | None) -> str:
    if key is None:
        return "no"
    return "-" if key == "not needed" else "yes"


def _limits(limits: Mapping[str, int | None]) -> str:
    if limits["rpm"] is None and limits["tpm"] is None:
        return "-"
    return f"{_round(limits['rpm'])}/{_round(limits['tpm'])}"


def _round(value: int | None) -> str:
    if value is None:
        return "-"
    return f"{value // 1000}k" if value >= 10_000 and value % 1000 == 0 else str(value)


def _price(price: Mapping[str, Any] | None) -> str:
    if price is None:
        return "-"
    return f"{_amount(price['input_usd_per_mtok'])}/{_amount(price['output_usd_per_mtok'])}"


def _amount(usd: Decimal) -> str:
    return f"{float(usd):.4g}"


def _whole(view: Mapping[str, Any], facts: list[tuple[str, Mapping[str, Any]]]) -> Iterator[str]:
    """Everything known of one provider, in lines of 80 columns (links stay whole)."""
    yield f"{view['name']}: {view['title']}"
    for label, text in _settings(view):
        yield from _wrapped(label, text)
    yield ""
    tried = view["facts_verified"]
    yield f"where this was read ({tried} of {len(facts)} tried against the live service):"
    for key, fact in facts:
        overridden = " (replaced in hbench.toml)" if key in view["overridden"] else ""
        verified = (
            "never verified" if fact["verified"] == "never" else f"verified {fact['verified']}"
        )
        yield f"  {key}: read {fact['date']}, {verified}{overridden}"
        yield f"    {fact['link']}"
        if fact["note"]:
            yield from textwrap.wrap(
                fact["note"], _WIDTH, initial_indent="    ", subsequent_indent="    "
            )
    for key in view["overridden"]:
        if key not in view["facts"]:
            yield f"  {key}: from hbench.toml"


def _settings(view: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    key, limits, price = view["key"], view["limits"], view["price"]
    yield "address", view["base_url"] or "given with --base-url"
    names = " or ".join(view["key_env"]) or "none"
    yield (
        "key",
        {None: f"not set ({names})", "not needed": f"not needed ({names})"}.get(key, f"from {key}"),
    )
    yield "route", view["route"] or f"none: {view['unusable']}"
    if view["hf_id"]:
        yield "router", f"on the Hugging Face router as {view['hf_id']}"
    if view["default_model"]:
        yield "model", view["default_model"]
    if view["candidates"]:
        yield "also", ", ".join(view["candidates"])
    for pattern, values in view["effort_by_model"].items():
        yield "effort", f"{pattern}: {', '.join(values) or 'none can be set'}"
    for pattern, field in view["cap_field"].items():
        yield "cap", field if pattern == "*" else f"{pattern}: {field}"
    for pattern, fields in view["unsupported"].items():
        yield "refuses", f"{pattern}: {', '.join(fields) or 'nothing'}"
    yield "reasoning", f"in {' or '.join(view['reasoning_fields'])}, or inline"
    if view["stream"] != "never":
        above = f" (caps over {number(view['stream_above'])})" if view["stream_above"] else ""
        yield "streams", f"{view['stream']}{above}"
    yield (
        "limits",
        (
            f"{number(limits['rpm'])} requests and {number(limits['tpm'])} tokens a minute,"
            f" {number(limits['concurrency'])} at once (-: not known)"
        )
        if any(limits.values())
        else "none known; replies may teach them",
    )
    statuses = "".join(f", {status}: {word}" for status, word in view["billed_status"].items())
    yield "billed", f"5xx: {view['billed_5xx']}, 499: {view['billed_499']}{statuses}"
    if not view["reliable_cap"]:
        yield "budget", "the cap does not bound the output: --max-usd needs --allow-unbounded"
    if price is None:
        yield "price", "not known" + (" (no default model)" if not view["default_model"] else "")
    else:
        yield (
            "price",
            (
                f"${_amount(price['input_usd_per_mtok'])} in, ${_amount(price['output_usd_per_mtok'])} out per million"
                f" tokens ({price['source']}{': ' + price['note'] if price['note'] else ''})"
            ),
        )


def _wrapped(label: str, text: str) -> list[str]:
    return textwrap.wrap(
        text, _WIDTH, initial_indent=f"  {label:<10}", subsequent_indent=" " * 12,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
