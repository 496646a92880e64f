"""Every error that hinglishbench raises on purpose, in one tree.

::

    HbenchError                 anything below; carries `hint` and `exit_code`
    ├── UsageError              2  the command line does not make sense
    ├── RefusedError            3  refused before any call was made
    │   ├── InputError          3  a file of the user's is wrong: names file and line
    │   └── NoLedgerError       3  a reading command found no ledger
    ├── BudgetError             4  stopped at the budget
    ├── EndpointError           5  an endpoint stopped in mid-run
    └── LedgerError             6  the ledger is busy or damaged
        └── LedgerBusyError     6  another process holds it

A message says what happened; `hint` says what to do next.
"""

from __future__ import annotations

from pathlib import Path


class HbenchError(Exception):
    """Base of all errors; `str(error)` is one sentence for a person."""

    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(HbenchError):
    """The command line does not make sense."""

    exit_code = 2


class RefusedError(HbenchError):
    """Refused before any call was made."""

    exit_code = 3


class InputError(RefusedError):
    """A file of the user's is wrong; the message starts with `file:line`."""

    def __init__(
        self, path: Path | str, line: int | None, message: str, *, hint: str | None = None
    ) -> None:
        where = f"{path}:{line}" if line is not None else str(path)
        super().__init__(f"{where}: {message}", hint=hint)
        self.path = str(path)
        self.line = line


class NoLedgerError(RefusedError):
    """A reading command found no ledger; no file was made."""


class BudgetError(HbenchError):
    """Stopped at the budget; the same command with a larger one goes on."""

    exit_code = 4


class EndpointError(HbenchError):
    """An endpoint stopped in mid-run; the same command later asks what is missing."""

    exit_code = 5


class LedgerError(HbenchError):
    """The ledger is damaged, or cannot be opened."""

    exit_code = 6


class LedgerBusyError(LedgerError):
    """Another process holds the ledger; the message names its id."""
