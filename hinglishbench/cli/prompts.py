"""`hbench prompts`."""

from __future__ import annotations

from typing import Annotated

import typer

from hinglishbench.cli.output import JsonFlag, print_json, print_table


def prompts(
    name: Annotated[str | None, typer.Argument(help="Show this one whole.")] = None,
    json_: JsonFlag = False,
) -> None:
    """List prompts, or show one: prompts/NAME.toml in this folder first, then the packaged ones."""
    from hinglishbench.suites.prompts import load_prompt, prompt_names  # noqa: PLC0415  not for --help

    if name is not None:
        prompt = load_prompt(name)
        if json_:
            print_json({**prompt.content, "digest": prompt.digest})
            return
        for key, value in {**prompt.content, "digest": prompt.digest}.items():
            print(f"{key}:")  # noqa: T201  the answer
            print("  " + str(value).strip().replace("\n", "\n  "))  # noqa: T201  the answer
        return
    found = [load_prompt(each) for each in prompt_names()]
    if json_:
        print_json(
            [{"id": p.name, "purpose": p.content.get("purpose"), "digest": p.digest} for p in found]
        )
        return
    print_table(
        ["prompt", "what it is for"],
        [[p.name, str(p.content.get("purpose", ""))] for p in found],
        left=2,
    )
