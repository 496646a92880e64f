"""`hbench data pull` reads the layout of HinglishBench's repository, whatever its keys are called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hinglishbench.errors import UsageError
from hinglishbench.pipelines.mapping import key_map, parse_rules, walk
from tests.conftest import Hbench
from tests.pipelines.rig import hinglish, lines, question

N = 12


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    """JSON Lines, folders made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def repository(folder: Path) -> Path:
    """A folder as the seeds describe it; the Hinglish side takes twice the tokens of the English."""
    root = folder / "theirs"
    items = [
        {"idx": 100 + k, "question_en": question(k), "question_hi": hinglish(question(k)),
         "gold": 200 + k - 7 * (k + 3), "difficulty": "easy"}
        for k in range(N)
    ]  # fmt: skip
    write(root / "gsm8k_hinglish.jsonl", items)
    write(
        root / "hinglish_reasoning_beam.jsonl",
        [
            {"id": f"b{k}", "problem": hinglish(question(k)), "answer": "7 #### 1,234"}
            for k in range(3)
        ],
    )
    for lang, tokens in (("en", 100), ("hi", 200)):
        write(
            root / f"predictions/beam_low_{lang}.jsonl",
            [
                {"idx": item["idx"], "raw_output": f"so\n{item['gold'] if k else 5}", "pred": item["gold"],
                 "is_correct": True, "usage": {"completion_tokens": tokens + k, "prompt_tokens": 80}}
                for k, item in enumerate(items)
            ],
        )  # fmt: skip
    return root


def test_datasets_and_predictions_come_over(hbench: Hbench) -> None:
    """Items become a suite; predictions become origin import and give their own tax."""
    root = repository(hbench.folder)
    done = hbench("data", "pull", root, "--out", "ours", "--ledger", hbench.ledger, "--json").json
    first, second = done["datasets"]
    assert (first["name"], first["items"], second["items"]) == ("gsm8k_hinglish", N, 3)
    assert first["guessed"] == {
        "id": "idx", "answer": "gold", "tier": "difficulty", "en": "question_en", "cm-rom": "question_hi",
    }  # fmt: skip
    kept = lines(hbench.folder / "ours/gsm8k_hinglish.jsonl")
    assert kept[1]["id"] == "101"
    assert lines(hbench.folder / "ours/hinglish_reasoning_beam.jsonl")[0]["answer"] == "1,234"
    made = done["predictions"]
    assert (made["arms"], made["lines"], made["regraded"], made["disagree"]) == (1, 2 * N, 2 * N, 2)
    assert made["guessed"]["beam_low_en.jsonl"]["model"] == "the file's name"
    assert done["imported"] == {"arms": 1, "cells": 2 * N}
    [row] = hbench("tax", "--origin", "import", "--json").json
    assert (row["model"], row["origin"], row["n_pairs"]) == ("beam_low", "import", N)
    assert row["tax_median"] == pytest.approx(1.95, abs=0.05)
    assert row["acc_base"] == pytest.approx((N - 1) / N)
    hbench.sound()


def test_import_is_never_taken_for_live(hbench: Hbench) -> None:
    """`cost` counts nothing of it, and a run of the pulled suite would ask everything."""
    root = repository(hbench.folder)
    hbench("data", "pull", root, "--out", "ours", "--ledger", hbench.ledger)
    [row] = hbench("cost", "--json").json
    assert row["attempts"] == 0


def test_keys_can_be_said(hbench: Hbench) -> None:
    """`--map` wins over guesses, reaches into objects, and can be meant for one file."""
    root = hbench.folder / "theirs"
    write(root / "tiered_100.jsonl", [
        {"n": {"o": 1}, "q": {"e": question(1), "h": hinglish(question(1))}, "key": 5, "answer": 6}])  # fmt: skip
    write(root / "beamgen_parallel.jsonl", [
        {"id": "x", "english": question(2), "hinglish": hinglish(question(2)), "answer": 9.0}])  # fmt: skip
    hbench(
        "data",
        "pull",
        root,
        "--out",
        "ours",
        "--map",
        "tiered_100:id=n.o,en=q.e,cm-rom=q.h,answer=key",
    )
    [row] = lines(hbench.folder / "ours/tiered_100.jsonl")
    assert (row["id"], row["answer"]) == ("1", 5)
    assert row["forms"] == {"en": question(1), "cm-rom": hinglish(question(1))}
    [row] = lines(hbench.folder / "ours/beamgen_parallel.jsonl")
    assert row["answer"] == "9"


