"""Opening a ledger: readers beside writers, waiting with a bound, and files that are none."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from hinglishbench.errors import LedgerBusyError, LedgerError, NoLedgerError
from hinglishbench.ledger import store
from hinglishbench.ledger.store import connect, ledger_path

NEWEST = store._migrations()[-1][0]


@contextmanager
def held(path: Path, how: str = "write=True") -> Iterator[int]:
    """Another process that holds the ledger; its id."""
    code = (
        "import sys; from pathlib import Path; from hinglishbench.ledger.store import connect\n"
        f"with connect(Path(sys.argv[1]), {how}):\n  print('in', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"in\n"
        yield process.pid
        process.communicate()


class Time:
    """A clock that moves when someone sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """An empty ledger."""
    path = tmp_path / "ledger.duckdb"
    with connect(path, write=True):
        pass
    return path


def test_the_first_writer_makes_the_ledger_and_its_folder(tmp_path: Path) -> None:
    """Every migration is noted once."""
    path = tmp_path / "new" / "folder" / "l.duckdb"
    with connect(path, write=True) as connection:
        rows = connection.execute("select number from migrations order by number").fetchall()
    assert rows == [(n + 1,) for n in range(NEWEST)]


def test_the_path_is_option_then_variable_then_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """--ledger, HBENCH_LEDGER, ./ledger.duckdb."""
    monkeypatch.delenv("HBENCH_LEDGER", raising=False)
    assert ledger_path(None) == Path("ledger.duckdb")
    monkeypatch.setenv("HBENCH_LEDGER", "elsewhere.duckdb")
    assert ledger_path(None) == Path("elsewhere.duckdb")
    assert ledger_path(Path("mine.duckdb")) == Path("mine.duckdb")


def test_reading_what_is_not_there_makes_no_file(tmp_path: Path) -> None:
    """The error says how a ledger comes to be."""
    with (
        pytest.raises(NoLedgerError, match="there is no ledger at") as caught,
        connect(tmp_path / "l.duckdb", write=False),
    ):
        pass
    assert caught.value.exit_code == 3
    assert caught.value.hint is not None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("write", [True, False])
def test_case_76_a_held_ledger_is_waited_for_and_its_holder_named(
    ledger: Path, write: bool
) -> None:
    """One sentence with the process id, after the bound and not before."""
    time = Time()
    with (
        held(ledger) as pid,
        pytest.raises(LedgerBusyError, match=f"is held by process {pid} for more than 3 s$"),
        connect(ledger, write=write, wait_s=3.0, clock=time.clock, sleep=time.sleep),
    ):
        pass
    assert 3.0 <= time.now < 3.2


def test_a_ledger_that_is_let_go_is_opened(ledger: Path) -> None:
    """Whoever waits is served as soon as the other is done."""
    with held(ledger):
        tries = 0

        def sleep(_: float) -> None:
            nonlocal tries
            tries += 1

        with pytest.raises(LedgerBusyError), connect(ledger, write=True, wait_s=0, sleep=sleep):
            pass
        assert tries == 0
    with connect(ledger, write=True, wait_s=0):
        pass


def test_readers_read_beside_each_other(ledger: Path) -> None:
    """Many may read at once; a writer waits for them."""
    with held(ledger, "write=False") as pid, connect(ledger, write=False, wait_s=0) as connection:
        assert connection.execute("select count(*) from cells").fetchall() == [(0,)]
        connection.close()
        with (
            pytest.raises(LedgerBusyError, match=str(pid)),
            connect(ledger, write=True, wait_s=0),
        ):
            pass


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize(
    "content",
    [
        b"just some text, longer than a block header\n" * 500,
        b"SQLite format 3\x00" + bytes(8000),
        b"short",
    ],
)
def test_a_file_of_another_kind_is_refused_and_left_alone(
    tmp_path: Path, content: bytes, write: bool
) -> None:
    """In a sentence, with exit code 6."""
    path = tmp_path / "l.duckdb"
    path.write_bytes(content)
    with (
        pytest.raises(LedgerError, match="not a DuckDB file") as caught,
        connect(path, write=write),
    ):
        pass
    assert caught.value.exit_code == 6
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == content


@pytest.mark.parametrize("write", [True, False])
def test_a_duckdb_file_of_someone_else_is_refused_and_left_alone(
    tmp_path: Path, write: bool
) -> None:
    """No table of ours is ever added to it."""
    path = tmp_path / "theirs.duckdb"
    with duckdb.connect(str(path)) as theirs:
        theirs.execute("create table sales as select 42 as n")
    with (
        pytest.raises(LedgerError, match="not a ledger of hinglishbench"),
        connect(path, write=write),
    ):
        pass
    with duckdb.connect(str(path)) as theirs:
        assert theirs.execute("select table_name from duckdb_tables()").fetchall() == [("sales",)]


