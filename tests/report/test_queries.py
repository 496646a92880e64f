"""Every query behind the tables runs on an empty ledger and on a tiny one, and binds what it names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hinglishbench.ledger
from hinglishbench.ledger.reader import Ledger, Session
from tests.report.ledgers import pairs, price, write

FOLDER = Path(hinglishbench.ledger.__file__).parent / "queries"
PARAMETERS: dict[str, Any] = {
    "origin": "live",
    "suite": None,
    "baseline": "en",
    "max_gap_s": 3600.0,
    "lower": 1.0,
    "upper": 1.0,
    "most": 5000,
}
RANKS: dict[str, Any] = {
    "lower": [0.25],
    "upper": [0.75],
    "suites": [1],
    "arms": [1],
    "forms": ["cm-rom"],
    "lower_at": [1],
    "upper_at": [1],
}


COMPARED: dict[str, Any] = {"numbers": [1], "baselines": [1], "variants": [1]}


def _run_all(session: Session, *, reduced: bool) -> dict[str, int]:
    counts = {name: len(session.run(name, PARAMETERS)) for name in ("tax_origins", "compare_arms")}
    session.run("tax_answers", PARAMETERS)
    for pairing in ("tax_pairs", "compare_pairs"):
        session.run(pairing, PARAMETERS | COMPARED)
        session.run("tax_readings")
        if reduced:
            session.run("tax_items")
        for name in ("tax_arms", "tax_groups", "tax_clusters", "tax_ratios"):
            wanted = session.run(name, PARAMETERS).dicts()
            counts[f"{pairing} {name}"] = len([r for r in wanted if r.get("form") != "en"])
        counts[f"{pairing} tax_ranks"] = len(session.run("tax_ranks", RANKS))
        if pairing == "tax_pairs":
            session.run("compare_taxes")
    counts["compare_changes"] = len(session.run("compare_changes", COMPARED))
    return counts


@pytest.mark.parametrize("reduced", [False, True])
def test_on_an_empty_ledger(tmp_path: Path, *, reduced: bool) -> None:
    """No rows, no error."""
    path = write(tmp_path / "ledger.duckdb", [])
    with Ledger(path).session() as session:
        assert set(_run_all(session, reduced=reduced).values()) == {0}


@pytest.mark.parametrize("reduced", [False, True])
def test_on_a_tiny_ledger(tmp_path: Path, *, reduced: bool) -> None:
    """One suite, arm and form make one row of each."""
    path = write(
        tmp_path / "ledger.duckdb", pairs([("correct", 10, "wrong", 20)]), prices=[price()]
    )
    with Ledger(path).session() as session:
        assert set(_run_all(session, reduced=reduced).values()) == {1}


def test_each_file_says_what_it_answers() -> None:
    """A header comment that starts with the query's name, then its parameters."""
    for name in ("tax_*.sql", "compare_*.sql", "power_*.sql"):
        for file in FOLDER.glob(name):
            text = file.read_text("utf-8")
            assert text.startswith(f"-- {file.stem}: "), file.name
            head = " ".join(line[3:] for line in text.splitlines() if line.startswith("--"))
            assert "In: " in head or "$" not in text, file.name


@pytest.mark.parametrize(("n", "k"), [(6, 1), (7, 1), (17, 5), (82, 32), (999, 469), (5001, 2431)])
def test_a_place_picks_exactly_its_rank(tmp_path: Path, n: int, k: int) -> None:
    """(k - 1/2)/n is the k-th smallest, whatever the rounding."""
    path = write(tmp_path / "ledger.duckdb", [])
    found = Ledger(path).ask(
        "select quantile_disc(v, $q) from range(1, $n + 1) t(v)", {"q": [(k - 0.5) / n], "n": n}
    )
    assert found.rows == [([k],)]


def test_the_pairs_view_knows_only_true_and_false_of_a_cut(tmp_path: Path) -> None:
    """A reply whose end has no known reason is not called cut, and not unknown either."""
    path = write(tmp_path / "ledger.duckdb", pairs([("correct", 10, "wrong", 20)]))
    import duckdb  # noqa: PLC0415 - only here is a ledger tampered with

    with duckdb.connect(str(path)) as connection:
        connection.execute("update attempts set finish_reason = null")
    assert Ledger(path).ask("select base_cut, form_cut from pairs").rows == [(False, False)]


def test_sure_costs_are_what_attempt_costs_say(tmp_path: Path) -> None:
    """The two views have one formula."""
    path = write(
        tmp_path / "ledger.duckdb",
        pairs([("correct", 10, "wrong", 20), ("error", 1, "correct", 5)]),
        prices=[price()],
    )
    found = Ledger(path).ask(
        "select count(*), count(s.cost_usd), count(*) filter (where s.cost_usd is distinct from k.cost_usd)"
        " from sure_costs s join attempt_costs k using (attempt_id)"
    )
    assert found.rows == [(4, 4, 0)]
