"""Bad weather: the whole command against a server that fails, limits and keeps its own bill.

`python -m benchmarks.chaos` prints a Markdown table: what was measured, the figure, what it must be.
`--rows mixed,design,tokens,storm` chooses; `--cells N` sets the size of the first (10,000).

- mixed: 15% of the requests meet one of 25 faults. Every cell ends in an answer or an error that says
  why; the ledger has an attempt for each request that the server saw; its sure tokens are those of
  the complete replies, exactly; sure and maybe together bracket the server's bill.
- design: what it was built to bear: 5% 500, 2% reset after computing, 2% cut bodies.
- tokens: a limit of tokens per minute, told to both sides: how near to it, and how many 429s.
- storm: for some seconds every request is refused and told to wait: whether the waits are kept
  (nothing hammers) and how soon after the storm the work goes on (nothing freezes).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.fanout import CLIENT_CORE, HBENCH, SERVER_CORE, Row, pairs_file
from tests.fakeprovider import FakeProvider
from tests.fakeprovider.provider import Controls

_MS = "retry-after-ms"
MIXED: Sequence[Mapping[str, Any]] = (
    {"share": 0.015, "fault": "rate_limit", "wait_s": 0.05, "tell_wait": _MS},
    {"share": 0.005, "fault": "rate_limit", "wait_s": 0.05, "tell_wait": "message"},
    {"share": 0.015, "fault": "server_error"},
    {"share": 0.010, "fault": "bad_gateway"},
    {"share": 0.008, "fault": "unavailable", "wait_s": 0.02, "tell_wait": _MS},
    {"share": 0.005, "fault": "gateway_timeout"},
    {"share": 0.007, "fault": "overloaded"},
    {"share": 0.010, "fault": "reset_before"},
    {"share": 0.010, "fault": "reset_after"},
    {"share": 0.010, "fault": "cut_body"},
    {"share": 0.001, "fault": "silence"},
    {"share": 0.005, "fault": "empty_200"},
    {"share": 0.005, "fault": "bad_json"},
    {"share": 0.004, "fault": "html_200"},
    {"share": 0.004, "fault": "no_choices"},
    {"share": 0.005, "fault": "no_usage"},
    {"share": 0.005, "fault": "error_in_200"},
    {"share": 0.004, "fault": "slow_body", "over_s": 0.1},
    {"share": 0.005, "fault": "gzip"},
    {"share": 0.001, "fault": "huge", "megabytes": 0.5},
    {"share": 0.004, "fault": "wrong_type"},
    {"share": 0.004, "fault": "null_content"},
    {"share": 0.004, "fault": "parts_content"},
    {"share": 0.002, "fault": "content_filter"},
    {"share": 0.002, "fault": "lone_surrogate"},
)
"""15% in all."""
DESIGN: Mapping[str, float] = {"server_error": 0.05, "reset_after": 0.02, "cut_body": 0.02}

BOOKS = """
select count(*) as attempts,
       count(*) filter (where billed = 'yes') as sure,
       count(*) filter (where billed = 'maybe') as maybe,
       coalesce(sum(prompt_tokens) filter (where billed = 'yes'), 0)::bigint as sure_in,
       coalesce(sum(billable_output_tokens) filter (where billed = 'yes'), 0)::bigint as sure_out,
       coalesce(sum(upper_prompt_tokens) filter (where billed <> 'no'), 0)::bigint as most_in,
       coalesce(sum(upper_output_tokens) filter (where billed <> 'no'), 0)::bigint as most_out
from attempts
"""
UNEXPLAINED = """
select count(*) as n from cells c
where c.outcome is null
   or c.outcome = 'error' and not exists (
       select 1 from attempts t where t.request_id = c.request_id and t.error <> '' and t.message <> '')
