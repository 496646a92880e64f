"""Every SQL file says what it answers, and runs on an empty ledger and on a small one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from hinglishbench.ledger import store
from hinglishbench.ledger.reader import COST_KEYS
from hinglishbench.ledger.store import query
from tests.ledger.rig import InMemory, Rig

FOLDER = Path(store.__file__).parent / "queries"
NAMES = sorted(path.stem for path in FOLDER.glob("*.sql"))
# What the program binds, by name; anything else that a file asks for is NULL.
VALUES: dict[str, Any] = {
    "origins": ["live"], "origin": "live", "run_id": 1, "graders": ["numeric"], "versions": ["1"], "suite": "pairs",
    "purpose": "eval", "fresh": False, "gap_s": 3600.0, "max_gap_s": 3600.0,
}  # fmt: skip
# What the program puts in place of a name in braces.
PIECES = {"keys": "", "group": "", "with": "", "costs": "attempt_costs"}
# Tables that the program makes for a file and that another file does not make.
STAGES = """
create or replace temp table staged (seq integer, arm_id integer, item_key varchar, form varchar, text varchar, sample integer, digest blob);
create or replace temp table wanted_items (seq integer, suite varchar, item_key varchar, answer varchar, grader varchar,
    tier varchar, topic varchar, options varchar, meta varchar);
create or replace temp table alive (run_id integer);
create or replace temp table ended (request_id integer, attempt_id integer, state varchar);
create or replace temp table graded (cell_id integer, attempt_id integer, grade_id integer, outcome varchar);
"""
# Files in the order in which one leaves what the next one reads.
CHAINS = (
    ("plan_stage", "plan_register", "plan_decide", "plan_claim", "plan_to_grade", "plan_cells"),
    ("intake_to_grade", "intake_settle"),
)


@pytest.fixture(params=["empty", "small"])
def connection(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A ledger without rows, and one with a run of two blocks, an error and a pending block."""
    with Rig(tmp_path) as rig:
        if request.param == "small":
            rig.start().answer("k1/en", error="server_error").answer().end()
            rig.start(rig.plan(("k2",)), fresh=True).answer("k2/en").die()
        rig.connection.execute(STAGES)
        yield rig.connection


def run(connection: duckdb.DuckDBPyConnection, name: str) -> int:
    """Run each statement of a file with what it names; how many there were."""
    sql = re.sub(r"\{(\w+)\}", lambda m: PIECES[m[1]], query(name))
    statements = connection.extract_statements(sql)
    for statement in statements:
        named = {key: VALUES.get(key) for key in statement.named_parameters}
        connection.execute(statement, named or None).fetchall()
    return len(statements)


@pytest.mark.parametrize("name", NAMES)
def test_a_file_says_what_it_answers(name: str) -> None:
    """By its own name, and its comments name every parameter."""
    text = query(name)
    assert f"-- {name}: " in text
    comments = "".join(re.findall(r"--[^\n]*", text))
    code = re.sub(r"--[^\n]*", "", text)
    for parameter in set(re.findall(r"\$(\w+)", code)):
        assert f"${parameter}" in comments, f"{name} does not explain ${parameter}"


def test_every_whole_file_parses() -> None:
    """Those with pieces to be put in run below, or in the tests of what puts them in."""
    with duckdb.connect(":memory:") as connection:
        for name in NAMES:
            if "{" not in query(name) and not query(name).lstrip().startswith("elsewhere"):
                assert connection.extract_statements(query(name)), name


def test_planning_and_intake_run_in_their_order(connection: duckdb.DuckDBPyConnection) -> None:
    """Each file finds what the one before it left."""
    for chain in CHAINS:
        for name in chain:
            assert run(connection, name) > 0


@pytest.mark.parametrize("prefix", ["export", "run_summary", "runs", "verify"])
def test_questions_run_on_any_ledger(connection: duckdb.DuckDBPyConnection, prefix: str) -> None:
    """Also on one without a row."""
    for name in NAMES:
        if name.startswith(prefix):
            assert run(connection, name) == 1


def test_cost_runs_on_any_ledger_by_every_key(connection: duckdb.DuckDBPyConnection) -> None:
    """The whole is one row, also when it is nothing."""
    ledger = InMemory(connection)
    [whole] = ledger.cost().dicts()
    if not whole["attempts"]:
        assert (whole["cost_usd"], whole["prompt_tokens"]) == (0, 0)
    for key in COST_KEYS:
        rows = ledger.cost(by=[key]).dicts()
        assert sum(row["attempts"] for row in rows) == whole["attempts"]
