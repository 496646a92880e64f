"""Amounts of money on the command line."""

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
