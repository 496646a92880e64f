"""`hbench run`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from hinglishbench.cli.amounts import dollars, in_flight
from hinglishbench.cli.output import print_json
from hinglishbench.cli.summary import print_summary
from hinglishbench.errors import RefusedError
from hinglishbench.run.options import DEFAULT_SUITE, RunOptions
from hinglishbench.run.result import RunResult

EXAMPLES = """Examples:

  hbench run --limit 5                    five blocks on the embedded model, no key

  hbench run --provider baseten --model org/name --effort low

  hbench run --suite pairs.jsonl --forms en,hi --samples 3

  hbench run --provider openai-compatible --base-url http://127.0.0.1:8000/v1 --model name

  hbench run --record tape.jsonl          and later: --replay tape.jsonl, without a network
"""


def run(
    suite: Annotated[str, typer.Option(help="A packaged suite, or FILE.jsonl of your own pairs.")] = DEFAULT_SUITE,
    provider: Annotated[list[str], typer.Option(help="Where to ask; may be given again. See `hbench providers`.")] = ["local"],  # noqa: B006  typer copies it
    model: Annotated[list[str], typer.Option(help="Which model; may be given again. Default: the provider's.")] = [],  # noqa: B006  the same
    effort: Annotated[list[str], typer.Option(help="none, low, medium or high; unset: the field is not sent.")] = [],  # noqa: B006  the same
    prompt: Annotated[str | None, typer.Option(help="A prompt by name, see `hbench prompts`. Default: the suite's.")] = None,
    forms: Annotated[str, typer.Option(help="Language forms, with commas.")] = "en,cm-rom",
    limit: Annotated[int | None, typer.Option(help="Only the first N blocks of the seeded order.")] = None,
    samples: Annotated[int, typer.Option(help="Answers per item and form.")] = 1,
    seed: Annotated[int, typer.Option(help="Orders blocks and forms; it is not sent to the model.")] = 42,
    temperature: Annotated[float | None, typer.Option(help="Unset: the field is not sent.")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="Cap on output tokens. Default: 4096, embedded 256.")] = None,
    concurrency: Annotated[str, typer.Option(help="Requests in flight per endpoint, or auto.")] = "auto",
    rpm: Annotated[int | None, typer.Option(help="Requests per minute per endpoint.")] = None,
    tpm: Annotated[int | None, typer.Option(help="Tokens per minute per endpoint.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible server, up to /v1.")] = None,
    endpoint: Annotated[str | None, typer.Option(help="A lasting name for a server whose address changes.")] = None,
    api_key_env: Annotated[str | None, typer.Option(help="Variable that holds the key (never the key itself).")] = None,
    route: Annotated[str | None, typer.Option(help="direct, or hf (through the Hugging Face router).")] = None,
    bill_to: Annotated[str | None, typer.Option(metavar="ORG", help="Organisation to charge, on the Hugging Face router.")] = None,
    ledger: Annotated[Path | None, typer.Option(help="The ledger file. Default: HBENCH_LEDGER, else ./ledger.duckdb.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Ask whole blocks again, answered or not.")] = False,
    max_pair_gap: Annotated[float, typer.Option(help="Hours; an older part of a block is asked again.")] = 1.0,
    max_wait: Annotated[float, typer.Option(help="Seconds; an endpoint that says to wait longer stops.")] = 300.0,
    timeout: Annotated[float, typer.Option(help="Seconds for one request, its retries included.")] = 600.0,
    deadline: Annotated[float | None, typer.Option(help="Seconds; no call is begun that would likely end later.")] = None,
    grace: Annotated[float, typer.Option(help="Seconds that the first Ctrl-C waits for what is in flight.")] = 30.0,
    transport: Annotated[str | None, typer.Option(help="httpx2 or pyreqwest. Default: the fastest installed.")] = None,
    max_usd: Annotated[str | None, typer.Option(help="US$ that this run may come to, lost replies counted.")] = None,
    max_usd_total: Annotated[str | None, typer.Option(help="US$ that the whole ledger may come to.")] = None,
    allow_unbounded: Annotated[bool, typer.Option("--allow-unbounded", help="A budget also where the cap on tokens may not hold.")] = False,
    record: Annotated[Path | None, typer.Option(help="Write every exchange to a cassette.")] = None,
    replay: Annotated[Path | None, typer.Option(help="Answer from a cassette; asks nobody.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be asked; ask nothing.")] = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the summary as JSON on stdout.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no summary.")] = False,
) -> None:  # fmt: skip
    """Ask paired questions and keep every answer in the ledger.

    Alone it asks the packaged suite of the embedded model, without a key or a network. What the
    ledger has answered already is not asked (or bought) again. Ctrl-C once: what is in flight is
    kept; the same command later asks only what is missing.
    """
    from hinglishbench.run.runner import run as carry_out  # noqa: PLC0415  heavy

    options = RunOptions(
        suite=suite, providers=tuple(provider), models=tuple(model), efforts=tuple(effort), prompt=prompt,
        forms=tuple(f.strip() for f in forms.split(",") if f.strip()), limit=limit, samples=samples,
        seed=seed, temperature=temperature, max_tokens=max_tokens, concurrency=in_flight(concurrency),
        rpm=rpm, tpm=tpm, base_url=base_url, endpoint=endpoint, api_key_env=api_key_env, route=route,
        ledger=ledger, fresh=fresh, dry_run=dry_run, record=record, replay=replay, transport=transport,
        max_pair_gap_s=3600 * max_pair_gap, max_wait_s=max_wait, grace_s=grace,
        bill_to=bill_to, timeout_s=timeout, deadline_s=deadline,
        max_usd=dollars(max_usd, "--max-usd"), max_usd_total=dollars(max_usd_total, "--max-usd-total"),
        allow_unbounded=allow_unbounded,
    )  # fmt: skip
    try:
        result = carry_out(options, quiet=quiet)
    except RefusedError as error:
        if json_:
            print_json(RunResult(None, "refused", notes=[str(error)]).as_json())
        raise
    if json_:
        print_json(result.as_json())
    if not quiet:
        print_summary(result, options.max_usd, machine=json_)
    sys.exit(result.exit_code)


run.examples = EXAMPLES  # type: ignore[attr-defined]
