"""What endpoints, prompts, arms and runs are known by, and their rows.

The digests decide what counts as the same arm; each row is written once and found by its digest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from hinglishbench.canonical import canonical_json, digest
from hinglishbench.ledger.intake import next_id
from hinglishbench.ledger.store import first_row

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True, slots=True)
class EndpointRow:
    """An endpoint's identity: provider, route, and a normalised URL, a name, or a file's digest."""

    provider: str
    route: str
    address: str

    @property
    def digest(self) -> str:
        """`endpoint:sha256:…`."""
        return digest("endpoint", [self.provider, self.route, self.address])


@dataclass(frozen=True, slots=True)
class PromptRow:
    """A prompt's identity and its whole content."""

    name: str
    digest: str
    content: Any


@dataclass(frozen=True, slots=True)
class ArmRow:
    """What is under test. `params` is the request body without its messages."""

    endpoint: EndpointRow
    prompt: PromptRow
    model: str
    effort: str | None
    temperature: float | None
    max_tokens: int | None
    params: dict[str, Any] = field(hash=False)

    @property
    def digest(self) -> str:
        """`arm:sha256:…`."""
        return digest("arm", [self.endpoint.digest, self.prompt.digest, self.effort, self.params])


@dataclass(frozen=True, slots=True)
class RunRow:
    """The row of `runs` with which a run begins."""

    key: str
    journal: str
    origin: str
    suite: str
    version: str
    options: dict[str, Any]
    started_at: datetime


def journal_name(run_key: str) -> str:
    """File name of a run's journal."""
    return f"{run_key}.ndjson"


def insert_run(connection: duckdb.DuckDBPyConnection, run: RunRow) -> int:
    """Begin a run; its key."""
    run_id = next_id(connection, "runs", "run_id")
    connection.execute(
        "insert into runs (run_id, run_key, journal, origin, suite, version, options, started_at)"
        " values (?, ?, ?, ?, ?, ?, ?, ?)",
        [run_id, run.key, run.journal, run.origin, run.suite, run.version,
         canonical_json(run.options), run.started_at],
    )  # fmt: skip
    return run_id


def _find(
    connection: duckdb.DuckDBPyConnection, table: str, column: str, digest_: str
) -> int | None:
    row = first_row(connection, f"select {column} from {table} where digest = ?", [digest_])  # noqa: S608  names are ours
    return None if row is None else int(row[0])


def _endpoint_id(connection: duckdb.DuckDBPyConnection, endpoint: EndpointRow) -> int:
    found = _find(connection, "endpoints", "endpoint_id", endpoint.digest)
    if found is not None:
        return found
    new = next_id(connection, "endpoints", "endpoint_id")
    connection.execute(
        "insert into endpoints values (?, ?, ?, ?, ?)",
        [new, endpoint.digest, endpoint.provider, endpoint.route, endpoint.address],
    )
    return new


def _prompt_id(connection: duckdb.DuckDBPyConnection, prompt: PromptRow) -> int:
    found = _find(connection, "prompts", "prompt_id", prompt.digest)
    if found is not None:
        return found
    new = next_id(connection, "prompts", "prompt_id")
    connection.execute(
        "insert into prompts values (?, ?, ?, ?)",
        [new, prompt.digest, prompt.name, canonical_json(prompt.content)],
    )
    return new


def _arm_id(connection: duckdb.DuckDBPyConnection, arm: ArmRow, endpoint_id: int) -> int:
    found = _find(connection, "arms", "arm_id", arm.digest)
    if found is not None:
        return found
    new = next_id(connection, "arms", "arm_id")
    connection.execute(
        "insert into arms values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [new, arm.digest, endpoint_id, _prompt_id(connection, arm.prompt), arm.model, arm.effort,
         arm.temperature, arm.max_tokens, canonical_json(arm.params)],
    )  # fmt: skip
    return new


def arm_keys(
    connection: duckdb.DuckDBPyConnection, arms: Sequence[ArmRow]
) -> tuple[list[int], list[int]]:
    """Keys of arms and of their endpoints, in the order given; what is new is inserted."""
    endpoint_ids = [_endpoint_id(connection, arm.endpoint) for arm in arms]
    arm_ids = [
        _arm_id(connection, arm, endpoint_id)
        for arm, endpoint_id in zip(arms, endpoint_ids, strict=True)
    ]
    return arm_ids, endpoint_ids
