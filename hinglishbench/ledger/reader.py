"""Reading a ledger: open, take in what dead runs left, ask, close, hand out what holds no lock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hinglishbench.errors import (
    HbenchError,
    LedgerBusyError,
    LedgerError,
    NoLedgerError,
    UsageError,
)
from hinglishbench.ledger import intake
from hinglishbench.ledger.spending import price_lists
from hinglishbench.ledger.store import WAIT_S, connect, ledger_path, query
from hinglishbench.pricing.price import PriceRow

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

ORIGINS = ("live", "import", "replay")
COST_KEYS = ("run", "model", "provider", "suite", "prompt", "day", "purpose")


@dataclass(frozen=True)
class Table:
    """A materialised result; it holds no lock.

    Attributes:
        columns: names, in order.
        rows: values, one tuple a row.
    """

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]] = field(repr=False)

    def dicts(self) -> list[dict[str, Any]]:
        """One dict a row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def arrow(self) -> pa.Table:
        """As an Arrow table (needs pyarrow)."""
        import pyarrow as pa  # noqa: PLC0415  only who asks for it needs it

        return pa.table(
            {name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)}
        )

    def df(self) -> pd.DataFrame:
        """As a pandas frame (needs pandas)."""
        import pandas as pd  # noqa: PLC0415  only who asks for it needs it

        return pd.DataFrame.from_records(self.rows, columns=list(self.columns))

    def pl(self) -> pl.DataFrame:
        """As a polars frame (needs polars)."""
        import polars as pl  # noqa: PLC0415  only who asks for it needs it

        return pl.DataFrame(self.rows, schema=list(self.columns), orient="row")

    def __len__(self) -> int:
        return len(self.rows)


