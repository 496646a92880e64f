"""Fill the README's tables from predictions/: `python scripts/readme.py` writes, `--check` compares."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = {"tax": ["tax"]}
_BLOCK = re.compile(r"(<!-- made by scripts/readme.py: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(text: str, folder: Path) -> str:
    """The README with each block made anew; `folder` is for the ledger."""
    ledger = folder / "example.duckdb"
    _hbench("import", str(ROOT / "predictions"), "--ledger", str(ledger))

    def block(match: re.Match[str]) -> str:
        command = COMMANDS[match[2]]
        output = _hbench(*command, "--ledger", str(ledger))
        lines = "\n".join(line.rstrip() for line in output.splitlines() if line.strip())
        return f"{match[1]}\n```\n{lines}\n```\n\n{match[3]}"

    return _BLOCK.sub(block, text)


def _hbench(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "hinglishbench.cli.main", *arguments],
        check=True, capture_output=True, text=True, env={"COLUMNS": "100", "PATH": "", "PYTHONUTF8": "1"},
    )  # fmt: skip
    return done.stdout


def main() -> None:
    """Write the README, or with --check say whether it is up to date."""
    path = ROOT / "README.md"
    before = path.read_text("utf-8")
    with tempfile.TemporaryDirectory() as name:
        after = filled(before, Path(name))
    if "--check" in sys.argv:
        sys.exit("README.md is stale: run `make readme`" if after != before else 0)
    path.write_text(after, "utf-8")


if __name__ == "__main__":
    main()
