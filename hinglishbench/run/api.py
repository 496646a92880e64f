"""`hinglishbench.run(...)`: a run from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hinglishbench.run.options import RunOptions
from hinglishbench.run.result import RunResult
from hinglishbench.run.runner import run as carry_out

_MANY = {"provider": "providers", "model": "models", "effort": "efforts"}
_PATHS = ("ledger", "record", "replay")


def run(**options: Any) -> RunResult:
    """Carry out a run, as `hbench run` does, without printing.

    Args:
        options: fields of `RunOptions`. `provider`, `model` and `effort` may be one text or several;
            paths may be text.

    Returns:
        The summary; its `run_id` is the run's key in the ledger.

    Raises:
        HbenchError: refused before any call, or the ledger is busy or damaged.
        TypeError: no such option.
    """
    for one, many in _MANY.items():
        if one in options:
            options[many] = options.pop(one)
        if many in options:
            value = options[many]
            options[many] = (value,) if isinstance(value, str) else tuple(value)
    if "forms" in options:
        forms = options["forms"]
        options["forms"] = tuple(forms.split(",")) if isinstance(forms, str) else tuple(forms)
    for key in _PATHS:
        if options.get(key) is not None:
            options[key] = Path(options[key])
    return carry_out(RunOptions(**options), quiet=True)
