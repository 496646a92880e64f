"""The journal: nothing that was written is lost, nothing damaged passes for whole."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinglishbench.ledger import journal
from hinglishbench.ledger.journal import Journal, JournalFullError, dumps, read_from
from tests.ledger.rig import Rig, lines

ENDS = [{"e": "end", "r": i, "text": f"answer {i} — उत्तर"} for i in range(5)]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A closed journal with a header and five lines."""
    path = tmp_path / "run.ndjson"
    made = Journal.create(path, {"key": "run", "pid": 7, "version": "0"})
    made.write(*ENDS)
    made.close()
    return path


def full(path: Path) -> Journal:
    """A journal whose disk is full."""
    return Journal(path, lambda: 0.0, os.open("/dev/full", os.O_WRONLY))


def test_a_line_can_be_read_as_soon_as_it_is_written(tmp_path: Path) -> None:
    """Flushed line by line: kill -9 right after loses nothing."""
    path = tmp_path / "run.ndjson"
    live = Journal.create(path, {"key": "run"})
    for i, end in enumerate(ENDS, 2):
        live.write(end)
        assert len(lines(path)) == i
    live.close()


def test_the_header_names_the_run(written: Path) -> None:
    """The first line says whose journal it is; another file has none."""
    assert journal.header_of(written) == {"e": "run", "key": "run", "pid": 7, "version": "0"}
    other = written.with_name("other")
    other.write_text('{"some": "json"}\n')
    assert journal.header_of(other) is None


def test_a_journal_is_never_written_over(written: Path) -> None:
    """Two runs of one name are a fault, not a mixture."""
    with pytest.raises(FileExistsError):
        Journal.create(written, {"key": "run"})


def test_offsets_continue_where_the_last_reading_ended(written: Path) -> None:
    """Reading by slices gives each line once, whatever the size of a slice."""
    whole = read_from(written, 0)
    for size in (1, 10, 60, 200, 100_000):
        events, offset = [], 0
        while (chunk := read_from(written, offset, size)).end != offset:
            events += chunk.events
            offset = chunk.end
        assert events == whole.events
        assert offset == written.stat().st_size
    assert whole.events[1:] == ENDS


def test_case_73_a_torn_last_line_is_left_out_and_reported(written: Path) -> None:
    """What came before it is kept, and its bytes are counted."""
    end = written.stat().st_size
    with written.open("ab") as file:
        file.write(b'{"e":"end","r":7,"te')
    chunk = read_from(written, 0)
    assert (len(chunk.events), chunk.end, chunk.torn, chunk.bad_lines) == (6, end, 20, [])


@pytest.mark.parametrize(
    "damage", [b"\x00" * 40, b'{"e":"end"', b"[1, 2]", b'{"no": "kind"}', b"\xff\xfe", b""]
)
def test_a_damaged_line_in_the_middle_is_named_by_its_offset(written: Path, damage: bytes) -> None:
    """The lines around it are taken in."""
    whole = written.read_bytes().splitlines(keepends=True)
    at = sum(map(len, whole[:3]))
    written.write_bytes(b"".join([*whole[:3], damage + b"\n", *whole[3:]]))
    chunk = read_from(written, 0)
    assert chunk.events[1:] == ENDS
    assert chunk.bad_lines == [at]
    assert (chunk.end, chunk.torn) == (written.stat().st_size, 0)


@given(st.binary(max_size=300), st.integers(0, 300))
def test_no_bytes_stop_a_reading(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, cut: int
) -> None:
    """Any file is read to its last newline, in two steps as in one."""
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(data)
    whole = read_from(path, 0)
    assert whole.end + whole.torn == len(data)
    assert whole.end == 0 or data[whole.end - 1 : whole.end] == b"\n"
    first = read_from(path, 0, max(1, cut))
    rest = read_from(path, first.end)
    assert first.events + rest.events == whole.events
    assert first.bad_lines + rest.bad_lines == whole.bad_lines