"""


@dataclass(frozen=True)
class Outcome:
    """A run's summary beside the ledger's books and the server's bill."""

    summary: dict[str, Any]
    books: dict[str, int]
    unexplained: int
    bill: dict[str, Any]
    wall_s: float

    def faults(self) -> list[str]:
        """What does not agree; empty when everything does."""
        books, bill, said = self.books, self.bill, self.summary
        complete, lost = bill["complete"], bill["aborted"]
        charged_in = complete["prompt_tokens"] + lost["prompt_tokens"]
        charged_out = complete["completion_tokens"] + lost["completion_tokens"]
        checks = {
            "every cell ended": said["answered"] + said["errors"] == said["cells"] and not said["left"],
            "every cell without an answer says why": self.unexplained == 0,
            "attempts = requests": books["attempts"] == bill["requests"] == said["attempts"],
            "sure tokens = complete replies": (books["sure_in"], books["sure_out"])
            == (complete["prompt_tokens"], complete["completion_tokens"]),
            "the bill is bracketed": books["sure_in"] <= charged_in <= books["most_in"]
            and books["sure_out"] <= charged_out <= books["most_out"],
        }  # fmt: skip
        return [name for name, holds in checks.items() if not holds]


@contextmanager
def _folder(cells: int) -> Iterator[tuple[Path, Path]]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name), pairs_file(Path(name), cells // 2)


def _command(base_url: str, suite: Path, *more: str) -> list[str]:
    return [
        *HBENCH, "run", "--suite", str(suite), "--provider", "openai-compatible",
        "--base-url", base_url, "--model", "fake/model", "--json", *more,
    ]  # fmt: skip


def _run(command: Sequence[str], folder: Path) -> dict[str, Any]:
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {CLIENT_CORE})
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    finally:
        os.sched_setaffinity(0, before)
    if not done.stdout:
        raise RuntimeError(done.stderr)
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def _ask(folder: Path, sql: str) -> Any:
    output = subprocess.run(
        [*HBENCH, "sql", sql, "--json"], cwd=folder, capture_output=True, text=True, check=True
    ).stdout
    return json.loads(output)[0]


def weather(server: Controls, cells: int, *more: str) -> Outcome:
    """One run of the whole command, and the two sets of books after it."""
    with _folder(cells) as (folder, suite):
        started = time.monotonic()
        summary = _run(_command(server.base_url, suite, *more), folder)
        wall = time.monotonic() - started
        return Outcome(
            summary,
            _ask(folder, BOOKS),
            _ask(folder, UNEXPLAINED)["n"],
            server.settled_bill(30.0),
            wall,
        )


def _books(name: str, out: Outcome) -> Iterator[Row]:
    said, books, bill = out.summary, out.books, out.bill
    complete, lost = bill["complete"], bill["aborted"]
    yield Row(
        f"{name}: cells, answered, errors, not ended",
        f"{said['cells']}, {said['answered']}, {said['errors']}, {said['left']}",
        "all end",
    )
    yield Row(
        f"{name}: attempts in the ledger, requests at the server",
        f"{books['attempts']}, {bill['requests']}",
        "equal",
    )
    yield Row(
        f"{name}: sure tokens in/out, of complete replies in/out",
        f"{books['sure_in']}/{books['sure_out']}, {complete['prompt_tokens']}/{complete['completion_tokens']}",
        "equal",
    )
    charged = [
        complete[k] + lost[k] for k in ("prompt_tokens", "completion_tokens")
    ]  # what the provider charges
    yield Row(
        f"{name}: tokens out: sure, billed, sure + maybe",
        f"{books['sure_out']}, {charged[1]}, {books['most_out']}",
        "ascending",
    )
    yield Row(
        f"{name}: faults met, concurrency cuts, request phase s",
        f"{sum(n for f, n in bill['faults'].items() if f != 'ok')}, "
        f"{sum(x['cuts'] for x in said['limits'].values())}, {said['request_phase_s']:.1f}",
    )
    yield Row(f"{name}: what does not hold", ", ".join(out.faults()) or "nothing", "nothing")


def mixed(cells: int) -> Iterator[Row]:
    """15% mixed faults."""
    with FakeProvider.spawn(
        cpu=SERVER_CORE, latency_s=0.02, rates=list(MIXED), completion_spread=0.3
    ) as server:
        out = weather(server, cells, "--timeout", "10")
    yield from _books(f"15% of 25 faults, N={cells}", out)


def design(_: int) -> Iterator[Row]:
    """What it was built to bear."""
    with FakeProvider.spawn(
        cpu=SERVER_CORE, latency_s=0.1, rates=dict(DESIGN), completion_spread=0.3
    ) as server:
        out = weather(server, 2000, "--concurrency", "64")
    yield from _books("5% 500, 2% reset, 2% cut, N=2000", out)


