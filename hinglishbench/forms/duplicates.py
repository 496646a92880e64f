"""Near-duplicates among short texts, by word shingles.

Two problems are the same plot when they share their run of words after names of digits are masked:
Jaccard similarity of the sets of four-word shingles. For sets of some thousand texts an inverted
index is exact and quick; nothing is sampled.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_WORD = re.compile(r"\d[\d,.]*|[^\W\d_](?:[^\W\d_]|[\u0900-\u097f\u0980-\u09ff])*")
SIZE = 4
"""Words in a shingle: long enough that `how many … in all` alone makes no pair."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two keys and how much their texts share, 0..1."""

    first: str
    second: str
    similarity: float


def shingles(text: str, size: int = SIZE) -> frozenset[tuple[str, ...]]:
    """Runs of `size` words in lower case, numbers masked; a shorter text is one run."""
    words = ["#" if w[0].isdigit() else w for w in _WORD.findall(text.lower())]
    if len(words) <= size:
        return frozenset({tuple(words)}) if words else frozenset()
    return frozenset(tuple(words[i : i + size]) for i in range(len(words) - size + 1))


def similarity(first: str, second: str) -> float:
    """Jaccard similarity of two texts' shingles, 0..1; two empty texts share nothing."""
    a, b = shingles(first), shingles(second)
    return len(a & b) / len(a | b) if a | b else 0.0


def near_duplicates(
    texts: Mapping[str, str], threshold: float, *, against: Mapping[str, str] | None = None
) -> list[Pair]:
    """Pairs of `texts`, or of `texts` and `against`, at or above a Jaccard similarity.

    Returns:
        The pairs, most similar first, each once.
    """
    own = {key: shingles(text) for key, text in texts.items()}
    other = own if against is None else {key: shingles(text) for key, text in against.items()}
    holders: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for key, found in other.items():
        for shingle in found:
            holders[shingle].append(key)
    order = {key: number for number, key in enumerate(other)}
    pairs = []
    for place, (key, found) in enumerate(own.items()):
        for partner, shared in _shared(found, holders).items():
            if against is None and order[partner] <= place:
                continue
            value = shared / (len(found) + len(other[partner]) - shared)
            if value >= threshold:
                pairs.append(Pair(key, partner, value))
    return sorted(pairs, key=lambda pair: (-pair.similarity, pair.first, pair.second))


def _shared(
    found: Iterable[tuple[str, ...]], holders: Mapping[tuple[str, ...], list[str]]
) -> Counter[str]:
    return Counter(key for shingle in found for key in holders.get(shingle, ()))
