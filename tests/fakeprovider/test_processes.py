"""The server as a process of its own ends with its user, its parent or its lifetime."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from .provider import FakeProvider

ROOT = Path(__file__).resolve().parents[2]


def gone(pid: int) -> bool:
    """Whether the process has ended; one that no one has waited for yet counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    """Poll until it holds; the bound is generous, the usual wait is short."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def test_a_spawned_server_serves_and_ends_with_the_block() -> None:
    core = min(os.sched_getaffinity(0))
    with FakeProvider.spawn(cpu=core, latency_s=0.0, models=("a", "b")) as fp:
        pid = fp.pid
        fp.script(["server_error"])
        assert fp.bill()["requests"] == 0
        assert os.sched_getaffinity(pid) == {core}
    assert gone(pid)


def test_a_spawned_server_ends_after_its_lifetime() -> None:
    with FakeProvider.spawn(max_lifetime_s=0.1) as fp:
        assert within(10, lambda: gone(fp.pid))


def test_a_spawned_server_does_not_outlive_a_killed_parent() -> None:
    program = (
        "import time\nfrom tests.fakeprovider import FakeProvider\n"
        "with FakeProvider.spawn() as fp:\n    print(fp.pid, flush=True)\n    time.sleep(60)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    with parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert not gone(pid)
        parent.send_signal(signal.SIGKILL)
    assert within(10, lambda: gone(pid))


def test_the_command_line_takes_settings_and_announces_the_port() -> None:
    command = [sys.executable, "-m", "tests.fakeprovider", "--set", "final_answer=7"]
    command += ["--set", "max_lifetime_s=0.1", "--set", 'models=["a"]']
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    line = json.loads(done.stdout)
    assert line["base_url"] == f"http://127.0.0.1:{line['port']}/v1"


@pytest.mark.parametrize("option", ["speed=9", "usage=sideways", "rates=[1"])
def test_the_command_line_refuses_what_is_no_setting(option: str) -> None:
    command = [sys.executable, "-m", "tests.fakeprovider", "--set", option, "--set"]
    command += ["max_lifetime_s=0.1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert option.partition("=")[0] in done.stderr


def test_a_taken_port_is_reported_where_the_server_was_started() -> None:
    with FakeProvider() as fp, pytest.raises(OSError, match="in use"):
        FakeProvider(port=fp.port).__enter__()
