"""The wheel, installed beside nothing of the clone, does the job in an empty folder."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT, Hbench, asking, clean_env
from tests.fakeprovider import FakeProvider


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from the clone, without a network; the source distribution is left out."""
    out = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
         "--no-index", "--disable-pip-version-check", "--wheel-dir", str(out), str(ROOT)],
        check=True, capture_output=True,
    )  # fmt: skip
    [built] = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds the package as the wheel has it."""
    target = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(target)
    return target


def hbench_of(site: Path, folder: Path, *args: object) -> subprocess.CompletedProcess[str]:
    """The installed command: its package comes first, and the clone is not on the path."""
    code = (
        "import sys; sys.path.insert(0, sys.argv.pop(1)); import hinglishbench;"
        "assert hinglishbench.__file__.startswith(sys.path[0]), hinglishbench.__file__;"
        "from hinglishbench.cli.main import main; sys.argv[0] = 'hbench'; main()"
    )
    return subprocess.run(
        [sys.executable, "-P", "-c", code, str(site), *map(str, args)],
        cwd=folder, env=clean_env(), capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_the_wheel_carries_what_the_program_reads(wheel: Path) -> None:
    """Prompts, providers, queries, migrations and datasets; no tests and no caches."""
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
    for path in (ROOT / "hinglishbench").rglob("*"):
        if path.is_file() and path.suffix in {".py", ".sql", ".toml", ".jsonl"}:
            assert str(path.relative_to(ROOT)) in names
    for path in (ROOT / "prompts").glob("*.toml"):
        assert f"hinglishbench/prompts/{path.name}" in names
    foreign = {name for name in names if not name.startswith(("hinglishbench/", "hinglishbench-"))}
    assert foreign == set()
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]


def test_prompts_and_suites_are_found_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    """Those of the package, where the working folder has none."""
    done = hbench_of(installed, tmp_path, "prompts", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert {"fair", "answer-only", "think-in-english"} <= {p["id"] for p in json.loads(done.stdout)}
    done = hbench_of(installed, tmp_path, "run", "--dry-run", "--provider", "openai-compatible", "--base-url",
                     "http://127.0.0.1:1/v1", "--model", "m", "--json")  # fmt: skip
    assert json.loads(done.stdout)["cells"] == 200, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_recorded_run_is_replayed_by_the_wheel_in_an_empty_folder(
    installed: Path, hbench: Hbench, fp: FakeProvider, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The same figures, without a network; then the tables."""
    live = hbench(*asking(fp, "--limit", 3, "--record", "tape.jsonl", "--json")).json
    tape = hbench.folder / "tape.jsonl"
    empty = tmp_path_factory.mktemp("empty")
    done = hbench_of(installed, empty, *asking(fp, "--limit", 3, "--replay", tape, "--json"))
    assert done.returncode == 0, done.stderr
    replayed = json.loads(done.stdout)
    same = ("cells", "answered", "attempts", "prompt_tokens", "completion_tokens")
    assert {k: replayed[k] for k in same} == {k: live[k] for k in same}
    for command in (
        ("tax", "--json"),
        ("cost", "--origin", "replay", "--json"),
        ("ledger", "verify"),
    ):
        done = hbench_of(installed, empty, *command)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
