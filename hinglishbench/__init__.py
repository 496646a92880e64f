"""hinglishbench: what Hinglish costs on hosted language models.

::

    import hinglishbench as hb

    result = hb.run(suite="tiered-100", limit=5)
    hb.Ledger("ledger.duckdb").tax().df()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from hinglishbench.report.ledger import Ledger
    from hinglishbench.run.api import run
else:
    from hinglishbench import run  # a package that can be called, see there

__all__ = ["Ledger", "__version__", "run"]


def __getattr__(name: str) -> Any:
    if name == "Ledger":
        from hinglishbench.report.ledger import Ledger  # noqa: PLC0415  only who reads needs it

        return Ledger
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
