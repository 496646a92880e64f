"""Which endpoint a run talks to: the choice of route, address and key."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit, urlunsplit

from hinglishbench.client.messages import printable
from hinglishbench.client.provider import Provider, RateLimits, Route
from hinglishbench.client.secret import SecretKey
from hinglishbench.errors import RefusedError, UsageError


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


_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,60}")


def _read_key(
    provider: Provider, env: Mapping[str, str], api_key_env: str | None
) -> SecretKey | None:
    if api_key_env is not None:
        value = env.get(api_key_env, "").strip()
        if not value and not _VARIABLE.fullmatch(api_key_env):
            # Most likely the key itself: it is not repeated.
            raise RefusedError(
                "--api-key-env wants the name of a variable, and no variable of that name is set",
                hint="export MY_KEY=… in this shell, then --api-key-env MY_KEY",
            )
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
