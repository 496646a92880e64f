"""`hbench fertility`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hinglishbench.cli.output import (
    CsvFlag,
    Format,
    JsonFlag,
    MdFlag,
    format_of,
    number,
    print_rows,
    print_table,
    ratio,
    say,
    visible,
)
from hinglishbench.run.options import DEFAULT_SUITE

EXAMPLES = """Examples:

  hbench fertility                                   tiered-100 under the embedded model's tokenizer

  hbench fertility --tokenizer tiktoken:o200k_base --tokenizer tiktoken:cl100k_base

  hbench fertility --suite pairs.jsonl --tokenizer hub:OWNER/NAME --forms en,cm-rom,hi

  hbench fertility --tokenizer ./tokenizer.json --json
"""


def fertility(
    suite: Annotated[str, typer.Option(help="A packaged suite, or FILE.jsonl.")] = DEFAULT_SUITE,
    tokenizer: Annotated[
        list[str],
        typer.Option(
            help="local, tiktoken:NAME, hub:OWNER/NAME[@REVISION] or a tokenizer.json; may be given again."
        ),
    ] = ["local"],  # noqa: B006  typer copies it
    forms: Annotated[
        str | None, typer.Option(help="Language forms, with commas. Default: all of the suite.")
    ] = None,
    base: Annotated[str, typer.Option(help="The form that the others are compared with.")] = "en",
    json_: JsonFlag = False,
    csv_: CsvFlag = False,
    md: MdFlag = False,
) -> None:
    """Tokens per word, character and item of each form, and their ratio to English.

    The input side of the tax: no model is asked. The ratio is the median over items, with an exact
    interval.
    """
    from hinglishbench.pipelines import fertility as measured  # noqa: PLC0415  heavy
    from hinglishbench.pipelines.tokenizers import open_tokenizer  # noqa: PLC0415  the same
    from hinglishbench.suites.items import load_suite  # noqa: PLC0415  the same

    form = format_of(json_=json_, csv_=csv_, md=md)
    loaded = load_suite(suite)
    chosen = (
        [f.strip() for f in forms.split(",") if f.strip()]
        if forms
        else list(dict.fromkeys(f for item in loaded.items for f in item.forms))
    )
    rows = []
    for spec in dict.fromkeys(tokenizer):
        with open_tokenizer(spec) as count:
            found = measured.fertility(loaded.items, chosen, count, base=base)
        rows += [measured.as_row(loaded.name, spec, base, one) for one in found]
    if form is not Format.TABLE:
        print_rows(rows, form)
        return
    names = ["form", "items", "tokens/item", "/word", "/char", f"/{base}", "95%", "totals"]
    for spec in dict.fromkeys(tokenizer):
        say(f"{loaded.name}, tokenizer {visible(spec)}")
        print_table(names, [_cells(row) for row in rows if row["tokenizer"] == spec])
    say("the input side only; `hbench tax` measures the answers")


fertility.examples = EXAMPLES  # type: ignore[attr-defined]


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        row["form"], number(row["items"]), number(row["tokens_per_item"], 1),
        number(row["tokens_per_word"], 2), number(row["tokens_per_char"], 3), ratio(row["ratio_median"]),
        _interval(row["ratio_ci"]), ratio(row["ratio_total"]),
    ]  # fmt: skip


def _interval(limits: list[float] | None) -> str:
    return "-" if limits is None else f"{limits[0]:.2f} to {limits[1]:.2f}"
