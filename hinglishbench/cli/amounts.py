"""Amounts on the command line: dollars, and requests in flight."""

from __future__ import annotations

from decimal import Decimal

from hinglishbench.errors import UsageError


def dollars(text: str | None, flag: str) -> Decimal | None:
    """Read the amount of a flag, exactly.

    Raises:
        UsageError: not an amount of at least 0.
    """
    if text is None:
        return None
    try:
        amount = Decimal(text.strip().removeprefix("$"))
    except ArithmeticError:
        amount = Decimal("nan")
    if not amount.is_finite() or not 0 <= amount < 10**6:
        raise UsageError(
            f"{flag} must be an amount in US dollars, not {text!r}", hint=f"e.g. {flag} 2.50"
        )
    return amount


def in_flight(text: str) -> int | None:
    """Read `--concurrency`; None: auto.

    Raises:
        UsageError: neither auto nor a whole number.
    """
    if text == "auto":
        return None
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"--concurrency is auto or a number, not {text!r}") from None
