"""The whole command against the project's own server: how fast it fans out.

`python -m benchmarks.fanout` prints a Markdown table: what was measured, the figure, what it must be at
least, and the aim. The command runs on one core with journal, ledger, grading and cost; the server on
the other. Beside it, in the same run, a bare client of the same transport on the same server: no
journal, no ledger, nothing but requests.

`--rows fan,help,limit,slope,memory` chooses rows; the last two take minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakeprovider import FakeProvider

LATENCY_S = 0.1
CLIENT_CORE, SERVER_CORE = 0, 1
HBENCH = [sys.executable, "-m", "hinglishbench.cli.main"]
SCRIPT = Path(sys.executable).with_name("hbench")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    figure: str
    least: str = ""
    aim: str = ""


@dataclass(frozen=True)
class Ran:
    """One run of the command: its summary, CPU seconds, peak memory in MB, wall seconds."""

    summary: dict[str, Any]
    cpu_s: float
    peak_mb: float
    wall_s: float


@contextmanager
def _on_client_core() -> Iterator[None]:
    """Children started inside stay on the client's core."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {CLIENT_CORE})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def pairs_file(folder: Path, items: int) -> Path:
    path = folder / f"pairs-{items}.jsonl"
    with path.open("w") as file:
        for i in range(items):
            forms = {
                "en": f"What is {i} plus 0? Reply.",
                "cm-rom": f"{i} plus 0 kitna hota hai? Batao.",
            }
            file.write(json.dumps({"id": f"q{i}", "answer": str(i), "forms": forms}) + "\n")
    return path


def run(base_url: str, cells: int, concurrency: int, *more: str) -> Ran:
    """Run `hbench run` in an empty folder, pinned to its core."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        suite = pairs_file(folder, cells // 2)
        command = [
            *HBENCH, "run", "--suite", str(suite), "--provider", "openai-compatible",
            "--base-url", base_url, "--model", "fake/model", "--concurrency", str(concurrency),
            "--json", *more,
        ]  # fmt: skip
        started = time.monotonic()
        with _on_client_core():
            process = subprocess.Popen(
                command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        assert process.stdout is not None
        output = process.stdout.read()
        _, _, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - started
    return Ran(json.loads(output), usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, wall)


BARE = """
import asyncio, json, os, sys, time
os.sched_setaffinity(0, {0})
import uvloop
from hinglishbench.client.transport import HttpRequest
from hinglishbench.client.transports import new_transport
base, n, c, name = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
async def main():
    transport = new_transport(name)
    asks = iter(range(n))
    async def worker():
        for i in asks:
            body = json.dumps({"model": "fake/model", "max_tokens": 4096,
                               "messages": [{"role": "user", "content": f"What is {i} plus 0?"}]}).encode()
            reply = await transport.send(HttpRequest("POST", base + "/chat/completions",
                                         {"content-type": "application/json"}, body), timeout_s=60)
            json.loads(reply.body)
    started = time.monotonic()
    await asyncio.gather(*(worker() for _ in range(c)))
    print(time.monotonic() - started)
    await transport.aclose()
