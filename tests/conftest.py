"""The command in a folder of its own, and the test server."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hinglishbench.cli.main import main
from tests.fakeprovider import FakeProvider

ROOT = Path(__file__).resolve().parents[1]
# Whatever a developer has set must not steer a test (or reach a provider).
_STEERING = ("HBENCH_", "HF_")
_KEYS = ("_API_KEY", "_TOKEN")


def clean_env() -> dict[str, str]:
    """The environment without keys and settings."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_STEERING) and not name.endswith(_KEYS)
    }


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON document that it must be."""
        return json.loads(self.out)


class Hbench:
    """`hbench …` in this process (quick), or as a process of its own (signals, locks)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ledger = folder / "ledger.duckdb"
        self._started: list[subprocess.Popen[str]] = []

    def __call__(self, *args: object, code: int | None = 0) -> Done:
        """Run in this process; `code` is what it must exit with (None: whatever)."""
        out, err = io.StringIO(), io.StringIO()
        before = sys.argv
        sys.argv = ["hbench", *map(str, args)]
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                try:
                    main()
                except SystemExit as end:
                    left = end.code if isinstance(end.code, int) else 1
        finally:
            sys.argv = before
        done = Done(left, out.getvalue(), err.getvalue())
        assert "Traceback" not in done.err
        assert code is None or done.code == code, done
        return done

    def start(self, *args: object, **env: str) -> subprocess.Popen[str]:
        """Begin as a process of its own."""
        return self.python("-m", "hinglishbench.cli.main", *args, **env)

    def python(self, *args: object, **env: str) -> subprocess.Popen[str]:
        """Begin another interpreter in this folder; it ends with the test at the latest."""
        process = subprocess.Popen(
            [sys.executable, *map(str, args)],
            cwd=self.folder,
            env={**clean_env(), **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        return process

    def close(self) -> None:
        """End what a failed test has left running."""
        for process in self._started:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def finish(self, process: subprocess.Popen[str], timeout_s: float = 30.0) -> Done:
        """Wait for a process."""
        out, err = process.communicate(timeout=timeout_s)
        assert "Traceback" not in err, err
        return Done(process.returncode, out, err)

    def pairs(
        self, n: int, *, forms: tuple[str, ...] = ("en", "cm-rom"), name: str = "pairs.jsonl"
    ) -> Path:
        """A parallel file of `n` items; every gold is 42, the server's usual answer."""
        words = {"en": "What is item {i} times six?", "cm-rom": "Item {i} ka chhe guna kitna hai?"}
        path = self.folder / name
        path.write_text(
            "".join(
                json.dumps(
                    {
                        "id": f"k{i}",
                        "answer": "42",
                        "forms": {f: words.get(f, f + " {i}?").format(i=i) for f in forms},
                    }
                )
                + "\n"
                for i in range(n)
            )
        )
        return path

    def rows(self, sql: str) -> list[dict[str, Any]]:
        """Rows of the ledger, asked through the command."""
        rows: list[dict[str, Any]] = self("sql", sql, "--json").json
        return rows

    def one(self, sql: str) -> Any:
        """The one value that a statement gives."""
        [row] = self.rows(sql)
        [value] = row.values()
        return value

    def sound(self) -> None:
        """Assert that the ledger holds together."""
        assert self("ledger", "verify").out.endswith("sound\n")


@pytest.fixture
def hbench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hbench]:
    """The command in an empty folder, with no keys around."""
    for name in os.environ.keys() - clean_env().keys():
        monkeypatch.delenv(name)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.chdir(tmp_path)
    command = Hbench(tmp_path)
    yield command
    command.close()


@pytest.fixture
def provider() -> Iterator[Callable[..., FakeProvider]]:
    """Makes test servers in this process, with settings; they end with the test."""
    with contextlib.ExitStack() as stack:

        def make(*args: Any, **settings: Any) -> FakeProvider:
            return stack.enter_context(FakeProvider(*args, **settings))

        yield make


@pytest.fixture
def fp(provider: Callable[..., FakeProvider]) -> FakeProvider:
    """A test server with the usual settings."""
    return provider()


def asking(fp: FakeProvider, *more: object) -> list[object]:
    """`run` against a test server."""
    return [
        "run", "--provider", "openai-compatible", "--base-url", fp.base_url, "--model", "fake/model",
        "--endpoint", "fake", *more,
    ]  # fmt: skip


def until(holds: Callable[[], bool], *, within_s: float = 20.0) -> None:
    """Poll until something holds; the bound is generous, the usual wait is short."""
    end = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < end, "it never came to hold"
        time.sleep(0.005)


@pytest.fixture
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries follow at once: no jitter, and nothing is told to wait."""
    from hinglishbench.client import retry  # noqa: PLC0415  for few tests

    real = retry.decide
    monkeypatch.setattr(
        "hinglishbench.run.engine.decide", lambda *a, **k: real(*a, **{**k, "rand": 0.0})
    )
