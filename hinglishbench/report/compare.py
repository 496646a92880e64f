"""Rows of `hbench compare`: two arms that differ in one thing, on the same item and form.

A prompt meant to lower the tax against the usual one, two efforts, two models, two providers. One row
a suite, pair of arms and form: change of accuracy, of tokens and of dollars; and, for forms other than
the baseline form, the change of the tax itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hinglishbench.errors import RefusedError
from hinglishbench.ledger.reader import Ledger
from hinglishbench.report.families import decide
from hinglishbench.report.options import CompareOptions, choose_origin
from hinglishbench.report.pairs import (
    Group,
    Key,
    Row,
    accuracies,
    gap_estimate,
    key_of,
    limits_of,
    missing_pairs,
    note,
    per_correct,
    points,
    read_groups,
    read_pairs,
    second_opinion,
    smallest_visible_gap,
    tax_estimate,
)
from hinglishbench.report.tax import pair_forms
from hinglishbench.stats.bootstrap import bootstrap, difference_of_medians, median_of
from hinglishbench.stats.estimates import Estimate, Interval
from hinglishbench.stats.means import ratio_of_totals

REASONS = ("unanswered", "error", "unmatched", "other_text")
"""Why a pair is dropped: not answered in both arms, a provider's failure in one, an item that only one
arm was asked, or a question whose text has changed between the two."""

# Items times resamples that a person is made to wait for (about ten seconds).
_MOST_DRAWS = 4_000_000
_FEWEST_RESAMPLES = 200

Arm = Mapping[str, Any]


def compare_rows(ledger: Ledger, options: CompareOptions) -> list[Row]:
    """Return the rows, ordered by suite, arm and form, the baseline form first.

    Raises:
        NoLedgerError: there is no ledger.
        RefusedError: an arm of the comparison is not in it; the message names those that are.
    """
    with ledger.session() as session:
        origin, sampled = choose_origin(session, options.origin)
        found = session.run("compare_arms", {"origin": origin, "suite": options.suite}).dicts()
        couples = couple(found, options)
        lists = {
            "numbers": list(range(len(couples))),
            "baselines": [baseline["arm_id"] for baseline, _ in couples],
            "variants": [variant["arm_id"] for _, variant in couples],
        }
        pair_forms(session, options, origin)
        read_pairs(session, sampled=sampled)
        session.run("compare_taxes")
        changes = {key_of(row): row for row in session.run("compare_changes", lists).dicts()}
        session.run("compare_pairs", lists)
        suites = {row["suite_no"]: row["suite"] for row in session.run("tax_arms").dicts()}
        groups = sorted(
            read_groups(session, options, sampled=sampled).values(),
            key=lambda g: (g.key[0], g.key[1], g.key[2] != options.baseline_form, g.key[2]),
        )
    rows = []
    for group in groups:
        suite_no, number, _ = group.key
        asked = Asked(options, origin, suites[suite_no], *couples[number])
        rows.append(_row(group, asked, _tax_change(group.key, changes, options)))
    found_out = decide(rows, groups, options, gap_p="acc_change_p", tax_p="tokens_p")
    for row, of_accuracy, of_tokens in found_out:
        row["decision_accuracy"], row["decision_tokens"] = of_accuracy.word, of_tokens.word
        row["decision"] = f"accuracy: {of_accuracy.text}; tokens: {of_tokens.text}"
    return rows


@dataclass(frozen=True)
class Asked:
    """What a row compares."""

    options: CompareOptions
    origin: str
    suite: str
    baseline: Arm
    variant: Arm


# --- which arms --------------------------------------------------------------------------------


def couple(arms: Sequence[Arm], options: CompareOptions) -> list[tuple[Arm, Arm]]:
    """Return the pairs of arms that differ in the axis and agree in everything else.

    Two models may stand at different endpoints when they share none; two providers may spell a model
    differently (the part after the last slash counts).

    Raises:
        RefusedError: one of the two values is not there, or no two arms agree in the rest.
    """
    axis = options.axis
    sides = []
    for wanted in (options.baseline, options.variant):
        side = [arm for arm in arms if value_of(arm, axis) == wanted]
        if not side:
            there = sorted({value_of(arm, axis) for arm in arms})
            raise RefusedError(
                f"the ledger has no answers with {axis} {wanted}",
                hint=f"it has: {', '.join(there)}",
            )
        sides.append(side)
    couples = [
        (baseline, variant)
        for baseline in sides[0]
        for variant in sides[1]
        if _rest(baseline, axis) == _rest(variant, axis)
    ]
    if axis == "model":
        near = [(b, v) for b, v in couples if b["endpoint_id"] == v["endpoint_id"]]
        couples = near or couples
    if not couples:
        raise RefusedError(
            f"no two arms differ in their {axis} alone",
            hint="model, endpoint, effort, prompt, temperature and token cap must otherwise be the same;"
            " `hbench tax --wide` shows them",
        )
    return couples


def value_of(arm: Arm, axis: str) -> str:
    """What an arm has on this axis; an effort that was not sent is `default`."""
    value = arm[axis]
    return "default" if value is None else str(value)


def _rest(arm: Arm, axis: str) -> tuple[Any, ...]:
    """Everything that must be the same on both sides."""
    rest = {
        "endpoint": arm["endpoint_id"],
        "model": arm["model"],
        "effort": arm["effort"],
        "prompt": arm["prompt_id"],
        "temperature": arm["temperature"],
        "cap": arm["max_tokens"],
    }
    if axis == "provider":
        rest["model"] = str(arm["model"]).rpartition("/")[2].lower()
    rest.pop("endpoint" if axis in {"provider", "model"} else axis)
    rest.pop(axis, None)
    return tuple(rest.items())


# --- one row -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class TaxChange:
    """The tax of both arms on the items that have one in both, and its change."""

    baseline: float | None = None
    variant: float | None = None
    change: Estimate | None = None
    cut: int = 0


def _tax_change(key: Key, changes: Mapping[Key, Row], options: CompareOptions) -> TaxChange:
    row = changes.get(key)
    if row is None:
        return TaxChange()
    both = list(zip(row["baseline"], row["variant"], strict=True))
    fitting = max(_FEWEST_RESAMPLES, _MOST_DRAWS // len(both))
    change = bootstrap(
        both,
        difference_of_medians,
        seed=options.seed,
        clusters=row["topic"] if options.cluster else None,
        resamples=min(options.resamples, fitting),
    )
    return TaxChange(median_of(row["baseline"]), median_of(row["variant"]), change, row["cut"])


def _row(group: Group, asked: Asked, taxes: TaxChange) -> Row:
    g = group.sql
    n = g["n"]
    notes: list[str] = []
    base, form = accuracies(group)
    accuracy = gap_estimate(group)
    tokens = tax_estimate(group)
    hl = second_opinion(group, asked.options)
    mde, reason = smallest_visible_gap(group, accuracy)
    note(notes, "acc_change", accuracy.reason)
    note(notes, "tokens", tokens.reason if n else None)
    note(notes, "tokens_hl", hl.reason if hl else None)
    note(notes, "mde_pts", reason)
    change = taxes.change
    note(notes, "tax_change", change.reason if change else None)
    if taxes.cut:
        note(notes, "tax_change", f"{taxes.cut} items have a cut reply, taken as billed")
    missing_pairs(group, notes, "tokens")
    total = ratio_of_totals(g["base_tokens"] or 0, g["form_tokens"] or 0)
    variant, baseline = asked.variant, asked.baseline
    row: Row = {"suite": asked.suite}
    # Of what both share its value; of what differs, both.
    for name in ("provider", "route", "model", "effort", "prompt"):
        same = variant[name] == baseline[name]
        row[name] = (
            variant[name] if same else f"{value_of(baseline, name)} -> {value_of(variant, name)}"
        )
    return row | {
        "form": g["form"],
        "axis": asked.options.axis,
        "baseline": value_of(baseline, asked.options.axis),
        "variant": value_of(variant, asked.options.axis),
        "origin": asked.origin,
        "n_pairs": n,
        "n_dropped": sum(g[name] for name in REASONS),
        "dropped": {name: g[name] for name in REASONS},
        "acc_baseline": base.value,
        "acc_baseline_ci": limits_of(base.interval),
        "acc_variant": form.value,
        "acc_variant_ci": limits_of(form.interval),
        "acc_change_pts": points(accuracy.value),
        "acc_change_ci": _points(accuracy.interval),
        "acc_change_p": accuracy.p,
        "acc_change_p_adj": None,
        "acc_method": accuracy.method,
        "tokens_ratio": tokens.median,
        "tokens_ratio_lo": tokens.low,
        "tokens_ratio_hi": tokens.high,
        "tokens_ratio_ci": limits_of(tokens.interval),
        "tokens_change_pct": per_cent(tokens.median),
        "tokens_change_pct_ci": _per_cents(tokens.interval),
        "tokens_p": tokens.p,
        "tokens_p_adj": None,
        "tokens_method": tokens.method,
        "tokens_hl": hl.value if hl else None,
        "tokens_total_ratio": total,
        "tokens_total_change_pct": per_cent(total),
        "cost_baseline_usd": g["base_usd"],
        "cost_variant_usd": g["form_usd"],
        "cost_change_usd": None if g["base_usd"] is None else g["form_usd"] - g["base_usd"],
        "cost_change_pct": _relative(g["base_usd"], g["form_usd"]),
        "unpriced_pairs": n - g["priced"],
        "usd_per_correct_baseline": per_correct(g["base_usd"], g["base_right_priced"]),
        "usd_per_correct_variant": per_correct(g["form_usd"], g["form_right_priced"]),
        "cut_rate_baseline": g["base_cut_rate"],
        "cut_rate_variant": g["form_cut_rate"],
        "tax_baseline": taxes.baseline,
        "tax_variant": taxes.variant,
        "tax_change": change.value if change else None,
        "tax_change_ci": limits_of(change.interval) if change else None,
        "tax_change_n": change.n if change else 0,
        "tax_change_method": change.method if change else None,
        "mde_pts": points(mde),
        "decision": None,
        "decision_accuracy": None,
        "decision_tokens": None,
        "tokens_at_cap": tokens.at_cap,
        "adjust": asked.options.adjust,
        "family_size": None,
        "samples": g["answers"] or None,
        "clusters": None if group.clusters is None else group.clusters.count,
        "n_tokens": g["n_tax"],
        "baseline_only_correct": g["base_only"],
        "variant_only_correct": g["form_only"],
        "temperature": variant["temperature"],
        "max_tokens": variant["max_tokens"],
        "arm_baseline": baseline["arm"],
        "arm_variant": variant["arm"],
        "notes": notes,
    }  # fmt: skip


def _points(interval: Interval | None) -> list[float | None] | None:
    ends = limits_of(interval)
    return None if ends is None else [points(end) for end in ends]


def per_cent(ratio: float | None) -> float | None:
    """A ratio as a change in per cent: 1.099 is +9.9."""
    return None if ratio is None else round(100 * (ratio - 1), 10)


def _per_cents(interval: Interval | None) -> list[float | None] | None:
    ends = limits_of(interval)
    return None if ends is None else [per_cent(end) for end in ends]


def _relative(base: Decimal | None, form: Decimal | None) -> float | None:
    if base is None or form is None or base == 0:
        return None
    return per_cent(float(form) / float(base))
