"""The options of `hbench run` that say whom to ask and how, for every command that asks a model."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from hinglishbench.cli.amounts import dollars, in_flight
from hinglishbench.cli.run import run
from hinglishbench.run.options import RunOptions

# What of `run` is about suites, pairs and printing, and not about whom to ask.
_NOT_ASKING = frozenset(
    {"suite", "prompt", "forms", "limit", "samples", "seed", "max_pair_gap", "json_", "quiet"}
)
# Names that differ between the command line and `RunOptions`, with what makes one of the other.
_RENAMED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "provider": ("providers", tuple),
    "model": ("models", tuple),
    "effort": ("efforts", tuple),
    "concurrency": ("concurrency", in_flight),
    "max_wait": ("max_wait_s", float),
    "timeout": ("timeout_s", float),
    "deadline": ("deadline_s", lambda value: value),
    "grace": ("grace_s", float),
    "max_usd": ("max_usd", lambda text: dollars(text, "--max-usd")),
    "max_usd_total": ("max_usd_total", lambda text: dollars(text, "--max-usd-total")),
}


def asks(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the asking options of `run`, and one `RunOptions` as its argument `asking`.

    They are declared once, in `cli/run.py`: an option that `run` gains is there for all. An option
    that the command declares itself stays its own.
    """
    own = inspect.signature(command, eval_str=True)
    shared = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for name, parameter in inspect.signature(run, eval_str=True).parameters.items()
        if name not in _NOT_ASKING and name not in own.parameters
    ]
    known = {field.name for field in fields(RunOptions)}

    @functools.wraps(command)
    def wrapped(**given: Any) -> None:
        options: dict[str, Any] = {}
        for parameter in shared:
            name, convert = _RENAMED.get(parameter.name, (parameter.name, lambda value: value))
            value = given.pop(parameter.name)
            if name in known:
                options[name] = convert(value)
        command(asking=RunOptions(**options), **given)

    kept = [parameter for name, parameter in own.parameters.items() if name != "asking"]
    signature = own.replace(
        parameters=[p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in kept] + shared
    )
    wrapped.__signature__ = signature  # type: ignore[attr-defined]  # typer reads it
    wrapped.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()}
    return wrapped