@given(st.text(st.characters(), max_size=50))
def test_any_text_comes_back_from_a_line(text: str) -> None:
    """Lone surrogates (case 84) come back as U+FFFD; everything else as it was."""
    line = dumps({"e": "end", "text": text})
    assert line.count(b"\n") == 1
    event = journal._parse(line)
    assert event is not None
    assert event["text"] == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") or (
        "\ufffd" in event["text"] and len(event["text"]) == len(text)
    )


def test_case_84_half_a_surrogate_pair_is_written_as_a_replacement() -> None:
    """The line is UTF-8 whatever the reply held."""
    assert dumps({"e": "end", "text": "\ud835 = 4"}) == '{"e":"end","text":"\ufffd = 4"}\n'.encode()


def test_a_full_disk_loses_no_line(tmp_path: Path) -> None:
    """What cannot be written stays in memory, in order, and goes out when there is room again."""
    path = tmp_path / "run.ndjson"
    stuck = full(path)
    for end in ENDS[:2]:
        with pytest.raises(JournalFullError) as caught:
            stuck.write(end)
        assert caught.value.errno == errno.ENOSPC
    assert stuck.flush() == sum(len(dumps(end)) for end in ENDS[:2])
    os.close(stuck._fd)
    stuck._fd = os.open(path, os.O_WRONLY | os.O_CREAT)
    stuck.write(ENDS[2])
    stuck.close()
    assert lines(path) == ENDS[:3]


def test_a_disk_that_takes_half_a_line_gets_the_other_half_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short write is continued where it stopped."""
    path = tmp_path / "run.ndjson"
    live = Journal.create(path, {"key": "run"})
    real, room = os.write, [30, 0]

    def tight(fd: int, data: bytes) -> int:
        if not room:
            return real(fd, data)
        if (left := room.pop(0)) == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(fd, bytes(data[:left]))

    monkeypatch.setattr(os, "write", tight)
    with pytest.raises(JournalFullError):
        live.write(ENDS[0])
    live.write(ENDS[1])
    live.close()
    assert lines(path)[1:] == ENDS[:2]


def test_fsync_comes_once_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power cut loses a second at most, and a run does not pay for more."""
    calls: list[int] = []
    now = [100.0]
    live = Journal.create(tmp_path / "run.ndjson", {"key": "run"}, clock=lambda: now[0])
    monkeypatch.setattr(os, "fsync", calls.append)
    for _ in range(30):
        now[0] += 0.1
        live.sync()
    assert 2 <= len(calls) <= 3
    live.sync(now=True)
    assert 3 <= len(calls) <= 4
    live.close()


def test_a_held_lock_means_life_and_a_free_one_death(tmp_path: Path) -> None:
    """Whether its run lives is read from the lock, also in the same process."""
    path = tmp_path / "run.ndjson"
    live = Journal.create(path, {"key": "run"})
    assert not journal.is_dead(path)
    live.close()
    assert journal.is_dead(path)
    assert journal.is_dead(tmp_path / "absent")


