"""Times as the ledger has them: naive, in UTC, so that DuckDB compares them without a time zone."""

from __future__ import annotations

from datetime import UTC, datetime


def utc(epoch_s: float) -> datetime:
    """Seconds since 1970 as naive UTC."""
    return datetime.fromtimestamp(epoch_s, UTC).replace(tzinfo=None)


def utc_now() -> datetime:
    """Now, naive UTC."""
    return datetime.now(UTC).replace(tzinfo=None)


def as_utc(at: datetime) -> datetime:
    """A time of any zone as naive UTC; one without a zone is taken for UTC."""
    return at.astimezone(UTC).replace(tzinfo=None) if at.tzinfo else at
