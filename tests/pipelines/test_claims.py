"""Requests without cells are claimed by what they are, whoever else is about."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hinglishbench.canonical import canonical_json, digest
from hinglishbench.ledger.claims import Claimed
from hinglishbench.ledger.identity import ArmRow, EndpointRow, PromptRow, RunRow
from hinglishbench.ledger.journal import Journal
from hinglishbench.ledger.requests import NOTHING_YET, Reply, claim_requests, replies
from hinglishbench.ledger.store import connect, journal_dir
from hinglishbench.ledger.verify import verify
from hinglishbench.suites.request import request_digest

CONTENT = {"id": "p", "user": "{text}", "slots": ["text"]}
ARM = ArmRow(
    EndpointRow("fake", "direct", "there"), PromptRow("p", digest("prompt", CONTENT), CONTENT), "m", None,
    None, 64, {"model": "m"},
)  # fmt: skip
T0 = 1_800_000_000.0


class Runs:
    """Runs over one ledger; each lives (holds its journal) until it is ended."""

    def __init__(self, folder: Path) -> None:
        self.ledger = folder / "ledger.duckdb"
        self.journals: list[Journal] = []
        self.closed: set[int] = set()

    def bodies(self, *texts: str) -> list[str]:
        """Bodies as they would be sent."""
        return [
            canonical_json({"messages": [{"content": t, "role": "user"}], "model": "m"})
            for t in texts
        ]

    def digests(self, *texts: str, sample: int = 0) -> list[bytes]:
        """What the requests are known by."""
        return [
            request_digest(ARM.endpoint.digest, b.encode(), sample) for b in self.bodies(*texts)
        ]

    def claim(self, *texts: str, sample: int = 0, **options: Any) -> tuple[Claimed, Journal]:
        """Begin a run that wants these."""
        key = f"run-{len(self.journals)}"
        journal = Journal.create(
            journal_dir(self.ledger) / f"{key}.ndjson", {"key": key, "pid": 1, "version": "0"}
        )
        self.journals.append(journal)
        at = datetime.fromtimestamp(T0, UTC).replace(tzinfo=None)
        rows = [
            (seq, 0, sample, d, b)
            for seq, (d, b) in enumerate(zip(self.digests(*texts, sample=sample), self.bodies(*texts), strict=True))
        ]  # fmt: skip
        with connect(self.ledger, write=True) as connection:
            claimed = claim_requests(
                connection, self.ledger, purpose=options.pop("purpose", "translate"), arms=[ARM],
                run=RunRow(key, f"{key}.ndjson", "live", "set", "0", {}, at), wanted=rows,
                fresh=options.pop("fresh", False), **options,
            )  # fmt: skip
        return claimed, journal

    def end(self, claimed: Claimed, journal: Journal, *said: str | None) -> None:
        """Answer the asks in order (None: an error), and end the run."""
        for ask, text in zip(claimed.asks, said, strict=False):
            base = {"r": ask.request_id, "n": 1, "arm": claimed.arm_ids[0], "at": T0 + 1}
            journal.write({"e": "sent", **base, "at": T0, "bound_in": 9, "bound_out": 64})
            end = {"text": text, "finish_reason": "stop", "billed": "yes", "final": "answered",
                   "billable_output_tokens": 5, "prompt_tokens": 9}  # fmt: skip
            if text is None:
                end = {"error": "bad_request", "message": "no", "billed": "no", "final": "error"}
            journal.write({"e": "end", **base, "sent_at": T0, **end})
        self.close(journal)

    def close(self, journal: Journal) -> None:
        """End a run, or let it die."""
        journal.close()
        self.closed.add(id(journal))

    def said(self, *texts: str, sample: int = 0) -> list[Reply]:
        """What is known of requests; takes in the dead."""
        return replies(self.ledger, self.digests(*texts, sample=sample), origin="live")


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[Runs]:
    made = Runs(tmp_path)
    yield made
    for journal in made.journals:
        if id(journal) not in made.closed:
            journal.close()


def test_answered_is_reused_and_the_rest_claimed_again(runs: Runs) -> None:
    """Answered, failed, sent and never sent: only the first is not asked again, on the old rows."""
    claimed, journal = runs.claim("a", "b", "c")
    assert [ask.seq for ask in claimed.asks] == [0, 1, 2]
    runs.end(claimed, journal, "A", None)
    assert [r.state for r in runs.said("a", "b", "c", "d")] == [
        "answered",
        "error",
        "planned",
        "planned",
    ]
    again, journal = runs.claim("c", "a", "b")
    assert (again.cells, again.reused, [ask.seq for ask in again.asks]) == (3, 1, [0, 2])
    assert {ask.request_id for ask in again.asks} == {
        claimed.asks[1].request_id,
        claimed.asks[2].request_id,
    }
    runs.end(again, journal, "C", "B")
    assert [r.text for r in runs.said("a", "b", "c")] == ["A", "B", "C"]
    assert not verify(runs.ledger).faults


def test_a_living_run_keeps_what_it_claimed(runs: Runs) -> None:
    """What another run is asking is not asked; when that run dies, it is."""
    _, living = runs.claim("a", "b")
    other, own = runs.claim("b", "c")
    assert (other.claimed_elsewhere, [ask.seq for ask in other.asks]) == (1, [1])
    runs.close(own)
    assert runs.said("b") == [NOTHING_YET]
    runs.close(living)
    after, _ = runs.claim("b", "c")
    assert (after.claimed_elsewhere, len(after.asks)) == (0, 2)


def test_one_body_twice_is_one_request(runs: Runs) -> None:
    """The same words for two items are bought once; another sample is another request."""
    claimed, journal = runs.claim("a", "a")
    assert (claimed.cells, len(claimed.asks)) == (2, 1)
    runs.end(claimed, journal, "A")
    assert [r.text for r in runs.said("a", "a")] == ["A", "A"]
    assert runs.said("a", sample=1) == [NOTHING_YET]
    more, _ = runs.claim("a", sample=1)
    assert len(more.asks) == 1


def test_fresh_buys_again_and_counts_it(runs: Runs) -> None:
    """`--fresh` makes a new request; the newest reply counts, also when it failed."""
    claimed, journal = runs.claim("a")
    runs.end(claimed, journal, "A")
    runs.said("a")
    again, journal = runs.claim("a", fresh=True)
    assert (again.again, again.reused, len(again.asks)) == (1, 0, 1)
    runs.end(again, journal, "A2")
    assert [r.text for r in runs.said("a")] == ["A2"]


def test_a_dry_claim_leaves_nothing(runs: Runs) -> None:
    """Counts only."""
    claimed, _ = runs.claim("a", "b", dry=True)
    assert len(claimed.asks) == 2
    with connect(runs.ledger, write=False) as connection:
        assert connection.execute("select count(*) from requests").fetchall() == [(0,)]


def test_a_changed_body_is_found_by_verify(runs: Runs) -> None:
    """The stored body and the digest hold each other."""
    claimed, journal = runs.claim("a")
    runs.end(claimed, journal, "A")
    runs.said("a")
    assert not verify(runs.ledger).faults
    with connect(runs.ledger, write=True) as connection:
        connection.execute("update requests set body = replace(body, '\"a\"', '\"b\"')")
    assert verify(runs.ledger).faults["request digests that do not fit"] == 1
