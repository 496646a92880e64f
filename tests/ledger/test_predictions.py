"""Predictions out and in again: the same answers, the same figures, another origin."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Hbench, asking
from tests.fakeprovider import FakeProvider

PRICES = (
    '[[prices]]\nprovider = "openai-compatible"\nmodel = "fake/model"\ninput = 1.0\noutput = 2.0\n'
)


@pytest.fixture
def exported(hbench: Hbench, provider: Callable[..., FakeProvider]) -> Hbench:
    """A priced run with right, wrong, filtered, cut and failed cells, exported to `out`."""
    server = provider(completion_spread=0.6, reasoning_tokens=5)
    server.rules(
        [
            {"contains": "item 1", "fault": "content_filter"},
            {
                "contains": "item 2",
                "fault": "bad_request",
                "message": "maximum context length is 8",
            },
            {"contains": "item 3", "fault": "null_content"},
            {"contains": "Item 4 ka", "fault": "lone_surrogate"},
        ]
    )
    (hbench.folder / "prices.toml").write_text(PRICES)
    path = hbench.pairs(8)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    lines[5]["answer"] = ["42", "42.0"]
    lines[6]["answer"] = "17"
    lines[7]["forms"]["en"] = lines[6]["forms"]["en"]  # one request, two golds
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    hbench(*asking(server, "--suite", path, "--samples", 2, "--max-tokens", 70, "--quiet"), code=1)
    hbench("export", "--out", "out")
    (hbench.folder / "prices.toml").unlink()
    return hbench


def test_a_ledger_rebuilt_from_predictions_has_the_same_answers(exported: Hbench) -> None:
    """Outcomes, tokens, dollars and texts of every cell, errors too."""
    exported("import", "out", "--ledger", "two.duckdb")
    query = (
        "select suite, item, form, sample, provider, route, model, prompt, outcome, parsed, gold, text, reasoning,"
        " prompt_tokens, completion_tokens, reasoning_tokens, cost_usd, finish_reason, error, asked_at"
        " from answers order by all"
    )
    first = exported("sql", query, "--json").json
    second = exported("sql", query, "--json", "--ledger", "two.duckdb").json
    assert len(first) == 32
    assert {row["outcome"] for row in first} >= {
        "correct",
        "wrong",
        "filtered",
        "error",
        "truncated",
    }
    assert second == first
    assert exported("ledger", "verify", "--ledger", "two.duckdb").out.endswith("sound\n")


def test_cost_of_the_rebuilt_ledger_is_that_of_the_answers(exported: Hbench) -> None:
    """By origin import; live answers cost nothing there."""
    exported("import", "out", "--ledger", "two.duckdb")
    [live] = exported("cost", "--json").json
    [nothing] = exported("cost", "--json", "--ledger", "two.duckdb").json
    [imported] = exported("cost", "--origin", "import", "--json", "--ledger", "two.duckdb").json
    assert nothing["attempts"] == 0
    assert imported == live


def test_tax_of_the_rebuilt_ledger_is_the_same(exported: Hbench) -> None:
    """All but the origin and what depends on the moment of asking."""
    exported("import", "out", "--ledger", "two.duckdb")
    first = exported("tax", "--json").json
    second = exported("tax", "--json", "--ledger", "two.duckdb").json
    assert len(first) == 1
    assert [{**row, "origin": None} for row in first] == [{**row, "origin": None} for row in second]
    assert (first[0]["origin"], second[0]["origin"]) == ("live", "import")


def test_imported_answers_are_asked_all_the_same(
    exported: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """They are never taken for live ones."""
    exported("import", "out", "--ledger", "two.duckdb")
    done = exported(
        *asking(
            provider(),
            "--suite",
            "pairs.jsonl",
            "--max-tokens",
            70,
            "--ledger",
            "two.duckdb",
            "--json",
        )
    )
    assert (done.json["asked"], done.json["reused"]) == (15, 0)


def test_importing_twice_changes_nothing(exported: Hbench) -> None:
    """The newer copy stands; figures do not double."""
    for _ in range(2):
        exported("import", "out", "--ledger", "two.duckdb")
    rows = exported(
        "sql", "select count(*) as n from answers", "--json", "--ledger", "two.duckdb"
    ).json
    assert rows == [{"n": 32}]
    assert exported("ledger", "verify", "--ledger", "two.duckdb").out.endswith("sound\n")


def test_exporting_again_writes_the_same_bytes(exported: Hbench) -> None:
    """So that a diff of predictions shows what changed and nothing else."""
    exported("import", "out", "--ledger", "two.duckdb")
    exported("export", "--out", "again")
    before = {p.relative_to("out"): p.read_bytes() for p in Path("out").rglob("*.json*")}
    after = {p.relative_to("again"): p.read_bytes() for p in Path("again").rglob("*.json*")}
    assert before == after
    exported("export", "--out", "back", "--origin", "import", "--ledger", "two.duckdb")
    for path, content in before.items():
        back = (Path("back") / path).read_bytes()
        assert back.replace(b'"origin": "import"', b'"origin": "live"') == content


def test_names_are_safe_for_file_systems(
    hbench: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """Whatever a model, a form or an endpoint is called, nothing leaves the folder."""
    server = provider(models=("../../../evil/../model name:q4 <x>|?*",))
    path = hbench.folder / "pairs.jsonl"
    path.write_text('{"id": "../x", "answer": "42", "forms": {"en": "a", "../../form": "b"}}\n')
    hbench(
        "run", "--provider", "openai-compatible", "--base-url", server.base_url, "--model", server.settings.models[0],
        "--suite", path, "--forms", "en,../../form", "--quiet",
    )  # fmt: skip
    hbench("export", "--out", "deep/er/out")
    written = [p for p in hbench.folder.rglob("*") if p.is_file() and "out" in p.parts]
    assert len(written) == 3
    for p in written:
        assert hbench.folder / "deep/er/out" in p.parents
        assert all(part.isprintable() and not set(part) & set('/\\:<>|?*"') for part in p.parts[1:])
    assert not list(hbench.folder.parent.glob("*evil*")) + list(
        hbench.folder.parent.glob("*.jsonl")
    )
    hbench("import", "deep", "--ledger", "two.duckdb")
    [row] = hbench(
        "sql", "select distinct model from answers", "--json", "--ledger", "two.duckdb"
    ).json
    assert row["model"] == server.settings.models[0]
    forms = hbench(
        "sql", "select form from answers order by 1", "--json", "--ledger", "two.duckdb"
    ).json
    assert [row["form"] for row in forms] == ["../../form", "en"]


def _spoil(line: dict[str, Any], how: str) -> str:
    if how == "torn":
        return json.dumps(line)[:-20]
    if how == "list":
        return "[1]"
    if how == "no outcome's method":
        line = {k: v for k, v in line.items() if k not in {"method", "grader_version"}}
    elif how == "bad time":
        line = {**line, "asked_at": "yesterday"}
    elif how == "bad sample":
        line = {**line, "sample": "first"}
    elif how == "bad tokens":
        line = {**line, "prompt_tokens": "many"}
    elif how == "negative sample":
        line = {**line, "sample": -1}
    elif how == "negative tokens":
        line = {**line, "billable_output_tokens": -5}
    elif how == "too many tokens":
        line = {**line, "prompt_tokens": 10**30}
    elif how == "unknown grader":
        line = {**line, "grader": "vibes"}
    else:
        line = {k: v for k, v in line.items() if k != how}
    return json.dumps(line)


HOWS = (
    "torn", "list", "id", "gold", "question", "no outcome's method", "bad time", "bad sample", "bad tokens",
    "negative sample", "negative tokens", "too many tokens", "unknown grader",
)  # fmt: skip


def test_a_bad_line_is_named_by_file_and_number(exported: Hbench) -> None:
    """Exit 3, and nothing of its arm is taken in."""
    [path] = exported.folder.glob("out/*/*/en.jsonl")
    good = path.read_text().splitlines()
    for how in HOWS:
        path.write_text("\n".join([good[0], _spoil(json.loads(good[1]), how), *good[2:]]) + "\n")
        done = exported("import", "out", "--ledger", "two.duckdb", code=3)
        assert "en.jsonl:2: " in done.err, how
        query = "select count(*) as n from cells"
        assert exported("sql", query, "--json", "--ledger", "two.duckdb").json == [{"n": 0}], how


def test_a_line_that_stands_twice_is_named(exported: Hbench) -> None:
    """An item and sample has one answer; counted twice it would move every figure."""
    [path] = exported.folder.glob("out/*/*/en.jsonl")
    good = path.read_text().splitlines()
    path.write_text("\n".join([*good, good[0]]) + "\n")
    done = exported("import", "out", "--ledger", "two.duckdb", code=3)
    assert f"en.jsonl:{len(good) + 1}: the same item and sample as en.jsonl:1" in done.err


def test_a_folder_without_a_readable_arm_is_refused(exported: Hbench) -> None:
    """Named by file."""
    [path] = exported.folder.glob("out/*/*/arm.json")
    good = json.loads(path.read_text())
    prices = json.dumps({**good, "prices": [{"provider": "x"}]})
    for text in ("", "[]", "{}", '{"format": "other/9"}', "not json", prices):
        path.write_text(text)
        assert "arm.json: not " in exported("import", "out", "--ledger", "two.duckdb", code=3).err


def test_what_is_not_there_is_said(hbench: Hbench, fp: FakeProvider) -> None:
    """No predictions below a folder; no answers of an origin."""
    (hbench.folder / "empty").mkdir()
    assert "no predictions below" in hbench("import", "empty", code=3).err
    assert not hbench.ledger.exists()
    hbench(*asking(fp, "--suite", hbench.pairs(1), "--quiet"))
    assert "has no import answers" in hbench("export", "--origin", "import", code=3).err
