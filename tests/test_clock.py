"""Times as the ledger has them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from hinglishbench.clock import as_utc, utc, utc_now


def test_seconds_since_1970_are_naive_utc() -> None:
    """Whatever the zone of the machine."""
    assert utc(1_700_000_000.5) == datetime(2023, 11, 14, 22, 13, 20, 500_000)  # noqa: DTZ001  naive UTC


def test_a_time_of_another_zone_is_moved() -> None:
    """Half past five in Delhi is midnight; without a zone it is UTC already."""
    midnight = datetime(2026, 11, 1)  # noqa: DTZ001  naive UTC
    delhi = timezone(timedelta(hours=5, minutes=30))
    assert as_utc(datetime(2026, 11, 1, 5, 30, tzinfo=delhi)) == midnight
    assert as_utc(midnight) == midnight


def test_now_is_naive_utc() -> None:
    """Between two readings of the clock."""
    before = datetime.now(UTC)
    now = utc_now()
    assert now.tzinfo is None
    assert before <= now.replace(tzinfo=UTC) <= datetime.now(UTC)
