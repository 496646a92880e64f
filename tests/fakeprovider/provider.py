"""The two ways to run the server: in a thread of this process, or in a process of its own."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from .answers import Answerer
from .behaviours import Behaviour, Plan
from .server import HOST, new_loop, serve
from .settings import Settings

_START_S = 20.0
_STOP_S = 10.0


class Controls:
    """Reads and steers a running server through its control paths."""

    port: int

    @property
    def root_url(self) -> str:
        """Where the control paths are."""
        return f"http://{HOST}:{self.port}"

    @property
    def base_url(self) -> str:
        """What a client takes as its base URL."""
        return f"{self.root_url}/v1"

    def bill(self) -> dict[str, Any]:
        """The account as it stands."""
        bill: dict[str, Any] = self._call("GET", "/_bill")
        return bill

    def settled_bill(self, timeout_s: float = 5.0) -> dict[str, Any]:
        """The account once nothing is in flight.

        Raises:
            TimeoutError: something still is after `timeout_s`.
        """
        deadline = time.monotonic() + timeout_s
        while (bill := self.bill())["in_flight"]:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{bill['in_flight']} requests are still in flight")
            time.sleep(0.002)
        return bill

    def log(self, first: int = 1, limit: int | None = None) -> list[dict[str, Any]]:
        """Rows of the log, from the request with ordinal `first` on."""
        query = f"?from={first}" + ("" if limit is None else f"&limit={limit}")
        rows: list[dict[str, Any]] = self._call("GET", "/_log" + query)
        return rows

    def script(self, behaviours: Iterable[Behaviour | str | Mapping[str, Any]]) -> None:
        """Append what the next requests meet.

        Raises:
            ValueError: an unknown fault or parameter.
        """
        self._call("POST", "/_script", {"behaviours": [_plain(item) for item in behaviours]})

    def rates(self, rates: Mapping[str, float] | Iterable[Mapping[str, Any]]) -> None:
        """Replace the shares of requests that meet a fault."""
        given = dict(rates) if isinstance(rates, Mapping) else list(rates)
        self._call("POST", "/_script", {"rates": given})

    def rules(self, rules: Iterable[Mapping[str, Any]]) -> None:
        """Replace the faults by content: `{"contains": text, "fault": …}`."""
        self._call("POST", "/_script", {"rules": list(rules)})

    def reset(self) -> None:
        """Empty bill, log and script, full buckets, the rates of the settings."""
        self._call("POST", "/_reset")

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=30)
        try:
            connection.request(method, path, None if body is None else json.dumps(body))
            response = connection.getresponse()
            answer = json.loads(response.read())
        finally:
            connection.close()
        if response.status != 200:
            raise ValueError(answer["error"])
        return answer


class FakeProvider(Controls):
    """The server in a background thread, for tests.

    Usage:
        >>> with FakeProvider(latency_s=0.01) as fp:
        ...     fp.script(["ok", {"fault": "rate_limit", "wait_s": 2}])
        ...     run_something_against(fp.base_url)
        ...     assert fp.bill()["requests"] == 2

    Args:
        answerer: gives the reply texts: a function from `Ask` to text, called in the thread.
        options: fields of `Settings`.

    Raises:
        TypeError: an option is not a setting.
        ValueError: a setting has a value outside its list.
    """

    def __init__(self, answerer: Answerer | None = None, **options: Any) -> None:
        self.settings = Settings(**options)
        Plan(self.settings.rates)  # a mistake shows where it was made, not in the thread
        self._answerer = answerer
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="fakeprovider", daemon=True)

    @staticmethod
    def spawn(*, cpu: int | None = None, **options: Any) -> SpawnedProvider:
        """The server in a process of its own, for benchmarks; use it as a context manager.

        Args:
            cpu: pin the server to this core.
            options: fields of `Settings`.
        """
        return SpawnedProvider(Settings(**options), cpu=cpu)

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(_START_S):
            raise TimeoutError("the fake provider did not start")
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(_STOP_S)

    def _run(self) -> None:
        try:
            with asyncio.Runner(loop_factory=new_loop) as runner:
                runner.run(self._serve())
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits for it
            self._failure = error
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        await serve(self.settings, self._stop, self._listening, self._answerer)

    def _listening(self, port: int) -> None:
        self.port = port
        self._ready.set()


class SpawnedProvider(Controls):
    """The server in a process of its own; it ends with its parent or after its lifetime."""

    def __init__(self, settings: Settings, *, cpu: int | None = None) -> None:
        self.settings = settings
        self._cpu = cpu
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int:
        """Process id of the server."""
        assert self._process is not None
        return self._process.pid

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tests.fakeprovider", "--settings", "-"]
        command += ["--parent", str(os.getpid())]
        if self._cpu is not None:
            command += ["--cpu", str(self._cpu)]
        self._process = subprocess.Popen(
            command,
            cwd=Path(__file__).resolve().parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(self.settings.to_json())
        self._process.stdin.close()
        line = self._process.stdout.readline()
        if not line:
            self.__exit__(None, None, None)
            raise RuntimeError("the fake provider did not start: see its message above")
        self.port = json.loads(line)["port"]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


def _plain(item: Behaviour | str | Mapping[str, Any]) -> Any:
    if isinstance(item, Behaviour):
        return item.as_dict()
    return item if isinstance(item, str) else dict(item)