uvloop.run(main())
"""


def bare(base_url: str, calls: int, concurrency: int, transport: str) -> float:
    """Seconds that a bare worker pool of the same transport needs for the same calls."""
    output = subprocess.run(
        [sys.executable, "-c", BARE, base_url, str(calls), str(concurrency), transport],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    return float(output)


def fan(repeat: int) -> Iterator[Row]:
    """Request phase against the ideal, CPU per call, and what the command adds around the phase."""
    calls = 2000
    with FakeProvider.spawn(cpu=SERVER_CORE, latency_s=LATENCY_S) as server:
        for concurrency, least, aim in ((64, "1.10", "1.05"), (256, "1.35", "1.15")):
            ideal = calls * LATENCY_S / concurrency
            for transport in ("pyreqwest", "httpx2"):
                ran = [
                    run(server.base_url, calls, concurrency, "--transport", transport)
                    for _ in range(repeat)
                ]
                phases = [r.summary["request_phase_s"] for r in ran]
                alone = [
                    bare(server.base_url, calls, concurrency, transport) for _ in range(repeat)
                ]
                assert all(r.summary["answered"] == calls for r in ran)
                fast = transport == "pyreqwest"
                name = f"N={calls}, C={concurrency}, {transport}"
                yield Row(
                    f"request phase / ideal, {name}",
                    _span(phases, ideal),
                    least if fast else "",
                    aim if fast else "",
                )
                yield Row(f"a bare client / ideal, {name}", _span(alone, ideal))
                cpu = [1000 * r.cpu_s / calls for r in ran]
                yield Row(f"CPU ms per call, all in, {name}", _span(cpu), "1.0" if fast else "", "")
                extra = [r.wall_s - r.summary["request_phase_s"] for r in ran]
                yield Row(
                    f"whole command minus phase, s, {name}",
                    _span(extra),
                    "2" if fast else "",
                    "1" if fast else "",
                )


def _span(values: Sequence[float], unit: float = 1.0) -> str:
    scaled = sorted(value / unit for value in values)
    middle = statistics.median(scaled)
    return f"{middle:.3f} ({scaled[0]:.3f} to {scaled[-1]:.3f}, {len(scaled)} runs)"


def slope(_: int) -> Iterator[Row]:
    """CPU per further call: the slope between 2,000 and 20,000 calls."""
    with FakeProvider.spawn(cpu=SERVER_CORE, latency_s=LATENCY_S, log_rows=0) as server:
        small, large = run(server.base_url, 2000, 256), run(server.base_url, 20_000, 256)
    per_call = 1000 * (large.cpu_s - small.cpu_s) / 18_000
    ideal = 20_000 * LATENCY_S / 256
    yield Row(
        "CPU ms per call, slope from 2,000 to 20,000 calls, C=256", f"{per_call:.3f}", "", "0.4"
    )
    yield Row(
        "request phase / ideal, N=20000, C=256", f"{large.summary['request_phase_s'] / ideal:.3f}"
    )


def memory(_: int) -> Iterator[Row]:
    """Peak memory of a large run."""
    with FakeProvider.spawn(cpu=SERVER_CORE, latency_s=LATENCY_S, log_rows=0) as server:
        ran = run(server.base_url, 100_000, 256)
    assert ran.summary["answered"] == 100_000
    yield Row("peak memory, N=100,000 cells, MB", f"{ran.peak_mb:.0f}", "300", "150")
    yield Row(
        "whole command minus phase, s, N=100,000",
        f"{ran.wall_s - ran.summary['request_phase_s']:.1f}",
    )


def limit(_: int) -> Iterator[Row]:
    """A limit of 600 requests a minute, told to both sides."""
    calls, rpm, burst = 300, 600, 10
    with FakeProvider.spawn(
        cpu=SERVER_CORE, latency_s=LATENCY_S, rpm=rpm, rpm_burst=burst
    ) as server:
        ran = run(server.base_url, calls, 64, "--rpm", str(rpm))
        refused = server.bill()["limited"]
    ideal = (calls - burst) / (rpm / 60)
    yield Row(
        "600 RPM, N=300: phase / ((N - burst) / rate)",
        f"{ran.summary['request_phase_s'] / ideal:.3f}",
        "1.05",
        "1.03",
    )
    yield Row("600 RPM, N=300: 429s", str(refused), "3", "0")


def help_(repeat: int) -> Iterator[Row]:
    """`hbench --help`, as a person waits for it."""
    times = []
    for _ in range(max(10, repeat)):
        started = time.monotonic()
        subprocess.run([str(SCRIPT), "--help"], check=True, capture_output=True)
        times.append(time.monotonic() - started)
    yield Row("hbench --help, s", _span(times), "0.20", "0.15")


ROWS = {"fan": fan, "help": help_, "limit": limit, "slope": slope, "memory": memory}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", default="fan,help,limit")
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    print(f"load before: {os.getloadavg()[0]:.1f}, cores: {os.cpu_count()}\n")
    print("| what | measured | at least | aim |\n|---|---|---|---|")
    for name in arguments.rows.split(","):
        for row in ROWS[name](arguments.repeat):
            print(f"| {row.what} | {row.figure} | {row.least} | {row.aim} |", flush=True)


if __name__ == "__main__":
    main()
