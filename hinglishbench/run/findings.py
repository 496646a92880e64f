"""What a doctor's questions found, each read from a reply into one line with its remedy."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from hinglishbench.client.failures import Failure
from hinglishbench.client.normalise import Answer
from hinglishbench.client.providers import Endpoint
from hinglishbench.client.retry import Limits, Stop, decide
from hinglishbench.clock import utc_now
from hinglishbench.pricing.book import PriceBook, Tokens
from hinglishbench.pricing.sources import lines_to_paste
from hinglishbench.pricing.wanted import Wanted

Verdict = Literal["ok", "warn", "fail", "skip"]
NAMES = ("key", "reachable", "model", "call", "effort", "usage", "cap", "price")


@dataclass(frozen=True, slots=True)
class Check:
    """One question and its answer.

    Attributes:
        name: one of `NAMES`.
        verdict: ok; warn: a run works, with less; fail: a run would not; skip: could not be asked.
        says: what was found.
        remedy: what to do about it.
    """

    name: str
    verdict: Verdict
    says: str
    remedy: str | None = None


def key_found(endpoint: Endpoint) -> Check:
    """Whether a key is there, or none is needed."""
    if endpoint.key is not None:
        return Check(
            "key", "ok", f"a key of {endpoint.provider.name} is set, route {endpoint.route}"
        )
    return Check("key", "ok", f"{endpoint.provider.name} is asked without a key")


def remedy_of(failure: Failure) -> str:
    """What to do about a failure."""
    limits = Limits()
    stop = decide(
        failure, tries=limits.max_tries, ambiguous=0, elapsed_s=0.0, limits=limits, rand=0.0
    )
    assert isinstance(stop, Stop), "no tries are left"
    return stop.hint if failure.permanent else "try again in a moment"


def usage_found(answer: Answer) -> Check:
    """Whether the reply states what it used."""
    usage = answer.usage
    if usage.prompt_tokens is None or usage.billable_output_tokens is None:
        return Check(
            "usage", "warn", "the reply states no token counts: no tax, no cost, and a budget takes every"
            " call at its bound", "does the endpoint have an option for usage?",
        )  # fmt: skip
    counts = f"{usage.prompt_tokens} in, {usage.billable_output_tokens} out"
    if usage.output_rule == "inconsistent":
        return Check(
            "usage",
            "warn",
            f"{counts}, but they do not add up to the total: costs are a bracket",
            None,
        )
    how = {"inside": "reasoning is part of completion_tokens, or there was none",
           "outside": "reasoning comes on top of completion_tokens",
           "assumed": "no total, so reasoning is taken as part of them"}  # fmt: skip
    return Check("usage", "ok", f"{counts}; {how.get(usage.output_rule or '', '')}")


def cap_found(answer: Answer, cap: int) -> Check:
    """Whether no more output than the cap was billed."""
    used = answer.usage.upper_output_tokens
    if used is None:
        return Check(
            "cap", "warn", "without token counts nobody can tell whether the cap holds", None
        )
    if used <= cap:
        return Check("cap", "ok", f"{used} of at most {cap} output tokens were used")
    return Check(
        "cap", "fail", f"{used} output tokens were billed under a cap of {cap}",
        "a budget cannot be kept here: write reliable_cap = false for this provider into hbench.toml",
    )  # fmt: skip


def price_found(one: Wanted, book: PriceBook) -> Check:
    """Whether a price is known now."""
    rows = book.in_force(utc_now())
    if not rows or rows[0].input_usd is None or rows[0].output_usd is None:
        return Check(
            "price", "warn", f"nobody states a price of {one.model}: runs are not priced, budgets refused",
            "write it into prices.toml:\n" + lines_to_paste([one]),
        )  # fmt: skip
    row = rows[0]
    amounts = [
        f"${(usd * 1_000_000).normalize():f}"
        for usd in (row.input_usd, row.output_usd)
        if usd is not None
    ]
    return Check("price", "ok", f"{' in, '.join(amounts)} out per million tokens ({row.source})")


def cost_of(answer: Answer, book: PriceBook) -> Decimal | None:
    """Dollars of an answer; None: not known."""
    usage = answer.usage
    if usage.reported_cost_usd is not None:
        return usage.reported_cost_usd
    tokens = Tokens(usage.prompt_tokens, usage.billable_output_tokens, usage.cached_tokens,
                    usage.reasoning_tokens)  # fmt: skip
    return book.cost(utc_now(), tokens)
