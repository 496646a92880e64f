"""Small ledgers from a list of replies, written through planning and intake as a run would."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from hinglishbench.clock import utc
from hinglishbench.ledger import planning
from hinglishbench.ledger.identity import ArmRow, EndpointRow, PromptRow, RunRow
from hinglishbench.ledger.intake import GivenGrade, insert_attempts, transaction
from hinglishbench.ledger.prices import add_prices
from hinglishbench.ledger.store import connect
from hinglishbench.pricing.price import PriceRow

NOW = 1_800_000_000.0
PROMPT_TOKENS = 50


@dataclass(frozen=True)
class Reply:
    """What came back for one cell.

    Attributes:
        outcome: of the cell; None: planned and not asked.
        tokens: billable; None: the reply came without usage.
        at: seconds after the run began.
    """

    item: str
    form: str
    outcome: str | None = "correct"
    tokens: int | None = 100
    sample: int = 0
    cut: bool = False
    at: float = 0.0


def arm(
    model: str = "m",
    *,
    prompt: str = "fair",
    effort: str | None = None,
    provider: str = "p",
    cap: int | None = 512,
) -> ArmRow:
    """An arm; what differs makes another."""
    return ArmRow(
        EndpointRow(provider, "direct", f"https://{provider}.example/v1"),
        PromptRow(prompt, f"prompt:sha256:{prompt}", {"id": prompt, "user": "{question}"}),
        model,
        effort,
        None,
        cap,
        {"model": model, "max_tokens": cap, "effort": effort},
    )


def price(
    model: str = "m", provider: str = "p", *, into: str = "1e-6", out: str = "2e-6"
) -> PriceRow:
    """Dollars per token."""
    return PriceRow(provider, model, "user", 1, Decimal(into), Decimal(out))


def write(
    path: Path,
    replies: Iterable[Reply],
    *,
    of: ArmRow | None = None,
    suite: str = "s",
    origin: str = "live",
    prices: Sequence[PriceRow] = (),
    topics: Mapping[str, str] | None = None,
) -> Path:
    """Add the replies of one arm to a ledger."""
    of = of or arm()
    cells = sorted(replies, key=lambda r: (r.item, r.sample, r.form))
    items = sorted({c.item for c in cells})
    key = (
        f"{of.digest[-8:]}-{suite}-{origin}-{hashlib.sha256(repr(cells).encode()).hexdigest()[:8]}"
    )
    with connect(path, write=True) as connection:
        add_prices(connection, prices, utc(NOW))
        claimed = planning.claim(
            connection,
            path,
            run=RunRow(key, "", origin, suite, "0", {}, utc(NOW)),
            arms=[of],
            items=[
                (i, suite, item, '"1"', "numeric", None, (topics or {}).get(item), None, None)
                for i, item in enumerate(items)
            ],
            wanted=[
                (seq, 0, c.item, c.form, f"{c.item} in {c.form}", c.sample, _digest(key, seq))
                for seq, c in enumerate(cells)
            ],
            fresh=True,
            gap_s=0,
            now=utc(NOW),
        )
        ends, grades = [], {}
        for ask in claimed.asks:
            cell = cells[ask.seq]
            if cell.outcome is None:
                continue
            ends.append(_end(ask.request_id, claimed.arm_ids[0], cell))
            if cell.outcome != "error":
                right = cell.outcome == "correct"
                grades[ask.request_id] = GivenGrade("0", "1", cell.outcome, float(right), "given")
        with transaction(connection):
            insert_attempts(connection, claimed.run, ends, grades)
    return path


def _digest(key: str, seq: int) -> bytes:
    return hashlib.sha256(f"{key}/{seq}".encode()).digest()[:16]


def _end(request_id: int, arm_id: int, cell: Reply) -> dict[str, Any]:
    failed = cell.outcome == "error"
    end = {
        "r": request_id, "n": 1, "arm": arm_id, "sent_at": NOW + cell.at, "at": NOW + cell.at + 1,
        "error": "server_error" if failed else None, "billed": "no" if failed else "yes",
        "final": "error" if failed else "answered", "text": "1",
        "finish_reason": "length" if cell.cut else "stop",
    }  # fmt: skip
    if not failed and cell.tokens is not None:
        end |= {
            "prompt_tokens": PROMPT_TOKENS, "completion_tokens": cell.tokens, "output_rule": "inside",
            "billable_output_tokens": cell.tokens, "upper_prompt_tokens": PROMPT_TOKENS,
            "upper_output_tokens": cell.tokens,
        }  # fmt: skip
    return end


def pairs(
    rows: Iterable[tuple[str, int, str, int]],
    *,
    form: str = "cm-rom",
    sample: int = 0,
    first: int = 1,
) -> list[Reply]:
    """Replies of items k1, k2, …: (English outcome, tokens, the form's outcome, tokens)."""
    found = []
    for i, (base, base_tokens, other, form_tokens) in enumerate(rows, first):
        found.append(Reply(f"k{i}", "en", base, base_tokens, sample))
        found.append(Reply(f"k{i}", form, other, form_tokens, sample))
    return found


def now() -> datetime:
    """When the runs began."""
    return utc(NOW)


def as_json(value: Any) -> Any:
    """A value as it comes out of JSON."""
    return json.loads(json.dumps(value, default=float))
