"""Opening, locks, migrations and closing, in one place.

DuckDB lets one process write or many read. Writers here hold the file for milliseconds at a time
(a run takes its journal in and lets go), so everyone else waits for a moment and is served.
Errors of the engine become the tool's own at this border.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hinglishbench.errors import LedgerBusyError, LedgerError, NoLedgerError

if TYPE_CHECKING:
    import duckdb

DEFAULT_PATH = Path("ledger.duckdb")
WAIT_S = 10.0

_CONFIG: dict[str, Any] = {
    # Nothing is downloaded or loaded behind the user's back.
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
RUN_CONFIG: dict[str, Any] = {
    # DuckDB would take most of the machine's memory for its cache; a run needs little of it.
    "memory_limit": "128MB",
    "preserve_insertion_order": "false",
}
_HOLDER = re.compile(r"PID (\d+)")


def ledger_path(option: Path | None) -> Path:
    """`--ledger`, else HBENCH_LEDGER, else ./ledger.duckdb."""
    return option or Path(os.environ.get("HBENCH_LEDGER") or DEFAULT_PATH)


def journal_dir(ledger: Path) -> Path:
    """The folder of the journals that feed this ledger."""
    return ledger.with_name(ledger.name + ".journal")


@cache
def query(name: str) -> str:
    """The text of `queries/NAME.sql`."""
    return resources.files(__package__).joinpath("queries", f"{name}.sql").read_text("utf-8")


@contextmanager
def connect(
    path: Path,
    *,
    write: bool,
    wait_s: float = WAIT_S,
    config: dict[str, Any] | None = None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the ledger, migrated, and close it on leaving.

    Args:
        path: the ledger file; made by the first writer.
        write: read-write, else read-only.
        wait_s: seconds to wait for another process that holds the file.
        config: further DuckDB settings.
        clock: seconds, monotonic.
        sleep: waits that many seconds.

    Raises:
        NoLedgerError: reading, and there is no ledger. No file is made.
        LedgerBusyError: another process held it for longer than `wait_s`; the message names it.
        LedgerError: not a ledger, damaged, or made by a newer hinglishbench.
    """
    if not write and not path.exists():
        raise NoLedgerError(
            f"there is no ledger at {path}",
            hint="`hbench run` makes one; --ledger FILE or HBENCH_LEDGER names another",
        )
    opening: dict[str, Any] = {"wait_s": wait_s, "clock": clock, "sleep": sleep}
    settings = {**_CONFIG, **(config or {})}
    connection = _open(path, settings, write=write, **opening)
    import duckdb  # noqa: PLC0415  `_open` has paid for it

    try:
        if write:
            migrate(connection, path)
        elif _is_older(connection, path):
            connection.close()
            with _explained(path), connect(path, write=True, config=config, **opening):
                pass
            connection = _open(path, settings, write=False, **opening)
        yield connection
    except duckdb.Error as error:
        raise LedgerError(
            f"{path}: {_first_line(str(error))}", hint="`hbench ledger verify` looks for damage"
        ) from error
    except RuntimeError as error:
        # Ctrl-C in the middle of a statement is a RuntimeError to DuckDB.
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from error
    finally:
        connection.close()


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except LedgerBusyError:
        raise
    except LedgerError as error:
        raise LedgerError(
            f"{path} was made by an older hinglishbench and cannot be brought up to date: {error}",
            hint="make it writable, or copy it",
        ) from error


