"""Run the server from the command line: `python -m tests.fakeprovider --set latency_s=0.1`.

Prints one line of JSON with the port, the base URL and the process id once it listens.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from .behaviours import Plan
from .server import HOST, new_loop, serve
from .settings import Settings

_WATCH_S = 0.25


def main() -> None:
    """Serve until a signal, the end of the parent, or the end of the lifetime."""
    parser = argparse.ArgumentParser(prog="python -m tests.fakeprovider", description=__doc__)
    parser.add_argument("--port", type=int, help="default: any free port")
    parser.add_argument("--settings", metavar="FILE", help="settings as JSON; - is stdin")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=JSON",
        help="one setting (see settings.py), for example --set rpm=600 --set rpm_burst=10",
    )
    parser.add_argument("--parent", type=int, metavar="PID", help="end when this parent has gone")
    parser.add_argument("--cpu", type=int, help="pin the server to this core")
    args = parser.parse_args()
    try:
        settings = _settings(args.settings, args.set, args.port)
        Plan(settings.rates)
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    if args.cpu is not None:
        os.sched_setaffinity(0, {args.cpu})
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(_serve(settings, args.parent))


def _settings(file: str | None, pairs: list[str], port: int | None) -> Settings:
    text = "{}" if file is None else sys.stdin.read() if file == "-" else Path(file).read_text()
    options: dict[str, Any] = json.loads(text)
    for pair in pairs:
        name, _, value = pair.partition("=")
        try:
            options[name] = json.loads(value)
        except ValueError:
            options[name] = value
    if port is not None:
        options["port"] = port
    return Settings.from_json(json.dumps(options))


async def _serve(settings: Settings, parent: int | None) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    watch = loop.create_task(_watch(stop, parent, settings.max_lifetime_s))
    await serve(settings, stop, _announce)
    watch.cancel()


async def _watch(stop: asyncio.Event, parent: int | None, lifetime_s: float) -> None:
    """Stop when the parent has gone (then another process is the parent) or time is up."""
    loop = asyncio.get_running_loop()
    end = loop.time() + lifetime_s
    while loop.time() < end and parent in (None, os.getppid()):  # noqa: ASYNC110 - no event tells it
        await asyncio.sleep(_WATCH_S)
    stop.set()


def _announce(port: int) -> None:
    line = {"port": port, "base_url": f"http://{HOST}:{port}/v1", "pid": os.getpid()}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
