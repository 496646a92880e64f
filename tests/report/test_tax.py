"""Rows of `hbench tax` against small ledgers worked by hand, and against scipy and the pure statistics."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy import stats as scipy_stats  # type: ignore[import-untyped]
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]

from hinglishbench.errors import NoLedgerError, RefusedError, UsageError
from hinglishbench.ledger.predictions import export_predictions, import_predictions
from hinglishbench.ledger.reader import Ledger
from hinglishbench.report.ledger import Ledger as ReportLedger
from hinglishbench.report.options import TaxOptions
from hinglishbench.report.tax import tax_rows
from hinglishbench.stats.clustered import clustered_median_ratio
from hinglishbench.stats.gap import gap_of_clusters
from hinglishbench.stats.ratio import Reading, median_ratio, reading
from hinglishbench.stats.walsh import hodges_lehmann
from tests.report.ledgers import Reply, arm, pairs, price, write

CONTRACT = [
    "suite", "provider", "route", "model", "effort", "prompt", "form", "baseline_form",
    "origin", "n_pairs", "n_dropped", "dropped", "acc_base", "acc_base_ci", "acc_form",
    "acc_form_ci", "gap_pts", "gap_ci", "gap_p", "gap_p_adj", "gap_method", "tax_median",
    "tax_lo", "tax_hi", "tax_ci", "tax_p", "tax_method", "tax_hl", "tax_total_ratio",
    "cost_base_usd", "cost_form_usd", "unpriced_pairs", "usd_per_correct_base",
    "usd_per_correct_form", "cut_rate_base", "cut_rate_form", "pair_gap_s_median",
    "n_far_pairs", "mde_pts", "decision",
]  # fmt: skip

# Both right 4, English alone 2, the form alone 1, neither 1.
# Ratios 1.2 1.5 1.0 2.0 0.9 1.3 1.1 1.4.
EIGHT = [
    ("correct", 100, "correct", 120),
    ("correct", 100, "wrong", 150),
    ("wrong", 200, "correct", 200),
    ("correct", 50, "correct", 100),
    ("correct", 100, "correct", 90),
    ("unparsed", 100, "wrong", 130),
    ("correct", 100, "truncated", 110),
    ("correct", 100, "correct", 140),
]


def rows(path: Path, **options: Any) -> list[dict[str, Any]]:
    return tax_rows(Ledger(path), TaxOptions(**options))


def one(path: Path, **options: Any) -> dict[str, Any]:
    [row] = rows(path, **options)
    return row


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.duckdb"


def test_keys_are_those_of_the_contract_in_its_order(path: Path) -> None:
    """A script that reads `tax --json` finds every promised key."""
    row = one(write(path, pairs(EIGHT)))
    assert list(row)[: len(CONTRACT)] == CONTRACT
    assert row["notes"] == ["cost: 8 pairs are not priced and not in the dollars"]


def test_eight_pairs_worked_by_hand(path: Path) -> None:
    """Counts, gap, tax, totals and dollars of EIGHT."""
    row = one(write(path, pairs(EIGHT), prices=[price()]))
    assert (row["n_pairs"], row["n_dropped"]) == (8, 0)
    assert (row["acc_base"], row["acc_form"]) == (6 / 8, 5 / 8)
    assert row["gap_pts"] == -12.5
    assert row["gap_p"] == pytest.approx(0.625)  # 2 P[Bin(3, 1/2) <= 1] - P[= 1] = 1 - 3/8
    assert row["gap_p_adj"] == row["gap_p"]
    assert row["gap_method"] == "newcombe, mcnemar mid-p"
    assert row["tax_median"] == row["tax_lo"] == row["tax_hi"] == 1.25
    assert row["tax_ci"] == [0.9, 2.0]  # n = 8: k = 1
    assert row["tax_p"] == pytest.approx(0.125)  # six above, one below, a tie: 2 * 8 / 2^7
    assert row["tax_total_ratio"] == pytest.approx(1040 / 850)
    assert float(row["cost_base_usd"]) == pytest.approx(8 * 50e-6 + 850 * 2e-6)
    assert float(row["cost_form_usd"]) == pytest.approx(8 * 50e-6 + 1040 * 2e-6)
    assert row["usd_per_correct_base"] == pytest.approx(0.0021 / 6)
    assert row["usd_per_correct_form"] == pytest.approx(0.00248 / 5)
    assert row["unpriced_pairs"] == 0
    assert row["decision"] == "gap: not decided at n=8; tax: not decided at n=8"
    assert row["notes"] == []


def test_eight_pairs_agree_with_scipy(path: Path) -> None:
    """Wilson's intervals, the median's interval and the sign test are scipy's."""
    row = one(write(path, pairs(EIGHT)))
    for key, right in (("acc_base_ci", 6), ("acc_form_ci", 5)):
        wanted = scipy_stats.binomtest(right, 8).proportion_ci(method="wilson")
        assert row[key] == pytest.approx([wanted.low, wanted.high])
    ratios = [form / base for _, base, _, form in EIGHT]
    quantile = scipy_stats.quantile_test(ratios, q=1, p=0.5)
    ends = quantile.confidence_interval(0.95)
    assert row["tax_ci"] == pytest.approx([ends.low, ends.high])
    signs = scipy_stats.binomtest(1, 7).pvalue
    assert row["tax_p"] == pytest.approx(signs)


