"""hinglishbench: what Hinglish costs on hosted language models.

::

    import hinglishbench as hb

    result = hb.run(suite="tiered-100", limit=5)
    hb.Ledger("ledger.duckdb").tax().df()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hinglishbench.report.ledger import Ledger
    from hinglishbench.run.result import RunResult

__version__ = "0.1.0"
__all__ = ["Ledger", "__version__", "run"]


def run(**options: Any) -> RunResult:
    """Carry out a run, as `hbench run` does, without printing.

    Args:
        options: fields of `hinglishbench.run.options.RunOptions`; `provider`, `model` and `effort` may be given
            as one text, `ledger`, `record` and `replay` as text or path.

    Returns:
        The summary; its `run_id` is the run's key in the ledger.

    Raises:
        HbenchError: refused before any call, or the ledger is busy or damaged.
        TypeError: no such option.
    """
    from pathlib import Path  # noqa: PLC0415  a bare import of this package must cost nothing

    from hinglishbench.run.options import RunOptions  # noqa: PLC0415  the same
    from hinglishbench.run.runner import run as carry_out  # noqa: PLC0415  the same

    for one, many in (("provider", "providers"), ("model", "models"), ("effort", "efforts")):
        if one in options:
            options[many] = options.pop(one)
        if isinstance(options.get(many), str):
            options[many] = (options[many],)
    for key in ("ledger", "record", "replay"):
        if options.get(key) is not None:
            options[key] = Path(options[key])
    for key in ("providers", "models", "efforts", "forms"):
        if key in options:
            options[key] = tuple(options[key])
    return carry_out(RunOptions(**options), quiet=True)


def __getattr__(name: str) -> Any:
    if name == "Ledger":
        from hinglishbench.report.ledger import Ledger  # noqa: PLC0415  only who reads needs it

        return Ledger
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
