"""Imports point one way, and the heavy ones wait until they are needed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hinglishbench

PACKAGE = Path(hinglishbench.__file__).parent
# Rooms by height: a room imports from its own level and from below.
LEVELS = {
    "cli": 3,
    "run": 2, "report": 2, "pipelines": 2,
    "client": 1, "ledger": 1, "suites": 1, "grading": 1, "stats": 1, "pricing": 1, "forms": 1,
    "errors": 0, "canonical": 0, "clock": 0,
}  # fmt: skip
# The package's own face (`import hinglishbench as hb`) stands on top of everything.
FACE = {"__init__"}
# Only a table, a bar, a query or a call needs these.
HEAVY = {
    "duckdb", "httpx2", "httpx", "openai", "scipy", "rich", "pydantic", "huggingface_hub", "tiktoken", "genai_prices",
    "pandas", "polars", "pyarrow", "numpy", "xllamacpp",
}  # fmt: skip


def modules() -> Iterator[tuple[str, ast.Module]]:
    """`run.plan` and its tree, for every module."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        yield name, ast.parse(path.read_text("utf-8"))


def imported(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Absolute names that are imported below a node, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module or "", node.lineno


def at_module_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """Statements that run on import: no function bodies, nothing for the type checker alone."""
    todo: list[ast.stmt] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If):
            if "TYPE_CHECKING" not in ast.unparse(node.test):
                todo += [*node.body, *node.orelse]
        elif isinstance(node, ast.Try):
            todo += [
                *node.body,
                *node.orelse,
                *node.finalbody,
                *(s for h in node.handlers for s in h.body),
            ]
        elif isinstance(node, ast.ClassDef):
            todo += node.body
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def room(name: str) -> str:
    """The room of a module: the first part of its name."""
    return name.split(".", maxsplit=1)[0]


def test_every_room_has_a_place() -> None:
    """A new folder is put on a level before anything imports it."""
    assert {room(name) for name, _ in modules()} - FACE <= LEVELS.keys()


def test_imports_go_downwards() -> None:
    """Cli -> run, report, pipelines -> client, ledger, suites, grading, stats, pricing, forms."""
    wrong = [
        f"{name}:{line} imports {target}"
        for name, tree in modules()
        if room(name) not in FACE
        for target, line in imported(tree)
        if target.startswith("hinglishbench.")
        and LEVELS[room(target.removeprefix("hinglishbench."))] > LEVELS[room(name)]
    ]
    assert wrong == []


@pytest.mark.parametrize("pure", ["grading", "stats"])
def test_grading_and_stats_know_nobody(pure: str) -> None:
    """No network, no database, no other room; only the errors, and readers of numbers."""
    allowed = {f"hinglishbench.{pure}", "hinglishbench.errors", "hinglishbench.forms"}
    foreign = {
        target
        for name, tree in modules()
        if room(name) == pure
        for target, _ in imported(tree)
        if not any(target == a or target.startswith(a + ".") for a in allowed)
        and target.split(".")[0] not in sys.stdlib_module_names
    }
    assert foreign == set()


def without_type_checking(tree: ast.Module) -> ast.Module:
    """What exists at run time."""

    class Drop(ast.NodeTransformer):
        def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
            return node.orelse if "TYPE_CHECKING" in ast.unparse(node.test) else node

    left = Drop().visit(tree)
    assert isinstance(left, ast.Module)
    return left


def test_only_the_ledger_opens_duckdb() -> None:
    """Everything else asks the ledger's room; datasets in Parquet are read where they are made."""
    users = {
        name
        for name, tree in modules()
        for target, _ in imported(without_type_checking(tree))
        if target.split(".")[0] == "duckdb"
    }
    assert {room(name) for name in users} - {"pipelines"} == {"ledger"}


def test_heavy_libraries_are_imported_where_they_are_used() -> None:
    """None at module level, but the transports (themselves imported only to send)."""
    early = [
        f"{name}:{line} imports {target}"
        for name, tree in modules()
        if not name.endswith("_transport")
        for node in at_module_level(tree)
        for target, line in imported(node)
        if target.split(".")[0] in HEAVY
    ]
    assert early == []


@pytest.mark.parametrize("command", [("--help",), ("--version",)])
def test_help_pays_for_nothing_heavy(command: tuple[str, ...]) -> None:
    """Nor does it import any command's module; `run` is there because the package is callable, and empty."""
    code = (
        "import sys\nfrom hinglishbench.cli.main import main\n"
        f"sys.argv = ['hbench', *{command!r}]\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert end.code == 0\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(shown.stderr.split())
    assert {name for name in loaded if name.split(".")[0] in HEAVY} == set()
    assert {n for n in loaded if n.startswith("hinglishbench.")} == {
        "hinglishbench.cli", "hinglishbench.cli.main", "hinglishbench.errors", "hinglishbench.run",
    }  # fmt: skip


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    """With an example where it is more than a list."""
    from hinglishbench.cli import main  # noqa: PLC0415  the table of commands

    for name in main.COMMANDS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["hbench", name, "--help"])
            with pytest.raises(SystemExit) as end:
                main.main()
        assert end.value.code == 0, name
        shown = capsys.readouterr().out
        assert "Usage: " in shown
        assert len(shown) > 200
