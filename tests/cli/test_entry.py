"""The command as a process: its exit code is the one that was meant, whatever its threads do at the end."""

from __future__ import annotations

import sys

import pytest

from hinglishbench.cli import main as command


def _ends(monkeypatch: pytest.MonkeyPatch, arguments: list[str], *, pyreqwest: bool) -> list[int]:
    """Exit codes given to the operating system directly; the interpreter's own way raises SystemExit."""
    ended: list[int] = []

    def at_once(code: int) -> None:
        ended.append(code)
        raise SystemExit(code)

    monkeypatch.setattr("os._exit", at_once)
    monkeypatch.setattr(sys, "argv", ["hbench", *arguments])
    if pyreqwest:
        monkeypatch.setitem(sys.modules, "pyreqwest", sys)
    else:
        monkeypatch.delitem(sys.modules, "pyreqwest", raising=False)
    with pytest.raises(SystemExit):
        command.entry()
    return ended


@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["run", "--nonsense"], 2)])
def test_ends_at_once_where_the_fast_transport_ran(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int
) -> None:
    """The code is kept, and the interpreter is not wound down under the transport's threads."""
    assert _ends(monkeypatch, arguments, pyreqwest=True) == [code]


def test_ends_as_python_does_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is cut short without need."""
    assert _ends(monkeypatch, ["--version"], pyreqwest=False) == []
