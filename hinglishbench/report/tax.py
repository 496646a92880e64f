"""Rows of `hbench tax`: one a suite, arm and form, against the baseline form of the same items.

SQL counts, sums, sorts and picks by rank (`ledger/queries/tax_*.sql`); what has no closed form there
comes from `stats`. This module puts the two together and says why a figure is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hinglishbench.ledger.reader import Ledger, Session
from hinglishbench.report.clusters import Clusters
from hinglishbench.report.families import adjusted
from hinglishbench.report.options import TaxOptions, choose_origin
from hinglishbench.stats import decision, equivalence, gap, power, proportions
from hinglishbench.stats.estimates import Estimate, Interval
from hinglishbench.stats.means import ratio_of_totals
from hinglishbench.stats.ratio import (
    MedianRatio,
    Reading,
    Signs,
    median_rank,
    median_ratio_of_ranks,
)
from hinglishbench.stats.walsh import MOST_PAIRS, hodges_lehmann

Row = dict[str, Any]
Key = tuple[int, int, str]
"""suite_no, arm_id, form."""

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
        groups = read_groups(session, options, origin=origin, sampled=sampled)
    rows = [_row(group, options, origin) for group in groups]
    _decide(rows, groups, options)
    return rows


@dataclass
class Group:
    """The figures of one suite, arm and form, as SQL gave them.

    Attributes:
        sql: the row of tax_groups.sql.
        limits: k-th smallest low and k-th largest high reading; None below six pairs.
        ratios: the readings themselves, for groups small enough for Hodges-Lehmann.
        clusters: sums over topics, when asked for.
    """

    sql: Mapping[str, Any]
    limits: tuple[float, float] | None = None
    ratios: Sequence[Reading] | None = None
    clusters: Clusters | None = None

    @property
    def key(self) -> Key:
        """What tells it from the others."""
        return _key(self.sql)


def read_groups(
    session: Session, options: TaxOptions, *, origin: str, sampled: bool
) -> list[Group]:
    """Ask the ledger for everything that the rows need."""
    lower, upper = options.tax_margins
    margins = {"lower": lower, "upper": upper}
    session.run(
        "tax_pairs",
        {
            "origin": origin,
            "suite": options.suite,
            "baseline": options.baseline,
            "max_gap_s": options.max_pair_gap_s,
        },
    )
    if sampled:
        session.run("tax_items")
    groups = {g.key: g for g in map(Group, session.run("tax_groups", margins).dicts())}
    if options.cluster:
        for row in session.run("tax_clusters", margins).dicts():
            groups[_key(row)].clusters = Clusters.of_sql(row)
    _read_ranks(session, groups)
    if options.hodges_lehmann and any(0 < g.sql["n_tax"] <= MOST_PAIRS for g in groups.values()):
        for row in session.run("tax_ratios", {"most": MOST_PAIRS}).dicts():
            groups[_key(row)].ratios = [
                Reading(*values)
                for values in zip(row["observed"], row["low"], row["high"], strict=True)
            ]
    return list(groups.values())


def _key(row: Mapping[str, Any]) -> Key:
    return row["suite_no"], row["arm_id"], row["form"]


def _read_ranks(session: Session, groups: Mapping[Key, Group]) -> None:
    """Fetch the ends of each median's interval."""
    lower: dict[float, int] = {}
    upper: dict[float, int] = {}
    wanted: list[tuple[int, int, str, int, int]] = []
    for key, group in groups.items():
        n = group.sql["n_tax"]
        k = median_rank(n) if group.clusters is None else group.clusters.rank()
        if k is None:
            continue
        # Half a rank inside, so that rounding cannot reach the neighbour.
        low_at = lower.setdefault((k - 0.5) / n, len(lower) + 1)
        high_at = upper.setdefault((n - k + 0.5) / n, len(upper) + 1)
        wanted.append((*key, low_at, high_at))
    if not wanted:
        return
    suites, arms, forms, lower_at, upper_at = map(list, zip(*wanted, strict=True))
    found = session.run(
        "tax_ranks",
        {"suites": suites, "arms": arms, "forms": forms, "lower_at": lower_at, "upper_at": upper_at,
         "lower": list(lower), "upper": list(upper)},
    )  # fmt: skip
    for row in found.dicts():
        groups[_key(row)].limits = (row["lower"], row["upper"])


