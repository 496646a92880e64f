"""Rows of `hbench tax`: one a suite, arm and form, against the baseline form of the same items.

SQL counts, sums, sorts and picks by rank (`ledger/queries/tax_*.sql`); what has no closed form there
comes from `stats`. This module puts the two together and says why a figure is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hinglishbench.ledger.reader import Ledger, Session
from hinglishbench.report.families import decide
from hinglishbench.report.options import (
    PairOptions,
    PowerOptions,
    TaxOptions,
    choose_origin,
)
from hinglishbench.report.pairs import (
    Group,
    Row,
    accuracies,
    gap_estimate,
    limits_of,
    missing_pairs,
    note,
    per_correct,
    points,
    read_groups,
    second_opinion,
    smallest_visible_gap,
    tax_estimate,
)
from hinglishbench.stats import decision
from hinglishbench.stats.means import ratio_of_totals

REASONS = ("unanswered", "error", "far_apart")
"""Why a pair is dropped: not (or no longer) answered on both sides, a provider's failure on one, or
the two calls too far apart in time."""


def tax_rows(ledger: Ledger, options: TaxOptions) -> list[Row]:
    """Return the rows, ordered by suite, provider, model, effort, prompt and form.

    Raises:
        NoLedgerError: there is no ledger.
        RefusedError: it has no answers of that origin.
    """
    with ledger.session() as session:
        origin, sampled = choose_origin(session, options.origin)
        pair_forms(session, options, origin)
        arms = {(a["suite_no"], a["arm_id"]): a for a in session.run("tax_arms").dicts()}
        found = read_groups(session, options, sampled=sampled)
    groups = sorted(found.values(), key=lambda g: (arms[g.key[:2]]["place"], g.key[2]))
    rows = [_row(group, arms[group.key[:2]], options, origin) for group in groups]
    for row, of_gap, of_tax in decide(rows, groups, options, gap_p="gap_p", tax_p="tax_p"):
        row["decision_gap"], row["decision_tax"] = of_gap.word, of_tax.word
        row["decision"] = decision.sentence(of_gap, of_tax)
    return rows


def pair_forms(session: Session, options: PairOptions | PowerOptions, origin: str) -> None:
    """Leave temp table tax_sides: each form beside the baseline form of its block."""
    session.run("tax_answers", {"origin": origin, "suite": options.suite})
    session.run(
        "tax_pairs",
        {"baseline": options.baseline_form, "max_gap_s": options.max_pair_gap_s},
    )


# --- one row -----------------------------------------------------------------------------------


def _row(group: Group, arm: Mapping[str, Any], options: TaxOptions, origin: str) -> Row:
    g = group.sql
    n = g["n"]
    notes: list[str] = []
    base, form = accuracies(group)
    difference = gap_estimate(group)
    tax = tax_estimate(group)
    hl = second_opinion(group, options)
    mde, reason = smallest_visible_gap(group, difference)
    note(notes, "gap", difference.reason)
    note(notes, "tax", tax.reason if n else None)
    note(notes, "tax_hl", hl.reason if hl else None)
    note(notes, "mde_pts", reason)
    if g["n_far"]:
        hours = options.max_pair_gap_s / 3600
        note(notes, "pairs", f"{g['n_far']} were asked more than {hours:g} h apart and are dropped")
    missing_pairs(group, notes)
    return {
        "suite": arm["suite"],
        "provider": arm["provider"],
        "route": arm["route"],
        "model": arm["model"],
        "effort": arm["effort"],
        "prompt": arm["prompt"],
        "form": g["form"],
        "baseline_form": options.baseline_form,
        "origin": origin,
        "n_pairs": n,
        "n_dropped": sum(g[reason] for reason in REASONS),
        "dropped": {reason: g[reason] for reason in REASONS},
        "acc_base": base.value,
        "acc_base_ci": limits_of(base.interval),
        "acc_form": form.value,
        "acc_form_ci": limits_of(form.interval),
        "gap_pts": points(difference.value),
        "gap_ci": [points(end) for end in limits] if (limits := limits_of(difference.interval)) else None,
        "gap_p": difference.p,
        "gap_p_adj": None,
        "gap_method": difference.method,
        "tax_median": tax.median,
        "tax_lo": tax.low,
        "tax_hi": tax.high,
        "tax_ci": limits_of(tax.interval),
        "tax_p": tax.p,
        "tax_method": tax.method,
        "tax_hl": hl.value if hl else None,
        "tax_total_ratio": ratio_of_totals(g["base_tokens"] or 0, g["form_tokens"] or 0),
        "cost_base_usd": g["base_usd"],
        "cost_form_usd": g["form_usd"],
        "unpriced_pairs": n - g["priced"],
        "usd_per_correct_base": per_correct(g["base_usd"], g["base_right_priced"]),
        "usd_per_correct_form": per_correct(g["form_usd"], g["form_right_priced"]),
        "cut_rate_base": g["base_cut_rate"],
        "cut_rate_form": g["form_cut_rate"],
        "pair_gap_s_median": g["gap_s"],
        "n_far_pairs": g["n_far"],
        "mde_pts": points(mde),
        "decision": None,
        # Beyond the contract: what the figures above rest on.
        "decision_gap": None,
        "decision_tax": None,
        "tax_p_adj": None,
        "tax_hl_ci": limits_of(hl.interval) if hl else None,
        "tax_at_cap": tax.at_cap,
        "adjust": options.adjust,
        "family_size": None,
        "samples": g["answers"] or None,
        "clusters": None if group.clusters is None else group.clusters.count,
        "n_tax": g["n_tax"],
        "base_only_correct": g["base_only"],
        "form_only_correct": g["form_only"],
        "tokens_base": g["base_tokens"],
        "tokens_form": g["form_tokens"],
        "temperature": arm["temperature"],
        "max_tokens": arm["max_tokens"],
        "arm": arm["arm"],
        "notes": notes,
    }  # fmt: skip