def test_a_perfect_model_has_no_gap_and_a_width(path: Path) -> None:
    """Without a discordant pair p is 1, the interval has a width, and the visible gap is not 0."""
    row = one(write(path, pairs([("correct", 100, "correct", 150)] * 20)))
    assert (row["gap_pts"], row["gap_p"]) == (0.0, 1.0)
    assert row["gap_ci"][0] < 0 < row["gap_ci"][1]
    assert 10 < row["mde_pts"] < 50
    assert row["decision_tax"] == "different"


@pytest.mark.parametrize(
    ("reason", "change"),
    [
        ("error", {"outcome": "error"}),
        ("unanswered", {"outcome": None}),
        ("far_apart", {"at": 3601.0}),
    ],
)
@pytest.mark.parametrize("side", ["en", "cm-rom"])
def test_a_lost_side_drops_the_pair_and_says_why(
    path: Path, side: str, reason: str, change: dict[str, Any]
) -> None:
    """An error on one side takes both sides out of every figure."""
    replies = [
        replace(r, **change) if (r.item, r.form) == ("k1", side) else r for r in pairs(EIGHT)
    ]
    row = one(write(path, replies, prices=[price()]))
    assert (row["n_pairs"], row["n_dropped"]) == (7, 1)
    assert row["dropped"] == {"unanswered": 0, "error": 0, "far_apart": 0} | {reason: 1}
    assert (row["acc_base"], row["acc_form"]) == (5 / 7, 4 / 7)
    assert row["tax_median"] == 1.3
    assert row["tax_total_ratio"] == pytest.approx((1040 - 120) / (850 - 100))
    assert float(row["cost_base_usd"]) == pytest.approx(7 * 50e-6 + 750 * 2e-6)
    assert row["n_far_pairs"] == (reason == "far_apart")


def test_the_time_between_calls_is_shown_and_its_limit_can_be_moved(path: Path) -> None:
    """A pair within --max-pair-gap counts; the median gap is of the pairs that count."""
    replies = [replace(r, at=7200.0 if r.form == "en" else 0.0) for r in pairs(EIGHT)]
    write(path, replies)
    far = one(path)
    assert (far["n_pairs"], far["n_far_pairs"], far["pair_gap_s_median"]) == (0, 8, None)
    near = one(path, max_pair_gap_s=7200.0)
    assert (near["n_pairs"], near["n_far_pairs"], near["pair_gap_s_median"]) == (8, 0, 7200.0)


def test_a_form_without_its_baseline_is_unanswered(path: Path) -> None:
    """Cells whose block has no English are counted as dropped, not passed over."""
    row = one(write(path, [Reply("k1", "cm-rom"), *pairs(EIGHT, first=2)]))
    assert (row["n_pairs"], row["dropped"]["unanswered"]) == (8, 1)


