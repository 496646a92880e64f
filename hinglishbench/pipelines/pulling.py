"""`hbench data pull`: datasets and predictions of others, from a folder or the hub, in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hinglishbench.ledger.predictions import import_predictions
from hinglishbench.pipelines import foreign, layout
from hinglishbench.pipelines.foreign import Converted
from hinglishbench.pipelines.layout import Pulled
from hinglishbench.pipelines.mapping import parse_rules


@dataclass(frozen=True)
class Outcome:
    """What was brought over; `imported` counts arms and cells where a ledger was given."""

    datasets: Sequence[Pulled]
    predictions: Converted | None
    imported: dict[str, int] | None

    def as_json(self) -> dict[str, Any]:
        """One object."""
        made = self.predictions
        return {
            "datasets": [
                {
                    "name": d.stem, "file": str(d.path), "items": len(d.items), "keys": d.mapped.paths,
                    "guessed": d.mapped.guessed,
                    "left_out": [{"line": line, "why": why} for line, why in d.left_out],
                }
                for d in self.datasets
            ],
            "predictions": made and {
                "arms": len(made.folders), "lines": made.lines, "unknown_items": made.unknown_items,
                "regraded": made.regraded, "disagree": made.disagree, "guessed": made.guessed,
                "folders": [str(path) for path in made.folders],
            },
            "imported": self.imported,
        }  # fmt: skip


def pull(
    source: str,
    out: Path,
    *,
    maps: Sequence[str] = (),
    prediction_maps: Sequence[str] = (),
    revision: str | None = None,
    ledger: Path | None = None,
) -> Outcome:
    """Bring a folder (or `hub:OWNER/NAME`) in the layout of HinglishBench into our shapes.

    Args:
        source: a folder, or `hub:OWNER/NAME`.
        out: where our files go.
        maps: `--map`, for the datasets.
        prediction_maps: `--map-predictions`.
        revision: of the hub's repository.
        ledger: where predictions go as `origin = import`; None: files only.
    """
    rules, prediction_rules = parse_rules(maps), parse_rules(prediction_maps)
    name = source.removeprefix("hub:")
    folder = layout.fetch(name, revision) if source.startswith("hub:") else Path(source)
    datasets = layout.pull(folder, out, rules)
    made, counts = None, None
    if (folder / "predictions").is_dir():
        made = foreign.convert(
            folder / "predictions", out / "predictions", datasets, prediction_rules
        )
        if ledger is not None and made.folders:
            counts = import_predictions(out / "predictions", ledger)
    return Outcome(datasets, made, counts)
