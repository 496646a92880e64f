"""Figures published by others, to stand beside our own: `hbench tax --published`.

They are cited, never measured here: every row carries its source, and what can be re-derived from
it. Most printed accuracies pin down the count behind them (`count_behind`): at 82 pairs 96.3% can
only be 79. Token ratios cannot be re-derived without the replies.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

from hinglishbench.errors import InputError

FILE = Path(__file__).resolve().parent.parent / "data" / "published.toml"


@dataclass(frozen=True, slots=True)
class Source:
    """Where figures come from: title, author, year, place, licence, and the design behind them."""

    id: str
    title: str
    author: str
    year: int
    where: str
    licence: str
    design: str


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One published row, its figures as printed.

    Attributes:
        kind: the table of published.toml it stands in: `pairs`, `mitigations`, `retention` or
            `retention_means`.
        source: who published it.
        suite: the set of items, by its authors' name for it.
        n: pairs or items; None where not published.
        keys: what identifies it further (table, provider, route, model, effort, prompt, form,
            baseline_form, n_models), each only where published.
        figures: name to the figure as printed, a decimal in a string; for `retention_means` the
            names are `retained_pct.<form>`.
        verified: what can be re-derived, and what cannot.
    """

    kind: str
    source: Source
    suite: str
    n: int | None
    keys: Mapping[str, Any]
    figures: Mapping[str, str] = field(default_factory=dict)
    verified: str = ""

    def number(self, name: str) -> float | None:
        """Return a figure in our units: `_pct` as 0..1, points and ratios as they stand."""
        printed = self.figures.get(name)
        if printed is None:
            return None
        return float(Decimal(printed) / 100) if "_pct" in name else float(printed)

    def as_tax_row(self) -> dict[str, Any]:
        """Return the row under the keys of `hbench tax`, what was not published as None.

        `origin` is `published` and `source` cites; there is no interval and no p, for they need
        the pairs.
        """
        gap = self.number("gap_pts")
        return {
            "suite": self.suite,
            "provider": self.keys.get("provider"),
            "route": self.keys.get("route"),
            "model": self.keys.get("model"),
            "effort": self.keys.get("effort"),
            "prompt": self.keys.get("prompt"),
            "form": self.keys.get("form"),
            "baseline_form": self.keys.get("baseline_form"),
            "origin": "published",
            "n_pairs": self.n,
            "acc_base": self.number("acc_base_pct"),
            "acc_form": self.number("acc_form_pct"),
            "gap_pts": gap,
            "tax_median": self.number("tax_median"),
            "source": f"{self.source.author} {self.source.year}, {self.keys.get('table', '')}",
        }


_FIGURES = frozenset(
    {
        "acc_base_pct",
        "acc_form_pct",
        "floor",
        "gap_pts",
        "retained_pct",
        "tax_median",
        "token_change_pct",
    }
)
_KEYS = frozenset(
    {
        "baseline_form",
        "effort",
        "form",
        "model",
        "n_models",
        "prompt",
        "provider",
        "route",
        "table",
    }
)
_KINDS = ("pairs", "mitigations", "retention_means", "retention")


def published(path: Path = FILE) -> tuple[PublishedRow, ...]:
    """Return every published row, in the order of the file.

    Raises:
        InputError: the file is not TOML, cites an unknown source, or has an unknown key.
    """
    import tomllib  # noqa: PLC0415 - only one flag of one command reads this file

    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise InputError(path, None, f"not TOML: {error}") from error
    sources = {key: Source(id=key, **value) for key, value in data.get("sources", {}).items()}
    unknown = set(data) - {"sources", *_KINDS}
    if unknown:
        raise InputError(path, None, f"unknown table {min(unknown)!r}")
    return tuple(_row(path, kind, raw, sources) for kind in _KINDS for raw in data.get(kind, []))


def _row(
    path: Path, kind: str, raw: Mapping[str, Any], sources: Mapping[str, Source]
) -> PublishedRow:
    """Return one checked row."""
    if raw.get("source") not in sources:
        raise InputError(path, None, f"unknown source {raw.get('source')!r} in [[{kind}]]")
    figures: dict[str, str] = {}
    keys: dict[str, Any] = {}
    for key, value in raw.items():
        if key in _FIGURES and isinstance(value, dict):
            figures |= {f"{key}.{form}": printed for form, printed in value.items()}
        elif key in _FIGURES:
            figures[key] = value
        elif key in _KEYS:
            keys[key] = value
        elif key not in {"source", "suite", "n_pairs", "n_items", "verified"}:
            raise InputError(path, None, f"unknown key {key!r} in [[{kind}]]")
    return PublishedRow(
        kind=kind,
        source=sources[raw["source"]],
        suite=raw["suite"],
        n=raw.get("n_pairs", raw.get("n_items")),
        keys=keys,
        figures=figures,
        verified=raw["verified"],
    )


def count_behind(printed_pct: str, n: int) -> int | None:
    """Return the one count k for which k/n prints as `printed_pct`, None when it is not unique.

    Args:
        printed_pct: a percentage with the digits that were printed, "96.3".
        n: trials.
    """
    step = Decimal(1).scaleb(Decimal(printed_pct).as_tuple().exponent)  # type: ignore[arg-type]
    near = float(printed_pct) / 100 * n
    reach = math.ceil(float(step) / 100 * n) + 1
    fitting = [
        k
        for k in range(max(0, round(near) - reach), min(n, round(near) + reach) + 1)
        if (Decimal(100 * k) / n).quantize(step, ROUND_HALF_UP) == Decimal(printed_pct)
    ]
    return fitting[0] if len(fitting) == 1 else None


def retained_count_behind(printed_pct: str, n: int, base_count: int, floor: str) -> int | None:
    """Return the one count of the form behind a floor-adjusted retention, None when not unique.

    Args:
        printed_pct: retention in per cent, as printed.
        n: items.
        base_count: how many the baseline got right.
        floor: accuracy of a guess, 0..1, as a decimal string.
    """
    step = Decimal(1).scaleb(Decimal(printed_pct).as_tuple().exponent)  # type: ignore[arg-type]
    chance = Decimal(floor) * n
    headroom = base_count - chance
    if headroom <= 0:
        return None
    fitting = [
        k
        for k in range(n + 1)
        if (100 * (k - chance) / headroom).quantize(step, ROUND_HALF_UP) == Decimal(printed_pct)
    ]
    return fitting[0] if len(fitting) == 1 else None
