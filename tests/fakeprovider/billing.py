"""What the provider has seen, and what it will send a bill for.

Every request for a completion is one `Entry` from its arrival to its end. An entry ends once, with
a charge: `complete` (a readable completion with its token counts was written to the end),
`aborted` (billed, but the client cannot know its counts from the reply), or `no`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from .answers import Tokens


class Charge(StrEnum):
    """How a request ends on the bill."""

    COMPLETE = "complete"
    ABORTED = "aborted"
    NO = "no"


@dataclass(slots=True)
class Entry:
    """One request.

    Attributes:
        ordinal: 1 for the first request since the start or the last reset.
        at_s: arrival, in seconds since then.
        end_s: when it ended, None while it is in flight.
        digest: SHA-256 of the body as sent.
        occurrence: how many times this body had come, this time included.
        tokens: what it uses if it is computed.
        charged: what it is billed; None when nothing is.
        status: the status that was sent; 499 when the client hung up, 0 when nothing was sent.
        written: whether all bytes of the reply reached the kernel.
        request: headers and body, when they are kept.
    """

    ordinal: int
    at_s: float
    path: str
    digest: str
    occurrence: int
    connection_request: int
    model: str | None = None
    stream: bool = False
    tokens: Tokens | None = None
    fault: str = "ok"
    told_wait_s: float | None = None
    status: int = 0
    charge: Charge | None = None
    charged: Tokens | None = None
    written: bool = False
    end_s: float | None = None
    request: dict[str, Any] | None = None

    def row(self) -> dict[str, Any]:
        """The entry as a row of `/_log`."""
        billed = self.charged
        return {
            "ordinal": self.ordinal,
            "at_s": round(self.at_s, 6),
            "end_s": None if self.end_s is None else round(self.end_s, 6),
            "path": self.path,
            "digest": self.digest,
            "occurrence": self.occurrence,
            "connection_request": self.connection_request,
            "model": self.model,
            "stream": self.stream,
            "fault": self.fault,
            "status": self.status,
            "told_wait_s": self.told_wait_s,
            "billed": self.charge.value if self.charge else None,
            "prompt_tokens": billed.prompt if billed else 0,
            "completion_tokens": billed.output if billed else 0,
            "reasoning_tokens": billed.reasoning if billed else 0,
            "cached_tokens": billed.cached if billed else 0,
            "written": self.written,
            **({} if self.request is None else {"request": self.request}),
        }


@dataclass(slots=True)
class Sum:
    """Tokens of one kind of charge; `completion_tokens` is all billable output."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0

    def add(self, tokens: Tokens, seconds: float) -> None:
        """Add one request and the time that it took from its arrival to its end."""
        self.requests += 1
        self.seconds += seconds
        self.prompt_tokens += tokens.prompt
        self.completion_tokens += tokens.output
        self.reasoning_tokens += tokens.reasoning
        self.cached_tokens += tokens.cached

    def as_dict(self) -> dict[str, float]:
        """The sums as JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(slots=True)
class Bill:
    """The running account of one server.

    Args:
        started: the clock at the start.
        max_rows: how many entries are kept as rows; all are counted.
    """

    started: float
    max_rows: int
    entries: list[Entry] = field(default_factory=list)
    requests: int = 0
    by_model: Counter[str] = field(default_factory=Counter)
    by_path: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    complete: Sum = field(default_factory=Sum)
    aborted: Sum = field(default_factory=Sum)
    unbilled: int = 0
    billed_again: int = 0
    limited: int = 0
    in_flight: int = 0
    max_in_flight: int = 0
    connections: int = 0
    other_requests: int = 0
    _seen: dict[str, int] = field(default_factory=dict)
    _billed: set[str] = field(default_factory=set)

    def open(self, path: str, digest: str, connection_request: int, now: float) -> Entry:
        """Note the arrival of a request for a completion."""
        self.requests += 1
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        self.by_path[path] += 1
        occurrence = self._seen[digest] = self._seen.get(digest, 0) + 1
        at_s = now - self.started
        entry = Entry(self.requests, at_s, path, digest, occurrence, connection_request)
        if len(self.entries) < self.max_rows:
            self.entries.append(entry)
        return entry

    def identify(self, entry: Entry, model: str, tokens: Tokens, *, stream: bool) -> None:
        """Note what a readable request asks for."""
        self.by_model[model] += 1
        entry.model, entry.tokens, entry.stream = model, tokens, stream

    def settle(
        self,
        entry: Entry,
        charge: Charge,
        *,
        status: int,
        now: float,
        written: bool = False,
        tokens: Tokens | None = None,
    ) -> None:
        """End a request; `tokens` overrides what was computed (a stream cut half way)."""
        if entry.charge is not None:
            return  # the first end counts
        entry.charge, entry.status, entry.written = charge, status, written
        entry.end_s = now - self.started
        self.in_flight -= 1
        self.faults[entry.fault] += 1
        self.statuses[status] += 1
        tokens = tokens or entry.tokens
        if charge is Charge.NO or tokens is None:
            entry.charge = Charge.NO
            self.unbilled += 1
            return
        entry.charged = tokens
        (self.complete if charge is Charge.COMPLETE else self.aborted).add(
            tokens, entry.end_s - entry.at_s
        )
        if entry.digest in self._billed:
            self.billed_again += 1
        self._billed.add(entry.digest)

    def as_dict(self) -> dict[str, Any]:
        """The account as JSON (`/_bill`)."""
        return {
            "requests": self.requests,
            "by_model": dict(self.by_model),
            "by_path": dict(self.by_path),
            "complete": self.complete.as_dict(),
            "aborted": self.aborted.as_dict(),
            "unbilled_requests": self.unbilled,
            "distinct_bodies": len(self._seen),
            "billed_again": self.billed_again,
            "limited": self.limited,
            "faults": dict(self.faults),
            "statuses": {str(code): n for code, n in sorted(self.statuses.items())},
            "in_flight": self.in_flight,
            "max_in_flight": self.max_in_flight,
            "connections": self.connections,
            "other_requests": self.other_requests,
            "rows_dropped": self.requests - len(self.entries),
        }
