"""A run: plan, engine, progress.

The package is also what `hinglishbench.run(...)` calls: Python binds a submodule's name on its parent as
soon as it is imported, so a function of that name there would be replaced by this package at the first
call. A module may be callable; this one is.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hinglishbench.run.result import RunResult


class _CallablePackage(ModuleType):
    def __call__(self, **options: Any) -> RunResult:
        from hinglishbench.run.api import run  # noqa: PLC0415  importing this package must cost nothing

        return run(**options)


sys.modules[__name__].__class__ = _CallablePackage
