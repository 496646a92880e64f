"""How fast the test server is, so that no benchmark of the program measures the server instead.

A bare asyncio client on one core, the server on another. Prints, as a table or with --json:

- requests a second with no latency (the ceiling), and the server's CPU per request;
- what is added to a latency of 100 ms with 256 requests in flight.

Bounded: --seconds for each row, loopback only.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from typing import Any, cast

from tests.fakeprovider import FakeProvider, SpawnedProvider
from tests.fakeprovider.server import HOST, new_loop

WARM_UP_S = 0.5
QUESTION = (
    "Ram ke paas 12 aam the. Usne 5 aam Sita ko diye aur bazaar se 8 naye kharide. "
    "Ab uske paas kitne aam hain? Last line mein sirf number likho."
)


class Asker(asyncio.Protocol):
    """One connection that asks the same question again as soon as the answer is there."""

    def __init__(self, request: bytes, deadline: float, times: list[float]) -> None:
        self._request = request
        self._deadline = deadline
        self._times = times
        self._buffer = b""
        self._sent_at = 0.0
        self.finished = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._ask()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, body = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        if len(body) < length:
            return
        if not head.startswith(b"HTTP/1.1 200"):
            self.finished.set_exception(RuntimeError(head.decode()))
            return
        self._buffer = b""
        now = time.perf_counter()
        self._times.append(now - self._sent_at)
        if now < self._deadline:
            self._ask()
        else:
            self._transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        if not self.finished.done():
            self.finished.set_result(None)

    def _ask(self) -> None:
        self._sent_at = time.perf_counter()
        self._transport.write(self._request)


async def hammer(port: int, in_flight: int, seconds: float) -> list[float]:
    """Keep `in_flight` requests going; seconds from each one's sending to its whole reply."""
    body = json.dumps(
        {
            "model": "fake/model",
            "messages": [
                {"role": "system", "content": "Solve the problem. " * 10},
                {"role": "user", "content": QUESTION},
            ],
            "max_tokens": 4096,
        }
    ).encode()
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nhost: {HOST}:{port}\r\n"
        "authorization: Bearer none\r\ncontent-type: application/json\r\n"
        "accept: */*\r\naccept-encoding: gzip, deflate\r\nuser-agent: ceiling\r\n"
        f"content-length: {len(body)}\r\n\r\n"
    ).encode()
    times: list[float] = []
    loop, deadline = asyncio.get_running_loop(), time.perf_counter() + seconds
    askers = [
        (await loop.create_connection(lambda: Asker(head + body, deadline, times), HOST, port))[1]
        for _ in range(in_flight)
    ]
    await asyncio.gather(*(asker.finished for asker in askers))
    return times


def measure(
    fp: SpawnedProvider, latency_s: float, in_flight: int, seconds: float
) -> dict[str, Any]:
    """One row of the table."""
    loop = new_loop()
    try:
        loop.run_until_complete(hammer(fp.port, in_flight, WARM_UP_S))
        fp.reset()
        before, started = fp.bill()["cpu_s"], time.perf_counter()
        client_before = time.process_time()
        times = loop.run_until_complete(hammer(fp.port, in_flight, seconds))
        wall_s = time.perf_counter() - started
        client_cpu_s = time.process_time() - client_before
    finally:
        loop.close()
    bill = fp.settled_bill()
    if bill["complete"]["requests"] != len(times):
        raise RuntimeError(f"the bill says {bill['complete']['requests']}, not {len(times)}")
    added_ms = sorted((took - latency_s) * 1000 for took in times)
    return {
        "latency_ms": latency_s * 1000,
        "in_flight": in_flight,
        "requests": len(times),
        "requests_per_s": round(len(times) / wall_s),
        "server_cpu_us": round((bill["cpu_s"] - before) / len(times) * 1e6, 1),
        "client_cpu_us": round(client_cpu_s / len(times) * 1e6, 1),
        "added_least_ms": round(added_ms[0], 2),
        "added_median_ms": round(statistics.median(added_ms), 2),
        "added_p99_ms": round(added_ms[int(len(added_ms) * 0.99)], 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=4.0, help="length of each row")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[0]})
    rows = []
    for latency_s, in_flight in ((0.0, 1), (0.0, 64), (0.0, 256), (0.1, 64), (0.1, 256)):
        with FakeProvider.spawn(cpu=cores[-1], latency_s=latency_s, log_rows=0) as fp:
            rows.append(measure(fp, latency_s, in_flight, min(args.seconds, 60.0)))
    if args.json:
        json.dump(rows, sys.stdout)
        return
    for name in rows[0]:
        print(f"{name:>16}", *(f"{row[name]:>9}" for row in rows))


if __name__ == "__main__":
    main()
