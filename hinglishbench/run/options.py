"""What a run was asked for, with the defaults."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

DEFAULT_SUITE = "tiered-100"
DEFAULT_FORMS = ("en", "cm-rom")
HOSTED_MAX_TOKENS = 4096
EMBEDDED_MAX_TOKENS = 256


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of `hbench run`; None means the default of provider or suite.

    Attributes:
        limit: blocks per arm, the head of the seeded order.
        seed: orders blocks and the forms inside them; it is not sent.
        concurrency: requests in flight per endpoint; None: chosen.
        max_pair_gap_s: an answered part of a block older than this is asked again.
        max_wait_s: an endpoint that says to wait longer stops.
        timeout_s: for one request from its first send, retries included, pauses of limiter and
            endpoint not counted.
        deadline_s: from the start of the run; no call is begun that would likely end later.
        max_usd: dollars that this run may come to, at most.
        max_usd_total: dollars that the whole ledger may come to, at most.
        allow_unbounded: a budget also where the cap on tokens is not known to hold.
        grace_s: how long the first Ctrl-C waits for what is in flight.
    """

    suite: str = DEFAULT_SUITE
    providers: tuple[str, ...] = ("local",)
    models: tuple[str, ...] = ()
    efforts: tuple[str, ...] = ()
    prompt: str | None = None
    forms: tuple[str, ...] = DEFAULT_FORMS
    limit: int | None = None
    samples: int = 1
    seed: int = 42
    temperature: float | None = None
    max_tokens: int | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    concurrency: int | None = None
    rpm: int | None = None
    tpm: int | None = None
    route: str | None = None
    base_url: str | None = None
    endpoint: str | None = None
    api_key_env: str | None = None
    bill_to: str | None = None
    ledger: Path | None = None
    fresh: bool = False
    dry_run: bool = False
    record: Path | None = None
    replay: Path | None = None
    max_pair_gap_s: float = 3600.0
    max_wait_s: float = 300.0
    timeout_s: float = 600.0
    deadline_s: float | None = None
    grace_s: float = 30.0
    max_usd: Decimal | None = None
    max_usd_total: Decimal | None = None
    allow_unbounded: bool = False
    transport: str | None = None

    def __post_init__(self) -> None:
        """Amounts given as int, float or text become exact decimals, as written."""
        for name in ("max_usd", "max_usd_total"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, Decimal):
                object.__setattr__(self, name, Decimal(str(value)))

    def as_json(self) -> dict[str, Any]:
        """The options as the ledger keeps them; there is no key among them."""
        return {k: str(v) if isinstance(v, Path | Decimal) else v for k, v in asdict(self).items()}