def test_a_killed_process_leaves_a_dead_journal(tmp_path: Path) -> None:
    """The lock goes with the process, however it ends."""
    path = tmp_path / "run.ndjson"
    code = (
        "import sys, time; from pathlib import Path; from hinglishbench.ledger.journal import Journal\n"
        "j = Journal.create(Path(sys.argv[1]), {'key': 'x'}); print('up', flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert not journal.is_dead(path)
        process.kill()
        process.wait()
    assert journal.is_dead(path)
    assert journal.header_of(path) is not None


def test_what_was_sent_and_never_ended_was_in_flight(tmp_path: Path) -> None:
    """By request and try, over the whole file."""
    path = tmp_path / "run.ndjson"
    live = Journal.create(path, {"key": "run"})
    live.write({"e": "sent", "r": 1, "n": 1}, {"e": "sent", "r": 2, "n": 1})
    live.write({"e": "end", "r": 1, "n": 1}, {"e": "sent", "r": 1, "n": 2})
    live.close()
    assert [(e["r"], e["n"]) for e in journal.open_attempts(path)] == [(2, 1), (1, 2)]


# --- taken into a ledger -----------------------------------------------------------------------


def test_case_73_a_torn_line_costs_one_answer_and_no_more(tmp_path: Path) -> None:
    """The next run takes the whole lines in and asks the torn one again."""
    with Rig(tmp_path) as rig:
        run = rig.start(rig.plan(("k1",)))
        run.answer(take=False).die()
        data = run.journal.path.read_bytes()
        run.journal.path.write_bytes(data[:-30])
        again = rig.whole(rig.plan(("k1",)))
        [taken] = again.adopted
        assert (taken.attempts, taken.in_flight) == (2, 1)
        assert taken.torn > 0
        assert len(again.asks) == 1
        assert set(rig.outcomes().values()) == {"correct"}
        assert rig.faults() == {}


def test_a_damaged_line_is_skipped_and_its_attempt_counts_as_maybe_billed(tmp_path: Path) -> None:
    """The answer is gone; the doubt about its price is kept."""
    with Rig(tmp_path) as rig:
        run = rig.start(rig.plan(("k1",)))
        run.answer(take=False).die()
        whole = run.journal.path.read_bytes().split(b"\n")
        at = next(i for i, line in enumerate(whole) if b'"e":"end"' in line)
        whole[at] = b"\x00" * len(whole[at])
        run.journal.path.write_bytes(b"\n".join(whole))
        [taken] = rig.start(rig.plan(("k1",))).adopted
        assert taken.bad_lines == [sum(len(line) + 1 for line in whole[:at])]
        assert taken.in_flight == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"prompt_tokens": 10**11, "completion_tokens": 5 * 10**9, "billable_output_tokens": 5 * 10**9},
        {"reasoning_tokens": 2**31, "cached_tokens": 2**40},
        {"reported_cost_usd": "99999999999.5"},
        {"reported_cost_usd": "0.0000000000001234567"},
        {"reported_cost_usd": "NaN"},
        {"upper_output_tokens": 2**70},
        {"text": "a\x00b", "reasoning": "\x00", "message": "\x00"},
        {"text": "x" * 2_000_000},
        {"usage": {"deep": [{}] * 50, "\x00": 1}},
        {"status": 10**12},
    ],
)  # fmt: skip
def test_no_reply_bricks_the_ledger(tmp_path: Path, fields: dict[str, Any]) -> None:
    """Absurd counts of a stranger become unknown; the journal can still be taken in and priced."""
    with Rig(tmp_path) as rig:
        rig.start(rig.plan(("k1",))).answer(**fields).end()
        assert set(rig.outcomes().values()) <= {"correct", "wrong", "unparsed"}
        rig.rows("select sum(cost_usd), sum(cost_upper_usd) from attempt_costs")
        assert rig.faults() == {}


def test_a_journal_of_another_run_is_not_taken_for_this_one(tmp_path: Path) -> None:
    """A file that was put in its place keeps its lines to itself."""
    with Rig(tmp_path) as rig:
        run = rig.start(rig.plan(("k1",)))
        run.answer(take=False).die()
        data = run.journal.path.read_bytes()
        run.journal.path.write_bytes(data.replace(b'"key":"run-1"', b'"key":"other"'))
        again = rig.start(rig.plan(("k1",)))
        assert (again.counts, rig.attempts()) == ((2, 0, 0, 0), 0)
        assert [taken.foreign for taken in again.adopted] == [True]


def test_a_run_whose_journal_is_gone_is_over(tmp_path: Path) -> None:
    """It is not shown as going on for ever, and its claims are free."""
    with Rig(tmp_path) as rig:
        run = rig.start(rig.plan(("k1",)))
        run.die()
        run.journal.path.unlink()
        assert rig.whole(rig.plan(("k1",))).counts == (2, 0, 0, 0)
        assert rig.rows("select status from runs order by run_id") == [("died",), ("done",)]
