"""Rows of `hbench power`: pairs that an effect needs, the effect that pairs show, and the bill.

From what the ledger has seen of an arm (how often the two sides disagree, how the log ratios spread,
what a pair costs), or from assumptions that are stated.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hinglishbench.ledger.reader import Ledger
from hinglishbench.report.options import PairOptions, PowerOptions, choose_origin
from hinglishbench.report.pairs import Group, Row, note, points, read_groups
from hinglishbench.report.tax import pair_forms
from hinglishbench.stats.power import (
    log_spread_of_quartiles,
    pairs_for_difference,
    pairs_for_gap,
    pairs_for_tax,
    smallest_difference,
    smallest_gap,
    smallest_tax,
)

_FEW_DISCORDANT = 5
"""Below, a share of discordant pairs is hardly known."""


def power_rows(ledger: Ledger | None, options: PowerOptions) -> list[Row]:
    """Return one row a suite, arm and form of the ledger, or one of stated assumptions alone.

    Args:
        ledger: None: only what `options` state is used.
        options: see there; a stated assumption goes before what the ledger has seen.

    Raises:
        NoLedgerError: there is no ledger.
        RefusedError: it has no answers of that origin.
    """
    if ledger is None:
        return [_row(Seen(discordance=None, spread=None), {}, options, None)]
    wanted = PairOptions(
        suite=options.suite, origin=options.origin, baseline_form=options.baseline_form,
        max_pair_gap_s=options.max_pair_gap_s, hodges_lehmann=False,
    )  # fmt: skip
    with ledger.session() as session:
        origin, sampled = choose_origin(session, options.origin)
        pair_forms(session, wanted, origin)
        arms = {(a["suite_no"], a["arm_id"]): a for a in session.run("tax_arms").dicts()}
        groups = read_groups(session, wanted, sampled=sampled).values()
    ordered = sorted(groups, key=lambda g: (arms[g.key[:2]]["place"], g.key[2]))
    return [_row(_seen(g), arms[g.key[:2]] | {"form": g.key[2]}, options, origin) for g in ordered]


@dataclass(frozen=True)
class Seen:
    """What an arm's pairs say of the next ones.

    Attributes:
        discordance: share of pairs that only one side got right; of sampled items None.
        spread: standard deviation of the log ratios, from their quartiles.
        variance: of the items' differences, when items were sampled.
        usd_per_pair: mean dollars of both sides.
        n: pairs.
        discordant: how many of them disagreed.
    """

    discordance: float | None
    spread: float | None
    variance: float | None = None
    usd_per_pair: float | None = None
    n: int = 0
    discordant: int | None = None
    samples: int | None = None


def _seen(group: Group) -> Seen:
    g = group.sql
    n, single = g["n"], (g["answers"] or 1) == 1
    discordant = g["base_only"] + g["form_only"] if single else None
    quartiles = g["quartiles"]
    usd = None
    if g["priced"]:
        usd = float(g["base_usd"] + g["form_usd"]) / g["priced"]
    return Seen(
        discordance=discordant / n if n and discordant is not None else None,
        spread=log_spread_of_quartiles(quartiles[0], quartiles[2]) if quartiles else None,
        variance=None if single else g["gap_variance"],
        usd_per_pair=usd,
        n=n,
        discordant=discordant,
        samples=g["answers"],
    )


def _row(seen: Seen, arm: Mapping[str, Any], options: PowerOptions, origin: str | None) -> Row:
    notes: list[str] = []
    gap, alpha, power = options.gap_pts / 100, options.alpha, options.power
    discordance = options.discordance if options.discordance is not None else seen.discordance
    spread = options.spread if options.spread is not None else (seen.spread or None)
    n = options.pairs if options.pairs is not None else (seen.n or None)
    for_gap = gap_at_n = None
    if options.discordance is None and seen.variance is not None:
        for_gap = (
            pairs_for_difference(gap, seen.variance, alpha=alpha, power=power)
            if seen.variance > 0
            else None
        )
        if n is not None and n > 1:
            gap_at_n = smallest_difference(
                math.sqrt(seen.variance / n), n - 1, alpha=alpha, power=power
            )
        if not seen.variance:
            note(notes, "gap", "the items do not differ, so their spread is unknown")
    elif discordance is not None:
        for_gap = pairs_for_gap(gap, discordance, alpha=alpha, power=power)
        gap_at_n = None if n is None else smallest_gap(n, discordance, alpha=alpha, power=power)
    else:
        note(notes, "gap", "no pairs were seen, and no --discordance is stated")
    if seen.discordant is not None and options.discordance is None:
        if seen.discordant < _FEW_DISCORDANT:
            note(
                notes,
                "gap",
                f"only {seen.discordant} of {seen.n} pairs disagree: their share is hardly known",
            )
        if discordance is not None and discordance < abs(gap):
            note(
                notes,
                "gap",
                "a gap needs that many discordant pairs at least: their share was raised to it",
            )
    for_tax = (
        None if spread is None else pairs_for_tax(options.tax, spread, alpha=alpha, power=power)
    )
    tax_at_n = (
        None if spread is None or n is None else smallest_tax(n, spread, alpha=alpha, power=power)
    )
    if spread is None:
        note(notes, "tax", "the spread of the ratios is not known; state a --spread")
    usd = seen.usd_per_pair
    if usd is None and origin is not None:
        note(notes, "cost", "no pair of this arm is priced")
    return {
        "suite": arm.get("suite"),
        "provider": arm.get("provider"),
        "route": arm.get("route"),
        "model": arm.get("model"),
        "effort": arm.get("effort"),
        "prompt": arm.get("prompt"),
        "form": arm.get("form"),
        "baseline_form": options.baseline_form,
        "origin": origin,
        "n_pairs": seen.n,
        "alpha": options.alpha,
        "power": options.power,
        "gap_pts": options.gap_pts,
        "discordance": discordance,
        "pairs_for_gap": for_gap,
        "usd_for_gap": _usd(usd, for_gap),
        "tax": options.tax,
        "log_spread": spread,
        "pairs_for_tax": for_tax,
        "usd_for_tax": _usd(usd, for_tax),
        "pairs": n,
        "smallest_gap_pts": points(gap_at_n),
        "smallest_tax": tax_at_n,
        "usd_per_pair": usd,
        "usd_for_pairs": _usd(usd, n),
        "samples": seen.samples,
        "stated": [
            name
            for name, value in (("discordance", options.discordance), ("spread", options.spread))
            if value is not None
        ],
        "temperature": arm.get("temperature"),
        "max_tokens": arm.get("max_tokens"),
        "arm": arm.get("arm"),
        "notes": notes,
    }  # fmt: skip


def _usd(each: float | None, pairs: int | None) -> float | None:
    return None if each is None or pairs is None else each * pairs
