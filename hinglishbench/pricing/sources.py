"""Which prices a run copies into its ledger: the sources in order of precedence.

A cost that the provider states in its reply wins over all of these; it is no price, and stands with
the attempt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from hinglishbench.pricing.book import PriceBook
from hinglishbench.pricing.library import library_prices
from hinglishbench.pricing.price import PriceRow
from hinglishbench.pricing.router import Snapshot, read_snapshots, router_prices
from hinglishbench.pricing.user_file import read_prices
from hinglishbench.pricing.wanted import Wanted

DEFAULT_FILE = Path("prices.toml")
_FREE = 90


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one source says of a model's price.

    Attributes:
        source: its name.
        rows: its prices over time.
        reason: why it has none.
    """

    source: str
    rows: list[PriceRow]
    reason: str | None = None


class Sources:
    """Every source, read once: the user's file, the router's snapshots, the package."""

    def __init__(self, folder: Path | None = None, user_file: Path | None = None) -> None:
        """`folder`: where `prices.toml` and the snapshots are; None: the working folder.

        Raises:
            InputError: one of the files makes no sense.
        """
        folder = folder or Path()
        self.user_rows = read_prices(user_file or folder / DEFAULT_FILE)
        self.snapshots: list[Snapshot] = read_snapshots(folder)

    def opinions(self, wanted: Wanted) -> Iterator[Opinion]:
        """What each source says, the one that counts most first."""
        own = [
            row
            for row in self.user_rows
            if (row.provider, row.model) == (wanted.provider, wanted.model)
            and row.route in (None, wanted.route)
        ]
        yield Opinion("user", own, None if own else f"{DEFAULT_FILE} has no price of it")
        if wanted.route == "local":
            yield Opinion("builtin", [_free(wanted)])
            return
        rows, reason = router_prices(wanted, self.snapshots)
        yield Opinion("hf-router", rows, reason)
        if wanted.route == "hf":
            routed = library_prices(wanted, own=False)
            yield Opinion("genai-prices", routed.rows, routed.reason)
        listed = library_prices(wanted, own=True)
        name = "genai-prices, provider's own list" if wanted.route == "hf" else "genai-prices"
        yield Opinion(name, listed.rows, listed.reason)

    def rows(self, wanted: Wanted) -> list[PriceRow]:
        """The prices of a model, of every source: where one does not reach back, the next counts."""
        return [row for opinion in self.opinions(wanted) for row in opinion.rows]

    def book(self, wanted: Wanted) -> PriceBook:
        """The prices of a model, ready to use."""
        return PriceBook(self.rows(wanted))


def price_rows(wanted: Iterable[Wanted], sources: Sources | None = None) -> list[PriceRow]:
    """Prices for models under test, each once.

    Raises:
        InputError: a file of the user's makes no sense.
    """
    sources = sources or Sources()
    return [row for one in dict.fromkeys(wanted) for row in sources.rows(one)]


def lines_to_paste(models: Sequence[Wanted]) -> str:
    """The entries of `prices.toml` that are missing, with amounts to fill in."""
    return "\n".join(
        f'[[prices]]\nprovider = "{one.provider}"\nmodel = "{one.model}"\n'
        "input = ?     # US$ per million tokens\noutput = ?"
        for one in dict.fromkeys(models)
    )


def _free(wanted: Wanted) -> PriceRow:
    return PriceRow(wanted.provider, wanted.model, "builtin", _FREE, Decimal(0), Decimal(0),
                    note="runs inside this program, on this machine")  # fmt: skip
