"""Keys of others to keys of ours: `--map id=qid,answer=gold,en=q.english,cm-rom=q.hinglish`.

The left side is ours, the right side is a key of theirs (dots go into objects), or `@text` for a
fixed value. `PATTERN:…` before it limits a mapping to the files whose path fits. What is not mapped
is guessed from a list of usual names, and what was guessed is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from typing import Any

from hinglishbench.errors import UsageError


@dataclass
class KeyMap:
    """Where each of our keys is found in the rows of one file.

    Attributes:
        paths: our key to a path of theirs, or to `@text`.
        guessed: those of `paths` that nobody gave.
    """

    paths: dict[str, str] = field(default_factory=dict)
    guessed: dict[str, str] = field(default_factory=dict)

    def get(self, row: Mapping[str, Any], key: str) -> Any:
        """The value of one of our keys in a row, None when it has none."""
        path = self.paths.get(key)
        if path is None:
            return None
        return path[1:] if path.startswith("@") else walk(row, path)


def walk(row: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path; a key that holds dots itself wins."""
    if path in row:
        return row[path]
    value: Any = row
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


def parse_rules(texts: Sequence[str]) -> list[tuple[str, dict[str, str]]]:
    """Read the values of `--map`: (pattern, our key to theirs), in the order given.

    Raises:
        UsageError: not `ours=theirs`, with commas between.
    """
    rules = []
    for text in texts:
        head, _, rest = text.partition(":")
        pattern, body = (head, rest) if rest and "=" not in head else ("*", text)
        pairs: dict[str, str] = {}
        for part in body.split(","):
            ours, sign, theirs = part.strip().partition("=")
            if not (ours and sign and theirs):
                raise UsageError(
                    f"--map cannot read {part!r}",
                    hint="ours=theirs with commas: id=qid,answer=gold,en=english,cm-rom=hinglish",
                )
            pairs[ours.strip()] = theirs.strip()
        rules.append((pattern, pairs))
    return rules


def key_map(
    file: str,
    rows: Sequence[Mapping[str, Any]],
    rules: Sequence[tuple[str, Mapping[str, str]]],
    usual: Mapping[str, Sequence[str]],
) -> KeyMap:
    """The mapping of one file: the rules that fit it, the later ones first, then usual names.

    Args:
        file: its path inside the folder, for the patterns.
        rows: its rows; a guess must be a key of the first one.
        rules: of `parse_rules`.
        usual: our key to names that others give it, best first.

    Raises:
        UsageError: a rule names a key that no row has.
    """
    found = KeyMap()
    for pattern, pairs in rules:
        stem = file.rpartition("/")[2].removesuffix(".jsonl")
        if fnmatch(file, pattern) or fnmatch(stem, pattern):
            found.paths |= pairs
    for ours, theirs in found.paths.items():
        if not theirs.startswith("@") and all(walk(row, theirs) is None for row in rows):
            keys = ", ".join(flat_keys(rows[0])) if rows else "none"
            raise UsageError(
                f"{file} has no key {theirs!r} (mapped to {ours})", hint=f"it has {keys}"
            )
    known = {key.lower(): key for key in (flat_keys(rows[0]) if rows else ())}
    taken = set(found.paths.values())
    for ours, names in usual.items():
        if ours in found.paths:
            continue
        for name in names:
            if (key := known.get(name)) is not None and key not in taken:
                found.paths[ours] = found.guessed[ours] = key
                taken.add(key)
                break
    return found


def flat_keys(row: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Every key of a row, those inside objects as dotted paths."""
    keys = []
    for key, value in row.items():
        if isinstance(value, Mapping):
            keys += flat_keys(value, f"{prefix}{key}.")
        else:
            keys.append(prefix + key)
    return keys
