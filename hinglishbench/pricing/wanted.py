"""What is to be priced: a model at a provider by a route, and the names under which it may stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hinglishbench.client.provider import Provider

# Suffixes of the router that leave the choice of provider to it.
FLOATING = frozenset({"fastest", "cheapest", "preferred", "auto"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """A model whose price is asked for.

    Attributes:
        provider: as the ledger names it.
        model: as it was asked for; a reply may name it otherwise, which changes no price.
        route: direct, hf or local.
        hub_model: its id on the Hugging Face router, without a provider; None: not routed.
        hub_provider: who serves it there; None: left to the router, so nobody can say the price.
        routed_ids: ids of genai-prices for the provider as the router reaches it.
        own_ids: ids of genai-prices for the provider itself.
    """

    provider: str
    model: str
    route: str
    hub_model: str | None = None
    hub_provider: str | None = None
    routed_ids: tuple[str, ...] = ()
    own_ids: tuple[str, ...] = ()


def wanted(provider_name: str, model: str, route: str, providers: Mapping[str, Provider]) -> Wanted:
    """How a model's price is looked up.

    Args:
        provider_name: as the ledger names it; one that is not known has the user's prices alone.
        model: as it was asked for.
        route: direct, hf or local.
        providers: as `load_providers` gives them.
    """
    provider = providers.get(provider_name)
    if provider is None or route == "local":
        return Wanted(provider_name, model, route)
    own = tuple(i for i in provider.price_ids if not i.startswith("huggingface_"))
    if route != "hf":
        return Wanted(provider_name, model, route, own_ids=own)
    if provider_name != "hf":
        hub_model, hub_provider = model.partition(":")[0], provider.hf_id
    else:
        hub_model, _, suffix = model.partition(":")
        hub_provider = suffix if suffix and suffix not in FLOATING else None
        own = next(
            (
                other.price_ids
                for other in providers.values()
                if other.hf_id is not None and other.hf_id == hub_provider
            ),
            (),
        )
    routed = (f"huggingface_{hub_provider}",) if hub_provider else ()
    return Wanted(provider_name, model, route, hub_model, hub_provider, routed, own)
