"""Near-duplicates in a large set of generated texts: MinHash over word shingles, then the true value.

Locality-sensitive hashing finds the candidates (Broder 1997; Leskovec, Rajaraman, Ullman, "Mining of
Massive Datasets", chapter 3), by datasketch. Each candidate pair is then measured exactly, so a text
is only left out for what it does share; what hashing may miss is told by `miss_rate`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass

from hinglishbench.errors import RefusedError
from hinglishbench.forms.duplicates import Pair, shingles

PERMUTATIONS = 126
SEED = 1  # of the permutations: the same texts always give the same candidates
# A pair at a similarity of 0.5 is found with probability 0.996, one of 0.4 with 0.94 (see miss_rate).
BANDS, ROWS = 42, 3


@dataclass(frozen=True)
class Filtered:
    """What a filter kept.

    Attributes:
        kept: keys in the order given.
        dropped: key to the earlier text that it is too close to.
    """

    kept: tuple[str, ...]
    dropped: Mapping[str, Pair]


def require() -> None:
    """Refuse before any call is paid for.

    Raises:
        RefusedError: datasketch is not installed.
    """
    if importlib.util.find_spec("datasketch") is None:
        raise RefusedError(
            "comparing generated texts needs datasketch, which is not installed",
            hint="pip install 'hinglishbench[datasets]'",
        )


def drop_near_duplicates(texts: Mapping[str, str], threshold: float) -> Filtered:
    """Keep the first of each group of texts that share too many word runs.

    Args:
        texts: key to text, in order of preference.
        threshold: Jaccard similarity of the shingles (`forms.duplicates`: four words, numbers
            masked) from which the later one is dropped, 0..1.

    Raises:
        RefusedError: datasketch is not installed.
    """
    require()
    from datasketch import (  # noqa: PLC0415  heavy: numpy and scipy
        MinHash,
        MinHashLSH,
    )

    index = MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, ROWS))
    sets: dict[str, frozenset[tuple[str, ...]]] = {}
    dropped: dict[str, Pair] = {}
    for key, text in texts.items():
        own = shingles(text)
        sketch = MinHash(num_perm=PERMUTATIONS, seed=SEED)
        sketch.update_batch([" ".join(run).encode() for run in own])
        candidates = [
            Pair(other, key, len(own & sets[other]) / max(1, len(own | sets[other])))
            for other in index.query(sketch)
        ]
        nearest = max(candidates, key=lambda pair: (pair.similarity, pair.first), default=None)
        if nearest is not None and nearest.similarity >= threshold:
            dropped[key] = nearest
            continue
        index.insert(key, sketch)
        sets[key] = own
    return Filtered(tuple(sets), dropped)


def miss_rate(similarity: float) -> float:
    """Probability that a pair of this similarity is no candidate: (1 - s^r)^b."""
    return float((1 - similarity**ROWS) ** BANDS)
