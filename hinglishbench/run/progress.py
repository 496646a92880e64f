"""What a person sees of a run while it goes on; nothing here decides anything."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Protocol, Self

from hinglishbench.client.failures import Failure
from hinglishbench.client.normalise import Answer
from hinglishbench.client.retry import Stop, Wait

if TYPE_CHECKING:
    from rich.progress import TaskID

    from hinglishbench.run.budget import Budget
    from hinglishbench.run.lane import Lane
    from hinglishbench.run.plan import PlannedCell


class Progress(Protocol):
    """What the engine tells."""

    def note(self, text: str) -> None:
        """A sentence for the person."""

    def answered(self, lane: Lane, cell: PlannedCell, answer: Answer) -> None:
        """A cell has its answer."""

    def retrying(self, lane: Lane, failure: Failure, wait: Wait) -> None:
        """An attempt failed and is tried again."""

    def failed(self, lane: Lane, cell: PlannedCell, failure: Failure, stop: Stop) -> None:
        """A cell ended in an error."""

    def waiting(self, waits: Sequence[str]) -> None:
        """For what each endpoint that waits is waited, told about once a second."""


@dataclass
class Counts:
    """What a run has done so far, by its own count (the ledger's count is the true one)."""

    answered: int = 0
    errors: int = 0
    retries: int = 0
    output_tokens: int = 0
    usd: Decimal = Decimal(0)
    unpriced: int = 0


PriceOf = Callable[["PlannedCell", Answer], Decimal | None]
"""Dollars of an answer at the prices known when the run began; None: no price."""


class Silent:
    """Counts, and says only what a person must know (`--quiet`)."""

    def __init__(self, price_of: PriceOf, forms: int) -> None:
        """`forms` is the number of cells in a block."""
        self.counts = Counts()
        self.budget: Budget | None = None
        self._price_of = price_of
        self._forms = forms
        self._open_blocks: Counter[tuple[int, str, int]] = Counter()
        self.blocks_done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to clear."""

    def note(self, text: str) -> None:
        """Print a sentence; a quiet run stays quiet about what is in its summary anyway."""

    def answered(self, lane: Lane, cell: PlannedCell, answer: Answer) -> None:  # noqa: ARG002  part of the protocol
        """Count an answer."""
        self.counts.answered += 1
        self.counts.output_tokens += answer.usage.billable_output_tokens or 0
        usd = self._price_of(cell, answer)
        if usd is None:
            self.counts.unpriced += 1
        else:
            self.counts.usd += usd
        self._cell_done(cell)

    def retrying(self, lane: Lane, failure: Failure, wait: Wait) -> None:  # noqa: ARG002  part of the protocol
        """Count a retry."""
        self.counts.retries += 1

    def failed(self, lane: Lane, cell: PlannedCell, failure: Failure, stop: Stop) -> None:
        """Count an error."""
        self.counts.errors += 1
        if stop.scope != "request":
            name = lane.endpoint.provider.name
            what = name if stop.scope == "endpoint" else f"{cell.arm.model} at {name}"
            self.note(
                f"{what} stopped: {failure.message}" + (f" ({stop.hint})" if stop.hint else "")
            )
        self._cell_done(cell)

    def waiting(self, waits: Sequence[str]) -> None:
        """Nothing is shown."""

    def _cell_done(self, cell: PlannedCell) -> None:
        block = (cell.arm_index, cell.item.id, cell.sample)
        self._open_blocks[block] += 1
        if self._open_blocks[block] == self._forms:
            del self._open_blocks[block]
            self.blocks_done += 1

    def dollars(self) -> str:
        """Spent so far, with a budget also reserved and cap: `$0.0123`, `$0.0123+?` when some calls have no price, `$?` when none has."""
        counts = self.counts
        if self.budget is not None:
            return self.budget.line()
        if counts.unpriced == counts.answered and counts.answered:
            return "$?"
        return f"${counts.usd:.4f}" + ("+?" if counts.unpriced else "")


class Lines(Silent):
    """For logs and pipes: sentences on stderr, and one line of progress now and then."""

    EVERY_S = 30.0

    def __init__(
        self,
        price_of: PriceOf,
        forms: int,
        blocks: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`blocks` is how many are to be asked."""
        super().__init__(price_of, forms)
        self._blocks = blocks
        self._clock = clock
        self._started = self._said = clock()
        self._waits: Sequence[str] = ()

    def note(self, text: str) -> None:
        """Print a sentence."""
        print(text, file=sys.stderr, flush=True)  # noqa: T201  this is the place that prints

    def _cell_done(self, cell: PlannedCell) -> None:
        super()._cell_done(cell)
        self._show(1)

    def waiting(self, waits: Sequence[str]) -> None:
        """Say for what, in the line of progress."""
        if waits or self._waits:
            self._waits = waits
            self._show(0)

    def _show(self, cells: int) -> None:  # noqa: ARG002  the bar counts them
        if self._clock() - self._said >= self.EVERY_S:
            self._said = self._clock()
            self.note(self.line())

    def line(self) -> str:
        """Blocks done, tokens per second, dollars, time left, and what is waited for."""
        elapsed = max(self._clock() - self._started, 1e-9)
        rate = self.counts.output_tokens / elapsed
        left = ""
        if self.blocks_done:
            seconds = elapsed / self.blocks_done * (self._blocks - self.blocks_done)
            left = f" · {int(seconds) // 60}:{int(seconds) % 60:02d} left"
        retries = f" · {self.counts.retries} retries" if self.counts.retries else ""
        errors = f" · {self.counts.errors} errors" if self.counts.errors else ""
        return (
            f"{self.blocks_done}/{self._blocks} blocks · {rate:.0f} tokens/s · {self.dollars()}"
            f"{left}{retries}{errors}" + "".join(f" · {wait}" for wait in self._waits)
        )


class Bar(Lines):
    """For a terminal: one bar, redrawn a few times a second by rich."""

    def __init__(self, price_of: PriceOf, forms: int, blocks: int, cells: int) -> None:
        """`cells` is how many are to be asked."""
        from rich.console import Console  # noqa: PLC0415  only a terminal needs it
        from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415  the same

        super().__init__(price_of, forms, blocks)
        self._bar = Progress(
            BarColumn(bar_width=20), TextColumn("{task.description}"),
            console=Console(stderr=True), transient=True, refresh_per_second=4,
        )  # fmt: skip
        self._task: TaskID = self._bar.add_task("starting", total=cells)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def note(self, text: str) -> None:
        """Print a sentence above the bar."""
        self._bar.console.print(text, markup=False, highlight=False)

    def _show(self, cells: int) -> None:
        self._bar.update(self._task, advance=cells, description=self.line())


def choose(price_of: PriceOf, *, forms: int, blocks: int, cells: int, quiet: bool) -> Silent:
    """The progress that fits where stderr goes."""
    if quiet:
        return Silent(price_of, forms)
    if sys.stderr.isatty():
        return Bar(price_of, forms, blocks, cells)
    return Lines(price_of, forms, blocks)
