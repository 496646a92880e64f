"""Providers as data: `providers.toml` beside this file, and a user's `hbench.toml` over it.

The schema is checked by hand: every command that calls a provider reads it, and building
validators for it would cost more than parsing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

from hinglishbench.client.endpoint import (
    Endpoint,
    normalise_base_url,
    resolve_endpoint,
    routed,
)
from hinglishbench.client.provider import (
    Billed,
    Fact,
    HeaderUnit,
    Provider,
    RateLimits,
    Route,
    StreamPolicy,
)
from hinglishbench.client.secret import SecretKey
from hinglishbench.errors import InputError

__all__ = [
    "Endpoint",
    "Fact",
    "Provider",
    "RateLimits",
    "SecretKey",
    "load_providers",
    "normalise_base_url",
    "resolve_endpoint",
    "routed",
]

_BUILT_IN = Path(__file__).with_name("providers.toml")
_T = TypeVar("_T")


def load_providers(user_file: Path | None = None) -> dict[str, Provider]:
    """Built-in providers, with those of a user's file added or merged over them.

    Args:
        user_file: an `hbench.toml`; None, or a missing file: built-ins only.

    Raises:
        InputError: the file is no TOML, or has an unknown key or a value of the wrong kind; the
            message names file and key, the hint the allowed keys.
    """
    raw: dict[str, dict[str, Any]] = tomllib.loads(_BUILT_IN.read_text(encoding="utf-8"))
    providers = {name: _build(name, table, _BUILT_IN) for name, table in raw.items()}
    if user_file is not None and user_file.exists():
        for name, table in _read_user_file(user_file).items():
            base = raw.get(name) or _inherited(name, table, raw, user_file)
            merged = _merge(base, {k: v for k, v in table.items() if k != "like"})
            raw[name] = merged
            keys = tuple(key for key in table if key not in ("like", "facts"))
            providers[name] = _build(name, merged, user_file, overridden=keys)
    if "hf" in providers:
        providers["hf"] = _with_pinned_dialects(providers["hf"], providers.values())
    return providers


def _read_user_file(path: Path) -> dict[str, dict[str, Any]]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        at = re.search(r"line (\d+)", str(error))
        raise InputError(path, int(at[1]) if at else None, f"not TOML: {error}") from error
    except OSError as error:
        raise InputError(path, None, f"cannot be read: {error.strerror}") from error
    tables = document.get("providers", {})
    if not isinstance(tables, dict) or not all(isinstance(t, dict) for t in tables.values()):
        raise InputError(path, None, "providers must be tables: [providers.NAME]")
    for other in document:  # what nobody reads must not look as if it counted
        if other != "providers":
            hint = "prices stand in prices.toml" if other == "prices" else "write [providers.NAME]"
            raise InputError(path, None, f"unknown table [{other}]", hint=hint)
    return tables


def _inherited(
    name: str, table: Mapping[str, Any], raw: Mapping[str, dict[str, Any]], path: Path
) -> dict[str, Any]:
    like = table.get("like", "openai-compatible")
    if like not in raw:
        raise InputError(
            path,
            None,
            f"[providers.{name}] like = {like!r} is no provider",
            hint=f"one of: {', '.join(raw)}",
        )
    # What identifies the model provider is not inherited: its prices, its keys, its own model.
    own = {"title", "key_env", "default_model", "candidates", "hf_id", "price_ids", "base_url"}
    return {"title": name, **{k: v for k, v in raw[like].items() if k not in own}}


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`over` on top of `base`; tables are merged one level deep, their new keys first."""
    merged = dict(base)
    for key, value in over.items():
        old = base.get(key)
        if isinstance(value, dict) and isinstance(old, str | list):
            old = {"*": old}  # cap_field and unsupported may be given in short
        merged[key] = (
            {**value, **{k: v for k, v in old.items() if k not in value}}
            if isinstance(value, dict) and isinstance(old, dict)
            else value
        )
    return merged


def _pinned(table: Mapping[str, _T], hf_id: str) -> dict[str, _T]:
    return {f"{pattern}:{hf_id}": value for pattern, value in table.items()}


def _with_pinned_dialects(hub: Provider, providers: Iterable[Provider]) -> Provider:
    """The router speaks a pinned provider's dialect: `model:groq` takes what Groq takes."""
    effort: dict[str, Any] = {}
    unsupported: dict[str, Any] = {}
    for provider in providers:
        if provider.hf_id:
            effort |= _pinned(provider.effort, provider.hf_id)
            unsupported |= _pinned(provider.unsupported, provider.hf_id)
    return replace(
        hub,
        effort={**effort, **hub.effort},
        unsupported={**unsupported, **hub.unsupported},
    )


