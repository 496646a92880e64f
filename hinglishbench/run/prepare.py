"""From options to a plan: suite, prompt, endpoints and arms, all checked before any call."""

from __future__ import annotations

import math
import os
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hinglishbench.client.cassette import ReplayTransport
from hinglishbench.client.dialect import Sampling, body_params
from hinglishbench.client.providers import (
    Endpoint,
    Provider,
    SecretKey,
    load_providers,
    resolve_endpoint,
)
from hinglishbench.client.transports import chosen
from hinglishbench.errors import RefusedError, UsageError
from hinglishbench.ledger import planning
from hinglishbench.ledger.claims import Claimed
from hinglishbench.run import embedded
from hinglishbench.run.options import EMBEDDED_MAX_TOKENS, HOSTED_MAX_TOKENS, RunOptions
from hinglishbench.run.pinning import pinned
from hinglishbench.run.plan import Arm, Plan, order_blocks
from hinglishbench.suites.items import load_suite
from hinglishbench.suites.prompts import Prompt, load_prompt

USER_FILE = Path("hbench.toml")
# Stands for the key on a dry run without one.
NO_KEY = "none-on-a-dry-run"


@dataclass(frozen=True)
class Prepared:
    """A plan that can be carried out.

    Attributes:
        origin: live or replay.
        cassette: what answers, when it is a replay.
        providers: everything known of providers, for prices under their other names.
        notes: sentences for the person.
        claim: writes the plan into the ledger; another one serves requests that have no cells.
    """

    plan: Plan
    origin: str
    cassette: ReplayTransport | None
    providers: Mapping[str, Provider] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    claim: Callable[..., Claimed] = planning.claim


@dataclass(frozen=True)
class Reached:
    """Whom to ask: every arm of the options, and what goes with them (as in `Prepared`)."""

    arms: list[Arm]
    cassette: ReplayTransport | None
    providers: Mapping[str, Provider]
    notes: tuple[str, ...]


def prepare(options: RunOptions, env: Mapping[str, str] = os.environ) -> Prepared:
    """Check everything that can be checked without a call, and lay out the plan.

    Raises:
        UsageError: options that do not go together.
        RefusedError: a suite, prompt, provider, key, model or effort that is not there.
        InputError: a file of the user's is wrong.
    """
    _check(options)
    suite = load_suite(options.suite, need_forms=options.forms)
    reached = reach(options, load_prompt(options.prompt or suite.default_prompt), env)
    blocks = order_blocks(
        suite, options.forms, samples=options.samples, seed=options.seed, limit=options.limit
    )
    plan = Plan(suite, reached.arms, blocks, options.bill_to)
    notes = reached.notes
    if len(options.forms) == 1:
        notes += (f"only {options.forms[0]} is asked: one form makes no pairs, and no tax",)
    return Prepared(
        plan, "replay" if reached.cassette else "live", reached.cassette, reached.providers, notes,
    )  # fmt: skip


def reach(options: RunOptions, prompt: Prompt, env: Mapping[str, str] = os.environ) -> Reached:
    """Resolve providers, models and efforts to arms that ask with a prompt.

    Raises:
        UsageError: options that do not go together.
        RefusedError: a provider, key, model or effort that is not there.
    """
    _check(options)
    providers = load_providers(USER_FILE)
    cassette = ReplayTransport(options.replay) if options.replay else None
    if cassette is not None:
        options = _as_recorded(options, cassette)
    arms: list[Arm] = []
    notes: list[str] = []
    for name in options.providers:
        reached = _endpoint(options, name, providers, env, cassette)
        models, said = pinned(_models(options, name, reached[0]), reached[0], options, cassette)
        arms += _arms(options, models, prompt, reached)
        notes += said
        if reached[0].key == SecretKey(NO_KEY):
            notes.append(f"no key of {name} is set: a run would need one")
    if (options.record or options.replay) and len(options.providers) > 1:
        raise UsageError(
            "a cassette holds one endpoint", hint="give one --provider with --record and --replay"
        )
    return Reached(arms, cassette, providers, tuple(notes))


def _as_recorded(options: RunOptions, cassette: ReplayTransport) -> RunOptions:
    """The options with what the cassette knows of provider and models, where they do not say it."""
    about = cassette.about
    if options.providers == RunOptions.providers and about.get("provider"):
        options = replace(options, providers=(str(about["provider"]),))
    if not options.models and about.get("models"):
        options = replace(options, models=tuple(map(str, about["models"])))
    return options


