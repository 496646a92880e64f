"""`hbench sql` answers questions, and can do nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Hbench, asking
from tests.fakeprovider import FakeProvider


@pytest.fixture
def asked(hbench: Hbench, fp: FakeProvider) -> Hbench:
    """A ledger with two blocks."""
    hbench(*asking(fp, "--suite", hbench.pairs(2)))
    return hbench


def test_a_question_is_answered_in_every_format(asked: Hbench) -> None:
    """The same rows as a table, JSON, CSV and Markdown, and only they on stdout."""
    query = "select item, form, outcome from answers order by all limit 2"
    assert asked("sql", query, "--json").json == [
        {"item": "k0", "form": "cm-rom", "outcome": "correct"},
        {"item": "k0", "form": "en", "outcome": "correct"},
    ]
    assert (
        asked("sql", query, "--csv").out == "item,form,outcome\nk0,cm-rom,correct\nk0,en,correct\n"
    )
    assert asked("sql", query, "--md").out.startswith("| item | form | outcome |\n| --- |")
    assert "cm-rom" in asked("sql", query).out
    assert asked("sql", query, "--csv", "--json", code=2).out == ""


def test_the_schema_lists_tables_and_views(asked: Hbench) -> None:
    """Also the views that people are told of."""
    names = {row["name"] for row in asked("sql", "--schema", "--json").json}
    assert {"answers", "pairs", "attempt_costs", "cells", "attempts", "runs"} <= names


WRITING = (
    "delete from cells",
    "insert into prompts values (9, 'd', 'n', 'c')",
    "update cells set outcome = 'correct'",
    "drop table cells",
    "create table mine as select 1",
    "create view mine as select 1",
    "alter table cells add column x integer",
    "select 1; delete from cells",
    "begin; delete from cells; commit",
    "checkpoint",
    "vacuum",
)


def test_nothing_can_be_written(asked: Hbench) -> None:
    """Every writing statement is wrong usage, and the rows stay."""
    for statement in WRITING:
        before = asked.ledger.read_bytes()
        done = asked("sql", statement, code=None)
        assert done.code in {0, 2}
        assert asked.ledger.read_bytes() == before
        assert asked.one("select count(*) from cells") == 4


REACHING = (
    "select * from read_csv('/etc/passwd')",
    "select * from read_text('/etc/passwd')",
    "select * from read_blob('/etc/passwd')",
    "select * from read_json('{folder}/pairs.jsonl')",
    "select * from '/etc/passwd'",
    "from '{folder}/pairs.jsonl'",
    "select * from glob('/etc/*')",
    "copy (select 1) to '{folder}/out.csv'",
    "copy cells from '/etc/passwd'",
    "export database '{folder}/out'",
    "import database '{folder}'",
    "attach '{folder}/other.duckdb'",
    "attach '{folder}/other.duckdb' as o (type sqlite)",
    "install httpfs",
    "load httpfs",
    "select * from read_csv('http://127.0.0.1:1/x')",
)


def test_no_file_is_within_reach(asked: Hbench) -> None:
    """Neither reading nor writing, neither here nor over a network."""
    for statement in REACHING:
        done = asked("sql", statement.format(folder=asked.folder), code=2)
        assert done.out == ""
        assert "root:" not in done.err
        assert sorted(p.name for p in asked.folder.iterdir()) == [
            "ledger.duckdb", "ledger.duckdb.journal", "pairs.jsonl",
        ]  # fmt: skip


SETTING = (
    "set enable_external_access = true",
    "set lock_configuration = false",
    "reset enable_external_access",
    "set threads = 64; select 1",
    "set global memory_limit = '100GB'",
    "pragma enable_profiling",
    "pragma threads = 64",
    "pragma memory_limit = '1GB'",
)


def test_no_setting_can_be_changed(asked: Hbench) -> None:
    """The door that was closed stays closed."""
    for statement in SETTING:
        assert asked("sql", statement, code=2).out == ""


def test_a_mistake_is_one_message_with_a_hint(asked: Hbench) -> None:
    """No traceback, exit code 2."""
    done = asked("sql", "select no_such_column from cells", code=2)
    assert done.err.startswith("hbench: ")
    assert "hbench sql --schema" in done.err
    assert asked("sql", code=2).err.startswith("hbench: a statement is needed")


def test_case_76_questions_without_a_ledger_make_no_file(hbench: Hbench) -> None:
    """Every reading command: exit 3, and the folder is as empty as before."""
    for command in (
        ("sql", "select 1"),
        ("cost",),
        ("ledger", "verify"),
        ("ledger", "runs"),
        ("export",),
    ):
        done = hbench(*command, code=3)
        assert "there is no ledger at ledger.duckdb" in done.err
        assert done.out == ""
    assert list(hbench.folder.iterdir()) == []


def test_what_a_model_said_does_not_steer_the_terminal(
    hbench: Hbench, fp: FakeProvider, provider: object
) -> None:
    """Control characters of a reply are shown, not obeyed; JSON has them escaped."""
    del fp
    server = provider(lambda _: "\x1b[2J\x07 red \u202e 42")  # type: ignore[operator]
    hbench(*asking(server, "--suite", hbench.pairs(1), "--forms", "en"))
    shown = hbench("sql", "select text from answers").out
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\\x1b[2J" in shown
    assert json.loads(hbench("sql", "select text from answers", "--json").out)[0][
        "text"
    ].startswith("\x1b")


def test_a_statement_may_come_from_stdin(asked: Hbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` reads it, so that long ones need no quoting."""
    file = asked.folder / "q.sql"
    file.write_text("select count(*) as n from cells")
    with Path(file).open() as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        assert asked("sql", "-", "--json").json == [{"n": 4}]


@pytest.mark.parametrize("statement", [";", "  ", "-- only a comment"])
def test_no_statement_is_a_mistake_like_any_other(asked: Hbench, statement: str) -> None:
    """Exit 2 and a sentence, no traceback."""
    assert "statement" in asked("sql", statement, code=2).err


def test_json_stays_json_where_a_figure_is_not_finite(asked: Hbench) -> None:
    """NaN and infinity are undefined, and undefined is null."""
    shown = asked(
        "sql", "select 'nan'::double as a, 'inf'::double as b, [-'inf'::double] as c", "--json"
    )
    assert shown.json == [{"a": None, "b": None, "c": [None]}]
    assert "NaN" not in shown.out