def test_a_filtered_reply_counts_for_accuracy_and_has_no_tax(path: Path) -> None:
    """Filtered is an outcome, and its tokens say nothing of the tax."""
    replies = [
        replace(r, outcome="filtered", tokens=1) if (r.item, r.form) == ("k4", "cm-rom") else r
        for r in pairs(EIGHT)
    ]
    row = one(write(path, replies))
    assert (row["n_pairs"], row["n_tax"], row["acc_form"]) == (8, 7, 4 / 8)
    assert row["tax_median"] == 1.2
    assert row["tax_total_ratio"] == pytest.approx((1040 - 100) / (850 - 50))
    assert "tax: 1 pairs have none: a side was filtered or has no token count" in row["notes"]


@pytest.mark.parametrize("tokens", [None, 0])
def test_a_baseline_without_tokens_has_no_tax(path: Path, tokens: int | None) -> None:
    """Missing usage is unknown, and nothing is divided by zero."""
    replies = [
        replace(r, tokens=tokens) if (r.item, r.form) == ("k4", "en") else r for r in pairs(EIGHT)
    ]
    row = one(write(path, replies))
    assert (row["n_pairs"], row["n_tax"], row["tax_median"]) == (8, 7, 1.2)


def test_cut_replies_at_both_readings(path: Path) -> None:
    """A cut form may have gone on for ever, a cut baseline too; both cut: unknown."""
    cut = {("k5", "cm-rom"), ("k8", "en"), ("k7", "en"), ("k7", "cm-rom")}
    replies = [replace(r, cut=(r.item, r.form) in cut) for r in pairs(EIGHT)]
    row = one(write(path, replies))
    # Low: 1.2 1.5 1.0 2.0 0.9 1.3 0 0; high: 1.2 1.5 1.0 2.0 inf 1.3 inf 1.4.
    assert row["tax_lo"] == pytest.approx((1.0 + 1.2) / 2)
    assert row["tax_hi"] == pytest.approx((1.4 + 1.5) / 2)
    assert row["tax_median"] == 1.25
    assert row["tax_at_cap"] is True
    assert row["tax_ci"] == [0.0, None]
    assert (row["cut_rate_base"], row["cut_rate_form"]) == (2 / 8, 2 / 8)
    # Above 1 for sure: 1.2 1.5 2.0 1.3; below: none; tie: 1.0; hidden: 0.9, 1.1, 1.4 - all to the
    # smaller side: 3 of 7.
    assert row["tax_p"] == pytest.approx(scipy_stats.binomtest(3, 7).pvalue)
    assert row["tax_total_ratio"] == pytest.approx(1040 / 850)
    assert "tax: cut replies leave the interval open above" in row["notes"]


def test_more_than_half_cut_leaves_the_median_open(path: Path) -> None:
    """Undefined is null with a reason, never infinity."""
    row = one(write(path, [replace(r, cut=r.form == "cm-rom") for r in pairs(EIGHT)]))
    assert row["tax_hi"] is None
    assert row["tax_lo"] == 1.25
    assert any("the median is open above" in note for note in row["notes"])


def test_below_six_pairs_there_is_no_interval_and_the_reason_is_given(path: Path) -> None:
    """Five pairs have a median, a sign test, and no 95% interval."""
    row = one(write(path, pairs(EIGHT[:5])))
    assert row["tax_ci"] is None
    assert row["tax_median"] == 1.2
    assert "tax: 5 pairs are too few for a 95% interval of the median, 6 needed" in row["notes"]


def test_no_usable_pair_leaves_nulls(path: Path) -> None:
    """Every figure of an empty row is null; none is 0 or NaN."""
    row = one(write(path, [replace(r, outcome=None) for r in pairs(EIGHT)]))
    assert (row["n_pairs"], row["n_dropped"]) == (0, 8)
    for key in ("acc_base", "acc_base_ci", "gap_pts", "gap_ci", "gap_p", "tax_median", "tax_lo", "tax_hi",
                "tax_ci", "tax_p", "tax_hl", "tax_total_ratio", "cost_base_usd", "usd_per_correct_form",
                "cut_rate_base", "pair_gap_s_median", "mde_pts"):  # fmt: skip
        assert row[key] is None, key
    assert row["decision"] == "gap: not decided at n=0: no pairs; tax: not decided at n=0: no pairs"


# --- dollars -----------------------------------------------------------------------------------