def _check(options: RunOptions) -> None:
    for name, value in (("--limit", options.limit), ("--samples", options.samples),
                        ("--max-tokens", options.max_tokens), ("--concurrency", options.concurrency),
                        ("--rpm", options.rpm), ("--tpm", options.tpm)):  # fmt: skip
        if value is not None and value < 1:
            raise UsageError(f"{name} must be at least 1, not {value}")
    if options.temperature is not None and not 0 <= options.temperature <= 2:
        raise UsageError(f"--temperature must be from 0 to 2, not {options.temperature:g}")
    if len(set(options.forms)) != len(options.forms) or not options.forms:
        raise UsageError("--forms must name each form once", hint="e.g. --forms en,cm-rom")
    for name, seconds, least in (("--max-wait", options.max_wait_s, 0), ("--grace", options.grace_s, 0),
                                 ("--max-pair-gap", options.max_pair_gap_s, 0),
                                 ("--timeout", options.timeout_s, 1), ("--deadline", options.deadline_s, 1)):  # fmt: skip
        if seconds is not None and not (seconds >= least and math.isfinite(seconds)):
            raise UsageError(f"{name} must be at least {least} seconds, not {seconds:g}")
    for name, values in (("--provider", options.providers), ("--model", options.models),
                         ("--effort", options.efforts)):  # fmt: skip
        if len(set(values)) != len(values):
            raise UsageError(f"{name} names something twice: {', '.join(values)}")
    if len(options.providers) > 1:
        _check_one_endpoint(options)
    if options.record and options.replay:
        raise UsageError("--record and --replay exclude each other")
    if options.record and options.record.exists():
        raise RefusedError(
            f"{options.record} is there already", hint="record to another file, or remove it first"
        )
    chosen(options.transport)


def _check_one_endpoint(options: RunOptions) -> None:
    """Refuse what can only be meant for one endpoint, above all a key that is one provider's."""
    for name, value in (("--base-url", options.base_url), ("--endpoint", options.endpoint),
                        ("--api-key-env", options.api_key_env)):  # fmt: skip
        if value is not None:
            raise UsageError(
                f"{name} goes with one --provider, not with {', '.join(options.providers)}",
                hint="describe each endpoint as [providers.NAME] with base_url and key_env in"
                " hbench.toml, and name them with --provider",
            )


def _models(options: RunOptions, name: str, endpoint: Endpoint) -> tuple[str, ...]:
    provider = endpoint.provider
    models = options.models or ((provider.default_model,) if provider.default_model else ())
    if not models:
        known = ", ".join(provider.candidates)
        raise RefusedError(
            f"{name} has no default model",
            hint="give one with --model" + (f", such as {known}" if known else ""),
        )
    if endpoint.route == "local" and set(models) != {embedded.MODEL}:
        raise RefusedError(
            f"the embedded model is {embedded.MODEL}, not {', '.join(models)}",
            hint="leave --model out, or choose a --provider",
        )
    return models


def _arms(
    options: RunOptions, models: Sequence[str], prompt: Prompt, reached: tuple[Endpoint, str]
) -> list[Arm]:
    endpoint, address = reached
    provider = endpoint.provider
    local = endpoint.route == "local"
    max_tokens = options.max_tokens or (EMBEDDED_MAX_TOKENS if local else HOSTED_MAX_TOKENS)
    return [
        Arm(
            endpoint, address, model, effort, options.temperature, max_tokens, prompt,
            body_params(
                provider, model,
                Sampling(temperature=options.temperature, max_tokens=max_tokens, effort=effort,
                         extra=options.extra),
            ),
        )
        for model in models
        for effort in (options.efforts or (None,))
    ]  # fmt: skip


def _endpoint(
    options: RunOptions,
    name: str,
    providers: Mapping[str, Provider],
    env: Mapping[str, str],
    cassette: ReplayTransport | None,
) -> tuple[Endpoint, str]:
    """The endpoint, and the address that is its identity in the ledger."""
    if cassette is not None:  # asks nobody, so it needs no key and no model
        provider = providers.get(name)
        env = ChainMap(dict.fromkeys(provider.key_env if provider else (), "replay"), dict(env))

    def resolve(env: Mapping[str, str], api_key_env: str | None) -> Endpoint:
        return resolve_endpoint(
            name,
            providers=providers,
            env=env,
            route=options.route,
            base_url=options.base_url or (cassette.about.get("base_url") if cassette else None),
            endpoint_name=options.endpoint,
            api_key_env=api_key_env,
            hf_token=stored_hf_token,
        )

    try:
        endpoint = resolve(env, None if cassette else options.api_key_env)
    except RefusedError:
        if not options.dry_run or name not in providers:
            raise
        # A dry run asks nobody, so it needs no key.
        names = (*providers[name].key_env, *providers["hf"].key_env)
        endpoint = resolve(ChainMap(dict.fromkeys(names, NO_KEY), dict(env)), None)
    if cassette is not None and (recorded := cassette.about.get("address")):
        return endpoint, recorded
    if endpoint.route == "local" and cassette is None:
        return endpoint, embedded.model_digest(embedded.model_path())
    return endpoint, options.endpoint or endpoint.base_url


def stored_hf_token() -> str | None:
    """The token of `hf auth login`, or of HF_TOKEN."""
    from huggingface_hub import get_token  # noqa: PLC0415  only where a token is needed

    return get_token()
