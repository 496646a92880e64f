"""Coverage of every interval of hinglishbench.stats, by simulation; prints Markdown tables.

    python benchmarks/coverage.py [--draws 2000] [--seed 1]

Nominal level 95%. A figure is the share of draws whose interval held the true value; its own
standard error is 0.005 at 2,000 draws. The truths come from the model, or from a draw of a million.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from hinglishbench.stats.bootstrap import bootstrap, difference_of_medians, retention, total_ratio
from hinglishbench.stats.clustered import clustered_median_ratio
from hinglishbench.stats.estimates import Interval
from hinglishbench.stats.gap import (
    PairCounts,
    gap_of_clusters,
    gap_of_counts,
    gap_of_moments,
    mcnemar_exact,
    mcnemar_midp,
)
from hinglishbench.stats.means import geometric_mean
from hinglishbench.stats.power import pairs_for_gap, pairs_for_tax
from hinglishbench.stats.proportions import accuracy, accuracy_of_scores, clustered_accuracy
from hinglishbench.stats.ratio import Reading, count_signs, median_ratio, sign_test
from hinglishbench.stats.walsh import hodges_lehmann

SIZES = (15, 30, 82, 300)
Draw = Callable[[int], tuple[Interval | None, float]]


class Tally:
    """Counts hits and widths of one interval."""

    def __init__(self) -> None:
        self.draws = self.undefined = self.hits = self.open = 0
        self.width = 0.0

    def add(self, interval: Interval | None, truth: float) -> None:
        self.draws += 1
        if interval is None:
            self.undefined += 1
            return
        self.hits += interval.contains(truth)
        if interval.lo is None or interval.hi is None:
            self.open += 1
        else:
            self.width += interval.hi - interval.lo

    def cell(self) -> str:
        defined = self.draws - self.undefined
        if defined == 0:
            return "none"
        closed = defined - self.open
        width = f"{self.width / closed:.3f}" if closed else "open"
        notes = []
        if self.undefined:
            notes.append(f"{self.undefined / self.draws:.0%} none")
        if self.open:
            notes.append(f"{self.open / self.draws:.0%} open")
        return f"{self.hits / defined:.3f} ({width}{'; ' if notes else ''}{', '.join(notes)})"


def table(title: str, rows: Sequence[tuple[str, Draw]], draws: int, sizes: Sequence[int]) -> None:
    print(f"\n### {title}\n")
    print("| interval | " + " | ".join(f"n = {n}" for n in sizes) + " |")
    print("| --- |" + " --- |" * len(sizes))
    for name, draw in rows:
        cells = []
        for n in sizes:
            tally = Tally()
            for _ in range(draws):
                tally.add(*draw(n))
            cells.append(tally.cell())
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


class World:
    """The models that pairs are drawn from."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def answers(self, n: int, p_base: float, p_form: float, shared: float) -> np.ndarray:
        """n x 2 of 0/1: with probability `shared` both sides follow one uniform number."""
        u = self.rng.random((n, 2))
        together = self.rng.random(n) < shared
        u[together, 1] = u[together, 0]
        return (u < np.array([p_base, p_form])).astype(int)

    def counts(self, n: int, p_base: float, p_form: float, shared: float) -> PairCounts:
        base, form = self.answers(n, p_base, p_form, shared).T
        return PairCounts(
            int(np.sum(base & form)),
            int(np.sum(base & (1 - form))),
            int(np.sum((1 - base) & form)),
            int(np.sum((1 - base) & (1 - form))),
        )

    def logs(self, n: int) -> np.ndarray:
        """Log ratios: 0.18 + 0.2 t(3), and 3% runaways five times as long."""
        z = 0.18 + 0.2 * self.rng.standard_t(3, n)
        return z + np.where(self.rng.random(n) < 0.03, math.log(5), 0)

    def tokens(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        base = np.exp(5.5 + 0.5 * self.rng.standard_normal(n))
        return base, base * np.exp(self.logs(n))

    def clusters(self, n: int, size: int = 4) -> np.ndarray:
        return np.arange(n) // size


def exact(ratios: np.ndarray) -> list[Reading]:
    return [Reading(r, r, r) for r in ratios.tolist()]


def censored(base: np.ndarray, form: np.ndarray, cap: float) -> list[Reading]:
    found = []
    for b, f in zip(base.tolist(), form.tolist(), strict=True):
        observed = min(f, cap) / min(b, cap)
        found.append(
            Reading(observed, 0.0 if b > cap else observed, math.inf if f > cap else observed)
        )
    return found


def accuracies(world: World) -> Iterator[tuple[str, Draw]]:
    for p in (0.5, 0.9, 0.97):

        def one(n: int, p: float = p) -> tuple[Interval | None, float]:
            return accuracy(int(world.rng.binomial(n, p)), n).interval, p

        yield f"Wilson, accuracy {p}", one

    def repeated(n: int) -> tuple[Interval | None, float]:
        own = world.rng.beta(4, 1, n)  # items differ in difficulty; true mean 0.8
        scores = world.rng.binomial(5, own) / 5
        total, squares = float(scores.sum()), float((scores**2).sum())
        return accuracy_of_scores(n, total, squares, samples=5).interval, 0.8

    yield "Wilson at effective n, 5 samples an item, accuracy 0.8", repeated

    def clustered(n: int) -> tuple[Interval | None, float]:
        groups = math.ceil(n / 4)
        own = world.rng.beta(4, 1, groups)
        sizes = [4] * (n // 4) + ([n % 4] if n % 4 else [])
        totals = world.rng.binomial(sizes, own).tolist()
        return clustered_accuracy(zip(sizes, totals, strict=True)).interval, 0.8

    yield "Wilson at effective n, clusters of 4, accuracy 0.8", clustered


def gaps(world: World) -> Iterator[tuple[str, Draw]]:
    for p_base, p_form, shared in ((0.95, 0.95, 0.5), (0.9, 0.83, 0.5), (0.6, 0.45, 0.3)):

        def one(
            n: int, p_base: float = p_base, p_form: float = p_form, shared: float = shared
        ) -> tuple[Interval | None, float]:
            return gap_of_counts(world.counts(n, p_base, p_form, shared)).interval, p_form - p_base

        yield f"Newcombe, {p_base} against {p_form}", one

    def repeated(n: int) -> tuple[Interval | None, float]:
        own = world.rng.beta(4, 1, n)
        base, form = (world.rng.binomial(5, own * f) / 5 for f in (1.0, 0.95))
        d = form - base
        return gap_of_moments(n, float(d.mean()), float(d.var(ddof=1))).interval, -0.04

    yield "t on item differences, 5 samples, 0.80 against 0.76", repeated

    def clustered(n: int) -> tuple[Interval | None, float]:
        keys = world.clusters(n)
        lean = world.rng.uniform(-0.4, 0.4, int(keys[-1]) + 1)[keys]
        base = world.rng.random(n) < 0.6
        form = world.rng.random(n) < 0.5 + lean
        d = form.astype(float) - base
        sums = np.bincount(keys, d)
        sizes = np.bincount(keys)
        found = gap_of_clusters(zip(sizes.tolist(), sums.tolist(), strict=True))
        return found.interval, -0.1

    yield "t over clusters of 4, 0.6 against 0.5", clustered

    def naive(n: int) -> tuple[Interval | None, float]:
        keys = world.clusters(n)
        lean = world.rng.uniform(-0.4, 0.4, int(keys[-1]) + 1)[keys]
        base = world.rng.random(n) < 0.6
        form = world.rng.random(n) < 0.5 + lean
        d = form.astype(float) - base
        return gap_of_moments(n, float(d.mean()), float(d.var(ddof=1))).interval, -0.1

    yield "(the same clusters ignored: t on items)", naive


def taxes(world: World) -> Iterator[tuple[str, Draw]]:
    truth = np.exp(np.concatenate([world.logs(1_000_000) for _ in range(4)]))
    median = float(np.median(truth))
    # The pseudo-median is the median of means of two independent logs.
    pseudo = math.exp(float(np.median((world.logs(2_000_000) + world.logs(2_000_000)) / 2)))
    geometric = math.exp(float(np.log(truth).mean()))

    def order(n: int) -> tuple[Interval | None, float]:
        return median_ratio(exact(np.exp(world.logs(n)))).interval, median

    def walsh(n: int) -> tuple[Interval | None, float]:
        return hodges_lehmann(exact(np.exp(world.logs(n)))).interval, pseudo

    def mean(n: int) -> tuple[Interval | None, float]:
        return geometric_mean(np.exp(world.logs(n)).tolist()).interval, geometric

    yield f"order statistics (median {median:.3f})", order
    yield f"Hodges-Lehmann (pseudo-median {pseudo:.3f})", walsh
    yield f"geometric mean, t on logs ({geometric:.3f})", mean

    for cap in (800, 400):
        base, form = world.tokens(1_000_000)
        rates = f"{np.mean(form > cap):.0%} of form and {np.mean(base > cap):.0%} of English cut"

        def cut(n: int, cap: int = cap) -> tuple[Interval | None, float]:
            return median_ratio(censored(*world.tokens(n), cap)).interval, median

        def believed(n: int, cap: int = cap) -> tuple[Interval | None, float]:
            b, f = world.tokens(n)
            return median_ratio(exact(np.minimum(f, cap) / np.minimum(b, cap))).interval, median

        def walsh_cut(n: int, cap: int = cap) -> tuple[Interval | None, float]:
            return hodges_lehmann(censored(*world.tokens(n), cap)).interval, pseudo

        yield f"order statistics, {rates}", cut
        yield f"Hodges-Lehmann, {rates}", walsh_cut
        yield "(order statistics, the same cut counts believed)", believed

    def shifted(n: int) -> tuple[np.ndarray, np.ndarray]:
        keys = world.clusters(n)
        return keys, np.exp(world.logs(n) + world.rng.normal(0, 0.25, int(keys[-1]) + 1)[keys])

    wide = world.logs(4_000_000) + world.rng.normal(0, 0.25, 4_000_000)
    clustered_median = math.exp(float(np.median(wide)))

    def clustered(n: int) -> tuple[Interval | None, float]:
        keys, ratios = shifted(n)
        return clustered_median_ratio(exact(ratios), keys.tolist()).interval, clustered_median

    def ignored(n: int) -> tuple[Interval | None, float]:
        return median_ratio(exact(shifted(n)[1])).interval, clustered_median

    yield "Woodruff over clusters of 4", clustered
    yield "(the same clusters ignored)", ignored


def bootstraps(world: World, resamples: int) -> Iterator[tuple[str, Draw]]:
    def totals(n: int) -> tuple[np.ndarray, np.ndarray]:
        # As `tokens`, with a normal spread: the t(3) has no mean on the scale of tokens.
        b = np.exp(5.5 + 0.5 * world.rng.standard_normal(n))
        runaways = np.where(world.rng.random(n) < 0.03, 5, 1)
        return b, b * np.exp(0.18 + 0.3 * world.rng.standard_normal(n)) * runaways

    base, form = totals(4_000_000)
    total = float(form.sum() / base.sum())

    def rows_of(n: int) -> list[tuple[float, float]]:
        b, f = totals(n)
        return list(zip(b.tolist(), f.tolist(), strict=True))

    def ratio(n: int) -> tuple[Interval | None, float]:
        return bootstrap(rows_of(n), total_ratio, seed=0, resamples=resamples).interval, total

    yield f"ratio of totals ({total:.3f})", ratio

    def medians(n: int) -> tuple[Interval | None, float]:
        first = world.logs(n)
        second = first - 0.1 + 0.15 * world.rng.standard_normal(n)
        rows = list(zip(np.exp(first).tolist(), np.exp(second).tolist(), strict=True))
        found = bootstrap(rows, difference_of_medians, seed=0, resamples=resamples)
        return found.interval, difference

    first = world.logs(4_000_000)
    second = first - 0.1 + 0.15 * world.rng.standard_normal(4_000_000)
    difference = float(np.median(np.exp(second)) - np.median(np.exp(first)))
    yield f"difference of paired medians ({difference:.3f})", medians

    def kept(n: int) -> tuple[Interval | None, float]:
        rows = [(float(b), float(f)) for b, f in world.answers(n, 0.8, 0.6, 0.4)]
        found = bootstrap(rows, retention(0.25), seed=0, resamples=resamples)
        return found.interval, 0.35 / 0.55

    yield f"retention over a floor of 1/4 ({0.35 / 0.55:.3f})", kept

    def floored(n: int) -> tuple[Interval | None, float]:
        rows = [(float(b), float(f)) for b, f in world.answers(n, 0.32, 0.3, 0.4)]
        found = bootstrap(rows, retention(0.25), seed=0, resamples=resamples)
        return found.interval, 0.05 / 0.07

    yield "retention of a model near the floor (0.714)", floored


def tests(world: World, draws: int) -> None:
    print("\n### False alarms of the tests at 5%, and power at the pairs that `power` asks for\n")
    print("| test | " + " | ".join(f"n = {n}" for n in SIZES) + " |")
    print("| --- |" + " --- |" * len(SIZES))
    for name, test in (("McNemar mid-p", mcnemar_midp), ("McNemar exact", mcnemar_exact)):
        cells = []
        for n in SIZES:
            counts = [world.counts(n, 0.85, 0.85, 0.3) for _ in range(draws)]
            cells.append(np.mean([test(c.base_only, c.form_only) < 0.05 for c in counts]))
        print(f"| {name}, 0.85 on both sides | " + " | ".join(f"{c:.3f}" for c in cells) + " |")
    cells = []
    for n in SIZES:
        signs = [
            count_signs(exact(np.exp(0.3 * world.rng.standard_normal(n)))) for _ in range(draws)
        ]
        cells.append(np.mean([sign_test(s) < 0.05 for s in signs]))
    print("| sign test, median 1 | " + " | ".join(f"{c:.3f}" for c in cells) + " |")

    print("\n| effect | pairs asked for | power reached (80% wanted) |\n| --- | --- | --- |")
    for p_base, p_form, shared in ((0.95, 0.88, 0.5), (0.9, 0.8, 0.5), (0.6, 0.45, 0.3)):
        lower, upper = sorted((p_base, p_form))
        # Both follow one uniform number: only upper - lower disagree; else independently.
        apart = p_base * (1 - p_form) + p_form * (1 - p_base)
        discordance = shared * (upper - lower) + (1 - shared) * apart
        wanted = pairs_for_gap(p_form - p_base, discordance) or 0
        found = [world.counts(wanted, p_base, p_form, shared) for _ in range(draws)]
        reached = np.mean([mcnemar_midp(c.base_only, c.form_only) < 0.05 for c in found])
        print(f"| gap {p_base} to {p_form}, mid-p | {wanted} | {reached:.3f} |")
    for tax, spread in ((1.05, 0.2), (1.1, 0.3), (1.47, 0.4)):
        wanted = pairs_for_tax(tax, spread) or 0
        logs = math.log(tax) + spread * world.rng.standard_normal((draws, wanted))
        reached = np.mean([sign_test(count_signs(exact(np.exp(row)))) < 0.05 for row in logs])
        print(f"| tax {tax}, log spread {spread}, sign test | {wanted} | {reached:.3f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage of the intervals, by simulation.")
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--bootstrap-draws", type=int, default=1_000)
    parser.add_argument("--resamples", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    world = World(options.seed)
    started = time.perf_counter()
    print(f"Draws {options.draws}, seed {options.seed}. Each cell: coverage (mean width).")
    table("Accuracy", list(accuracies(world)), options.draws, SIZES)
    table("Gap", list(gaps(world)), options.draws, SIZES)
    table("Tax", list(taxes(world)), options.draws, SIZES)
    table(
        f"Bootstrap ({options.bootstrap_draws} draws, {options.resamples} resamples each)",
        list(bootstraps(world, options.resamples)),
        options.bootstrap_draws,
        SIZES,
    )
    tests(world, options.draws)
    print(f"\n{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
