"""`hbench data build gsm8k-hinglish` keeps what is sound and tells why it left the rest out."""

from __future__ import annotations

import hashlib
import json
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from hinglishbench.pipelines.gsm8k import fetch, read_file, sample
from tests.conftest import ROOT, Hbench, until
from tests.fakeprovider import Ask, FakeProvider
from tests.pipelines.rig import (
    at,
    building,
    by_number,
    careless,
    good,
    lazy,
    lines,
    question,
    silent,
    source,
)

Make = Callable[..., FakeProvider]
REAL = ROOT.parent / "shared/data/gsm8k/test.jsonl"


def reasons(folder: Path) -> dict[str, int]:
    """Counts of the record."""
    record = json.loads((folder / "out/build.json").read_text())
    counts: dict[str, int] = record["counts"]["reasons"]
    return counts


def test_good_translator_keeps_all(hbench: Hbench, provider: Make) -> None:
    """All items are kept, with GSM8K's gold, and the file is a suite that `run` takes."""
    fp = provider(good)
    done = hbench(*building(fp, hbench.folder, 6), "--json").json
    assert (done["kept"], done["excluded"], done["asked"], done["complete"]) == (6, 0, 6, True)
    kept = lines(hbench.folder / "out/gsm8k_hinglish.jsonl")
    assert [row["answer"] for row in kept] == [str(200 + k - 7 * (k + 3)) for k in range(6)]
    assert kept[0]["forms"]["en"] == question(0)  # type: ignore[index]  # a dict
    assert (hbench.folder / "out/excluded_items.txt").read_text().count("\n") == 1
    run = hbench(
        "run",
        "--suite",
        hbench.folder / "out/gsm8k_hinglish.jsonl",
        *at(fp),
        "--dry-run",
        "--json",
        "--quiet",
    )
    assert run.json["cells"] == 12


def test_each_translator_is_left_out_for_its_own_reason(hbench: Hbench, provider: Make) -> None:
    """Careless, silent and lazy items are counted by reason, kept whole, and listed."""
    fp = provider(by_number({1: careless, 2: careless, 3: silent, 4: lazy}))
    done = hbench(*building(fp, hbench.folder, 8), "--json").json
    assert done["reasons"] == {"empty": 1, "untranslated": 1, "numbers": 2}
    assert done["kept"] == 4
    rejected = {r["id"]: r for r in lines(hbench.folder / "out/gsm8k_hinglish_rejected.jsonl")}
    assert len(rejected) == 4
    assert rejected["gsm8k-test-0001"]["reason"] == "numbers"
    assert rejected["gsm8k-test-0001"]["detail"] == "4 is missing"
    assert "notebooks kharidi" in str(rejected["gsm8k-test-0001"]["reply"])
    listed = (hbench.folder / "out/excluded_items.txt").read_text().splitlines()[1:]
    assert [line.split("\t")[:2] for line in listed] == [
        ["gsm8k-test-0001", "numbers"], ["gsm8k-test-0002", "numbers"],
        ["gsm8k-test-0003", "empty"], ["gsm8k-test-0004", "untranslated"],
    ]  # fmt: skip
    assert "| numbers | 2 |" in (hbench.folder / "out/card.md").read_text()


def test_cut_translations_are_truncated_not_judged(hbench: Hbench, provider: Make) -> None:
    """A reply cut by the token limit is left out as such, whatever of its numbers came through."""
    fp = provider(good, completion_tokens=60)
    done = hbench(*building(fp, hbench.folder, 3, "--max-tokens", 20), "--json").json
    assert done["reasons"] == {"truncated": 3}
    assert done["kept"] == 0
    assert (hbench.folder / "out/gsm8k_hinglish.jsonl").read_text() == ""


@pytest.mark.usefixtures("no_waits")
def test_filter_and_failure_are_no_fault_of_the_translator(hbench: Hbench, provider: Make) -> None:
    """A filtered reply and a request that ended in an error have reasons of their own; exit code 1."""
    fp = provider(good)
    fp.rules([
        {"contains": "buys 4 notebooks", "fault": "content_filter"},
        {"contains": "buys 5 notebooks", "fault": "bad_request"},
    ])  # fmt: skip
    done = hbench(*building(fp, hbench.folder, 5, "--concurrency", 1), "--json", code=1)
    assert done.json["reasons"] == {"error": 1, "filtered": 1}
    assert done.json["kept"] == 3