def test_unknown_dollars_are_null_and_known_ones_are_kept(path: Path) -> None:
    """A pair with one unpriced side is out of both sums, and is counted."""
    replies = [
        replace(r, tokens=None) if (r.item, r.form) == ("k1", "cm-rom") else r for r in pairs(EIGHT)
    ]
    row = one(write(path, replies, prices=[price()]))
    assert row["unpriced_pairs"] == 1
    assert float(row["cost_base_usd"]) == pytest.approx(7 * 50e-6 + 750 * 2e-6)
    assert float(row["cost_form_usd"]) == pytest.approx(7 * 50e-6 + 920 * 2e-6)
    # Right answers of the seven priced pairs alone: 5 and 4.
    assert row["usd_per_correct_base"] == pytest.approx(0.00185 / 5)
    assert row["usd_per_correct_form"] == pytest.approx(0.00219 / 4)


def test_an_explicit_price_of_nothing_is_zero_dollars(path: Path) -> None:
    """The embedded model costs 0 by a price row, which is not the same as unknown."""
    row = one(write(path, pairs(EIGHT), prices=[price(into="0", out="0")]))
    assert (row["cost_base_usd"], row["unpriced_pairs"]) == (0, 0)


def test_no_right_answer_has_no_price(path: Path) -> None:
    """Dollars per correct answer are null when nothing was correct."""
    row = one(write(path, pairs([("wrong", 10, "wrong", 12)] * 6), prices=[price()]))
    assert row["usd_per_correct_base"] is None


# --- several samples -----------------------------------------------------------------


def sampled() -> list[Reply]:
    """Eight items with three samples each: item i has i+1 ... tokens about those of EIGHT."""
    found = []
    for sample, shift in enumerate((-10, 0, 40)):
        rows = [
            (base if sample else "wrong", tokens + shift, form, form_tokens + 2 * shift)
            for base, tokens, form, form_tokens in EIGHT
        ]
        found += pairs(rows, sample=sample)
    return found


def test_samples_are_reduced_to_one_number_an_item_before_pairing(path: Path) -> None:
    """Median tokens and mean correctness of each item; t on the items' differences."""
    row = one(write(path, sampled()))
    assert (row["n_pairs"], row["samples"]) == (8, 3)
    assert row["gap_method"] == "t on item differences"
    # English is right in 2 of 3 samples of six items, the form in 3 of 3 of five.
    assert row["acc_base"] == pytest.approx(6 * 2 / 3 / 8)
    assert row["acc_form"] == 5 / 8
    # The middle samples are those of EIGHT.
    assert row["tax_median"] == 1.25
    assert row["tax_total_ratio"] == pytest.approx((3 * 1040 + 8 * 60) / (3 * 850 + 8 * 30))
    base = [2 / 3 if r[0] == "correct" else 0.0 for r in EIGHT]
    form = [float(r[2] == "correct") for r in EIGHT]
    wanted = scipy_stats.ttest_rel(form, base)
    assert row["gap_p"] == pytest.approx(wanted.pvalue)
    ends = wanted.confidence_interval(0.95)
    assert row["gap_ci"] == pytest.approx([100 * ends.low, 100 * ends.high])


def test_a_lost_sample_is_dropped_on_both_sides_and_the_item_stays(path: Path) -> None:
    """The other samples of the item still count; the loss is noted."""
    replies = [
        replace(r, outcome="error") if (r.item, r.form, r.sample) == ("k1", "en", 2) else r
        for r in sampled()
    ]
    row = one(write(path, replies, prices=[price()]))
    assert (row["n_pairs"], row["n_dropped"]) == (8, 0)
    assert "samples: 1 pairs of answers are dropped" in row["notes"]
    # k1: samples 90 and 100 of English, 100 and 120 of the form: 110/95.
    ratios = sorted([110 / 95, 1.5, 1.0, 2.0, 0.9, 1.3, 1.1, 1.4])
    assert row["tax_median"] == pytest.approx((ratios[3] + ratios[4]) / 2)
    assert float(row["cost_base_usd"]) == pytest.approx(
        23 * 50e-6 + (3 * 850 + 8 * 30 - 140) * 2e-6
    )


