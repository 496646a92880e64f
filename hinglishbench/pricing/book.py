"""The prices of one model as the program itself uses them: a budget's bounds and a bar's dollars.

The same choice and the same arithmetic as the view `attempt_costs`; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from hinglishbench.pricing.price import PriceRow, exact

_ZERO = Decimal(0)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The counts of one attempt that a price needs; see the ledger's columns of the same names."""

    prompt_tokens: int | None
    billable_output_tokens: int | None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    upper_output_tokens: int | None = None


class PriceBook:
    """What one model costs at an endpoint over time; empty when nobody knows a price."""

    def __init__(self, rows: Iterable[PriceRow]) -> None:
        """`rows`: every price that speaks of the model there, of all sources."""
        sets: dict[object, list[PriceRow]] = {}
        for row in rows:
            sets.setdefault(row.set_key, []).append(row)
        # Best first; of equal standing the last one given.
        ranked = sorted(
            enumerate(sets.values()),
            key=lambda at: (at[1][0].priority, at[1][0].route is None, -at[0]),
        )
        self._sets = [rows for _, rows in ranked]

    def __bool__(self) -> bool:
        return bool(self._sets)

    @property
    def starts(self) -> list[datetime]:
        """The moments from which something may change."""
        return sorted({rows[0].start_at for rows in self._sets})

    def in_force(self, at: datetime) -> Sequence[PriceRow]:
        """The set that counts at a moment (naive UTC); empty: no price."""
        best: list[PriceRow] = []
        for rows in self._sets:
            if rows[0].start_at > at:
                continue
            newer = best and rows[0].start_at > best[0].start_at
            if not best or (newer and rows[0].priority == best[0].priority):
                best = rows
        return best

    def row(self, at: datetime, prompt_tokens: int) -> PriceRow | None:
        """The row that prices a call sent at a moment with a prompt of this size."""
        second = at.hour * 3600 + at.minute * 60 + at.second
        fitting = [
            row
            for row in self.in_force(at)
            if row.day_from_s <= second < row.day_to_s
            and (row.above_tokens == 0 or prompt_tokens > row.above_tokens)
        ]
        return max(fitting, key=lambda row: row.above_tokens, default=None)

    def cost(self, at: datetime, tokens: Tokens) -> Decimal | None:
        """Dollars surely billed; None: a count or a price is missing."""
        prompt, output = tokens.prompt_tokens, tokens.billable_output_tokens
        if prompt is None or output is None:
            return None
        row = self.row(at, prompt)
        if row is None or row.input_usd is None or row.output_usd is None:
            return None
        cached = min(tokens.cached_tokens or 0, prompt)
        reasoning = min(tokens.reasoning_tokens or 0, output)
        return exact(
            (prompt - cached) * row.input_usd
            + cached * _or(row.cached_input_usd, row.input_usd)
            + (output - reasoning) * row.output_usd
            + reasoning * _or(row.reasoning_usd, row.output_usd)
            + (row.request_usd or _ZERO)
        )

    def upper(self, at: datetime, tokens: Tokens) -> Decimal | None:
        """Dollars billed at most, where the counts can be read two ways or a cache was written."""
        sure = self.cost(at, tokens)
        if sure is None or tokens.prompt_tokens is None or tokens.billable_output_tokens is None:
            return None
        row = self.row(at, tokens.prompt_tokens)
        assert row is not None
        assert row.input_usd is not None
        fresh = tokens.prompt_tokens - min(tokens.cached_tokens or 0, tokens.prompt_tokens)
        written = max(_or(row.cache_write_usd, row.input_usd) - row.input_usd, _ZERO)
        more = max((tokens.upper_output_tokens or 0) - tokens.billable_output_tokens, 0)
        dearest = self._dearest(list(self._smaller(at, row)))
        return sure + exact(fresh * written + more * dearest[1])

    def bound(self, at: datetime, prompt_tokens: int, output_tokens: int) -> Decimal | None:
        """Dollars at most of a call sent now or later, whatever hour it is billed by; None: no price.

        Args:
            at: now, naive UTC; prices that are known to come count too.
            prompt_tokens: at most so many.
            output_tokens: at most so many.
        """
        sets = [self.in_force(at), *(self.in_force(start) for start in self.starts if start > at)]
        if not sets[0]:
            return None
        rows = [
            row
            for rows in sets
            for row in rows
            if row.above_tokens == 0 or prompt_tokens > row.above_tokens
        ]
        if any(row.input_usd is None or row.output_usd is None for row in rows):
            return None
        input_usd, output_usd = self._dearest(rows)
        request = max((row.request_usd or _ZERO for row in rows), default=_ZERO)
        return exact(prompt_tokens * input_usd + output_tokens * output_usd + request)

    def _smaller(self, at: datetime, row: PriceRow) -> Iterable[PriceRow]:
        for other in self.in_force(at):
            if other.day_from_s == row.day_from_s and other.above_tokens <= row.above_tokens:
                yield other

    @staticmethod
    def _dearest(rows: Sequence[PriceRow]) -> tuple[Decimal, Decimal]:
        inputs = [_ZERO]
        outputs = [_ZERO]
        for row in rows:
            inputs += [
                p
                for p in (row.input_usd, row.cached_input_usd, row.cache_write_usd)
                if p is not None
            ]
            outputs += [p for p in (row.output_usd, row.reasoning_usd) if p is not None]
        return max(inputs), max(outputs)


def _or(price: Decimal | None, otherwise: Decimal) -> Decimal:
    return otherwise if price is None else price