def test_cost_shows_what_the_dataset_cost(hbench: Hbench, provider: Make) -> None:
    """The ledger counts the requests under the purpose translate, and holds together."""
    fp = provider(good)
    hbench(*building(fp, hbench.folder, 5), "--quiet")
    [row] = hbench("cost", "--by", "purpose", "--json").json
    assert (row["purpose"], row["attempts"]) == ("translate", 5)
    assert row["completion_tokens"] == 5 * 60
    hbench.sound()
    assert hbench.one("select count(*) from cells") == 0


def test_same_command_again_buys_nothing(hbench: Hbench, provider: Make) -> None:
    """A second build reuses every reply and writes the same items."""
    fp = provider(good)
    hbench(*building(fp, hbench.folder, 5), "--quiet")
    first = (hbench.folder / "out/gsm8k_hinglish.jsonl").read_bytes()
    done = hbench(*building(fp, hbench.folder, 5), "--json").json
    assert (done["asked"], done["reused"]) == (0, 5)
    assert fp.bill()["requests"] == 5
    assert (hbench.folder / "out/gsm8k_hinglish.jsonl").read_bytes() == first
    hbench(*building(fp, hbench.folder, 5), "--fresh", "--quiet")
    assert fp.bill()["requests"] == 10


def test_killed_build_resumes_without_buying_twice(hbench: Hbench, provider: Make) -> None:
    """Kill -9 at a third; the same command asks the rest, and again only what was in flight."""
    n, workers = 24, 2
    fp = provider(good, latency_s=0.03)
    command = building(fp, hbench.folder, n, "--concurrency", workers)
    process = hbench.start(*command)
    until(lambda: fp.bill()["requests"] >= n // 3)
    process.kill()
    hbench.finish(process)
    assert not (hbench.folder / "out").exists()
    done = hbench(*command, "--json").json
    assert done["complete"]
    assert done["kept"] == n
    assert done["reused"] >= n // 3 - workers
    assert n <= fp.settled_bill()["requests"] <= n + workers
    assert hbench.one("select count(*) from attempts where billed = 'maybe'") <= workers
    hbench.sound()


def test_stopped_build_writes_nothing(hbench: Hbench, provider: Make) -> None:
    """An endpoint that stops in mid-build leaves no file; the next command goes on from there."""
    fp = provider(good)
    fp.script(["ok", "ok", "bad_key"])
    command = building(fp, hbench.folder, 6, "--concurrency", 1)
    done = hbench(*command, "--json", code=5).json
    assert not done["complete"]
    assert not (hbench.folder / "out").exists()
    done = hbench(*command, "--json").json
    assert (done["asked"], done["reused"], done["kept"]) == (4, 2, 6)


def test_retries_are_off_by_default_and_told_in_the_card(hbench: Hbench, provider: Make) -> None:
    """`--retry-failed` asks only for what failed, with a new sample, and the card names the selection."""
    asked: list[str] = []

    def second_try(ask: Ask) -> str:
        asked.append(ask.question)
        return careless(ask) if "buys 3 " in ask.question and asked.count(ask.question) == 1 else good(ask)  # fmt: skip

    fp = provider(second_try)
    assert hbench(*building(fp, hbench.folder, 4), "--json").json["reasons"] == {"numbers": 1}
    assert "not asked for again" in (hbench.folder / "out/card.md").read_text()
    done = hbench(*building(fp, hbench.folder, 4), "--retry-failed", 2, "--json").json
    assert (done["asked"], done["reused"], done["kept_after_retry"], done["reasons"]) == (
        1,
        4,
        1,
        {},
    )
    card = (hbench.folder / "out/card.md").read_text()
    assert "This selects" in card
    assert "1 of the kept ones came in that way" in card
    assert lines(hbench.folder / "out/gsm8k_hinglish.jsonl")[0]["tries"] == 2


def test_dry_run_asks_and_writes_nothing(hbench: Hbench, provider: Make) -> None:
    """`--dry-run` counts."""
    fp = provider(good)
    done = hbench(*building(fp, hbench.folder, 4), "--dry-run")
    assert "would ask 4 requests" in done.err
    assert fp.bill()["requests"] == 0
    assert not (hbench.folder / "out").exists()


def test_wrong_options_are_refused_before_any_call(hbench: Hbench, provider: Make) -> None:
    """Two models, an unknown build, an unknown prompt, too large a sample, a file that is not GSM8K."""
    fp = provider(good)
    command = building(fp, hbench.folder, 3)
    assert "one model" in hbench(*command, "--model", "b", code=2).err
    assert "gsm8k-hinglish" in hbench("data", "build", "x", "--out", "o", code=2).err
    assert "translate-to-hinglish" in hbench(*command, "--prompt", "none", code=3).err
    assert "has 3 items" in hbench(*command, "--n", 4, code=3).err
    bad = hbench.folder / "bad.jsonl"
    bad.write_text('{"question": "q", "answer": "no mark"}\n')
    assert "####" in hbench(*command, "--source", bad, code=3).err
    assert fp.bill()["requests"] == 0


def test_own_prompt_is_recorded_by_digest(hbench: Hbench, provider: Make) -> None:
    """A prompt file of the user's is another arm, and stands in the ledger and in the record."""
    fp = provider(good)
    prompt = hbench.folder / "mine.toml"
    prompt.write_text('id = "mine"\nslots = ["text"]\nuser = "To {hinglish}:\\n\\n{text}"\n')
    hbench(*building(fp, hbench.folder, 2, "--prompt", prompt), "--quiet")
    assert hbench.one("select name from prompts") == "mine"
    record = json.loads((hbench.folder / "out/build.json").read_text())
    assert record["translator"]["prompt_digest"] == hbench.one("select digest from prompts")
    assert "To {hinglish}:" in hbench.one("select body from requests limit 1")


def test_sample_is_uniform_nested_and_repeatable(tmp_path: Path) -> None:
    """A larger sample holds the smaller; another seed gives another; the numbers are fixed here."""
    items = read_file(source(tmp_path, 50)).items
    ten = [item.meta["source_index"] for item in sample(items, 10, 42)]
    assert ten == [11, 13, 18, 21, 28, 31, 34, 36, 40, 46]
    assert set(ten) < {item.meta["source_index"] for item in sample(items, 20, 42)}
    assert ten != [item.meta["source_index"] for item in sample(items, 10, 43)]
    hits = [0] * 50
    for seed in range(400):
        for item in sample(items, 10, seed):
            hits[item.meta["source_index"]] += 1
    assert min(hits) > 50  # 80 expected, standard deviation 8
    assert max(hits) < 110


@pytest.mark.skipif(not REAL.exists(), reason="GSM8K is not beside this clone")
def test_sample_of_real_gsm8k_with_seed_42() -> None:
    """The sample of a hundred that every build with the defaults translates."""
    source_ = read_file(REAL)
    assert len(source_.items) == 1319
    chosen = [item.meta["source_index"] for item in sample(source_.items, 100, 42)]
    assert chosen[:12] == [21, 28, 52, 94, 100, 116, 121, 123, 130, 134, 139, 145]
    assert hashlib.sha256(json.dumps(chosen).encode()).hexdigest()[:16] == "b258cb97a8b416b6"
    assert source_.digest == (
        "sha256:4e5512f7375377feb45da254f295ff7fe6b5e72594ce075b1c12f7417ed52668"
    )


def test_a_build_can_be_recorded_and_replayed(hbench: Hbench, provider: Make) -> None:
    """A cassette gives the same items and exclusions without a server, in a ledger of its own."""
    fp = provider(by_number({1: careless, 2: silent}))
    first = hbench(*building(fp, hbench.folder, 5), "--record", "tape.jsonl", "--json").json
    kept = (hbench.folder / "out/gsm8k_hinglish.jsonl").read_bytes()
    asked = fp.bill()["requests"]
    again = hbench(*building(fp, hbench.folder, 5), "--replay", "tape.jsonl", "--ledger", "other.duckdb",
                   "--json").json  # fmt: skip
    assert again["reasons"] == first["reasons"]
    assert (hbench.folder / "out/gsm8k_hinglish.jsonl").read_bytes() == kept
    assert fp.bill()["requests"] == asked


def test_what_another_run_is_asking_is_waited_for(hbench: Hbench, provider: Make) -> None:
    """Two builds at once: the second asks nothing twice, writes nothing, and says why (exit code 1)."""
    n = 8
    fp = provider(good, latency_s=0.3)
    command = building(fp, hbench.folder, n, "--concurrency", 2)
    first = hbench.start(*command)
    until(lambda: fp.bill()["requests"] >= 1)
    second = hbench(*command, code=1)
    assert "being asked by another run" in second.err
    assert hbench.finish(first).code == 0
    assert fp.settled_bill()["requests"] == n
    assert hbench(*command, "--json").json["reused"] == n


def test_the_card_names_digest_licence_and_translator(hbench: Hbench, provider: Make) -> None:
    """What a dataset card must have stands on it."""
    fp = provider(good)
    hbench(*building(fp, hbench.folder, 2), "--quiet")
    card = (hbench.folder / "out/card.md").read_text()
    record = json.loads((hbench.folder / "out/build.json").read_text())
    for said in (
        record["items_digest"],
        "MIT",
        "fake/model at openai-compatible",
        "No person has read it",
    ):
        assert said in card


def _parquet(folder: Path, rows: int) -> Path:
    """The source as the hub keeps it."""
    import duckdb  # noqa: PLC0415  only these tests need it

    path = folder / "test.parquet"
    with duckdb.connect(":memory:") as connection:
        connection.execute(
            f"copy (select question, answer from read_json('{source(folder, rows)}')) to '{path}' (format parquet)"
        )
    return path


def test_hub_and_parquet_give_the_same_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hub's parquet file at the pinned revision reads as the JSON Lines do."""
    path = _parquet(tmp_path, 7)
    asked: dict[str, object] = {}

    def download(repository: str, file: str, **more: object) -> str:
        asked.update(more, repository=repository, file=file)
        return str(path)

    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    fetched = fetch()
    assert asked == {
        "repository": "openai/gsm8k", "file": "main/test-00000-of-00001.parquet", "repo_type": "dataset",
        "revision": "e53f048856ff4f594e959d75785d2c2d37b678ee",
    }  # fmt: skip
    assert fetched.items == read_file(source(tmp_path, 7)).items
    assert fetched.digest == read_file(path).digest
    assert "e53f0488" in fetched.origin


def test_hub_out_of_reach_says_what_else_works(
    hbench: Hbench, monkeypatch: pytest.MonkeyPatch, provider: Make
) -> None:
    """No network: refused before any call, with --source as the way out."""

    def offline(*_: object, **__: object) -> str:
        raise OSError("no network")

    monkeypatch.setattr("huggingface_hub.hf_hub_download", offline)
    fp = provider(good)
    done = hbench("data", "build", "gsm8k-hinglish", "--out", "o", *at(fp), code=3)
    assert "--source" in done.err
    assert fp.bill()["requests"] == 0


def test_interrupted_build_keeps_what_came(hbench: Hbench, provider: Make) -> None:
    """SIGINT: what is in flight is kept, exit code 130, no files; the same command finishes."""
    fp = provider(good, latency_s=0.05)
    command = building(fp, hbench.folder, 20, "--concurrency", 2)
    process = hbench.start(*command)
    until(lambda: fp.bill()["requests"] >= 5)
    process.send_signal(signal.SIGINT)
    assert hbench.finish(process).code == 130
    assert not (hbench.folder / "out").exists()
    done = hbench(*command, "--json").json
    assert (done["kept"], fp.settled_bill()["requests"]) == (20, 20)