def test_an_item_without_any_sample_left_is_dropped(path: Path) -> None:
    """Its reason is the one of most weight."""
    replies = [
        replace(r, outcome="error" if r.sample else None) if r.item == "k1" else r
        for r in sampled()
    ]
    row = one(write(path, replies))
    assert (row["n_pairs"], row["n_dropped"], row["dropped"]["error"]) == (7, 1, 1)


def test_cut_samples_move_the_median_only_when_they_are_half(path: Path) -> None:
    """One cut sample of three leaves the median of tokens known; two do not."""
    one_cut = [replace(r, cut=r.form == "cm-rom" and r.sample == 2) for r in sampled()]
    row = one(write(path, one_cut))
    assert (row["tax_lo"], row["tax_hi"], row["tax_at_cap"]) == (1.25, 1.25, False)
    assert row["cut_rate_form"] == pytest.approx(1 / 3)
    two_cut = [replace(r, cut=r.form == "cm-rom" and r.sample > 0) for r in sampled()]
    row = one(write(path.with_name("two.duckdb"), two_cut))
    assert (row["tax_lo"], row["tax_hi"]) == (1.25, None)


# --- against the pure statistics, on ledgers with everything in them -----------------------------


def noisy(seed: int, items: int = 60) -> list[Reply]:
    """Replies with cuts, filters, errors and runaways."""
    draw = random.Random(seed)
    found = []
    for i in range(items):
        for form, scale in (("en", 100.0), ("cm-rom", 140.0), ("hi", 220.0)):
            tokens = min(400, max(1, int(scale * math.exp(0.5 * draw.gauss(0, 1)))))
            outcome = draw.choices(
                ["correct", "wrong", "unparsed", "filtered", "error"], [70, 20, 4, 3, 3]
            )[0]
            found.append(Reply(f"k{i}", form, outcome, tokens, 0, tokens == 400, draw.random()))
    return found


def readings(replies: list[Reply], form: str) -> dict[str, Reading]:
    """The pairs' readings as Python has them, by item."""
    by = {(r.item, r.form): r for r in replies}
    found = {}
    for item in sorted({r.item for r in replies}):
        b, f = by[item, "en"], by[item, form]
        if {b.outcome, f.outcome} & {"filtered", "error"}:
            continue
        assert b.tokens is not None
        assert f.tokens is not None
        read = reading(b.tokens, f.tokens, base_cut=b.cut, form_cut=f.cut)
        assert read is not None
        found[item] = read
    return found


def test_what_sql_sorts_and_picks_is_what_the_statistics_would(path: Path) -> None:
    """Medians, ranks, signs and Hodges-Lehmann of several arms of different size agree."""
    everything = {}
    for seed, items in ((1, 60), (2, 33), (3, 12)):
        everything[f"m{seed}"] = replies = noisy(seed, items)
        write(path, replies, of=arm(f"m{seed}"))
    found = rows(path)
    assert len(found) == 6
    for row in found:
        reads = list(readings(everything[row["model"]], row["form"]).values())
        wanted = median_ratio(reads)
        assert row["n_tax"] == wanted.n
        assert row["tax_median"] == pytest.approx(wanted.median)
        assert row["tax_lo"] == pytest.approx(wanted.low)
        assert row["tax_hi"] == pytest.approx(wanted.high)
        assert row["tax_p"] == pytest.approx(wanted.p)
        assert wanted.interval is not None
        assert row["tax_ci"] == pytest.approx([wanted.interval.lo, wanted.interval.hi])
        assert row["tax_hl"] == pytest.approx(hodges_lehmann(reads).value)