# --- one row -----------------------------------------------------------------------------------


def _row(group: Group, options: TaxOptions, origin: str) -> Row:
    g = group.sql
    n = g["n"]
    notes: list[str] = []
    base, form = accuracies(group)
    difference = gap_estimate(group)
    tax = tax_estimate(group)
    hl = None
    if group.ratios is not None:
        hl = hodges_lehmann(group.ratios)
        _note(notes, "tax_hl", hl.reason)
    elif options.hodges_lehmann and g["n_tax"] > MOST_PAIRS:
        _note(notes, "tax_hl", f"only up to {MOST_PAIRS:,} pairs")
    _note(notes, "gap", difference.reason)
    _note(notes, "tax", tax.reason if n else None)
    if filtered := n - g["n_tax"]:
        _note(
            notes, "tax", f"{filtered} pairs have no tax: a side was filtered or has no token count"
        )
    if g["n_far"]:
        hours = options.max_pair_gap_s / 3600
        _note(
            notes, "pairs", f"{g['n_far']} were asked more than {hours:g} h apart and are dropped"
        )
    if (g["answers"] or 0) > 1 and g["lost"]:
        _note(notes, "samples", f"{g['lost']} pairs of answers are dropped")
    unpriced = n - g["priced"]
    if unpriced:
        _note(notes, "cost", f"{unpriced} pairs are not priced and not in the dollars")
    mde, reason = smallest_visible_gap(group, difference)
    _note(notes, "mde_pts", reason)
    return {
        "suite": g["suite"],
        "provider": g["provider"],
        "route": g["route"],
        "model": g["model"],
        "effort": g["effort"],
        "prompt": g["prompt"],
        "form": g["form"],
        "baseline_form": options.baseline,
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
        "unpriced_pairs": unpriced,
        "usd_per_correct_base": _per(g["base_usd"], g["base_right_priced"]),
        "usd_per_correct_form": _per(g["form_usd"], g["form_right_priced"]),
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
        "temperature": g["temperature"],
        "max_tokens": g["max_tokens"],
        "arm": g["arm"],
        "notes": notes,
    }  # fmt: skip


def _note(notes: list[str], what: str, reason: str | None) -> None:
    if reason:
        notes.append(f"{what}: {reason}")


def points(value: float | None) -> float | None:
    """A difference of proportions in points; without the noise that binary fractions add."""
    return None if value is None else round(100 * value, 10)


def limits_of(interval: Interval | None) -> list[float | None] | None:
    """`[lo, hi]`; None where there is none."""
    return None if interval is None else [interval.lo, interval.hi]


def _per(usd: Decimal | None, right: float | None) -> float | None:
    return None if usd is None or not right else float(usd) / right


def accuracies(group: Group) -> tuple[Estimate, Estimate]:
    """Accuracy of the baseline and of the form on the pairs, with Wilson's intervals."""
    g = group.sql
    if group.clusters is not None:
        return group.clusters.accuracies()
    if (g["answers"] or 1) == 1:
        return (
            proportions.accuracy(int(g["base_sum"] or 0), g["n"]),
            proportions.accuracy(int(g["form_sum"] or 0), g["n"]),
        )
    return (
        proportions.accuracy_of_scores(g["n"], g["base_sum"], g["base_squares"], g["answers"]),
        proportions.accuracy_of_scores(g["n"], g["form_sum"], g["form_squares"], g["answers"]),
    )


def _counts(g: Mapping[str, Any]) -> gap.PairCounts:
    return gap.PairCounts(g["both"], g["base_only"], g["form_only"], g["neither"])


