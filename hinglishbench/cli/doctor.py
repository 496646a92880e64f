"""`hbench doctor`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from hinglishbench.cli.output import JsonFlag, print_json, print_table, say, usd

EXAMPLES = """Examples:

  hbench doctor                                  the embedded model, no key

  hbench doctor baseten --effort low

  hbench doctor openai-compatible --base-url http://127.0.0.1:8000/v1

  hbench doctor groq --save groq.jsonl           keep the exchange, without the key
"""


def doctor(
    provider: Annotated[str, typer.Argument(help="Whom to look at, see `hbench providers`.")] = "local",
    model: Annotated[str | None, typer.Option(help="Which model. Default: the provider's.")] = None,
    effort: Annotated[str | None, typer.Option(help="A value of effort to try. Default: the cheapest known.")] = None,
    route: Annotated[str | None, typer.Option(help="direct, or hf (through the Hugging Face router).")] = None,
    base_url: Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible server, up to /v1.")] = None,
    api_key_env: Annotated[str | None, typer.Option(help="Variable that holds the key (never the key itself).")] = None,
    bill_to: Annotated[str | None, typer.Option(help="Organisation to bill on the Hugging Face router.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the exchange to a cassette, without the key.")] = None,
    transport: Annotated[str | None, typer.Option(help="httpx2 or pyreqwest. Default: the fastest installed.")] = None,
    json_: JsonFlag = False,
) -> None:  # fmt: skip
    """Look at an endpoint before money is spent: key, address, model, price, and a 1-token call.

    One line a question, with its remedy. Two calls at most, of one output token each, with the
    headers and fields of a run. Exit code 0: a run would work; 1: it would not.
    """
    from hinglishbench.run.doctor import diagnose  # noqa: PLC0415  heavy

    found = diagnose(
        provider, env=os.environ, model=model, effort=effort, route=route, base_url=base_url,
        api_key_env=api_key_env, bill_to=bill_to, save=save, transport=transport,
    )  # fmt: skip
    if json_:
        print_json(found.as_json())
    else:
        print_table(
            ["", "", found.provider + (f": {found.model}" if found.model else "")],
            [[check.name, check.verdict, check.says] for check in found.checks],
            left=3,
        )
        for check in found.checks:
            if check.remedy and check.verdict in ("warn", "fail"):
                say(f"{check.name}: {check.remedy}")
        if found.usd is not None:
            say(f"these calls cost {usd(found.usd)}; they are in no ledger")
    if save is not None and save.exists():
        say(f"the exchange is in {save}, without the key")
    sys.exit(0 if found.healthy else 1)


doctor.examples = EXAMPLES  # type: ignore[attr-defined]
