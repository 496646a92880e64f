"""What a run came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from hinglishbench.errors import BudgetError, EndpointError

INTERRUPTED = 130


@dataclass
class RunResult:
    """The summary of a run; `as_json` has the keys that `hbench run --json` promises.

    Attributes:
        run_id: key in the ledger; None when nothing was to be asked, or on a dry run.
        status: done | errors | budget | endpoint | deadline | interrupted.
        cells: cells in the plan.
        asked: requests that this run meant to ask.
        reused: cells that the ledger had answered already.
        claimed_elsewhere: cells that a living run is asking.
        again: answers that were there and were bought again.
        answered: of those asked, every outcome but error.
        cost_usd: surely billed; None when no attempt has a price.
        left: requests without an answer or an error: the same command later asks them.
        arms: what was under test: provider, route, model (as pinned), effort, prompt.
        limits: by endpoint, requests in flight: start, max, min, end, and how often it was cut.
        reasoning_mismatches: answers that show reasoning where none was asked for, or none where
            an effort was.
        budget: dollars of a run with a cap: cap, spent, reserved, left; None: no cap.
        estimate: of a dry run: calls, tokens and dollars to come, by arm; None: a true run.
        stopped: endpoints (or models) that stopped, with why.
        reasons: why cells ended in an error, the most frequent first: error, message, cells.
        notes: sentences for the person.
    """

    run_id: int | None
    status: str
    cells: int = 0
    asked: int = 0
    reused: int = 0
    claimed_elsewhere: int = 0
    again: int = 0
    answered: int = 0
    errors: int = 0
    attempts: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: Decimal | None = None
    cost_upper_usd: Decimal | None = None
    unpriced_attempts: int = 0
    maybe_billed_attempts: int = 0
    wall_s: float = 0.0
    request_phase_s: float = 0.0
    dry_run: bool = False
    left: int = 0
    arms: list[dict[str, Any]] = field(default_factory=list)
    limits: dict[str, dict[str, int]] = field(default_factory=dict)
    reasoning_mismatches: int = 0
    budget: dict[str, Any] | None = None
    estimate: dict[str, Any] | None = None
    stopped: dict[str, str] = field(default_factory=dict)
    reasons: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """The exit code of the command: where several hold, 130, 4, 5, 1."""
        codes = {"interrupted": INTERRUPTED, "budget": BudgetError.exit_code,
                 "endpoint": EndpointError.exit_code, "deadline": EndpointError.exit_code,
                 "errors": 1}  # fmt: skip
        return codes.get(self.status, 0)

    def as_json(self) -> dict[str, Any]:
        """One object; dollars as numbers rounded to 12 places."""
        fields = dict(self.__dict__)
        for key in ("cost_usd", "cost_upper_usd"):
            value = fields[key]
            fields[key] = None if value is None else float(value)
        for key in ("wall_s", "request_phase_s"):
            fields[key] = round(fields[key], 3)
        return fields
