"""The command `hbench`: finds the command's module, turns errors into a message and an exit code.

Each command lives in a module of its own, imported only when it is asked for: `hbench --help` must
not pay for DuckDB and an HTTP library.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, NoReturn

import typer
from typer.core import TyperGroup

from hinglishbench import __version__
from hinglishbench.errors import HbenchError, RefusedError


class Entry(NamedTuple):
    """Where a command is, and its line in `hbench --help`.

    `name` in the module is either a function (one command) or a typer app (a group of commands).
    """

    module: str
    name: str
    help: str


COMMANDS: Mapping[str, Entry] = {
    "run": Entry("run", "run", "Ask paired questions and keep every answer in the ledger."),
    "tax": Entry("tax", "tax", "Token tax and accuracy gap of each form against English."),
    "cost": Entry("cost", "cost", "What it cost, with retries and lost replies counted."),
    "regrade": Entry("regrade", "regrade", "Grade a ledger again, no call is made."),
    "compare": Entry(
        "compare", "compare", "Two prompts, efforts, models or providers on the same questions."
    ),
    "power": Entry("power", "power", "How many pairs an effect needs, and what they would cost."),
    "grade": Entry("grade", "grade", "Grade anyone's outputs from a file, no ledger needed."),
    "data": Entry("data", "app", "List, show, check and make datasets."),
    "fertility": Entry(
        "fertility", "fertility", "Tokens of each form by tokenizer, no model asked."
    ),
    "prompts": Entry("prompts", "prompts", "List prompts, or show one."),
    "providers": Entry("providers", "providers", "List endpoints: key, route, limits, price."),
    "prices": Entry("prices", "app", "Show what a token costs and where that is known from."),
    "doctor": Entry("doctor", "doctor", "Look at an endpoint before money is spent."),
    "sql": Entry("sql", "sql", "Ask the ledger in SQL, read-only."),
    "ledger": Entry("ledger", "app", "Verify a ledger, or see what is in it."),
    "report": Entry("report", "report", "Write pages that people read, and an item explorer."),
    "export": Entry("export", "export", "Write predictions to a folder."),
    "import": Entry("import_", "import_", "Rebuild a ledger from a folder of predictions."),
}


class LazyGroup(TyperGroup):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  click's signature
        """Names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002  click's signature
        """The command, imported now."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        target = getattr(importlib.import_module(f"hinglishbench.cli.{entry.module}"), entry.name)
        if isinstance(target, typer.Typer):
            command: Any = typer.main.get_group(target)
        else:
            single = typer.Typer(add_completion=False, rich_markup_mode=None)
            single.command(name=cmd_name, epilog=getattr(target, "examples", None))(target)
            command = typer.main.get_command(single)
        command.name = cmd_name
        command.short_help = entry.help
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002  click's signature
        """The list in `hbench --help`, from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])


app = typer.Typer(
    cls=LazyGroup,
    name="hbench",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with `hbench run --limit 5`, then `hbench tax`: no key is needed.",
)


def _version(value: bool) -> None:
    if value:
        print(f"hinglishbench {__version__}")  # noqa: T201  the answer
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """What Hinglish costs on hosted language models: paired tokens, dollars and accuracy."""


def main() -> NoReturn:
    """Run the command line and exit."""
    try:
        app(standalone_mode=True)
    except HbenchError as error:
        fail(error)
    except BrokenPipeError:  # `hbench sql … | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except OSError as error:
        if error.filename is None:  # not about a file that the user named
            raise
        fail(
            RefusedError(
                f"{error.filename}: {error.strerror}",
                hint="does the folder exist, and may you write there?",
            )
        )
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0)


def entry() -> NoReturn:
    """`main` as a process of its own; what the installed command calls.

    pyreqwest's runtime threads may still let go of Python objects while the interpreter winds down,
    which aborts the process (seen in one call of eight on a busy machine) and turns any exit code into
    134. Everything is written and closed by then, so where they run the process ends at once.
    """
    try:
        main()
    except SystemExit as end:
        if "pyreqwest" not in sys.modules:
            raise
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)


def fail(error: HbenchError) -> NoReturn:
    """Say what happened and what to do, on stderr, and exit with the error's code."""
    print(f"hbench: {error}", file=sys.stderr)  # noqa: T201  the message
    if error.hint:
        print(f"  {error.hint}", file=sys.stderr)  # noqa: T201  the message
    sys.exit(error.exit_code)


if __name__ == "__main__":
    entry()