class Session:
    """Several queries on one read-only connection; temp tables live as long as it does."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection

    def run(self, name: str, parameters: Mapping[str, Any] | None = None) -> Table:
        """Run each statement of `queries/NAME.sql`, with those parameters that it names.

        Returns:
            The rows of the last statement.
        """
        table = Table((), [])
        for statement in self._connection.extract_statements(query(name)):
            named = {key: (parameters or {})[key] for key in statement.named_parameters}
            cursor = self._connection.execute(statement, named)
            table = Table(tuple(c[0] for c in cursor.description or ()), cursor.fetchall())
        return table


class Ledger:
    """A ledger to read; each call opens it, asks, and lets go.

    Attributes:
        notes: what a person should know (journals taken in, or waiting).
    """

    def __init__(self, path: Path | str | None = None, *, wait_s: float = WAIT_S) -> None:
        """`path`: the file; None: HBENCH_LEDGER, else ./ledger.duckdb."""
        self.path = ledger_path(Path(path) if path is not None else None)
        self.wait_s = wait_s
        self.notes: list[str] = []
        self._adopted = False

    def _adopt(self) -> None:
        if self._adopted:
            return
        if not self.path.exists():
            raise NoLedgerError(
                f"there is no ledger at {self.path}",
                hint="`hbench run` makes one; --ledger FILE or HBENCH_LEDGER names another",
            )
        self._adopted = True
        try:
            for taken in intake.adopt(self.path, wait_s=self.wait_s):
                self.notes.append(describe(taken))
        except (LedgerBusyError, LedgerError, PermissionError) as error:
            behind = sum(intake.missing(self.path, wait_s=self.wait_s).values())
            self.notes.append(f"{behind:,} bytes of dead runs' journals are not taken in: {error}")

    def ask(self, sql: str, parameters: Mapping[str, Any] | Sequence[Any] | None = None) -> Table:
        """Run one statement, read-only.

        Raises:
            NoLedgerError: there is no ledger; no file is made.
            LedgerBusyError: another process holds it.
            UsageError: the statement makes no sense to DuckDB.
        """
        import duckdb  # noqa: PLC0415  a tenth of a second that `--help` need not pay

        self._adopt()
        with connect(self.path, write=False, wait_s=self.wait_s) as connection:
            try:
                cursor = connection.execute(sql, parameters)
                columns = tuple(column[0] for column in cursor.description or ())
                return Table(columns, cursor.fetchall())
            except duckdb.Error as error:
                raise UsageError(
                    str(error).strip(), hint="`hbench sql --schema` lists tables and views"
                ) from error

    @contextmanager
    def session(self) -> Iterator[Session]:
        """One read-only connection for several queries that share temp tables.

        Raises:
            NoLedgerError: there is no ledger; no file is made.
            LedgerBusyError: another process holds it.
        """
        self._adopt()
        with connect(self.path, write=False, wait_s=self.wait_s) as connection:
            yield Session(connection)

    def sql(self, statement: str) -> Table:
        """A statement of the user's own, read-only; files and settings are out of its reach.

        Raises:
            UsageError: it does not parse, or is more than a question.
        """
        import duckdb  # noqa: PLC0415  as above

        self._adopt()
        with connect(self.path, write=False, wait_s=self.wait_s) as connection:
            connection.execute("set enable_external_access = false")
            connection.execute("set lock_configuration = true")
            try:
                if not connection.extract_statements(statement):
                    raise UsageError("there is no statement in it")
                cursor = connection.execute(statement)
                return Table(tuple(c[0] for c in cursor.description or ()), cursor.fetchall())
            except duckdb.Error as error:
                raise UsageError(
                    str(error).strip(), hint="`hbench sql --schema` lists tables and views"
                ) from error

    def cost(
        self,
        *,
        by: Sequence[str] = (),
        origins: Sequence[str] = ("live",),
        run_id: int | None = None,
        provider: str | None = None,
        from_at: datetime | None = None,
        to_at: datetime | None = None,
        price_as: Sequence[PriceRow] | None = None,
    ) -> Table:
        """What was spent, in total or by keys of `COST_KEYS`.

        Args:
            by: keys of `COST_KEYS`; none: one row.
            origins: which answers count.
            run_id: of one run alone.
            provider: at one provider alone.
            from_at: sent then or later, naive UTC.
            to_at: sent before.
            price_as: what the same tokens would cost at these prices (of one set) instead.
        """
        if wrong := [key for key in by if key not in COST_KEYS]:
            raise UsageError(
                f"cost has no key {wrong[0]!r}", hint=f"one of: {', '.join(COST_KEYS)}"
            )
        keys = "".join(f"{key}, " for key in by)
        group = f"group by {', '.join(by)} order by {', '.join(by)}" if by else ""
        sql = query("cost").replace("{keys}", keys).replace("{group}", group)
        parameters = {"origins": list(origins), "run_id": run_id, "provider": provider,
                      "from_at": from_at, "to_at": to_at}  # fmt: skip
        elsewhere = "" if price_as is None else query("cost_elsewhere")
        sql = sql.replace("{with}", elsewhere)
        sql = sql.replace("{costs}", "attempt_costs" if price_as is None else "elsewhere")
        return self.ask(sql, parameters | ({} if price_as is None else price_lists(price_as)))

    def runs(self) -> Table:
        """Every run, the newest first."""
        return self.ask(query("runs"))


def describe(taken: intake.Taken) -> str:
    """One sentence about a journal taken in."""
    if taken.foreign:
        return f"{taken.journal} is the journal of another run: nothing of it was taken in"
    text = f"took in {taken.attempts} attempts of a run that had died ({taken.journal})"
    if taken.in_flight:
        text += f"; {taken.in_flight} were in flight and may be billed"
    if taken.torn:
        text += f"; its last line was torn ({taken.torn} bytes) and is left out"
    if taken.bad_lines:
        text += f"; {len(taken.bad_lines)} damaged lines are left out, the first at byte {taken.bad_lines[0]}"
    return text


__all__ = ["COST_KEYS", "ORIGINS", "HbenchError", "Ledger", "Session", "Table", "describe"]