def test_clusters_of_topics_agree_with_the_statistics(path: Path) -> None:
    """--cluster topic: gap by t over clusters, tax by Woodruff's interval."""
    replies = noisy(4, 120)
    topics = {f"k{i}": f"topic {i % 12}" for i in range(120)}
    row = next(
        r for r in rows(write(path, replies, topics=topics), cluster="topic") if r["form"] == "hi"
    )
    reads = readings(replies, "hi")
    wanted = clustered_median_ratio(list(reads.values()), [topics[item] for item in reads])
    assert wanted.interval is not None
    assert row["tax_method"] == wanted.method
    assert row["tax_ci"] == pytest.approx([wanted.interval.lo, wanted.interval.hi])
    assert row["tax_p"] == pytest.approx(wanted.p)
    by = {(r.item, r.form): r for r in replies}
    sums: dict[str, list[int]] = {}
    for item, topic in topics.items():
        b, f = by[item, "en"].outcome, by[item, "hi"].outcome
        if "error" not in {b, f}:
            sums.setdefault(topic, []).append((f == "correct") - (b == "correct"))
    gap = gap_of_clusters([(len(d), sum(d)) for d in sums.values()])
    assert gap.interval is not None
    assert row["gap_method"] == "t over clusters"
    assert row["gap_p"] == pytest.approx(gap.p)
    assert row["gap_ci"] == pytest.approx(
        [100 * (gap.interval.lo or 0), 100 * (gap.interval.hi or 0)]
    )
    assert row["clusters"] == 12
    assert row["mde_pts"] > 0


def test_below_ten_clusters_there_is_no_cluster_interval(path: Path) -> None:
    """Null with the reason, for both the gap and the tax."""
    topics = {f"k{i}": f"topic {i % 4}" for i in range(60)}
    row = rows(write(path, noisy(5), topics=topics), cluster="topic")[0]
    assert row["gap_ci"] is row["tax_ci"] is row["gap_p"] is row["tax_p"] is row["mde_pts"] is None
    assert "gap: 4 clusters are too few for a cluster interval, 10 needed" in row["notes"]
    assert "4 clusters are too few" in row["decision"]


def test_items_without_a_topic_are_clusters_of_their_own(path: Path) -> None:
    """A suite without topics does not become one big cluster."""
    assert one(write(path, pairs(EIGHT * 2)), cluster="topic")["clusters"] == 16


# --- family and decision -----------------------------------------------------------------------


@pytest.mark.parametrize(("adjust", "name"), [("holm", "holm"), ("bh", "fdr_bh")])
def test_p_values_are_adjusted_over_the_rows(path: Path, adjust: str, name: str) -> None:
    """Gaps are one family, taxes another; the same as statsmodels."""
    for seed in range(4):
        write(path, noisy(seed), of=arm(f"m{seed}"))
    found = rows(path, adjust=adjust)
    assert {row["family_size"] for row in found} == {8}
    for raw, adjusted in (("gap_p", "gap_p_adj"), ("tax_p", "tax_p_adj")):
        wanted = multipletests([row[raw] for row in found], method=name)[1]
        assert [row[adjusted] for row in found] == pytest.approx(list(wanted))


def test_unadjusted_p_values_on_request(path: Path) -> None:
    """--adjust none."""
    write(path, noisy(1))
    for row in rows(path, adjust="none"):
        assert row["gap_p_adj"] == row["gap_p"]


def test_sameness_is_said_only_within_a_margin_that_was_asked_for(path: Path) -> None:
    """200 concordant pairs of equal length are the same within 5 points and 5%."""
    write(path, pairs([("correct", 100, "correct", 100 + i % 3 - 1) for i in range(200)]))
    assert one(path)["decision_gap"] == "not decided"
    row = one(path, margin_pts=5, margin_tax=0.05)
    assert row["decision"] == "gap: equivalent within 5 points; tax: equivalent within 5%"


def test_a_difference_may_be_real_and_not_matter(path: Path) -> None:
    """Different, but within the margin."""
    write(path, pairs([("correct", 100, "correct", 102)] * 100))
    row = one(path, margin_tax=0.05)
    assert row["decision_tax"] == "different but within margin"


def test_cut_replies_speak_against_sameness(path: Path) -> None:
    """A form that was cut may have been any length."""
    replies = pairs([("correct", 100, "correct", 100)] * 100)
    write(path, [replace(r, cut=r.form == "cm-rom") for r in replies])
    assert one(path, margin_tax=0.05)["decision_tax"] == "not decided"


