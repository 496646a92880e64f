"""A key that stays out of logs, reprs and pickles."""

from __future__ import annotations

from typing import Any


class SecretKey:
    """An API key that does not show itself in a repr, a log or a pickle."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """The key itself, for the one header that carries it."""
        return self._value

    def __repr__(self) -> str:
        return "SecretKey(hidden)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SecretKey) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise TypeError("an API key is not pickled")
