"""The append-only file that a run writes before anything reaches the ledger.

One JSON object a line, each flushed to the operating system as it is written, so that kill -9
loses nothing that had arrived; fsynced about once a second, so that a power cut loses a second.
While a run lives it holds an exclusive flock on its journal: a journal whose lock can be taken
belongs to a dead run.

Lines, by their key `e`:

    run    the first line: who writes (`key`, `pid`, `version`)
    plan   a request that this run means to ask (`r` request, `item`, `form`, `sample`)
    sent   an attempt is about to be sent (`r`, `n` try, `at`, `bound` prompt tokens at most)
    end    an attempt ended (`r`, `n`, `at`, and what `ATTEMPT_FIELDS` names); `final` is
           "answered" or "error" on the last attempt of a request
    limit  the concurrency limit of an endpoint changed (`endpoint`, `limit`, `reason`, `at`)
    done   the run ended by itself (`status`, `at`, `summary`)
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FSYNC_EVERY_S = 1.0
# What is parsed at once: as Python objects a journal weighs ten times its bytes.
SLICE_BYTES = 1 << 22

_SURROGATES = re.compile("[\ud800-\udfff]")


class JournalFullError(OSError):
    """The journal cannot be written (mostly: the disk is full). Lines are kept in memory."""


def dumps(event: Mapping[str, Any]) -> bytes:
    """One journal line, newline included; lone surrogates become U+FFFD so that it is UTF-8."""
    line = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    try:
        return line.encode() + b"\n"
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", line).encode() + b"\n"


@dataclass
class Journal:
    """A journal being written by this process. Use `Journal.create`."""

    path: Path
    clock: Callable[[], float]
    _fd: int
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _unwritten: bytearray = field(default_factory=bytearray)
    _synced_at: float = 0.0

    @classmethod
    def create(
        cls, path: Path, header: Mapping[str, Any], clock: Callable[[], float] = time.monotonic
    ) -> Journal:
        """Make the file, take its lock, write the header line."""
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        journal = cls(path, clock, fd, _synced_at=clock())
        journal.write({"e": "run", **header})
        return journal

    def write(self, *events: Mapping[str, Any]) -> None:
        """Append events and hand them to the operating system.

        Raises:
            JournalFullError: nothing of these lines is lost, they stay in memory; a later call
                (or `flush`) tries again. Stop admitting calls until it works.
        """
        data = b"".join(map(dumps, events))
        with self._lock:
            if self._unwritten:
                self._unwritten += data
                self._drain()
            else:
                try:
                    written = os.write(self._fd, data)
                except OSError as error:
                    self._unwritten += data
                    raise JournalFullError(error.errno, error.strerror or str(error)) from error
                if written != len(data):
                    self._unwritten += data[written:]
                    self._drain()

    def _drain(self) -> None:
        try:
            while self._unwritten:
                written = os.write(self._fd, self._unwritten)
                del self._unwritten[:written]
        except OSError as error:
            raise JournalFullError(error.errno, error.strerror or str(error)) from error

    def sync(self, *, now: bool = False) -> None:
        """Fsync when a second has passed since the last time (or `now`)."""
        if now or self.clock() - self._synced_at >= FSYNC_EVERY_S:
            self._synced_at = self.clock()
            os.fsync(self._fd)

    def flush(self) -> int:
        """Try again to write what could not be written; bytes still unwritten."""
        with self._lock:
            try:
                self._drain()
            except JournalFullError:
                return len(self._unwritten)
        return 0

    def close(self) -> None:
        """Sync and let go of the lock."""
        try:
            self.flush()
            self.sync(now=True)
        finally:
            os.close(self._fd)


def is_dead(path: Path) -> bool:
    """Whether no living process writes this journal (its lock can be taken)."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(fd)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole lines read from a journal.

    Attributes:
        events: the parsed lines.
        end: byte offset after the last whole line.
        bad_lines: byte offsets of lines that are not JSON.
        torn: bytes after the last newline (0 in a whole journal).
    """

    events: list[dict[str, Any]]
    end: int
    bad_lines: list[int]
    torn: int


def read_from(path: Path, offset: int, max_bytes: int = SLICE_BYTES) -> Chunk:
    """Read whole lines from `offset` on, about `max_bytes` at most."""
    with path.open("rb") as file:
        file.seek(offset)
        data = file.read(max_bytes)
        if len(data) == max_bytes and not data.endswith(b"\n"):
            data += file.readline()
    end = data.rfind(b"\n") + 1
    events: list[dict[str, Any]] = []
    bad: list[int] = []
    position = offset
    for line in data[:end].split(b"\n")[:-1]:
        event = _parse(line)
        if event is None:
            bad.append(position)
        else:
            events.append(event)
        position += len(line) + 1
    return Chunk(events, offset + end, bad, len(data) - end)


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and isinstance(event.get("e"), str) else None


def header_of(path: Path) -> dict[str, Any] | None:
    """The first line of a journal, None when it is not one."""
    with path.open("rb") as file:
        event = _parse(file.readline())
    return event if event is not None and event["e"] == "run" else None


def open_attempts(path: Path) -> Iterator[dict[str, Any]]:
    """The `sent` lines that no `end` line answers: in flight when the process died."""
    open_: dict[tuple[int, int], dict[str, Any]] = {}
    offset = 0
    while True:
        chunk = read_from(path, offset)
        for event in chunk.events:
            if event["e"] == "sent":
                open_[event["r"], event["n"]] = event
            elif event["e"] == "end":
                open_.pop((event["r"], event["n"]), None)
        if chunk.end == offset:
            break
        offset = chunk.end
    yield from open_.values()