def gap_estimate(group: Group) -> Estimate:
    """The gap as a proportion: by the paired table, by item differences, or over clusters."""
    g = group.sql
    if group.clusters is not None:
        return group.clusters.gap()
    if (g["answers"] or 1) == 1:
        return gap.gap_of_counts(_counts(g))
    return gap.gap_of_moments(g["n"], g["gap"], g["gap_variance"] or 0.0)


def tax_estimate(group: Group) -> MedianRatio:
    """The median tax with interval and test."""
    g = group.sql
    if not g["n_tax"]:
        return MedianRatio(
            0, None, None, None, None, None, "order statistics, sign test", "no pairs"
        )
    medians = (g["quartiles"][1], g["low"], g["high"])
    if group.clusters is not None:
        return group.clusters.tax(medians, group.limits)
    signs = _signs(g)
    return median_ratio_of_ranks(g["n_tax"], medians=medians, limits=group.limits, signs=signs)


def _signs(g: Mapping[str, Any]) -> Signs:
    above, ties, below = g["above"], g["ties"], g["below"]
    return Signs(above, ties, below, g["n_tax"] - above - ties - below)


def smallest_visible_gap(group: Group, difference: Estimate) -> tuple[float | None, str | None]:
    """The smallest gap (a proportion) that these pairs show at 80% power, or why there is none."""
    g = group.sql
    n = g["n"]
    if group.clusters is not None:
        found = group.clusters.smallest_gap(difference)
    elif (g["answers"] or 1) == 1:
        found = power.smallest_gap(n, (g["base_only"] + g["form_only"]) / n) if n else None
    elif n < 2:
        found = None
    else:
        found = power.smallest_difference((g["gap_variance"] / n) ** 0.5, n - 1)
    if found is not None:
        return found, None
    return None, None if n == 0 else f"{n} pairs show no gap of any size, or none of known spread"


# --- the family --------------------------------------------------------------------------------


def _decide(rows: Sequence[Row], groups: Sequence[Group], options: TaxOptions) -> None:
    """Adjust the p values over the rows of the table, and say what they decide."""
    gaps = adjusted([row["gap_p"] for row in rows], options.adjust)
    taxes = adjusted([row["tax_p"] for row in rows], options.adjust)
    size = sum(p is not None for p in gaps)
    for row, group, gap_p, tax_p in zip(rows, groups, gaps, taxes, strict=True):
        row["gap_p_adj"], row["tax_p_adj"], row["family_size"] = gap_p, tax_p, size
        pts, share = options.margin_pts, options.margin_tax
        of_gap = decision.decide(
            row["n_pairs"],
            gap_p,
            p_equivalence=None if pts is None else _gap_equivalence(group, pts / 100),
            margin=None if pts is None else f"{pts:g} points",
            reason=gap_estimate(group).reason,
        )
        of_tax = decision.decide(
            group.sql["n_tax"],
            tax_p,
            p_equivalence=None if share is None else _tax_equivalence(group),
            margin=None if share is None else f"{100 * share:g}%",
            reason=tax_estimate(group).reason,
        )
        row["decision_gap"], row["decision_tax"] = of_gap.word, of_tax.word
        row["decision"] = decision.sentence(of_gap, of_tax)


def _gap_equivalence(group: Group, margin: float) -> float | None:
    g = group.sql
    if group.clusters is not None:
        return group.clusters.gap_equivalence(margin)
    if (g["answers"] or 1) == 1:
        return equivalence.tost_of_counts(_counts(g), margin)
    n = g["n"]
    if n < 2:
        return None
    error = (g["gap_variance"] / n) ** 0.5
    return equivalence.tost_of_moments(n, g["gap"], error, margin, n - 1)


def _tax_equivalence(group: Group) -> float | None:
    g = group.sql
    if group.clusters is not None:
        return group.clusters.tax_equivalence()
    n = g["n_tax"]
    # Whatever is not surely inside a margin counts against it.
    above = Signs(g["above_lower"], 0, n - g["above_lower"])
    below = Signs(n - g["below_upper"], 0, g["below_upper"])
    return equivalence.tost_of_signs(above, below)
