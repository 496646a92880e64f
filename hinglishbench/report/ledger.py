"""A ledger whose tables can be asked for from Python."""

from __future__ import annotations

from typing import Any

from hinglishbench.ledger import reader
from hinglishbench.ledger.reader import Table
from hinglishbench.report.compare import compare_rows
from hinglishbench.report.options import CompareOptions, PowerOptions, TaxOptions
from hinglishbench.report.power import power_rows
from hinglishbench.report.tax import tax_rows


class Ledger(reader.Ledger):
    """A ledger to read, with the commands' tables as methods; the results hold no lock."""

    def tax(self, **options: Any) -> Table:
        """The rows of `hbench tax`.

        Args:
            options: fields of `TaxOptions`.
        """
        return as_table(tax_rows(self, TaxOptions(**options)))

    def compare(self, **options: Any) -> Table:
        """The rows of `hbench compare`.

        Args:
            options: fields of `CompareOptions`, such as `variant="think-in-english"`.
        """
        return as_table(compare_rows(self, CompareOptions(**options)))

    def power(self, **options: Any) -> Table:
        """The rows of `hbench power`.

        Args:
            options: fields of `PowerOptions`.
        """
        return as_table(power_rows(self, PowerOptions(**options)))


def as_table(rows: list[dict[str, Any]]) -> Table:
    """Rows of one shape as a table."""
    columns = tuple(rows[0]) if rows else ()
    return Table(columns, [tuple(row[name] for name in columns) for row in rows])
