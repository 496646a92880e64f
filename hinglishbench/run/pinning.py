"""A bare model on the Hugging Face router is pinned to one provider, once, before anything is planned.

The router chooses a provider anew for every request, and takes providers off when a probe fails: the
two sides of a pair would come from different machines. The pinned name is part of the arm, so it is
stored, printed, and what the next run has to be given to ask the same provider.
"""

from __future__ import annotations

from collections.abc import Sequence

from hinglishbench.client.cassette import ReplayTransport
from hinglishbench.client.dialect import models_request, pin_model
from hinglishbench.client.failures import from_error_reply
from hinglishbench.client.providers import Endpoint
from hinglishbench.client.transport import HttpReply, TransportError
from hinglishbench.client.transports import new_transport
from hinglishbench.errors import RefusedError
from hinglishbench.run.options import RunOptions

_TIMEOUT_S = 30.0
# Suffixes that leave the choice to the router, request by request.
_CHOICES = ("fastest", "cheapest", "preferred")


def pinned(
    models: Sequence[str],
    endpoint: Endpoint,
    options: RunOptions,
    cassette: ReplayTransport | None,
) -> tuple[list[str], list[str]]:
    """The models with their provider, and sentences that say what was pinned.

    A dry run asks nobody and leaves a bare name bare; a replay takes what was recorded.

    Raises:
        RefusedError: the router cannot be asked, or no provider serves the model.
    """
    names: list[str] = []
    notes: list[str] = []
    for model in models:
        bare, _, suffix = model.partition(":")
        if endpoint.provider.name != "hf" or (suffix and suffix not in _CHOICES):
            names.append(model)
        elif cassette is not None:
            recorded = cassette.about.get("models") or [cassette.about.get("model")]
            fitting = (name for name in recorded if str(name).startswith(f"{bare}:"))
            names.append(next(fitting, model))
        elif options.dry_run:
            names.append(model)
            notes.append(
                f"{model} will be pinned to one provider when the run begins: what it would cost,"
                " and what is answered already, is known only with that provider's name"
            )
        else:
            names.append(pin_model(bare, _ask(endpoint, bare, options).body, suffix or None))
            notes.append(
                f"{model} is pinned to {names[-1]}; give that name to ask the same provider again"
            )
    return names, notes


def _ask(endpoint: Endpoint, model: str, options: RunOptions) -> HttpReply:
    import anyio  # noqa: PLC0415  only where something is asked

    async def ask() -> HttpReply:
        transport = new_transport(options.transport)
        try:
            return await transport.send(models_request(endpoint, model), timeout_s=_TIMEOUT_S)
        finally:
            await transport.aclose()

    hint = f"try again, or name the provider yourself: --model {model}:PROVIDER"
    try:
        reply = anyio.run(ask)
    except TransportError as error:
        raise RefusedError(
            f"the router could not be asked who serves {model}: {error}", hint=hint
        ) from error
    if reply.status != 200:
        failure = from_error_reply(reply, None, endpoint.provider, 0.0, key=endpoint.key)
        raise RefusedError(
            f"the router does not say who serves {model}: {failure.message}", hint=hint
        )
    return reply