@pytest.mark.parametrize("write", [True, False])
def test_a_ledger_of_a_newer_program_is_refused(ledger: Path, write: bool) -> None:
    """Nothing is guessed about tables that this program does not know."""
    with connect(ledger, write=True) as connection:
        connection.execute(
            "insert into migrations values (999, '999_future.sql', now()::timestamp)"
        )
    with (
        pytest.raises(
            LedgerError, match=f"newer hinglishbench .migration 999, this one knows {NEWEST}"
        ),
        connect(ledger, write=write),
    ):
        pass


@pytest.mark.parametrize("write", [True, False])
def test_an_older_ledger_is_brought_up_to_date(
    ledger: Path, monkeypatch: pytest.MonkeyPatch, write: bool
) -> None:
    """Once, by whoever opens it; its rows stay and get the new column, and views are replaced."""
    with connect(ledger, write=True) as connection:
        connection.execute("insert into prompts values (1, 'd', 'n', '{}')")
    later = """
        alter table prompts add column length integer;
        update prompts set length = len(content);
        create or replace view arm_prices as select 'replaced' as what
    """
    newer = [
        *store._migrations(),
        (NEWEST + 1, "next.sql", "create table extra (n integer)"),
        (NEWEST + 2, "later.sql", later),
    ]
    monkeypatch.setattr(store, "_migrations", lambda: newer)
    for _ in range(2):
        with connect(ledger, write=write) as connection:
            assert connection.execute("select count(*) from extra").fetchall() == [(0,)]
            assert connection.execute("select name, length from prompts").fetchall() == [("n", 2)]
            assert connection.execute("from arm_prices").fetchall() == [("replaced",)]
            applied = connection.execute("select number from migrations order by 1").fetchall()
            assert [number for (number,) in applied] == list(range(1, NEWEST + 3))


def test_an_older_ledger_that_cannot_be_changed_is_named(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that may not write says so, and what to do."""
    newer = [*store._migrations(), (NEWEST + 1, "next.sql", "")]
    monkeypatch.setattr(store, "_migrations", lambda: newer)

    def refuse(*_: object) -> None:
        raise LedgerError("permission denied")

    monkeypatch.setattr(store, "migrate", refuse)
    with (
        pytest.raises(
            LedgerError, match="older hinglishbench and cannot be brought up to date: perm"
        ),
        connect(ledger, write=False),
    ):
        pass


def test_a_migration_that_fails_leaves_the_ledger_as_it_was(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is one transaction."""
    real = store._migrations()
    bad = [*real, (NEWEST + 1, "bad.sql", "create table half (n integer); select no_such();")]
    monkeypatch.setattr(store, "_migrations", lambda: bad)
    with pytest.raises(LedgerError), connect(ledger, write=True):
        pass
    monkeypatch.setattr(store, "_migrations", lambda: real)
    with connect(ledger, write=False) as connection:
        assert (
            connection.execute("select * from duckdb_tables() where table_name = 'half'").fetchall()
            == []
        )


def test_case_78_every_opening_is_a_connection_of_its_own(ledger: Path) -> None:
    """Nothing goes through the connection that DuckDB keeps for a module."""
    with connect(ledger, write=False) as one, connect(ledger, write=False) as two:
        one.execute("select 1")
        two.execute("select 2")
        assert (one.fetchall(), two.fetchall()) == ([(1,)], [(2,)])
    sources = Path(store.__file__).parents[1].rglob("*.py")
    shared = re.compile(r"\bduckdb\.(sql|execute|query|table|from_\w+|default_connection)\(")
    assert [path.name for path in sources if shared.search(path.read_text("utf-8"))] == []


def test_a_ledger_that_may_not_be_read_is_named(ledger: Path) -> None:
    """A sentence instead of a traceback."""
    if os.geteuid() == 0:
        folder = ledger.parent / "folder.duckdb"
        folder.mkdir()
        ledger = folder
    else:
        ledger.chmod(0)
    with pytest.raises(LedgerError), connect(ledger, write=False):
        pass


def test_ctrl_c_in_the_middle_of_a_statement_is_ctrl_c(tmp_path: Path) -> None:
    """DuckDB tells it as this RuntimeError; the command must end with 130, not with a traceback."""
    with pytest.raises(KeyboardInterrupt), connect(tmp_path / "l.duckdb", write=True):
        raise RuntimeError("Query interrupted")
    with pytest.raises(RuntimeError, match="another"), connect(tmp_path / "l.duckdb", write=True):
        raise RuntimeError("another")
