"""Names of arms for people: the model, and whatever else tells one arm from another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

# Of the embedded model, wherever its figures stand: it is there to show that all works.
SMALL_MODEL = "proves the pipeline; a model this small proves nothing about Hinglish"

_PARTS = ("provider", "route", "effort", "prompt", "temperature", "max_tokens")


def arm_labels(arms: Sequence[Mapping[str, Any]]) -> dict[int, str]:
    """A label by arm_id, no two alike; parts that all arms share are left out.

    Args:
        arms: rows of queries/report_arms.sql.
    """
    short = Counter(str(arm["model"]).rpartition("/")[2] for arm in arms)
    full = Counter(str(arm["model"]) for arm in arms)
    varying = [name for name in _PARTS if len({arm[name] for arm in arms}) > 1]
    labels: dict[int, str] = {}
    for arm in arms:
        model = str(arm["model"])
        head = model.rpartition("/")[2]
        # Two organisations may publish a model under one name.
        if short[head] > full[model]:
            head = model
        words = [head, *(_word(name, arm[name]) for name in varying)]
        labels[arm["arm_id"]] = " · ".join(word for word in words if word)
    alike = Counter(labels.values())
    for arm in arms:
        if alike[labels[arm["arm_id"]]] > 1:
            labels[arm["arm_id"]] += f" · {short_digest(arm['digest'])}"
    return labels


def short_digest(digest: str) -> str:
    """The first eight digits of `arm:sha256:…`."""
    return digest.rpartition(":")[2][:8]


def _word(name: str, value: Any) -> str:
    if name == "effort":
        return f"effort {value}" if value is not None else "default effort"
    if name == "temperature":
        return f"T {value:g}" if value is not None else ""
    if name == "max_tokens":
        return f"cap {value:,}" if value is not None else "no cap"
    return str(value)