def test_what_cannot_be_told_is_refused_with_the_keys(hbench: Hbench) -> None:
    """No key for the Hinglish: exit 3 with the keys that are there; a wrong key: exit 2."""
    root = hbench.folder / "theirs"
    write(root / "tiered_100.jsonl", [{"id": 1, "a": "x", "b": "y", "answer": 6}])
    err = hbench("data", "pull", root, "--out", "ours", code=3).err
    assert "--map tiered_100:en=" in err
    assert "a, b" in err
    assert "no key 'zz'" in hbench("data", "pull", root, "--out", "o", "--map", "en=zz", code=2).err
    assert "ours=theirs" in hbench("data", "pull", root, "--out", "o", "--map", "en", code=2).err
    (hbench.folder / "empty").mkdir()
    assert "gsm8k_hinglish.jsonl" in hbench("data", "pull", "empty", "--out", "o", code=3).err


def test_lines_that_no_run_could_use_are_left_out_and_named(hbench: Hbench) -> None:
    """An empty translation and a gold that is no number are left out with their line."""
    root = hbench.folder / "theirs"
    good = {"id": "a", "english": question(1), "hinglish": hinglish(question(1)), "answer": 1}
    write(root / "tiered_100.jsonl", [
        good, good | {"id": "b", "hinglish": ""}, good | {"id": "c", "answer": "many"}, good | {"id": "d"}])  # fmt: skip
    done = hbench("data", "pull", root, "--out", "ours", "--json").json
    assert [left["line"] for left in done["datasets"][0]["left_out"]] == [2, 3]
    assert [row["id"] for row in lines(hbench.folder / "ours/tiered_100.jsonl")] == ["a", "d"]


def test_predictions_of_unclear_belonging_are_refused(hbench: Hbench) -> None:
    """Ids that two datasets have: the command asks, and takes the answer."""
    root = hbench.folder / "theirs"
    row = {"id": 1, "english": question(1), "hinglish": hinglish(question(1)), "answer": 1}
    write(root / "tiered_100.jsonl", [row])
    write(root / "beamgen_parallel.jsonl", [row])
    write(root / "predictions/m_en.jsonl", [{"id": 1, "output": "1"}])
    err = hbench("data", "pull", root, "--out", "o", code=2).err
    assert "tiered_100 or beamgen_parallel" in err
    rule = "m_*:suite=@tiered_100,model=@Some/Model,effort=@low"
    done = hbench("data", "pull", root, "--out", "o", "--map-predictions", rule, "--json").json
    [folder] = done["predictions"]["folders"]
    arm = json.loads((hbench.folder / folder / "arm.json").read_text())
    assert (arm["suite"], arm["model"], arm["effort"]) == ("tiered_100", "Some/Model", "low")


def test_verdicts_without_outputs_are_taken_as_published(hbench: Hbench) -> None:
    """No raw output: the published verdict stands, and says so; no usage: no tax, never zero."""
    root = hbench.folder / "theirs"
    row = {"id": 1, "english": question(1), "hinglish": hinglish(question(1)), "answer": 1}
    write(root / "tiered_100.jsonl", [row])
    for lang in ("english", "hinglish"):
        write(root / f"predictions/m__{lang}.jsonl", [{"id": 1, "pred": 1, "correct": 1}])
    hbench("data", "pull", root, "--out", "o", "--ledger", hbench.ledger)
    [row] = hbench("tax", "--origin", "import", "--json").json
    assert (row["acc_base"], row["tax_median"]) == (1, None)
    assert hbench.one("select distinct method from answers") == "as published"


def test_mapping_of_keys() -> None:
    """Dots reach into objects, a dotted key wins, a fixed value needs no key."""
    row = {"a": {"b": 1}, "a.c": 2}
    assert (walk(row, "a.b"), walk(row, "a.c"), walk(row, "a.d"), walk(row, "a.b.c")) == (
        1,
        2,
        None,
        None,
    )
    rules = parse_rules(["x*:id=a.b", "en=@text, hi=a.c"])
    found = key_map("x1.jsonl", [row], rules, {"answer": ["nope", "a.b"]})
    assert [found.get(row, k) for k in ("id", "en", "hi", "answer")] == [1, "text", 2, None]
    assert key_map("y.jsonl", [row], rules, {"answer": ["a.b"]}).guessed == {"answer": "a.b"}
    with pytest.raises(UsageError):
        parse_rules(["=x"])
