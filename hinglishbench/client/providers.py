"""Endpoints as data: what is known of each provider, and which one a run talks to.

`providers.toml` beside this file holds the facts; a user's `hbench.toml` (tables
`[providers.NAME]`) adds providers and overrides keys. The schema below is checked by hand: every
command that calls a provider reads it, and building models for it would cost more than parsing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast, get_args
from urllib.parse import urlsplit, urlunsplit

from hinglishbench.errors import InputError, RefusedError, UsageError

Billed = Literal["yes", "no", "maybe"]
Route = Literal["direct", "hf", "local"]
StreamPolicy = Literal["never", "always", "long"]
HeaderUnit = Literal["second", "minute", "day"]

_BUILT_IN = Path(__file__).with_name("providers.toml")
_DEFAULT_REASONING = ("reasoning_content", "reasoning")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Fact:
    """Where a statement about a provider comes from.

    Attributes:
        link: the page it was read on (for an override: the user's file).
        date: when it was read, YYYY-MM or YYYY-MM-DD.
        verified: the day it was last tried against the live service, or "never".
        note: what else a reader should know.
    """

    link: str
    date: str
    verified: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class RateLimits:
    """What the provider grants: requests and tokens per minute, requests in flight."""

    rpm: int | None = None
    tpm: int | None = None
    concurrency: int | None = None


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider as `providers.toml` and `hbench.toml` describe it.

    Attributes:
        base_url: where `/chat/completions` hangs; None: `--base-url` must say.
        key_env: environment variables that may hold the key, the first one set wins.
        effort: model pattern -> effort value -> fragment merged into the body.
        cap_field: model pattern -> name of the field that caps output tokens.
        unsupported: model pattern -> request fields that the model refuses.
        reasoning_fields: fields of the message that may hold reasoning, the usual one first.
        stream: never, always, or `long`: when the cap is over `stream_above` tokens.
        header_units: unit of the plain `x-ratelimit-limit-requests` / `-tokens` headers, for
            `requests` and `tokens`; a name that carries its unit needs none.
        billed_5xx: whether a 5xx may be on the bill; `billed_status` says otherwise by status.
        billed_499: the same for a client that hung up.
        reliable_cap: whether the cap really bounds the output, so that a budget can rely on it.
        reports_cost: whether a `cost` in the reply's usage is in US dollars and may be believed.
        hf_id: its id at the Hugging Face router; None: not there.
        price_ids: provider ids of genai-prices under which its prices may stand, in order.
        model_suffix: appended to the model id when it has none (`:groq` on the router).
        facts: key -> where it was read.
        overridden: keys that a user's file has set.
    """

    name: str
    title: str
    base_url: str | None = None
    key_env: tuple[str, ...] = ()
    key_required: bool = True
    default_model: str | None = None
    candidates: tuple[str, ...] = ()
    effort: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    cap_field: Mapping[str, str] = field(default_factory=lambda: {"*": "max_tokens"})
    unsupported: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reasoning_fields: tuple[str, ...] = _DEFAULT_REASONING
    stream: StreamPolicy = "never"
    stream_above: int = 8192
    limits: RateLimits = RateLimits()
    header_units: Mapping[str, HeaderUnit] = field(default_factory=dict)
    billed_5xx: Billed = "maybe"
    billed_499: Billed = "maybe"
    billed_status: Mapping[int, Billed] = field(default_factory=dict)
    reliable_cap: bool = True
    reports_cost: bool = True
    hf_id: str | None = None
    price_ids: tuple[str, ...] = ()
    extra_headers: Mapping[str, str] = field(default_factory=dict)
    route: Route = "direct"
    model_suffix: str = ""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    overridden: tuple[str, ...] = ()

    def effort_values(self, model: str) -> tuple[str, ...]:
        """Effort values that `model` takes here, besides leaving it unset."""
        return tuple(first_match(self.effort, model, {}))

    def cap_field_for(self, model: str) -> str:
        """Name of the request field that caps the output tokens of `model`."""
        return first_match(self.cap_field, model, "max_tokens")

    def refuses(self, model: str, request_field: str) -> bool:
        """Whether `model` answers a request that carries this field with an error."""
        return request_field in first_match(self.unsupported, model, ())

    def billed(self, status: int) -> Billed:
        """Whether an attempt that ended with this HTTP status is on the bill (rule 7)."""
        if status in self.billed_status:
            return self.billed_status[status]
        if status == 499:  # the client hung up, as nginx and its kin log it
            return self.billed_499
        if status >= 500:
            return self.billed_5xx
        return "maybe" if 200 <= status < 300 else "no"


class SecretKey:
    """An API key that does not show itself in a repr, a log or a pickle."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself, for the one header that carries it."""
        return self._value

    def __repr__(self) -> str:
        return "SecretKey(hidden)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretKey) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError("an API key is not pickled")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where requests go: a provider by a route, at a base URL, with a key.

    `provider` already speaks the dialect of the route: on the router its `model_suffix` pins it.
    """

    provider: Provider
    route: Route
    base_url: str
    name: str | None = None
    key: SecretKey | None = None
    headers_cache: dict[str | None, dict[str, str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )


def first_match(table: Mapping[str, _T], model: str, default: _T) -> _T:
    """The value of the first pattern (fnmatch, case ignored) that fits the model id."""
    lowered = model.lower()
    for pattern, value in table.items():
        if fnmatchcase(lowered, pattern.lower()):
            return value
    return default


# --- reading the files ----------------------------------------------------------------------


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
    for misspelt in document.keys() & {"provider", "Providers", "Provider", "endpoints"}:
        raise InputError(path, None, f"unknown table [{misspelt}]", hint="write [providers.NAME]")
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
    return MappingProxyType({key: of(item) for key, item in value.items()})


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
    return MappingProxyType({int(key): word for key, word in table.items()})


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


# --- the Hugging Face router ------------------------------------------------------------------


def _pinned(table: Mapping[str, _T], hf_id: str) -> dict[str, _T]:
    return {f"{pattern}:{hf_id}": value for pattern, value in table.items()}


def _with_pinned_dialects(hub: Provider, providers: Any) -> Provider:
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


def routed(provider: Provider, hub: Provider) -> Provider:
    """The provider as it is reached through the router: its dialect, the router's address.

    Billing follows the router (it asks the provider and bills 2xx only); prices are looked up
    under the router's name first and under the provider's own next, as they carry no markup.
    """
    return replace(
        provider,
        base_url=hub.base_url,
        key_env=hub.key_env,
        cap_field=hub.cap_field,  # the router documents max_tokens only
        stream=hub.stream,
        stream_above=hub.stream_above,
        limits=RateLimits(),  # the account behind the router has limits of its own
        header_units={},
        billed_5xx=hub.billed_5xx,
        billed_499=hub.billed_499,
        billed_status=hub.billed_status,
        extra_headers=hub.extra_headers,
        route="hf",
        model_suffix=f":{provider.hf_id}",
        price_ids=(f"huggingface_{provider.hf_id}", *provider.price_ids),
    )


# --- choosing an endpoint ---------------------------------------------------------------------


def resolve_endpoint(
    provider_name: str,
    *,
    providers: Mapping[str, Provider],
    env: Mapping[str, str],
    route: str | None = None,
    base_url: str | None = None,
    endpoint_name: str | None = None,
    api_key_env: str | None = None,
    hf_token: Callable[[], str | None] = lambda: None,
) -> Endpoint:
    """Decide where requests to a provider go, and with which key.

    Without `route`: direct when the provider's key is set (or none is needed, or `base_url` is
    given), else through the Hugging Face router when it is there and a token is.

    Args:
        provider_name: a key of `providers`.
        providers: as `load_providers` gives them.
        env: the environment; only the variables named by the provider are read.
        route: "direct", "hf", or None to choose.
        base_url: another address; needed where the provider has none.
        endpoint_name: a lasting name for a server whose address changes.
        api_key_env: the variable that holds the key, instead of the provider's own.
        hf_token: gives the stored Hugging Face token; called only when it is needed.

    Raises:
        UsageError: no such provider, or no such route.
        RefusedError: a key or an address is missing; the hint says how to give it.
    """
    provider = providers.get(provider_name)
    if provider is None:
        raise UsageError(
            f"no provider is called {provider_name!r}",
            hint=f"one of: {', '.join(providers)}; or add [providers.{provider_name}] to hbench.toml",
        )
    if route not in (None, "auto", "direct", "hf"):
        raise UsageError(f"no route is called {route!r}", hint="one of: direct, hf")
    wanted = None if route == "auto" else route
    if provider.route == "local":
        address = normalise_base_url(base_url) if base_url else ""
        return Endpoint(provider, "local", address, endpoint_name)
    if provider_name == "hf" or wanted == "hf":
        return _through_hub(
            provider,
            providers,
            env,
            base_url=base_url,
            endpoint_name=endpoint_name,
            api_key_env=api_key_env,
            hf_token=hf_token,
        )
    key = _read_key(provider, env, api_key_env)
    if key is None and wanted is None and base_url is None and provider.key_required:
        token = (hf_token() or "").strip() if provider.hf_id else ""
        if token:
            hub = routed(provider, providers["hf"])
            return Endpoint(
                hub, "hf", normalise_base_url(hub.base_url or ""), endpoint_name, _secret(token)
            )
    address = base_url or provider.base_url or ""
    if not address:
        raise RefusedError(
            f"{provider_name} has no address of its own",
            hint="give it with --base-url, e.g. --base-url http://localhost:8000/v1",
        )
    if key is None and provider.key_required:
        raise _no_key(provider, route=wanted)
    return Endpoint(provider, "direct", normalise_base_url(address), endpoint_name, key)


def _through_hub(
    provider: Provider,
    providers: Mapping[str, Provider],
    env: Mapping[str, str],
    *,
    base_url: str | None,
    endpoint_name: str | None,
    api_key_env: str | None,
    hf_token: Callable[[], str | None],
) -> Endpoint:
    hub = providers["hf"]
    if provider.name != "hf":
        if provider.hf_id is None:
            there = ", ".join(name for name, other in providers.items() if other.hf_id)
            raise RefusedError(
                f"{provider.name} cannot be reached through the Hugging Face router",
                hint=f"use --route direct; on the router are: {there}",
            )
        hub = routed(provider, hub)
    else:
        hub = replace(hub, route="hf")
    key = _read_key(providers["hf"], env, api_key_env)
    if key is None:
        token = (hf_token() or "").strip()
        if not token:
            raise RefusedError(
                "no Hugging Face token was found",
                hint="set HF_TOKEN to a token that may make calls to Inference Providers "
                "(https://huggingface.co/settings/tokens), or run `hf auth login`",
            )
        key = _secret(token)
    address = normalise_base_url(base_url or hub.base_url or "")
    return Endpoint(hub, "hf", address, endpoint_name, key)


def _no_key(provider: Provider, *, route: str | None) -> RefusedError:
    names = " or ".join(provider.key_env) or "a key variable"
    hint = f"set {names}"
    if provider.hf_id and route is None:
        hint += ", or HF_TOKEN to go through the Hugging Face router"
    elif provider.hf_id:
        hint += ", or use --route hf with HF_TOKEN"
    return RefusedError(
        f"no key for {provider.name}: {names} is not set",
        hint=f"{hint}; another variable is named with --api-key-env",
    )


def _read_key(
    provider: Provider, env: Mapping[str, str], api_key_env: str | None
) -> SecretKey | None:
    if api_key_env is not None:
        value = env.get(api_key_env, "").strip()
        if not value:
            raise RefusedError(
                f"--api-key-env names {api_key_env}, which is not set",
                hint=f"export {api_key_env}=… in this shell",
            )
        return _secret(value, api_key_env)
    for name in provider.key_env:
        value = env.get(name, "").strip()
        if value:
            return _secret(value, name)
    return None


def _secret(value: str, variable: str = "the token") -> SecretKey:
    if not (value.isascii() and value.isprintable()) or " " in value:
        raise RefusedError(
            f"{variable} holds something that cannot be a key (spaces or special characters)",
            hint="set it again, without quotes or line breaks",
        )
    return SecretKey(value)


_ENDINGS = ("/chat/completions", "/completions", "/models")


def normalise_base_url(text: str) -> str:
    """One spelling for one address: scheme and host in lower case, no default port, no end slash.

    An address without a scheme gets `http://` for this machine and `https://` elsewhere; a
    pasted `/chat/completions` at the end is taken off.

    Raises:
        RefusedError: not an HTTP address, or one that carries a password.
    """
    address = text.strip()
    if "://" not in address:
        start = address.split("/", 1)[0].rsplit(":", 1)[0]
        here = start in ("localhost", "[::1]", "0.0.0.0") or start.startswith("127.")  # noqa: S104 - compared, not bound to
        address = f"{'http' if here else 'https'}://{address}"
    host: str | None = None
    port: int | None = None
    parts = urlsplit("")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:  # a port that is no number, a bracket left open
        host = None
    if parts.scheme.lower() not in ("http", "https") or not host:
        raise RefusedError(
            f"not an address: {printable(text)}", hint="e.g. https://api.example.com/v1"
        )
    if parts.username is not None or parts.password is not None:
        raise RefusedError(
            "the address carries a user name or password",
            hint="give the key by an environment variable: --api-key-env",
        )
    if parts.query or parts.fragment:
        raise RefusedError(
            f"the address of {host} has a query or fragment",
            hint="give the part before the question mark",
        )
    scheme = parts.scheme.lower()
    location = f"[{host}]" if ":" in host else host
    if port is not None and port != {"http": 80, "https": 443}[scheme]:
        location = f"{location}:{port}"
    path = parts.path.rstrip("/")
    for ending in _ENDINGS:
        path = path.removesuffix(ending)
    return urlunsplit((scheme, location, path.rstrip("/"), "", ""))


def printable(text: str, limit: int = 80) -> str:
    """A stranger's text as one line for a message: control characters escaped, cut at `limit`."""
    shown = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[:limit])
    return shown if len(text) <= limit else shown[: limit - 1] + "…"
