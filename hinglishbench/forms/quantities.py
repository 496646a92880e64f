"""The quantities of a text: which numbers it states, whatever the script and the spelling.

Two texts of one problem must state the same numbers the same number of times. `quantities` reads
them as exact fractions; `compare` sets two texts against each other. The rules, the table of words
and what they do not cover are in `docs/forms.md`.

Some words are numbers only sometimes (`do` is two or "give", `ek` is one or "a"). Where context
decides, they count or do not; where it does not, the quantity is *unsure*: it may match a number
of the other text and need not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from hinglishbench.forms.number_reader import NumberReader

_Key = tuple[Fraction, bool]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number of a text.

    Attributes:
        value: exact; clock times in hours (9:30 and `sadhe 9 baje` are both 19/2).
        unit: canonical unit beside it (`kg`, `rupee`, `%`, `clock`, …), or None.
        sure: False when the word may be no number here.
        text: as it stands in the text, with digits as 0-9.
    """

    value: Fraction
    unit: str | None
    sure: bool
    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """How the quantities of a text differ from those of the text it renders.

    Attributes:
        missing: values that the first text states and the second does not, as people write them.
        extra: values that only the second states.
        units: (value, unit in the first, unit in the second) where both name a unit, not the same.
    """

    missing: tuple[str, ...]
    extra: tuple[str, ...]
    units: tuple[tuple[str, str, str], ...]

    def __bool__(self) -> bool:
        return bool(self.missing or self.extra or self.units)

    def __str__(self) -> str:
        parts = [
            *(f"{value} is missing" for value in self.missing),
            *(f"{value} is new" for value in self.extra),
            *(f"{value} {a} became {value} {b}" for value, a, b in self.units),
        ]
        return "; ".join(parts)


def quantities(text: str, form: str = "en") -> tuple[Quantity, ...]:
    """The numbers a text states, in order; the form says which number words are looked for."""
    return tuple(
        Quantity(number.value, number.unit, number.sure, shown)
        for number, shown in NumberReader(text, form).read()
    )


def compare(first: Sequence[Quantity], second: Sequence[Quantity]) -> Difference:
    """What the second text lost, added or gave another unit.

    Values are compared with their percent mark (18 % is not 18). A value fits when the two texts
    can state it equally often, an unsure quantity counting or not. Order is free.
    """
    low_a, high_a = _bounds(first)
    low_b, high_b = _bounds(second)
    missing = {key: n - high_b[key] for key, n in low_a.items() if n > high_b[key]}
    extra = {key: n - high_a[key] for key, n in low_b.items() if n > high_a[key]}
    return Difference(_spell(missing), _spell(extra), _unit_conflicts(first, second))


def plain(value: Fraction) -> str:
    """A fraction as a person writes it: 245, 2.5, 1/3."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest > 1:
        return str(value)
    places = 0
    while (value * 10**places).denominator > 1:
        places += 1
    digits = f"{abs(value.numerator) * 10**places // value.denominator:0{places + 1}d}"
    sign = "-" if value < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def _key(quantity: Quantity) -> _Key:
    return quantity.value, quantity.unit == "%"


def _bounds(found: Sequence[Quantity]) -> tuple[Counter[_Key], Counter[_Key]]:
    """How often each value stands at least and at most."""
    return Counter(_key(q) for q in found if q.sure), Counter(_key(q) for q in found)


def _spell(counts: dict[_Key, int]) -> tuple[str, ...]:
    return tuple(
        plain(value) + ("%" if percent else "") + (f" (x{n})" if n > 1 else "")
        for (value, percent), n in sorted(counts.items())
    )


def _unit_conflicts(
    first: Sequence[Quantity], second: Sequence[Quantity]
) -> tuple[tuple[str, str, str], ...]:
    """Values whose units differ, where both texts name a unit at each mention of the value."""
    found = []
    for value in sorted({q.value for q in first} & {q.value for q in second}):
        units_a = [q.unit for q in first if q.value == value]
        units_b = [q.unit for q in second if q.value == value]
        named_a = [u for u in units_a if u is not None]
        named_b = [u for u in units_b if u is not None]
        if (
            len(named_a) < len(units_a)
            or len(named_b) < len(units_b)
            or len(units_a) != len(units_b)
        ):
            continue
        only_a = sorted((Counter(named_a) - Counter(named_b)).elements())
        only_b = sorted((Counter(named_b) - Counter(named_a)).elements())
        pairs = zip(only_a, only_b, strict=True)
        found += [(plain(value), a, b) for a, b in pairs if "%" not in {a, b}]
    return tuple(found)
