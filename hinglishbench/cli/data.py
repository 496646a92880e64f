"""`hbench data`: what is packaged, what an item says in each form, what is odd in a file.

The commands that make or fetch datasets are in `data_make.py`.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hinglishbench.cli import data_make
from hinglishbench.cli.output import number, percent, print_json, ratio, visible

if TYPE_CHECKING:
    from rich.console import Console

    from hinglishbench.forms.checks import Report
    from hinglishbench.suites.items import Item, Suite
    from hinglishbench.suites.parallel import Fault

app = typer.Typer(
    name="data",
    help="List, show, check and make datasets.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

_Json = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]

app.command()(data_make.build)
app.command()(data_make.generate)
app.command()(data_make.translate)
app.command()(data_make.pull)


@app.command("list")
def list_suites(*, as_json: _Json = False) -> None:
    """List the packaged suites."""
    from hinglishbench.suites.items import load_suite, packaged_names  # noqa: PLC0415  lazy

    suites = [load_suite(name) for name in packaged_names()]
    if as_json:
        print_json([_suite_row(suite) for suite in suites])
        return
    from rich.table import Table  # noqa: PLC0415  only where a table is drawn

    table = Table(box=_box(), pad_edge=False)
    for column in ("suite", "items", "tiers", "forms"):
        table.add_column(column, justify="right" if column == "items" else "left")
    for suite in suites:
        tiers = " / ".join(f"{n} {tier}" for tier, n in _counts(suite, "tier").items())
        forms = " ".join(suite.forms)
        table.add_row(suite.name, str(len(suite.items)), tiers, forms)
    console = _console()
    console.print(table)
    console.print("hbench data show NAME reads a suite; its card tells how it was made.")


@app.command()
def show(
    name: Annotated[str, typer.Argument(metavar="NAME|FILE", help="A suite, or a parallel file.")],
    *,
    item: Annotated[str | None, typer.Option("--item", metavar="ID", help="One item.")] = None,
    form: Annotated[
        list[str] | None, typer.Option("--form", metavar="F", help="This form; may be repeated.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Show a suite, one item, or all items.

    Without options the outline; --item ID one item in its forms; --form F all items in that form.
    """
    from hinglishbench.errors import UsageError  # noqa: PLC0415  lazy
    from hinglishbench.suites.items import load_suite  # noqa: PLC0415  lazy

    suite = load_suite(name)
    forms = _split(form or [])
    known = dict.fromkeys(f for i in suite.items for f in i.forms)
    if unknown := [f for f in forms if f not in known]:
        raise UsageError(f"no form {unknown[0]!r} in {suite.name}", hint=f"it has {_join(known)}")
    chosen = [i for i in suite.items if item is None or i.id == item]
    if not chosen:
        hint = f"its ids run from {suite.items[0].id} to {suite.items[-1].id}"
        raise UsageError(f"no item {item!r} in {suite.name}", hint=hint)
    if as_json:
        print_json([_item_row(i, forms) for i in chosen] if item or forms else _suite_row(suite))
        return
    console = _console()
    if item is None and not forms:
        _print_outline(console, suite)
        return
    for i in chosen:
        _print_item(console, i, forms or list(i.forms))


@app.command()
def verify(
    file: Annotated[str, typer.Argument(metavar="FILE|NAME", help="A parallel file or a suite.")],
    *,
    top: Annotated[int, typer.Option(min=0, help="How many suspicious items to print.")] = 10,
    as_json: _Json = False,
) -> None:
    """Check a parallel file and rank its items.

    Numbers, scripts, mixing, lengths, doubles and answers, by the rules of docs/forms.md.

    Exit code 1 when there are faults (a bad line, lost numbers, a wrong script, a check that does
    not give the answer); things that are only odd leave it at 0.
    """
    from hinglishbench.forms.checks import verify as run_checks  # noqa: PLC0415  lazy

    items, bad_lines = _read(file)
    report = run_checks(items)
    if as_json:
        print_json(_report_row(report, bad_lines))
    else:
        _print_report(_console(), file, report, bad_lines, top)
    if bad_lines or report.faults:
        raise typer.Exit(1)


def _read(file: str) -> tuple[list[Item], list[Fault]]:
    """The items of a packaged suite or of a file, with the faults of its lines."""
    from hinglishbench.suites.items import load_suite, packaged_names  # noqa: PLC0415  lazy
    from hinglishbench.suites.parallel import read_items  # noqa: PLC0415  lazy

    if file in packaged_names():
        return list(load_suite(file).items), []
    return read_items(Path(file).expanduser())


def _console() -> Console:
    from rich.console import Console  # noqa: PLC0415  only where something is drawn

    # Not a terminal: no colour, and lines as long as they are, for grep.
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = 10_000
    return console


def _box() -> Any:
    from rich import box  # noqa: PLC0415  only where a table is drawn

    return box.SIMPLE_HEAD if sys.stdout.isatty() else None


def _split(forms: list[str]) -> list[str]:
    """`--form en,hi` and `--form en --form hi` are the same."""
    return list(dict.fromkeys(f.strip() for text in forms for f in text.split(",") if f.strip()))


def _join(names: Any) -> str:
    return ", ".join(names)


def _counts(suite: Suite, field: str) -> dict[str, int]:
    return dict(Counter(getattr(i, field) for i in suite.items if getattr(i, field)))


def _suite_row(suite: Suite) -> dict[str, Any]:
    return {
        "name": suite.name,
        "title": suite.title,
        "items": len(suite.items),
        "forms": list(suite.forms),
        "tiers": _counts(suite, "tier"),
        "topics": _counts(suite, "topic"),
        "grader": suite.grader,
        "prompt": suite.default_prompt,
        "digest": suite.digest,
    }


