"""`hbench data build | generate | translate | pull`: datasets made with a model, or fetched."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hinglishbench.cli.asking import asks
from hinglishbench.cli.output import print_json, say, usd, visible
from hinglishbench.cli.summary import print_estimate, print_notes
from hinglishbench.errors import UsageError
from hinglishbench.run.options import RunOptions

if TYPE_CHECKING:
    from hinglishbench.pipelines.build import Built
    from hinglishbench.pipelines.pulling import Outcome

_Out = Annotated[Path, typer.Option("--out", help="The folder to write to.")]
_Retry = Annotated[
    int,
    typer.Option(min=0, metavar="K", help="Ask up to K more times for what failed; it selects, the card says so."),
]  # fmt: skip
_Prompt = Annotated[
    str | None, typer.Option(help="A pipeline prompt by name, or FILE.toml. Default: the built-in one.")
]  # fmt: skip
_Json = Annotated[bool, typer.Option("--json", help="Print counts and files as JSON on stdout.")]
_Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")]


@asks
def build(
    name: Annotated[str, typer.Argument(metavar="NAME", help="gsm8k-hinglish")],
    *,
    out: _Out,
    asking: RunOptions,
    n: Annotated[int, typer.Option(min=1, help="How many items to sample.")] = 100,
    seed: Annotated[int, typer.Option(help="Of the sample; it is not sent.")] = 42,
    source: Annotated[
        Path | None, typer.Option(help="A local copy, .jsonl or .parquet. Default: from the hub.")
    ] = None,
    revision: Annotated[
        str | None, typer.Option(help="Commit of the hub's dataset. Default: a pinned one.")
    ] = None,
    prompt: _Prompt = None,
    retry_failed: _Retry = 0,
    as_json: _Json = False,
    quiet: _Quiet = False,
) -> None:
    """Sample a public set, translate it to Hinglish and check every translation.

    Every rejected item is kept with its reason. The same command after a stop goes on where it
    stood and buys nothing twice.
    """
    from hinglishbench.pipelines import build as pipeline  # noqa: PLC0415  heavy
    from hinglishbench.pipelines.gsm8k import REVISION  # noqa: PLC0415  the same

    if name != pipeline.GSM8K_HINGLISH:
        raise UsageError(f"no build named {name!r}", hint=f"there is: {pipeline.GSM8K_HINGLISH}")
    built = pipeline.build_gsm8k_hinglish(
        asking, out, n=n, seed=seed, source=source, revision=revision or REVISION, prompt=prompt,
        retry_failed=retry_failed, quiet=quiet,
    )  # fmt: skip
    _end(built, as_json=as_json, quiet=quiet)


@asks
def translate(
    file: Annotated[str, typer.Argument(metavar="FILE|NAME", help="Items, or a packaged suite.")],
    *,
    out: _Out,
    asking: RunOptions,
    reverse: Annotated[
        bool, typer.Option("--reverse", help="Hinglish to English: --from cm-rom --to en.")
    ] = False,
    source: Annotated[str, typer.Option("--from", help="Form to read.")] = "en",
    target: Annotated[str, typer.Option("--to", help="Form to write.")] = "cm-rom",
    prompt: _Prompt = None,
    retry_failed: _Retry = 0,
    as_json: _Json = False,
    quiet: _Quiet = False,
) -> None:
    """Translate items into another form and check every translation.

    The result is a parallel file for `hbench run --suite`; what was left out stands beside it with
    its reason.
    """
    from hinglishbench.pipelines import build as pipeline  # noqa: PLC0415  heavy

    if reverse:
        source, target = "cm-rom", "en"
    built = pipeline.translate_file(
        asking, file, out, source=source, target=target, prompt=prompt, retry_failed=retry_failed,
        quiet=quiet,
    )  # fmt: skip
    _end(built, as_json=as_json, quiet=quiet)


@asks
def generate(
    name: Annotated[str, typer.Argument(metavar="NAME", help="hinglish-first")],
    *,
    out: _Out,
    asking: RunOptions,
    n: Annotated[int, typer.Option(min=1, help="How many problems to order.")] = 340,
    solver: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Who solves. Default: the author's model.")
    ] = None,
    solver_provider: Annotated[
        str | None,
        typer.Option(metavar="P", help="Where the solver is. Default: where the author is."),
    ] = None,
    solver_effort: Annotated[
        str | None, typer.Option(metavar="E", help="The solver's effort. Default: the author's.")
    ] = None,
    votes: Annotated[int, typer.Option(min=1, help="Independent solves of each problem.")] = 1,
    similarity: Annotated[
        float,
        typer.Option(min=0.05, max=1, help="Share of word runs that makes a duplicate, 0..1."),
    ] = 0.5,
    prompt: _Prompt = None,
    solve_prompt: Annotated[str | None, typer.Option(help="The same for the solver.")] = None,
    as_json: _Json = False,
    quiet: _Quiet = False,
) -> None:
    """Have original Hinglish problems written, checked, and solved again independently.

    A problem is kept when most solves, made in fresh conversations, give its author's answer; every
    reject is kept with its reason and both answers.
    """
    from hinglishbench.pipelines.first import generate_hinglish_first  # noqa: PLC0415  heavy

    if name != "hinglish-first":
        raise UsageError(f"nothing named {name!r} to generate", hint="there is: hinglish-first")
    built = generate_hinglish_first(
        asking, out, n=n, prompt=prompt, solve_prompt=solve_prompt, votes=votes, similarity=similarity,
        solving=_solving(asking, solver, solver_provider, solver_effort), quiet=quiet,
    )  # fmt: skip
    _end(built, as_json=as_json, quiet=quiet)


def pull(
    source: Annotated[str, typer.Argument(metavar="FOLDER|hub:OWNER/NAME", help="Where it is.")],
    *,
    out: _Out,
    maps: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="[FILE:]id=…,answer=…,en=…,cm-rom=…", help="Their keys; may be given again."),
    ] = None,
    prediction_maps: Annotated[
        list[str] | None,
        typer.Option("--map-predictions", metavar="[PATTERN:]id=…,form=…,output=…", help="The same for predictions."),
    ] = None,
    revision: Annotated[str | None, typer.Option(help="Commit of the hub's repository.")] = None,
    ledger: Annotated[
        Path | None, typer.Option(help="Take the predictions into this ledger, as origin import.")
    ] = None,
    as_json: _Json = False,
) -> None:  # fmt: skip
    """Fetch datasets and predictions in HinglishBench's layout.

    Keys that are not mapped are guessed, and the guesses are told. Predictions are graded again
    where their raw output is there; `hbench tax --origin import` shows their own tax.
    """
    from hinglishbench.pipelines import pulling  # noqa: PLC0415  heavy

    outcome = pulling.pull(
        source, out, maps=maps or (), prediction_maps=prediction_maps or (), revision=revision,
        ledger=ledger,
    )  # fmt: skip
    if as_json:
        print_json(outcome.as_json())
    _pulled(outcome)


def _pulled(outcome: Outcome) -> None:
    for dataset in outcome.datasets:
        say(
            f"{visible(dataset.stem)}: {len(dataset.items)} items, wrote {visible(str(dataset.path))}"
        )
        if dataset.mapped.guessed:
            say("  keys guessed: " + _pairs(dataset.mapped.guessed))
        for line, why in dataset.left_out[:5]:
            say(f"  line {line} left out: {visible(why)}")
        if len(dataset.left_out) > 5:
            say(f"  … and {len(dataset.left_out) - 5} more lines left out")
    if (made := outcome.predictions) is None:
        return
    say(
        f"predictions: {made.lines} lines of {len(made.folders)} arms; {made.regraded} graded again,"
        f" {made.disagree} of them unlike the published verdict; {made.unknown_items} of items unknown"
    )
    for name, guessed in made.guessed.items():
        if guessed:
            say(f"  {visible(name)}: keys guessed: " + _pairs(guessed))
    if outcome.imported is not None:
        say(f"took in {outcome.imported['cells']} cells of {outcome.imported['arms']} arms")


def _pairs(guessed: dict[str, str]) -> str:
    return visible(", ".join(f"{ours}={theirs}" for ours, theirs in guessed.items()))


def _solving(
    asking: RunOptions, model: str | None, provider: str | None, effort: str | None
) -> RunOptions:
    """The solver's options: the author's, with what is given for the solver alone."""
    changed: dict[str, Any] = {}
    if model is not None or provider is not None:
        changed["models"] = (model,) if model is not None else ()
    if effort is not None:
        changed["efforts"] = (effort,)
    if provider is not None and provider not in asking.providers:
        # An address, a key and a route belong to the provider that they were given for.
        changed |= {"providers": (provider,), "base_url": None, "endpoint": None, "api_key_env": None,
                    "route": None, "bill_to": None}  # fmt: skip
        if effort is None:
            changed["efforts"] = ()
    return replace(asking, **changed)


def _end(built: Built, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        print_json(built.as_json())
    if not quiet:
        _summary(built, machine=as_json)
    sys.exit(built.exit_code)


def _summary(built: Built, *, machine: bool) -> None:
    for result in built.results:
        print_notes(result)
    counts = built.counts
    if built.results and built.results[0].dry_run:
        say(
            f"would ask {counts['asked']} requests ({counts['reused']} answered already);"
            " retries and solves, which depend on the replies, come on top"
        )
        if (estimate := built.results[0].estimate) is not None and counts["asked"] and not machine:
            print_estimate(estimate, None)
        return
    if not counts["complete"]:
        others = sum(result.claimed_elsewhere for result in built.results)
        say(
            "not complete: nothing is written; the same command asks what is missing"
            + (f" ({others} are being asked by another run)" if others else "")
        )
        return
    reasons = ", ".join(f"{n} {reason}" for reason, n in counts["reasons"].items())
    say(
        f"{counts['kept']} of {counts['items']} kept, {counts['excluded']} left out"
        + (f" ({reasons})" if reasons else "")
        + f"; {counts['asked']} asked, {counts['reused']} reused, "
        + usd(_spent(built))
    )
    for path in built.files:
        say(f"wrote {visible(str(path))}")


def _spent(built: Built) -> float | None:
    known = [float(r.cost_usd) for r in built.results if r.cost_usd is not None]
    return sum(known) if known else None
