"""What a person can use here: each provider with its key, route, effort values, limits and price.

Nothing is asked of anybody: keys are looked for in the environment, prices in files and the package.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from typing import Any

from hinglishbench.client.provider import Provider
from hinglishbench.client.providers import load_providers, resolve_endpoint
from hinglishbench.clock import utc_now
from hinglishbench.errors import HbenchError, UsageError
from hinglishbench.pricing.sources import Sources
from hinglishbench.pricing.wanted import wanted
from hinglishbench.run.prepare import USER_FILE, stored_hf_token

_MTOK = Decimal(1_000_000)


def survey(
    name: str | None = None,
    env: Mapping[str, str] = os.environ,
    hf_token: Callable[[], str | None] = stored_hf_token,
) -> list[dict[str, Any]]:
    """Every provider, or the one of that name, as plain values.

    Args:
        name: one provider; None: all.
        env: where keys are looked for; no value of a key is returned.
        hf_token: gives the stored Hugging Face token.

    Raises:
        UsageError: no such provider.
        InputError: a file of the user's makes no sense.
    """
    providers = load_providers(USER_FILE)
    if name is not None and name not in providers:
        raise UsageError(
            f"no provider is called {name!r}",
            hint=f"one of: {', '.join(providers)}; or add [providers.{name}] to hbench.toml",
        )
    sources = Sources()
    chosen = providers.values() if name is None else [providers[name]]
    return [_one(provider, providers, env, hf_token, sources) for provider in chosen]


def _one(
    provider: Provider,
    providers: Mapping[str, Provider],
    env: Mapping[str, str],
    hf_token: Callable[[], str | None],
    sources: Sources,
) -> dict[str, Any]:
    route, why = _route(provider, providers, env, hf_token)
    verified = sorted(f.verified for f in provider.facts.values() if f.verified != "never")
    return {
        "name": provider.name,
        "title": provider.title,
        "base_url": provider.base_url,
        "key": _key(provider, env, hf_token),
        "key_env": list(provider.key_env),
        "route": route,
        "unusable": why,
        "hf_id": provider.hf_id,
        "default_model": provider.default_model,
        "candidates": list(provider.candidates),
        "effort": list(provider.effort_values(provider.default_model or "*")),
        "effort_by_model": {
            pattern: list(values)
            for pattern, values in provider.effort.items()
            if ":" not in pattern  # the router repeats those of the providers behind it
        },
        "cap_field": dict(provider.cap_field),
        "unsupported": {pattern: list(names) for pattern, names in provider.unsupported.items()
                        if ":" not in pattern},
        "reasoning_fields": list(provider.reasoning_fields),
        "stream": provider.stream,
        "stream_above": provider.stream_above if provider.stream == "long" else None,
        "limits": {"rpm": provider.limits.rpm, "tpm": provider.limits.tpm,
                   "concurrency": provider.limits.concurrency},
        "billed_5xx": provider.billed_5xx,
        "billed_499": provider.billed_499,
        "billed_status": {str(status): word for status, word in provider.billed_status.items()},
        "reliable_cap": provider.reliable_cap,
        "price": _price(provider, route, providers, sources),
        "facts_verified": len(verified),
        "last_verified": verified[-1] if verified else None,
        "facts": {
            key: {"link": fact.link, "date": fact.date, "verified": fact.verified, "note": fact.note}
            for key, fact in provider.facts.items()
        },
        "overridden": list(provider.overridden),
    }  # fmt: skip


def _key(
    provider: Provider, env: Mapping[str, str], hf_token: Callable[[], str | None]
) -> str | None:
    """The variable that holds the key, "stored login", "not needed", or None: there is none."""
    for variable in provider.key_env:
        if env.get(variable, "").strip():
            return variable
    if provider.name == "hf" and (hf_token() or "").strip():
        return "stored login"
    return None if provider.key_required else "not needed"


def _route(
    provider: Provider,
    providers: Mapping[str, Provider],
    env: Mapping[str, str],
    hf_token: Callable[[], str | None],
) -> tuple[str | None, str | None]:
    """By which route `--provider NAME` would go now, or why it would be refused."""
    try:
        endpoint = resolve_endpoint(provider.name, providers=providers, env=env, hf_token=hf_token)
    except HbenchError as error:
        return None, f"{error}: {error.hint}" if error.hint else str(error)
    return endpoint.route, None


def _price(
    provider: Provider, route: str | None, providers: Mapping[str, Provider], sources: Sources
) -> dict[str, Any] | None:
    """Of the default model, today, in US$ per million tokens; None: not known."""
    if provider.default_model is None:
        return None
    usual = "local" if provider.route == "local" else "direct"
    book = sources.book(wanted(provider.name, provider.default_model, route or usual, providers))
    row = book.row(utc_now(), 0)
    if row is None or row.input_usd is None or row.output_usd is None:
        return None
    return {
        "model": provider.default_model,
        "input_usd_per_mtok": row.input_usd * _MTOK,
        "output_usd_per_mtok": row.output_usd * _MTOK,
        "source": row.source,
        "note": row.note,
    }


def facts_of(view: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    """The facts of a view, those that were tried first."""
    return sorted(view["facts"].items(), key=lambda item: (item[1]["verified"] == "never", item[0]))
