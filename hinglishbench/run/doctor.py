"""One look at an endpoint before money is spent: one line a question, each with its remedy.

The calls are the ones that a run would send (same headers, same dialect), with a cap of one token.
They are not written to any ledger: what they cost is said at the end.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import anyio

from hinglishbench import __version__
from hinglishbench.client.cassette import RecordingTransport
from hinglishbench.client.dialect import (
    Sampling,
    body_params,
    chat_request,
    models_request,
    pin_model,
)
from hinglishbench.client.failures import Failure, from_transport_error
from hinglishbench.client.normalise import Answer, normalise
from hinglishbench.client.providers import Endpoint, Provider, load_providers, resolve_endpoint
from hinglishbench.client.transport import HttpReply, HttpRequest, Transport, TransportError
from hinglishbench.client.transports import new_transport
from hinglishbench.errors import RefusedError
from hinglishbench.pricing.sources import Sources
from hinglishbench.pricing.wanted import FLOATING, wanted
from hinglishbench.run import embedded
from hinglishbench.run.findings import (
    NAMES,
    Check,
    cap_found,
    cost_of,
    key_found,
    price_found,
    remedy_of,
    usage_found,
)
from hinglishbench.run.prepare import USER_FILE

CAP = 1
# Some models answer a cap of one token with an error, because their reasoning does not fit.
WIDER_CAP = 16
_TIMEOUT_S = 60.0
_QUESTION = [{"role": "user", "content": "Reply with the number 7."}]
# Of the effort values that a model may have, the cheapest to try first.
_CHEAP = ("none", "minimal", "low")


@dataclass
class Diagnosis:
    """What was found of one endpoint.

    Attributes:
        usd: what the calls cost, as far as that is known.
    """

    provider: str
    checks: list[Check]
    route: str | None = None
    base_url: str | None = None
    model: str | None = None
    usd: Decimal | None = None

    @property
    def healthy(self) -> bool:
        """Nothing failed."""
        return all(check.verdict != "fail" for check in self.checks)

    def as_json(self) -> dict[str, Any]:
        """One object."""
        return {
            "provider": self.provider, "route": self.route, "base_url": self.base_url,
            "model": self.model, "healthy": self.healthy,
            "cost_usd": None if self.usd is None else float(self.usd),
            "checks": [
                {"name": c.name, "verdict": c.verdict, "says": c.says, "remedy": c.remedy}
                for c in self.checks
            ],
        }  # fmt: skip


def diagnose(
    provider: str,
    *,
    env: Mapping[str, str],
    model: str | None = None,
    effort: str | None = None,
    route: str | None = None,
    base_url: str | None = None,
    api_key_env: str | None = None,
    bill_to: str | None = None,
    save: Path | None = None,
    transport: str | None = None,
) -> Diagnosis:
    """Look at an endpoint.

    Args:
        provider: as `hbench run --provider`.
        env: the environment, for the key.
        model: which; None: the provider's default, else the first that it lists.
        effort: a value to try; None: the cheapest that the model is known to have.
        route: direct or hf; None: as a run would choose.
        base_url: another address.
        api_key_env: the variable that holds the key.
        bill_to: an organisation to bill on the router.
        save: write the exchanges to a cassette, without the key.
        transport: by name; None: the fastest installed.

    Raises:
        UsageError: no such provider, route or transport.
        RefusedError: `save` is there already.
        InputError: a file of the user's is wrong.
    """
    providers = load_providers(USER_FILE)
    if save is not None and save.exists():
        raise RefusedError(f"{save} is there already", hint="save to another file")
    with ExitStack() as stack:
        asked = NAMES[0]
        try:
            endpoint = resolve_endpoint(
                provider, providers=providers, env=env, route=route, base_url=base_url,
                api_key_env=api_key_env, hf_token=_stored_token,
            )  # fmt: skip
            asked = "reachable"
            if endpoint.route == "local":
                server = embedded.EmbeddedServer.start(embedded.model_path(), max_tokens=WIDER_CAP)
                stack.callback(server.stop)
                endpoint = replace(endpoint, base_url=server.base_url)
        except RefusedError as error:
            rest = tuple(name for name in NAMES if name != asked)
            first = Check(asked, "fail", str(error), error.hint)
            return Diagnosis(provider, [first, *_skipped(rest, "nothing can be asked")])
        wire = new_transport(transport)
        if save is not None:
            wire = RecordingTransport(wire, save, {
                "provider": provider, "route": endpoint.route, "model": model, "base_url": endpoint.base_url,
                "recorded": f"{datetime.now(UTC):%Y-%m-%d}", "version": __version__, "by": "hbench doctor",
            })  # fmt: skip
        visit = _Visit(endpoint, wire, providers, Sources(), bill_to)
        return anyio.run(visit.all, provider, model, effort)


def _stored_token() -> str | None:
    from huggingface_hub import get_token  # noqa: PLC0415  only where a token is needed

    return get_token()


def _skipped(names: tuple[str, ...], why: str) -> list[Check]:
    return [Check(name, "skip", why) for name in names]


@dataclass
class _Visit:
    """The questions, in their order; each answer decides what can be asked next."""

    endpoint: Endpoint
    transport: Transport
    providers: Mapping[str, Provider]
    sources: Sources
    bill_to: str | None

    async def all(self, provider: str, model: str | None, effort: str | None) -> Diagnosis:
        endpoint = self.endpoint
        found = Diagnosis(provider, [key_found(endpoint)], endpoint.route, endpoint.base_url)
        try:
            await self._ask(found, model, effort)
        finally:
            await self.transport.aclose()
        missing = tuple(
            name for name in NAMES if name not in {check.name for check in found.checks}
        )
        found.checks += _skipped(missing, "the questions before it failed")
        found.checks.sort(key=lambda check: NAMES.index(check.name))
        return found

    async def _ask(self, found: Diagnosis, model: str | None, effort: str | None) -> None:
        listed, check = await self._list()
        found.checks.append(check)
        if check.verdict == "fail":
            return
        model = model or self.endpoint.provider.default_model or _first(listed)
        if model is None:
            hint = ", ".join(self.endpoint.provider.candidates) or "a name"
            found.checks.append(Check("model", "fail", "no model was named", f"--model {hint}"))
            return
        model, check = await self._model(model, listed)
        found.model = model
        found.checks.append(check)
        one = wanted(self.endpoint.provider.name, model, self.endpoint.route, self.providers)
        book = self.sources.book(one)
        found.checks.append(price_found(one, book))
        if check.verdict == "fail":
            return
        answer, cap, check = await self._call(model)
        found.checks.append(check)
        if answer is None:
            return
        answers = [answer]
        found.checks += [usage_found(answer), cap_found(answer, cap)]
        check, more = await self._effort(model, effort, cap)
        found.checks.append(check)
        if more is not None:
            answers.append(more)
        costs = [cost_of(each, book) for each in answers]
        found.usd = (
            sum((c for c in costs if c is not None), Decimal(0)) if None not in costs else None
        )

    async def _send(self, request: HttpRequest) -> HttpReply | Failure:
        try:
            return await self.transport.send(request, timeout_s=_TIMEOUT_S)
        except TransportError as error:
            return from_transport_error(error, self.endpoint.provider, key=self.endpoint.key)

    async def _list(self) -> tuple[list[str], Check]:
        """Whether the endpoint answers at all, and the models that it lists."""
        started = time.monotonic()
        reply = await self._send(models_request(self.endpoint))
        took = f"{self.endpoint.base_url} answered in {1000 * (time.monotonic() - started):.0f} ms"
        if isinstance(reply, Failure):
            return [], Check(
                "reachable", "fail", f"{self.endpoint.base_url}: {reply.message}",
                "check the network and the address (--base-url)",
            )  # fmt: skip
        if reply.status in (401, 403):
            failure = normalise(reply, self.endpoint.provider, time.time(), key=self.endpoint.key)
            assert isinstance(failure, Failure)
            return [], Check("reachable", "fail", failure.message, remedy_of(failure))
        return _ids(reply.body) if reply.status == 200 else [], Check("reachable", "ok", took)

    async def _model(self, model: str, listed: list[str]) -> tuple[str, Check]:
        """The model as a run would ask for it, and whether it is there."""
        bare, _, suffix = model.partition(":")
        if self.endpoint.provider.name == "hf" and (not suffix or suffix in FLOATING):
            reply = await self._send(models_request(self.endpoint, bare))
            body = reply.body if isinstance(reply, HttpReply) and reply.status == 200 else b""
            try:
                pinned = pin_model(bare, body, suffix or None)
            except RefusedError as error:
                return model, Check("model", "fail", str(error), error.hint)
            return pinned, Check("model", "ok", f"{model}, pinned to {pinned}")
        if not listed:
            return model, Check(
                "model",
                "warn",
                f"{model}: the endpoint lists no models, so only a call can tell",
                None,
            )
        if model in listed or (self.endpoint.route == "hf" and bare in listed):
            return model, Check("model", "ok", f"{model} is listed, among {len(listed)}")
        near = sorted(listed, key=lambda name: -_alike(name, model))[:3]
        return model, Check(
            "model",
            "warn",
            f"{model} is not among the {len(listed)} listed",
            f"listed are {', '.join(near)}",
        )

    async def _call(self, model: str) -> tuple[Answer | None, int, Check]:
        """One call with the headers and fields of a run."""
        cap = CAP
        outcome = await self._chat(model, None, cap)
        if isinstance(outcome, Failure) and outcome.code in ("bad_request", "too_long"):
            cap = WIDER_CAP
            outcome = await self._chat(model, None, cap)
        if isinstance(outcome, Failure):
            return None, cap, Check("call", "fail", outcome.message, remedy_of(outcome))
        note = "" if cap == CAP else f" (a cap of {CAP} was refused, {cap} was not)"
        return outcome, cap, Check("call", "ok", f"{model} answered a {cap}-token call{note}")

    async def _chat(self, model: str, effort: str | None, cap: int) -> Answer | Failure:
        provider = self.endpoint.provider
        params = body_params(provider, model, Sampling(max_tokens=cap, effort=effort))
        reply = await self._send(chat_request(self.endpoint, params, _QUESTION, self.bill_to))
        if isinstance(reply, Failure):
            return reply
        return normalise(reply, provider, time.time(), key=self.endpoint.key)

    async def _effort(
        self, model: str, effort: str | None, cap: int
    ) -> tuple[Check, Answer | None]:
        """Whether a value of effort is taken."""
        values = self.endpoint.provider.effort_values(model)
        if effort is None:
            effort = next((value for value in _CHEAP if value in values), next(iter(values), None))
        if effort is None:
            return Check("effort", "skip", f"{model} is not known to have an effort to set"), None
        try:
            outcome = await self._chat(model, effort, cap)
        except RefusedError as error:
            return Check("effort", "fail", str(error), error.hint), None
        name = self.endpoint.provider.name
        if isinstance(outcome, Failure):
            return Check(
                "effort", "fail", f"effort {effort}: {outcome.message}",
                f'describe what the model takes in hbench.toml: [providers.{name}.effort."{model}"]',
            ), None  # fmt: skip
        if effort == "none" and outcome.reasoning_observed:
            return Check(
                "effort", "warn", "effort none is taken without an error, and reasoning comes all the same",
                f'describe the right switch in hbench.toml: [providers.{name}.effort."{model}"]',
            ), outcome  # fmt: skip
        return Check(
            "effort", "ok", f"effort {effort} is taken (known: {', '.join(values)})"
        ), outcome


def _ids(body: bytes) -> list[str]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        return []
    data = document.get("data") if isinstance(document, dict) else document
    if not isinstance(data, list):
        return []
    return [m["id"] for m in data if isinstance(m, dict) and isinstance(m.get("id"), str)]


def _first(listed: list[str]) -> str | None:
    return listed[0] if listed else None


def _alike(name: str, model: str) -> float:
    from difflib import SequenceMatcher  # noqa: PLC0415  only for a name that is not there

    return SequenceMatcher(None, name.lower(), model.lower()).ratio()
