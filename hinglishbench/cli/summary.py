"""What a run came to, or would come to, in words and a table for the person."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hinglishbench.cli.output import number, print_table, say, usd
from hinglishbench.run.result import RunResult


def print_estimate(estimate: dict[str, Any], max_usd: Decimal | None) -> None:
    """What a dry run expects: calls, tokens and dollars of each arm, low, expected and high.

    Args:
        estimate: `Estimate.as_json()`.
        max_usd: US$, to say which of the figures it holds; None: no cap.
    """
    levels = ("low", "expected", "high")

    def rows_of(name: str, what: dict[str, Any]) -> list[list[str]]:
        money = what["usd"] or dict.fromkeys(levels)
        figures = {
            f"{number(what['calls'])} calls, tokens in": what["prompt_tokens"],
            "tokens out": what["completion_tokens"],
        }
        rows = [[name, key, *(number(each[a]) for a in levels)] for key, each in figures.items()]
        return [*rows, [name, "US$", *(usd(money[a]) for a in levels)]]

    rows = []
    for arm in estimate["arms"]:
        effort = f" ({arm['effort']})" if arm["effort"] else ""
        rows += rows_of(f"{arm['model']}{effort} at {arm['provider']}", arm)
    if len(estimate["arms"]) > 1:
        rows += rows_of("together", estimate)
    print_table(["", "", *levels], rows, left=2)
    for line in dict.fromkeys(
        f"{arm['model']} at {arm['provider']}: {basis}"
        for arm in estimate["arms"]
        for basis in arm["basis"]
    ):
        say(line)
    say("retries and lost replies come on top; --max-usd stops before an amount")
    if max_usd is not None and estimate["usd"] is not None:
        fits = next((a for a in reversed(levels) if estimate["usd"][a] <= max_usd), None)
        say(
            f"--max-usd {max_usd} holds "
            + ("less than the low figure" if fits is None else f"the {fits} figure")
        )


def print_notes(result: RunResult) -> None:
    """What the person should know of a run, and what stopped."""
    for note in result.notes:
        say(note)
    for name, reason in result.stopped.items():
        say(f"stopped: {name}: {reason}")
    for why in result.reasons:
        say(f"{why['cells']} x {why['error']}: {why['message']}")


def print_summary(result: RunResult, max_usd: Decimal | None, *, machine: bool) -> None:
    """The end of `hbench run`, on stderr.

    Args:
        result: of the run.
        max_usd: US$, the cap that was asked for.
        machine: JSON was printed; no table beside it.
    """
    print_notes(result)
    if result.dry_run:
        say(
            f"would ask {result.asked} of {result.cells} cells"
            f" ({result.reused} answered already, {result.claimed_elsewhere} asked by another run)"
        )
        if result.estimate is not None and result.asked and not machine:
            print_estimate(result.estimate, max_usd)
    elif not result.asked:
        say(
            f"nothing to ask: {result.reused} of {result.cells} cells are answered"
            + (
                f", {result.claimed_elsewhere} are being asked by another run"
                if result.claimed_elsewhere
                else ""
            )
            + " (--fresh asks again)"
        )
    else:
        say(
            f"{result.status}: {result.answered} of {result.asked} answered,"
            f" {result.errors} errors, {result.reused} reused, {result.attempts} attempts,"
            + (f" {result.left} left for the same command later," if result.left else "")
            + f" {number(result.prompt_tokens)} + {number(result.completion_tokens)} tokens,"
            f" {usd(result.cost_usd)}" + _doubt(result) + f", {result.wall_s:.1f} s"
        )


def _doubt(result: RunResult) -> str:
    doubts = []
    if result.maybe_billed_attempts:
        doubts.append(
            f"up to {usd(result.cost_upper_usd)}: {result.maybe_billed_attempts} maybe billed"
        )
    if result.unpriced_attempts:
        doubts.append(
            f"{result.unpriced_attempts} attempts without a known price: see docs/money.md, `hbench prices apply`"
        )
    return f" ({'; '.join(doubts)})" if doubts else ""
