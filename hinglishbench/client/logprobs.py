"""Whether an endpoint truly returns the log-probabilities of a given text, tried before it is relied on.

Scoring options by likelihood needs `echo` with `logprobs` on `/completions`. Several servers take both
fields without an error and return the generated token alone: every option then scores the same, and
the accuracy sits at chance, which looks like a result. So the way is probed once, and refused unless
the entries cover the whole prompt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hinglishbench.canonical import canonical_bytes
from hinglishbench.client.dialect import request_headers
from hinglishbench.client.endpoint import Endpoint
from hinglishbench.client.failures import from_error_reply, from_transport_error
from hinglishbench.client.stream import DECODER
from hinglishbench.client.transport import HttpReply, HttpRequest, Transport, TransportError
from hinglishbench.errors import RefusedError

# Several tokens in any vocabulary, Devanagari among them: a byte-level tokenizer splits its letters.
PROBE = "Question: kitne aam bache? उत्तर: चार\nAnswer: 4"
_INSTEAD = "score by the generated letter instead: it needs chat completions only"


@dataclass(frozen=True, slots=True)
class TokenScore:
    """One token of the prompt.

    Attributes:
        text: as the endpoint prints it; half a character prints as bytes or U+FFFD.
        start: where it begins in the prompt, in characters.
        logprob: natural logarithm of its probability after all before it; None for the first.
    """

    text: str
    start: int
    logprob: float | None


@dataclass(frozen=True, slots=True)
class EchoWay:
    """How this endpoint is asked to score a prompt: its `max_tokens`, 0 or (where that fails) 1."""

    max_tokens: int


def echo_request(endpoint: Endpoint, model: str, prompt: str, way: EchoWay) -> HttpRequest:
    """A request that scores `prompt` without (or with one token of) generation."""
    body = {"model": model, "prompt": prompt, "echo": True, "logprobs": 1,
            "max_tokens": way.max_tokens, "temperature": 0}  # fmt: skip
    return HttpRequest(
        "POST", endpoint.base_url + "/completions", request_headers(endpoint), canonical_bytes(body)
    )


def prompt_scores(document: Any, prompt: str) -> list[TokenScore]:
    """The scores of the prompt's tokens; what was generated after them is left out.

    Where the texts of the entries do not spell the prompt (half a Devanagari letter prints as U+FFFD),
    the stated number of prompt tokens says how many entries are the prompt's.

    Args:
        document: the reply as JSON.
        prompt: as it was sent.

    Raises:
        ValueError: the entries do not cover the prompt from its beginning to its end, or are no
            log-probabilities; the message says what was there.
    """
    entries = _entries(document)
    count = _spelling(entries, prompt) or _stated(document, entries)
    if count is None:
        spelt = len("".join(text for text, _, _ in entries))
        raise ValueError(
            f"its {len(entries)} entries ({spelt} characters) do not cover"
            f" the {len(prompt)} characters of the prompt"
        )
    scores = [TokenScore(*entry) for entry in entries[:count]]
    if len(scores) < 2:
        raise ValueError("the prompt came back as one token, which has no score")
    for score in scores[1:]:
        if score.logprob is None or not (math.isfinite(score.logprob) and score.logprob <= 0):
            raise ValueError(
                f"the token at character {score.start} has {score.logprob} for a score"
            )
    return scores


def _spelling(entries: Sequence[tuple[str, int, float | None]], prompt: str) -> int | None:
    """How many entries spell the prompt, a mark of the beginning before it allowed."""
    for first in (0, 1):
        at = 0
        for number, (text, _, _) in enumerate(entries[first:], first + 1):
            if not prompt.startswith(text, at):
                break
            at += len(text)
            if at == len(prompt):
                return number
    return None


def _stated(document: Any, entries: Sequence[object]) -> int | None:
    usage = document.get("usage")
    count = usage.get("prompt_tokens") if isinstance(usage, dict) else None
    if isinstance(count, int) and not isinstance(count, bool) and 0 < count <= len(entries):
        return count
    return None


def _entries(document: Any) -> list[tuple[str, int, float | None]]:
    choices = document.get("choices") if isinstance(document, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    found = choice.get("logprobs") if isinstance(choice, dict) else None
    if not isinstance(found, Mapping):
        raise ValueError("the reply has no log-probabilities")  # noqa: TRY004  of a stranger's data
    tokens, values = found.get("tokens"), found.get("token_logprobs")
    if not isinstance(tokens, list) or not isinstance(values, list) or len(tokens) != len(values):
        raise ValueError("the reply's tokens and log-probabilities do not go together")
    starts = found.get("text_offset")
    if not isinstance(starts, list) or len(starts) != len(tokens):
        starts, at = [], 0
        for token in tokens:
            starts.append(at)
            at += len(str(token))
    entries = []
    for token, start, value in zip(tokens, starts, values, strict=True):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if (
            not isinstance(token, str)
            or not isinstance(start, int)
            or not (number or value is None)
        ):
            raise ValueError("the reply's log-probabilities are not numbers by token")
        entries.append((token, start, float(value) if number else None))
    return entries


async def probe(
    endpoint: Endpoint, model: str, transport: Transport, *, timeout_s: float = 60.0
) -> EchoWay:
    """Try whether the endpoint scores prompts, and how. Costs one or two calls of a few tokens.

    A server that fails on `max_tokens: 0` (vLLM did) is asked for one token, which is then left out.

    Raises:
        RefusedError: it does not, or nobody can say now; the message says what it does instead.
    """
    why = ""
    for way in (EchoWay(0), EchoWay(1)):
        reply = await _send(endpoint, model, transport, way, timeout_s)
        if reply.status != 200:
            failure = from_error_reply(
                reply, _parsed(reply), endpoint.provider, 0.0, key=endpoint.key
            )
            if failure.code in ("bad_key", "no_credits", "rate_limited", "overloaded"):
                raise RefusedError(
                    f"{_name(endpoint, model)} could not be tried: {failure.message}",
                    hint="try again when that is over",
                )
            why = failure.message
            if reply.status in (404, 405):
                break  # there is no such path, or no such model on it
            continue
        try:
            prompt_scores(_parsed(reply), PROBE)
        except ValueError as error:
            why = f"echo was taken, but {error}"
            continue
        return way
    raise RefusedError(
        f"{_name(endpoint, model)} cannot score options by log-probability: {why}", hint=_INSTEAD
    )


async def _send(
    endpoint: Endpoint, model: str, transport: Transport, way: EchoWay, timeout_s: float
) -> HttpReply:
    try:
        return await transport.send(echo_request(endpoint, model, PROBE, way), timeout_s=timeout_s)
    except TransportError as error:
        failure = from_transport_error(error, endpoint.provider, key=endpoint.key)
        raise RefusedError(
            f"{_name(endpoint, model)} could not be tried: {failure.message}",
            hint="check the address, and try again",
        ) from error


def _parsed(reply: HttpReply) -> Any:
    try:
        return DECODER.decode(reply.body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _name(endpoint: Endpoint, model: str) -> str:
    return f"{model} at {endpoint.provider.name}"