def tokens(_: int) -> Iterator[Row]:
    """A limit of tokens a minute, told to both sides, tight on the server's."""
    calls, tpm = 300, 60_000
    burst = tpm / 60  # a second's quota, as the limit of requests is measured
    with FakeProvider.spawn(
        cpu=SERVER_CORE, latency_s=0.1, tpm=tpm, tpm_burst=burst, completion_spread=0.3
    ) as server:
        out = weather(server, calls, "--concurrency", "64", "--tpm", str(tpm))
    used = out.bill["complete"]["prompt_tokens"] + out.bill["complete"]["completion_tokens"]
    ideal = (used - burst) / (tpm / 60)
    yield Row(
        f"{tpm} TPM, N={calls}, {used / calls:.0f} tokens a call: phase / ((tokens - burst)/rate)",
        f"{out.summary['request_phase_s'] / ideal:.3f}",
        "1.05",
        "1.03",
    )
    yield Row(f"{tpm} TPM, N={calls}: 429s", str(out.bill["limited"]), "3", "0")


def storm(_: int) -> Iterator[Row]:
    """Everything is refused for a while, each time with a wait of 0.89 s (89 s, a hundredth)."""
    told, lasts, cells = 0.89, 8.0, 2000
    refused = {"share": 1.0, "fault": "rate_limit", "wait_s": told, "tell_wait": _MS}
    with FakeProvider.spawn(cpu=SERVER_CORE, latency_s=0.02) as server:
        begin = threading.Timer(3.0, lambda: server.rates([refused]))
        end = threading.Timer(3.0 + lasts, lambda: server.rates([]))
        begin.start()
        end.start()
        out = weather(server, cells, "--rpm", "12000")
        rows = server.log()
    storms = [row for row in rows if row["fault"] == "rate_limit"]
    first, last = storms[0]["at_s"], storms[-1]["at_s"]
    # Sent although a wait had been told: what arrives within it, less what was on its way already.
    hammered = _within_waits(rows)
    after = [row["at_s"] for row in rows if row["at_s"] > last]
    yield Row(
        f"storm of {lasts:g} s, told {told:g} s: answered, errors",
        f"{out.summary['answered']}, {out.summary['errors']}",
        f"all {cells} end",
    )
    yield Row("storm: refused, waves", f"{len(storms)}, {_waves(storms, told)}")
    yield Row("storm: requests sent inside a told wait", str(hammered), "0")
    yield Row(
        "storm: s from its last refusal to the next request, of a wait",
        f"{after[0] - last:.2f} of {told:g}" if after else "never",
        "the wait and its jitter",
    )
    limit = next(iter(out.summary["limits"].values()))
    yield Row(
        "storm: limit at start, lowest, at the end",
        f"{limit['start']}, {limit['min']}, {limit['end']}",
    )
    yield Row("storm: s from first to last refusal", f"{last - first:.1f}")


def _within_waits(rows: Sequence[Mapping[str, Any]]) -> int:
    """Requests that came between a refusal (and the time to read it) and the end of its wait."""
    on_the_way_s = 0.05
    hammered = 0
    until, seen_at = 0.0, 0.0
    for row in sorted(rows, key=lambda row: row["at_s"]):
        if seen_at + on_the_way_s < row["at_s"] < until - 0.002:
            hammered += 1
        if row["told_wait_s"] is not None and row["end_s"] + row["told_wait_s"] > until:
            until, seen_at = row["end_s"] + row["told_wait_s"], row["end_s"]
    return hammered


def _waves(storms: Sequence[Mapping[str, Any]], told: float) -> int:
    waves, last = 0, float("-inf")
    for row in storms:
        if row["at_s"] - last > told / 2:
            waves += 1
        last = row["at_s"]
    return waves


ROWS = {"mixed": mixed, "design": design, "tokens": tokens, "storm": storm}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--cells", type=int, default=10_000)
    arguments = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f}, cores: {os.cpu_count()}\n")
    print("| what | measured | at least | aim |\n|---|---|---|---|")
    for name in arguments.rows.split(","):
        for row in ROWS[name](arguments.cells):
            print(f"| {row.what} | {row.figure} | {row.least} | {row.aim} |", flush=True)


if __name__ == "__main__":
    main()
