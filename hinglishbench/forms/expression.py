"""Evaluates an item's `check`: decimals, + - * / and brackets, in exact rationals, nothing else.

A tiny parser of our own instead of Python's: a `check` may come from a stranger's file, and a walk
over a Python syntax tree would let in whatever the next Python adds.
"""

from __future__ import annotations

import re
from fractions import Fraction

_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|([-+*/()]))", re.ASCII)
_DEEPEST = 50


class ExpressionError(ValueError):
    """Not an expression of this small kind; the message is one sentence."""


def evaluate(text: str) -> Fraction:
    """Exact value of an arithmetic expression.

    Raises:
        ExpressionError: anything but decimals, + - * / and brackets, or a division by zero.
    """
    parser = _Parser(_tokens(text))
    value = parser.sum()
    if parser.peek():
        raise ExpressionError(f"{parser.peek()!r} has no place in {text!r}")
    return value


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(f"{text[at:].lstrip()[:1]!r} is not allowed in {text!r}")
        tokens.append(match.group().strip())
        at = match.end()
    return tokens


class _Parser:
    """Recursive descent: sum = product (± product)*, product = factor (*/ factor)*."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        token = self.peek()
        self._at += 1
        return token

    def sum(self) -> Fraction:
        value = self._product()
        while self.peek() in {"+", "-"}:
            value = value + self._product() if self._take() == "+" else value - self._product()
        return value

    def _product(self) -> Fraction:
        value = self._factor()
        while self.peek() in {"*", "/"}:
            if self._take() == "*":
                value *= self._factor()
                continue
            divisor = self._factor()
            if not divisor:
                raise ExpressionError("division by zero")
            value /= divisor
        return value

    def _factor(self) -> Fraction:
        token = self._take()
        if token[:1].isdigit():
            return Fraction(token)
        if token not in {"-", "("}:
            raise ExpressionError(
                f"a number is wanted, not {token!r}" if token else "ends too early"
            )
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ExpressionError("nested too deep")
        value = -self._factor() if token == "-" else self.sum()  # noqa: S105  an operator
        if token == "(" and self._take() != ")":  # noqa: S105  a bracket
            raise ExpressionError("a bracket is not closed")
        self._depth -= 1
        return value