def _open(
    path: Path,
    config: dict[str, Any],
    *,
    write: bool,
    wait_s: float,
    clock: Callable[[], float],
    sleep: Callable[[float], None],
) -> duckdb.DuckDBPyConnection:
    import duckdb  # noqa: PLC0415  a tenth of a second that `--help` need not pay

    if write:
        path.parent.mkdir(parents=True, exist_ok=True)
    deadline = clock() + wait_s
    while True:
        try:
            return duckdb.connect(str(path), read_only=not write, config=config)
        except duckdb.IOException as error:
            text = str(error)
            holder = _HOLDER.search(text)
            if "lock" not in text.lower():
                if not _is_duckdb(path):
                    raise LedgerError(
                        f"{path} is not a DuckDB file", hint="name another file with --ledger"
                    ) from error
                raise LedgerError(
                    f"{path} cannot be opened: {_first_line(text)}",
                    hint="is it a DuckDB file, and may you read and write it?",
                ) from error
            if clock() >= deadline:
                who = f"process {holder[1]}" if holder else "another process"
                raise LedgerBusyError(
                    f"{path} is held by {who} for more than {wait_s:g} s",
                    hint="end that process, or try again when it is done",
                ) from error
        except duckdb.Error as error:
            raise LedgerError(
                f"{path} is damaged or not a DuckDB file: {_first_line(str(error))}",
                hint="move it aside; the replies of its runs are still in its .journal folder",
            ) from error
        # Jitter, so that two waiting readers do not keep meeting the same writer.
        sleep(0.01 + random.random() * 0.04)  # noqa: S311  not cryptography


def _is_duckdb(path: Path) -> bool:
    """By the file's own mark (DuckDB takes some other files for databases to attach)."""
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError:
        return True  # what is wrong is something else, and the engine says what


def first_row(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[Any] = ()
) -> tuple[Any, ...] | None:
    """The first row of a short result, None when it is empty.

    The result is read to its end: DuckDB 2 refuses an appender while one is open.
    """
    rows: list[tuple[Any, ...]] = connection.execute(sql, list(parameters)).fetchall()
    return rows[0] if rows else None


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0][:300]


def _migrations() -> list[tuple[int, str, str]]:
    folder = resources.files(__package__).joinpath("migrations")
    files = sorted(file.name for file in folder.iterdir() if file.name.endswith(".sql"))
    return [(int(name[:3]), name, folder.joinpath(name).read_text("utf-8")) for name in files]


def _applied(connection: duckdb.DuckDBPyConnection) -> int | None:
    """The number of the last migration; None in an empty file; -1 in a foreign one."""
    tables = {
        name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()
    }
    if "migrations" not in tables:
        return -1 if tables else None
    row = first_row(connection, "select max(number) from migrations")
    return row[0] if row else None


def migrate(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Bring an older (or empty) ledger up to date, each migration in one transaction.

    Raises:
        LedgerError: the file is someone else's, or a newer hinglishbench's.
    """
    applied = _applied(connection)
    migrations = _migrations()
    if applied == migrations[-1][0]:
        return
    _refuse_foreign(applied, migrations[-1][0], path)
    for number, name, sql in migrations:
        if applied is not None and number <= applied:
            continue
        connection.execute("begin")
        try:
            connection.execute(
                "create table if not exists migrations"
                " (number integer primary key, name varchar not null, applied_at timestamp not null)"
            )
            connection.execute(sql)
            connection.execute(
                "insert into migrations values (?, ?, (current_timestamp at time zone 'UTC'))",
                [number, name],
            )
        except BaseException:
            connection.execute("rollback")
            raise
        connection.execute("commit")


def _is_older(connection: duckdb.DuckDBPyConnection, path: Path) -> bool:
    """Whether a ledger wants migrating.

    Raises:
        LedgerError: the file is someone else's, or a newer hinglishbench's.
    """
    applied = _applied(connection)
    newest = _migrations()[-1][0]
    _refuse_foreign(applied, newest, path)
    return applied is None or applied < newest


def _refuse_foreign(applied: int | None, newest: int, path: Path) -> None:
    if applied == -1:
        raise LedgerError(
            f"{path} is a DuckDB file, but not a ledger of hinglishbench",
            hint="name another file with --ledger",
        )
    if applied is not None and applied > newest:
        raise LedgerError(
            f"{path} was made by a newer hinglishbench (migration {applied}, this one knows {newest})",
            hint="upgrade hinglishbench",
        )
