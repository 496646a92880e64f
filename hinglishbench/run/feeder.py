"""The thread that takes a run's journal into the ledger, a slice at a time, while the run goes on.

It holds the ledger for milliseconds and lets go, so that other shells can read and other runs can
write in between; it spends a small share of the time, because it shares the interpreter with the
engine. A ledger that someone else holds is no error: what is left goes in later.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from hinglishbench.errors import LedgerError
from hinglishbench.ledger.intake import RunRef, take_in
from hinglishbench.ledger.journal import Journal
from hinglishbench.ledger.store import RUN_CONFIG, connect

EVERY_S = 2.0
SHARE = 20  # at most one part in twenty of the time
# Readers that poll leave short gaps between them; waiting for one costs this thread nothing.
PATIENCE_S = 1.0


@dataclass
class Feeder:
    """Feeds one run's journal. `start` it, and `finish` it when the engine is done.

    Attributes:
        offset: bytes taken in.
        busy: why the ledger took nothing in, when the last try failed.
    """

    ledger: Path
    run: RunRef
    journal: Journal
    offset: int
    busy: LedgerError | None = None
    _done: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _failure: BaseException | None = None

    def start(self) -> None:
        """Begin in a thread of its own."""
        self._thread = threading.Thread(target=self._loop, name="hbench-feeder", daemon=True)
        self._thread.start()

    def _loop(self) -> None:
        next_at = time.monotonic() + EVERY_S
        try:
            while not self._done.wait(0.5):
                self.journal.sync()
                if time.monotonic() >= next_at:
                    started = time.monotonic()
                    self._feed_slice(PATIENCE_S)
                    took = time.monotonic() - started
                    next_at = time.monotonic() + max(EVERY_S, SHARE * took)
        except BaseException as error:  # noqa: BLE001  re-raised by finish in the run's own thread
            self._failure = error

    def feed(self, *, wait_s: float) -> bool:
        """Take in all that is new, letting others in between; False when someone holds the ledger."""
        while True:
            before = self.offset
            if not self._feed_slice(wait_s):
                return False
            # Opening the ledger only to find nothing more would cost what a slice does; a line that
            # the disk took in part stays behind.
            if self.offset in {before, self.journal.path.stat().st_size}:
                return True

    def _feed_slice(self, wait_s: float) -> bool:
        try:
            with connect(self.ledger, write=True, wait_s=wait_s, config=RUN_CONFIG) as connection:
                _, self.offset = take_in(
                    connection, self.run, self.journal.path, self.offset, slices=1
                )
        except LedgerError as error:  # busy, or there is no room: the journal has everything
            self.busy = error
            return False
        self.busy = None
        return True

    def stop(self) -> None:
        """End the thread.

        Raises:
            Exception: whatever ended the thread before its time; the journal has everything.
        """
        self._done.set()
        if self._thread is not None:
            self._thread.join()
        if self._failure is not None:
            raise self._failure