def _item_row(item: Item, forms: list[str]) -> dict[str, Any]:
    row = asdict(item)
    row["forms"] = {f: text for f, text in item.forms.items() if not forms or f in forms}
    return row


def _print_outline(console: Console, suite: Suite) -> None:
    """Title, numbers, topics by tier, and how to read on."""
    from rich.table import Table  # noqa: PLC0415  only where a table is drawn
    from rich.text import Text  # noqa: PLC0415  the same

    from hinglishbench.forms.names import form_title  # noqa: PLC0415  lazy

    console.print(Text(suite.title, style="bold"))
    console.print(f"{len(suite.items)} items, graded {suite.grader}, prompt {suite.default_prompt}")
    console.print(f"forms: {_join(f'{f} ({form_title(f)})' for f in suite.forms)}")
    console.print(f"digest: {suite.digest}")
    if suite.card:
        console.print(f"card: {suite.card}", soft_wrap=True)
    tiers = _counts(suite, "tier")
    topics = sorted(_counts(suite, "topic"))
    if topics:
        table = Table(box=_box(), pad_edge=False)
        table.add_column("topic")
        for tier in tiers or ["items"]:
            table.add_column(tier, justify="right")
        cells = Counter((i.topic, i.tier) for i in suite.items)
        for topic in topics:
            row = [cells[topic, tier] for tier in tiers] or [cells[topic, None]]
            table.add_row(topic, *map(str, row))
        console.print(table)
    console.print(f"one item: hbench data show {suite.name} --item {suite.items[0].id}")


def _print_item(console: Console, item: Item, forms: list[str]) -> None:
    """One item: a line of facts, then its forms, side by side where the window is wide."""
    from rich.columns import Columns  # noqa: PLC0415  only where something is drawn
    from rich.text import Text  # noqa: PLC0415  the same

    answer = item.answer if isinstance(item.answer, str) else " | ".join(item.answer)
    facts = [item.tier, item.topic, item.meta.get("register"), f"answer {answer}"]
    facts += [f"check {item.check}"] if item.check else []
    line = " · ".join(str(fact) for fact in facts if fact)
    shown = [f for f in forms if f in item.forms]
    if not console.is_terminal:
        console.print(Text(visible(f"{item.id} · {line}")))
        for f in shown:
            console.print(Text(visible(f"{item.id} {f}: {' '.join(item.forms[f].split())}")))
        return
    console.print(Text.assemble((visible(item.id), "bold"), f" · {visible(line)}"))
    panels = [_panel(f, item.forms[f]) for f in shown]
    wide = console.width >= 120 and len(panels) > 1
    if wide:
        console.print(Columns(panels, width=console.width // 2 - 2, equal=True))
    else:
        console.print(*panels, sep="\n")


def _panel(form: str, text: str) -> Any:
    """A form under its title. No side lines: terminals disagree on the width of Devanagari."""
    from rich import box  # noqa: PLC0415  only where a panel is drawn
    from rich.panel import Panel  # noqa: PLC0415  the same
    from rich.text import Text  # noqa: PLC0415  the same

    from hinglishbench.forms.names import form_title  # noqa: PLC0415  lazy

    title = Text.assemble((form, "bold cyan"), f" {form_title(form)}")
    return Panel(
        Text(visible(text)), title=title, title_align="left", box=box.HORIZONTALS, padding=(0, 1)
    )


def _report_row(report: Report, bad_lines: list[Fault]) -> dict[str, Any]:
    return {
        "items": report.items,
        "base": report.base,
        "faults": len(report.faults) + len(bad_lines),
        "bad_lines": [asdict(fault) for fault in bad_lines],
        "forms": {form: asdict(summary) for form, summary in report.forms.items()},
        "findings": [asdict(finding) for finding in report.findings],
        "ranked": [{"item": item, "score": score} for item, score, _ in report.ranked],
    }


def _print_report(
    console: Console, file: str, report: Report, bad_lines: list[Fault], top: int
) -> None:
    from rich.text import Text  # noqa: PLC0415  only where something is drawn

    for fault in bad_lines[:20]:
        console.print(Text(visible(f"{file}:{fault.line}: {fault.message}"), style="red"))
    if len(bad_lines) > 20:
        console.print(f"… and {len(bad_lines) - 20} more bad lines")
    if report.items:
        console.print(_form_table(report))
    counts = Counter(finding.check for finding in report.findings)
    for check, n in counts.most_common():
        console.print(f"{n:5d} {check}")
    for item, score, findings in report.ranked[:top]:
        console.print(Text.assemble((visible(item), "bold"), f"  score {score:g}"))
        for finding in findings:
            where = f"{finding.form}: " if finding.form else ""
            console.print(Text(visible(f"  {finding.check}: {where}{finding.message}")))
    if len(report.ranked) > top:
        console.print(f"… and {len(report.ranked) - top} more items (--top)")
    n_faults = len(report.faults) + len(bad_lines)
    if not report.findings and not bad_lines:
        console.print(f"{report.items} items, nothing found")
        return
    odd = len(report.findings) - len(report.faults)
    console.print(f"{report.items} items, {n_faults} faults, {odd} things to look at")


def _form_table(report: Report) -> Any:
    from rich.table import Table  # noqa: PLC0415  only where a table is drawn

    table = Table(box=_box(), pad_edge=False)
    table.add_column("form")
    for column in ("texts", "words", f"words/{report.base}", "English", "CMI", "unknown"):
        table.add_column(column, justify="right")
    for form, s in report.forms.items():
        table.add_row(
            form,
            str(s.texts),
            number(s.words, 1),
            ratio(s.ratio),
            percent(s.share_english, 0),
            number(s.cmi, 1),
            percent(s.unknown, 0),
        )
    return table
