"""The statistics need the standard library alone."""

from __future__ import annotations

import pkgutil
import subprocess
import sys

import hinglishbench.stats


def test_no_module_of_the_statistics_loads_anything_outside_the_standard_library() -> None:
    """In a fresh interpreter: everything loaded is standard or hinglishbench's own."""
    names = [m.name for m in pkgutil.iter_modules(hinglishbench.stats.__path__)]
    assert "ratio" in names
    code = (
        "import sys; before = set(sys.modules)\n"
        + "".join(f"import hinglishbench.stats.{name}\n" for name in names)
        + "print(*sorted({m.split('.')[0] for m in set(sys.modules) - before}))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    foreign = set(shown.split()) - set(sys.stdlib_module_names) - {"hinglishbench"}
    assert not foreign
