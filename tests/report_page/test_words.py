"""Sentences: every number in them comes from the ledger."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

from hinglishbench.ledger.reader import Ledger
from hinglishbench.report import words
from hinglishbench.report.gather import Findings, gather
from hinglishbench.report.labels import arm_labels
from hinglishbench.report.words import count, limits, listed, methods, span
from tests.report_page.conftest import NOW, OPTIONS
from tests.report_page.ledgers import make_ledger


def _scalar(ledger: Path, sql: str) -> int:
    return int(Ledger(ledger).ask(sql).rows[0][0])


def test_methods_count_what_sql_counts(found: Findings, ledger: Path) -> None:
    """Items, cells, answers and dates."""
    text = " ".join(methods(found))
    cells = _scalar(ledger, "select count(*) from cells")
    assert f"{cells:,} cells" in text
    assert "120 items of mangoes in the forms en, cm-rom and hi, put to 2 arms" in text
    first = Ledger(ledger).ask("select min(sent_at)::date::varchar from attempts").rows[0][0]
    assert str(first) in text
    assert "imported from predictions" in text
    assert f"user ({cells:,} attempts)" in text


def test_limits_count_what_sql_counts(found: Findings, ledger: Path) -> None:
    """Dropped pairs, cut, unparsed and filtered answers, the bill's bracket."""
    text = " ".join(limits(found))
    pairs = _scalar(ledger, "select count(*) from pairs")
    dropped = _scalar(
        ledger, "select count(*) from pairs where base_outcome = 'error' or form_outcome = 'error'"
    )
    assert f"{dropped} of {pairs} pairs were dropped" in text
    unparsed = _scalar(ledger, "select count(*) from cells where outcome = 'unparsed'")
    filtered = _scalar(ledger, "select count(*) from cells where outcome = 'filtered'")
    judged = _scalar(ledger, "select count(*) from cells where outcome <> 'error'")
    assert f"{unparsed} of {judged} answers" in text
    assert f"and {filtered} (" in text
    maybe = _scalar(ledger, "select count(*) from attempts where billed = 'maybe'")
    assert f"{maybe} attempts brought no answer and may be billed" in text


def test_no_figure_is_written_into_the_code() -> None:
    """Outside of format specifications, the sentences' source holds no number."""
    source = Path(words.__file__).read_text("utf-8")
    tree = ast.parse(source)
    docs = {
        ast.get_docstring(node, clean=False)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef)
    }
    spoken = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
    ]
    assert len(spoken) > 50
    for text in set(spoken) - docs:
        assert not re.search(r"\d", text), text


def test_other_data_give_other_sentences(tmp_path: Path) -> None:
    """A ledger without prices, one form and five items says so."""
    path = make_ledger(tmp_path / "l.duckdb", items=5, priced=False)
    other = gather(Ledger(path), OPTIONS, now=NOW)
    said = " ".join(methods(other) + limits(other))
    assert "5 items of mangoes in the forms en and cm-rom, put to 1 arm" in said
    assert "have no known price" in said


def test_no_cut_reply_is_said_too(found: Findings) -> None:
    """Absence is a finding."""
    rows = [{**row, "cut": 0} for row in found.outcomes]
    assert "No reply was cut at the token cap." in limits(replace(found, outcomes=rows))


def test_doubtful_counting_is_named(found: Findings) -> None:
    """Arms whose totals do not tell where reasoning tokens are."""
    arms = [{**arm, "output_rules": ["assumed"]} for arm in found.arms]
    said = " ".join(limits(replace(found, arms=arms)))
    assert "large · effort low" in said
    assert "inside was taken" in said


def test_the_embedded_model_is_no_evidence(found: Findings) -> None:
    """A report of it says so among the findings and among the limits; of others it does not."""
    assert not [text for text in limits(found) if "proves nothing" in text]
    arms = [{**arm, "provider": "local"} for arm in found.arms]
    for texts in (limits(replace(found, arms=arms)), words.lead(replace(found, arms=arms))):
        assert sum("proves nothing about Hinglish" in text for text in texts) == 1


def test_the_lead_names_each_row(found: Findings) -> None:
    """One sentence a row, with tax, accuracies, pairs and decision."""
    sentences = words.lead(found)
    assert len(sentences) == len(found.tax)
    for row, sentence in zip(found.tax, sentences, strict=True):
        assert sentence.startswith(row["label"])
        assert row["decision"] in sentence
        assert f"{row['tax_median']:.2f}x" in sentence


def test_small_words() -> None:
    """Counts, lists and spans."""
    assert count(1, "pair") == "1 pair"
    assert count(1200, "pair") == "1,200 pairs"
    assert [listed(x) for x in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
    assert span([None, 3.0, 1.0], lambda v: f"{v:g}") == "1 to 3"
    assert span([2.0, None], lambda v: f"{v:g}") == "2"
    assert span([None], str) is None


def _arm(arm_id: int, **more: object) -> dict[str, object]:
    return {
        "arm_id": arm_id, "digest": f"arm:sha256:{arm_id:064d}", "model": "org/m", "provider": "p",
        "route": "direct", "effort": None, "prompt": "fair", "temperature": None, "max_tokens": 10, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arms", "labels"),
    [
        ([_arm(1)], ["m"]),
        ([_arm(1), _arm(2, model="org/n")], ["m", "n"]),
        ([_arm(1), _arm(2, model="other/m")], ["org/m", "other/m"]),
        ([_arm(1), _arm(2, effort="low")], ["m · default effort", "m · effort low"]),
        (
            [_arm(1), _arm(2, temperature=0.5, prompt="x")],
            ["m · fair", "m · x · T 0.5"],
        ),
        ([_arm(1), _arm(2)], ["m · 00000000", "m · 00000000"]),
    ],
)
def test_arms_are_told_apart(arms: list[dict[str, object]], labels: list[str]) -> None:
    """By what differs among them, and only by that; the digest is the last resort."""
    assert list(arm_labels(arms).values()) == labels
