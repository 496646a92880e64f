"""The extractors that evaluations often use, kept to show what each rule of ours is worth."""

from __future__ import annotations

import re


def first_capital(text: str, labels: tuple[str, ...]) -> str | None:
    """The first capital letter of the label set anywhere in the reply."""
    match = re.search(f"[{''.join(labels)}]", text)
    return match[0] if match else None


def any_number(text: str, gold: str) -> bool:
    """Correct when the gold is anywhere among the reply's numbers: it peeks at the gold."""
    return gold in re.findall(r"-?\d+(?:\.\d+)?", text)


def last_number(text: str) -> str | None:
    """The last run of digits."""
    found = re.findall(r"-?\d+(?:\.\d+)?", text)
    return found[-1] if found else None