# --- the schema -----------------------------------------------------------------------------


class _BadValueError(ValueError):
    """What a key should have been, in words."""


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise _BadValueError("a string")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _BadValueError("true or false")
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _BadValueError("a whole number of at least 1")
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _BadValueError("a list of strings")
    return tuple(value)


def _table(value: Any, of: Callable[[Any], _T]) -> Mapping[str, _T]:
    if not isinstance(value, dict):
        raise _BadValueError("a table")
    return {key: of(item) for key, item in value.items()}


def _word(literal: Any) -> Callable[[Any], Any]:
    words = get_args(literal)

    def check(value: Any) -> Any:
        if value not in words:
            raise _BadValueError("one of " + ", ".join(map(repr, words)))
        return value

    return check


def _short(of: Callable[[Any], _T], kind: type) -> Callable[[Any], Mapping[str, _T]]:
    """A value for every model, or a table by model pattern."""

    def check(value: Any) -> Mapping[str, _T]:
        return _table({"*": value} if isinstance(value, kind) else value, of)

    return check


def _with_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_nulls(item) for key, item in value.items()}
    return None if value == "<null>" else value


def _effort(value: Any) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    def fragment(item: Any) -> Mapping[str, Any]:
        if not isinstance(item, dict):
            raise _BadValueError("a table of body fields for each effort value")
        return cast("dict[str, Any]", _with_nulls(item))

    return _table(value, lambda by_value: _table(by_value, fragment))


def _statuses(value: Any) -> Mapping[int, Billed]:
    table = _table(value, _word(Billed))
    if not all(key.isdecimal() for key in table):
        raise _BadValueError("a table of HTTP status to yes, no or maybe")
    return {int(key): word for key, word in table.items()}


def _limits(value: Any) -> RateLimits:
    table = _table(value, _count)
    if unknown := table.keys() - {"rpm", "tpm", "concurrency"}:
        raise _BadValueError(f"a table of rpm, tpm, concurrency (not {', '.join(sorted(unknown))})")
    return RateLimits(table.get("rpm"), table.get("tpm"), table.get("concurrency"))


def _facts(value: Any) -> Mapping[str, Fact]:
    def fact(item: Any) -> Fact:
        if not isinstance(item, dict) or not {"link", "date", "verified"} <= item.keys():
            raise _BadValueError("tables with link, date, verified and perhaps note")
        if unknown := item.keys() - {"link", "date", "verified", "note"}:
            raise _BadValueError(f"link, date, verified, note (not {', '.join(sorted(unknown))})")
        return Fact(**{key: _text(word) for key, word in item.items()})

    return _table(value, fact)


_SCHEMA: dict[str, Callable[[Any], Any]] = {
    "title": _text,
    "base_url": _text,
    "key_env": _texts,
    "key_required": _flag,
    "default_model": _text,
    "candidates": _texts,
    "effort": _effort,
    "cap_field": _short(_text, str),
    "unsupported": _short(_texts, list),
    "reasoning_fields": _texts,
    "stream": _word(StreamPolicy),
    "stream_above": _count,
    "limits": _limits,
    "header_units": lambda value: _table(value, _word(HeaderUnit)),
    "billed_5xx": _word(Billed),
    "billed_499": _word(Billed),
    "billed_status": _statuses,
    "reliable_cap": _flag,
    "reports_cost": _flag,
    "hf_id": _text,
    "price_ids": _texts,
    "extra_headers": lambda value: _table(value, _text),
    "route": _word(Route),
    "model_suffix": _text,
    "facts": _facts,
}
_ALLOWED = ", ".join([*_SCHEMA, "like"])


def _build(
    name: str, table: Mapping[str, Any], path: Path, overridden: tuple[str, ...] = ()
) -> Provider:
    where = f"[{name}]" if path == _BUILT_IN else f"[providers.{name}]"
    values: dict[str, Any] = {"name": name, "title": name}
    for key, value in table.items():
        check = _SCHEMA.get(key)
        if check is None:
            raise InputError(
                path, None, f"unknown key {key!r} in {where}", hint=f"allowed keys: {_ALLOWED}"
            )
        try:
            values[key] = check(value)
        except _BadValueError as error:
            raise InputError(path, None, f"{key} in {where} must be {error}") from error
    return Provider(**values, overridden=overridden)
