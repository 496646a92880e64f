"""Rows of `hbench compare` against small ledgers worked by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from scipy import stats as oracle  # type: ignore[import-untyped]

from hinglishbench.errors import RefusedError, UsageError
from hinglishbench.ledger.identity import ArmRow
from hinglishbench.ledger.reader import Ledger
from hinglishbench.report.compare import compare_rows
from hinglishbench.report.ledger import Ledger as ReportLedger
from hinglishbench.report.options import CompareOptions, PowerOptions
from hinglishbench.report.power import power_rows
from hinglishbench.stats.bootstrap import bootstrap, difference_of_medians
from tests.report.ledgers import Reply, arm, pairs, price, write
from tests.report.test_tax import EIGHT, noisy, sampled

# The form's replies under the other prompt: k2 is right now, tokens times .9 1 1.1 .9 1 .9 .9 .9.
AFTER = [
    ("correct", 100, "correct", 108),
    ("correct", 100, "correct", 150),
    ("wrong", 200, "correct", 220),
    ("correct", 50, "correct", 90),
    ("correct", 100, "correct", 90),
    ("unparsed", 100, "wrong", 117),
    ("correct", 100, "truncated", 99),
    ("correct", 100, "correct", 126),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.duckdb"


def both(path: Path, after: list[Reply] | None = None, **arm_options: Any) -> Path:
    """EIGHT under prompt fair, AFTER (or other replies) under prompt concise."""
    write(path, pairs(EIGHT), of=arm(**arm_options), prices=[price()])
    return write(path, after or pairs(AFTER), of=arm(prompt="concise", **arm_options))


def rows(path: Path, **options: Any) -> list[dict[str, Any]]:
    given = {"variant": "concise"} | options
    return compare_rows(Ledger(path), CompareOptions(**given))


def of_form(path: Path, form: str = "cm-rom", **options: Any) -> dict[str, Any]:
    [row] = [row for row in rows(path, **options) if row["form"] == form]
    return row


def test_eight_items_worked_by_hand(path: Path) -> None:
    """Accuracy, tokens, dollars and the tax before and after."""
    row = of_form(both(path))
    assert (row["n_pairs"], row["n_dropped"]) == (8, 0)
    assert (row["acc_baseline"], row["acc_variant"], row["acc_change_pts"]) == (5 / 8, 6 / 8, 12.5)
    assert row["acc_change_p"] == pytest.approx(0.5)  # one discordant pair: 2 * 1/2 - 1/2
    assert row["tokens_ratio"] == pytest.approx(0.9)
    assert row["tokens_change_pct"] == pytest.approx(-10)
    assert row["tokens_ratio_ci"] == pytest.approx([0.9, 1.1])
    assert row["tokens_change_pct_ci"] == pytest.approx([-10, 10])
    assert row["tokens_p"] == pytest.approx(oracle.binomtest(1, 6).pvalue)
    assert row["tokens_total_ratio"] == pytest.approx(1000 / 1040)
    assert float(row["cost_baseline_usd"]) == pytest.approx(8 * 50e-6 + 1040 * 2e-6)
    assert float(row["cost_change_usd"]) == pytest.approx(-40 * 2e-6)
    assert row["cost_change_pct"] == pytest.approx(100 * (0.0024 / 0.00248 - 1))
    assert row["usd_per_correct_variant"] == pytest.approx(0.0024 / 6)
    # 1.08 1.5 1.1 1.8 .9 1.17 .99 1.26 against those of EIGHT.
    assert row["tax_baseline"] == pytest.approx(1.25)
    assert row["tax_variant"] == pytest.approx((1.1 + 1.17) / 2)
    assert row["tax_change"] == pytest.approx(1.135 - 1.25)


def test_the_change_of_the_tax_is_the_seeded_bootstrap_of_items(path: Path) -> None:
    """Items are drawn with both their taxes, in the order of their keys."""
    row = of_form(both(path), seed=7, resamples=500)
    before = [form / base for _, base, _, form in EIGHT]
    after = [form / base for _, base, _, form in AFTER]
    items = list(zip(before, after, strict=True))
    wanted = bootstrap(items, difference_of_medians, seed=7, resamples=500)
    assert wanted.interval is not None
    assert row["tax_change_ci"] == pytest.approx([wanted.interval.lo, wanted.interval.hi])
    assert row["tax_change_method"] == "percentile bootstrap of items, 500 resamples, seed 7"
    assert of_form(path, seed=7, resamples=500) == row


def test_the_baseline_form_comes_first_and_has_no_tax(path: Path) -> None:
    """Each form has a row; English is a form like any other here."""
    english, other = rows(both(path))
    assert (english["form"], other["form"]) == ("en", "cm-rom")
    assert english["tax_change"] is None
    assert english["tokens_change_pct"] == 0
    assert english["family_size"] == 2


def test_a_published_finding_in_its_own_shape(path: Path) -> None:
    """Thirty items, no change of accuracy, +9.9% tokens, as HinglishBench prints its mitigation."""
    before = pairs([("correct", 1000, "correct", 1000)] * 30)
    after = pairs([("correct", 1000, "correct", 1099)] * 30)
    write(path, before)
    write(path, after, of=arm(prompt="think-in-english"))
    row = of_form(path, variant="think-in-english")
    assert (row["n_pairs"], row["acc_change_pts"]) == (30, 0.0)
    assert row["tokens_change_pct"] == pytest.approx(9.9)
    assert row["decision"] == "accuracy: not decided at n=30; tokens: different"


@pytest.mark.parametrize(
    ("reason", "change"),
    [("error", {"outcome": "error"}), ("unanswered", {"outcome": None})],
)
def test_a_lost_side_drops_the_pair(path: Path, reason: str, change: dict[str, Any]) -> None:
    """On either side, and from the tax of that arm too."""
    after = [
        replace(r, **change) if (r.item, r.form) == ("k1", "cm-rom") else r for r in pairs(AFTER)
    ]
    row = of_form(both(path, after))
    assert (row["n_pairs"], row["dropped"][reason], row["n_dropped"]) == (7, 1, 1)
    assert row["tax_change_n"] == 7


def test_items_of_one_arm_alone_are_unmatched(path: Path) -> None:
    """A mitigation tried on fewer items is compared on those."""
    row = of_form(both(path, pairs(AFTER[:6])))
    assert (row["n_pairs"], row["dropped"]["unmatched"]) == (6, 2)
    assert row["acc_baseline"] == 4 / 6


def test_a_changed_question_is_not_the_same_question(path: Path) -> None:
    """Two arms asked different texts for one item: that pair is dropped, and says so."""
    both(path)
    import duckdb  # noqa: PLC0415 - only here is a ledger tampered with

    with duckdb.connect(str(path)) as connection:
        [(text,)] = connection.execute("select max(text_id) + 1 from texts").fetchall()
        connection.execute(
            "insert into texts select ?, item_id, form, 'new' from texts limit 1", [text]
        )
        connection.execute(
            "update cells set text_id = ? where cell_id = (select max(cell_id) from cells"
            " where form = 'cm-rom')",
            [text],
        )
    row = of_form(path)
    assert (row["n_pairs"], row["dropped"]["other_text"]) == (7, 1)


def test_cut_replies_are_bounded_for_tokens_and_noted_for_the_tax(path: Path) -> None:
    """The ratio of tokens has both readings; the resampling says what it took."""
    after = [replace(r, cut=r.form == "cm-rom" and r.item in {"k1", "k2"}) for r in pairs(AFTER)]
    row = of_form(both(path, after))
    assert row["tokens_ratio_hi"] > row["tokens_ratio_lo"]
    assert row["tokens_at_cap"] is True
    assert "tax_change: 2 items have a cut reply, taken as billed" in row["notes"]


def test_samples_are_reduced_before_arms_are_compared(path: Path) -> None:
    """A cell is one observation here as well."""
    write(path, sampled())
    write(
        path, [replace(r, tokens=(r.tokens or 0) * 2) for r in sampled()], of=arm(prompt="concise")
    )
    row = of_form(path)
    assert (row["n_pairs"], row["samples"], row["tokens_ratio"]) == (8, 3, 2.0)
    assert row["acc_method"] == "t on item differences"
    assert row["tax_change"] == 0


def test_clusters_of_topics(path: Path) -> None:
    """Accuracy by t over clusters, and topics are drawn whole for the tax."""
    topics = {f"k{i}": f"topic {i % 12}" for i in range(120)}
    write(path, noisy(1, 120), topics=topics)
    write(path, noisy(2, 120), topics=topics, of=arm(prompt="concise"))
    row = of_form(path, cluster="topic", resamples=200)
    assert row["acc_method"] == "t over clusters"
    assert row["clusters"] == 12
    assert row["tax_change_method"] == "percentile bootstrap of clusters, 200 resamples, seed 42"


def test_sameness_needs_a_margin(path: Path) -> None:
    """Two equal arms: not decided without one, equivalent with."""
    alike = pairs([("correct", 100, "correct", 140 + i % 3) for i in range(150)])
    write(path, alike)
    write(path, alike, of=arm(prompt="concise"))
    assert of_form(path)["decision_accuracy"] == "not decided"
    row = of_form(path, margin_pts=5, margin_tax=0.05)
    assert row["decision"] == "accuracy: equivalent within 5 points; tokens: equivalent within 5%"


# --- which arms --------------------------------------------------------------------------------


def put(path: Path, *arms: ArmRow) -> Path:
    for one in arms:
        write(path, pairs(EIGHT), of=one)
    return path


def test_efforts(path: Path) -> None:
    """An effort that was not sent is called default."""
    put(path, arm(), arm(effort="low"), arm(effort="high"))
    row = of_form(path, axis="effort", baseline="default", variant="low")
    assert (row["effort"], row["prompt"]) == ("default -> low", "fair")


def test_models_at_one_endpoint_or_at_two(path: Path) -> None:
    """Where they share an endpoint only that one counts."""
    put(path, arm("a"), arm("b"), arm("b", provider="q"))
    found = rows(path, axis="model", baseline="a", variant="b")
    assert {row["provider"] for row in found} == {"p"}
    put(path, arm("c", provider="q"))
    found = rows(path, axis="model", baseline="a", variant="c")
    assert {row["provider"] for row in found} == {"p -> q"}


def test_providers_may_spell_a_model_differently(path: Path) -> None:
    """What stands after the last slash is the model."""
    put(
        path,
        arm("org/Model-1", provider="p"),
        arm("model-1", provider="q"),
        arm("model-2", provider="q"),
    )
    row = of_form(path, axis="provider", baseline="p", variant="q")
    assert row["model"] == "org/Model-1 -> model-1"


def test_arms_that_differ_in_more_than_one_thing_are_not_compared(path: Path) -> None:
    """A pair never mixes caps."""
    put(path, arm(cap=512), arm(prompt="concise", cap=1024))
    with pytest.raises(RefusedError, match="no two arms differ in their prompt alone"):
        rows(path)


def test_every_model_that_has_both_prompts_gets_its_rows(path: Path) -> None:
    """One comparison for each, none across models."""
    put(path, arm("a"), arm("a", prompt="concise"), arm("b"), arm("b", prompt="concise"), arm("c"))
    assert [(row["model"], row["form"]) for row in rows(path)] == [
        ("a", "en"), ("a", "cm-rom"), ("b", "en"), ("b", "cm-rom"),
    ]  # fmt: skip


def test_a_value_that_is_not_there_is_named_with_those_that_are(path: Path) -> None:
    """Exit 3 with the way on."""
    put(path, arm(), arm(prompt="concise"))
    with pytest.raises(RefusedError, match="no answers with prompt terse") as refused:
        rows(path, variant="terse")
    assert refused.value.hint == "it has: concise, fair"


@pytest.mark.parametrize(
    "wrong",
    [{"variant": ""}, {"variant": "fair"}, {"axis": "colour"}, {"resamples": 5}, {"adjust": "x"}],
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    """Before the ledger is opened."""
    with pytest.raises(UsageError):
        CompareOptions(**({"variant": "concise"} | wrong))


def test_the_tables_from_python(path: Path) -> None:
    """`Ledger(path).compare(...)` and `.power(...)` give what the commands print."""
    ledger = ReportLedger(both(path))
    assert ledger.compare(variant="concise").dicts() == rows(path)
    assert ledger.power(pairs=50).dicts() == power_rows(Ledger(path), PowerOptions(pairs=50))
