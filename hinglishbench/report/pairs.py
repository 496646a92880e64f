"""The figures of one group of pairs: SQL's counts and ranks put together with the statistics.

A group is one suite, arm and form against the baseline form (`tax`), or one form of two arms set
against each other (`compare`): the queries behind both read the same view, so everything here serves
both. `base` is the side that is compared against, `form` the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from hinglishbench.ledger.reader import Session
from hinglishbench.report.clusters import Clusters
from hinglishbench.report.options import PairOptions
from hinglishbench.stats import equivalence, gap, power, proportions
from hinglishbench.stats.estimates import Estimate, Interval
from hinglishbench.stats.ratio import (
    METHOD,
    MedianRatio,
    Reading,
    Signs,
    median_rank,
    median_ratio_of_ranks,
)
from hinglishbench.stats.walsh import MOST_PAIRS, hodges_lehmann

Row = dict[str, Any]
Key = tuple[int, int, str]
"""suite_no, arm_id (or number of the comparison), form."""


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
        return key_of(self.sql)


def read_groups(session: Session, options: PairOptions, *, sampled: bool) -> dict[Key, Group]:
    """Ask for the figures of every group of the pairs in temp table tax_sides.

    Args:
        session: where tax_pairs or compare_pairs has run.
        options: see there.
        sampled: whether some item was asked more than once.
    """
    lower, upper = options.tax_margins
    margins = {"lower": lower, "upper": upper}
    read_pairs(session, sampled=sampled)
    groups = {g.key: g for g in map(Group, session.run("tax_groups", margins).dicts())}
    if options.cluster:
        for row in session.run("tax_clusters", margins).dicts():
            groups[key_of(row)].clusters = Clusters.of_sql(row)
    _read_ranks(session, groups)
    if options.hodges_lehmann and any(0 < g.sql["n_tax"] <= MOST_PAIRS for g in groups.values()):
        for row in session.run("tax_ratios", {"most": MOST_PAIRS}).dicts():
            groups[key_of(row)].ratios = [
                Reading(*values)
                for values in zip(row["observed"], row["low"], row["high"], strict=True)
            ]
    return groups


def read_pairs(session: Session, *, sampled: bool) -> None:
    """Make view tax_pairs of temp table tax_sides, one row an item where items were sampled."""
    session.run("tax_readings")
    if sampled:
        session.run("tax_items")


def key_of(row: Mapping[str, Any]) -> Key:
    """Which group a row of figures belongs to."""
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
        groups[key_of(row)].limits = (row["lower"], row["upper"])


def note(notes: list[str], what: str, reason: str | None) -> None:
    """Add why a figure is missing, or what it leaves out."""
    if reason:
        notes.append(f"{what}: {reason}")


def points(value: float | None) -> float | None:
    """A difference of proportions in points; without the noise that binary fractions add."""
    return None if value is None else round(100 * value, 10)


def limits_of(interval: Interval | None) -> list[float | None] | None:
    """`[lo, hi]`; None where there is none."""
    return None if interval is None else [interval.lo, interval.hi]


def per_correct(usd: Decimal | None, right: float | None) -> float | None:
    """Dollars for each correct answer; None without either."""
    return None if usd is None or not right else float(usd) / right


def second_opinion(group: Group, options: PairOptions) -> Estimate | None:
    """Hodges-Lehmann's ratio; None when it was not asked for or there is nothing to estimate."""
    if not options.hodges_lehmann or not group.sql["n_tax"]:
        return None
    if group.ratios is None:
        reason = f"only up to {MOST_PAIRS:,} pairs"
        return Estimate(group.sql["n_tax"], None, None, None, "hodges-lehmann on logs", reason)
    return hodges_lehmann(group.ratios)


def missing_pairs(group: Group, notes: list[str], what: str = "tax") -> None:
    """Note which pairs count for some figures only; `what` a ratio of tokens is called."""
    g = group.sql
    if uncounted := g["n"] - g["n_tax"]:
        note(notes, what, f"{uncounted} pairs have none: a side was filtered or has no token count")
    if (g["answers"] or 0) > 1 and g["lost"]:
        note(notes, "samples", f"{g['lost']} pairs of answers are dropped")
    if unpriced := g["n"] - g["priced"]:
        note(notes, "cost", f"{unpriced} pairs are not priced and not in the dollars")


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
        return MedianRatio(0, None, None, None, None, None, METHOD, "no pairs")
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


def gap_equivalence(group: Group, margin: float) -> float | None:
    """The p of "the gap is at least `margin`", a proportion."""
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


def tax_equivalence(group: Group) -> float | None:
    """The p of "the median ratio lies outside the margins that the figures were counted at"."""
    g = group.sql
    if group.clusters is not None:
        return group.clusters.tax_equivalence()
    n = g["n_tax"]
    # Whatever is not surely inside a margin counts against it.
    above = Signs(g["above_lower"], 0, n - g["above_lower"])
    below = Signs(n - g["below_upper"], 0, g["below_upper"])
    return equivalence.tost_of_signs(above, below)