def test_equivalence_over_clusters(path: Path) -> None:
    """The margins are tested by t over clusters when items belong together."""
    topics = {f"k{i}": f"topic {i % 20}" for i in range(1, 201)}
    replies = pairs([("correct", 100, "correct", 100 + i % 3 - 1) for i in range(200)])
    replies = [
        replace(r, outcome="wrong") if r.form == "en" and r.item in {"k3", "k50"} else r
        for r in replies
    ]
    write(path, replies, topics=topics)
    row = one(path, cluster="topic", margin_pts=5, margin_tax=0.05)
    assert row["decision_gap"] == "equivalent"
    assert row["decision_tax"] == "equivalent"
    assert one(path, cluster="topic", margin_pts=0.5)["decision_gap"] == "not decided"


# --- which answers -----------------------------------------------------------------------------


def test_live_answers_go_before_imported_and_replayed_ones(path: Path) -> None:
    """One origin is used, and named."""
    write(path, pairs(EIGHT), origin="replay")
    assert one(path)["origin"] == "replay"
    write(path, pairs(EIGHT[:6]), origin="import")
    assert (one(path)["origin"], one(path)["n_pairs"]) == ("import", 6)
    write(path, pairs(EIGHT[:7]))
    assert (one(path)["origin"], one(path)["n_pairs"]) == ("live", 7)
    assert one(path, origin="replay")["n_pairs"] == 8


def test_a_plan_without_answers_does_not_hide_imported_ones(path: Path) -> None:
    """A live run that has just begun leaves the tables of the import as they were."""
    write(path, pairs(EIGHT), origin="import")
    write(path, [replace(r, outcome=None) for r in pairs(EIGHT)])
    assert one(path)["origin"] == "import"


def test_an_origin_that_is_not_there_is_refused(path: Path) -> None:
    """The message names those that are."""
    write(path, pairs(EIGHT))
    with pytest.raises(RefusedError, match="no replay answers") as refused:
        rows(path, origin="replay")
    assert refused.value.hint == "it has: live"


def test_no_ledger_and_an_empty_one(path: Path) -> None:
    """No file is made; an empty ledger has no answers."""
    with pytest.raises(NoLedgerError):
        rows(path)
    assert not path.exists()
    write(path, [])
    with pytest.raises(RefusedError, match="no answers yet"):
        rows(path)


def test_one_suite_of_several(path: Path) -> None:
    """--suite keeps the others out of rows and families."""
    write(path, pairs(EIGHT), suite="a")
    write(path, pairs(EIGHT[:6]), suite="b")
    assert [row["suite"] for row in rows(path)] == ["a", "b"]
    only = one(path, suite="b")
    assert (only["n_pairs"], only["family_size"]) == (6, 1)
    assert rows(path, suite="c") == []


def test_another_baseline(path: Path) -> None:
    """Devanagari against the mixed form, English as a form like any other."""
    write(path, noisy(1))
    found = rows(path, baseline_form="hi")
    assert [(row["form"], row["baseline_form"]) for row in found] == [
        ("cm-rom", "hi"),
        ("en", "hi"),
    ]
    english = next(row for row in rows(path) if row["form"] == "hi")
    mirrored = next(row for row in found if row["form"] == "en")
    assert mirrored["gap_pts"] == -english["gap_pts"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"adjust": "bonferroni"},
        {"cluster": "tier"},
        {"origin": "dead"},
        {"margin_pts": 0},
        {"margin_tax": -1},
        {"margin_tax": math.inf},
        {"max_pair_gap_s": 0},
        {"margin_pts": math.nan},
    ],
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    """Before the ledger is opened."""
    with pytest.raises(UsageError):
        TaxOptions(**wrong)


def test_exported_predictions_rebuild_the_same_table(path: Path, tmp_path: Path) -> None:
    """The same figures, under origin import."""
    write(path, noisy(7), prices=[price()])
    export_predictions(Ledger(path), tmp_path / "predictions")
    again = tmp_path / "again.duckdb"
    import_predictions(tmp_path / "predictions", again)
    for before, after in zip(rows(path), rows(again), strict=True):
        assert after == before | {"origin": "import", "arm": after["arm"]}


def test_the_table_from_python(path: Path) -> None:
    """`Ledger(path).tax()` gives columns and rows that hold no lock."""
    write(path, pairs(EIGHT))
    table = ReportLedger(path).tax(adjust="none")
    assert list(table.columns)[:4] == ["suite", "provider", "route", "model"]
    assert table.dicts() == rows(path, adjust="none")
