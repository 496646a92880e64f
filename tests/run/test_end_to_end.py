"""`hbench run` against the test server: what it prints, what it keeps, how it exits."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

import pytest

from tests.conftest import Hbench, asking
from tests.fakeprovider import FakeProvider
from tests.run.killing import replay_until_claimed

PROMISED = [
    "run_id", "status", "cells", "asked", "reused", "claimed_elsewhere", "answered", "errors", "attempts",
    "prompt_tokens", "completion_tokens", "cost_usd", "cost_upper_usd", "wall_s",
]  # fmt: skip
# The server's words for a request that no retry will mend.
TOO_LONG = {"fault": "bad_request", "message": "the maximum context length is 8 tokens"}
PRICES = """
[[prices]]
provider = "openai-compatible"
model = "fake/model"
input = 1.0
output = 2.0
"""


def test_a_run_says_what_it_asked_and_what_came(hbench: Hbench, fp: FakeProvider) -> None:
    """The promised keys, and figures that agree with the server's own bill."""
    done = hbench(*asking(fp, "--suite", hbench.pairs(5), "--json"))
    said, bill = done.json, fp.bill()
    assert [key for key in said if key in PROMISED] == PROMISED
    figures = {key: said[key] for key in PROMISED[:9]}
    assert figures == {
        "run_id": 1, "status": "done", "cells": 10, "asked": 10, "reused": 0, "claimed_elsewhere": 0,
        "answered": 10, "errors": 0, "attempts": 10,
    }  # fmt: skip
    assert bill["requests"] == 10
    assert said["prompt_tokens"] == bill["complete"]["prompt_tokens"]
    assert said["completion_tokens"] == bill["complete"]["completion_tokens"]
    assert 0 < said["wall_s"] < 30
    assert {r["outcome"] for r in hbench.rows("select outcome from answers")} == {"correct"}
    hbench.sound()


def test_a_second_run_is_the_same_object_with_nothing_asked(
    hbench: Hbench, fp: FakeProvider
) -> None:
    """Nothing asked is nothing spent: zeros, not unknowns."""
    first = hbench(*asking(fp, "--suite", hbench.pairs(3), "--json")).json
    done = hbench(*asking(fp, "--suite", "pairs.jsonl", "--json"))
    assert list(done.json) == list(first)
    spent = (
        "asked",
        "attempts",
        "prompt_tokens",
        "completion_tokens",
        "cost_usd",
        "cost_upper_usd",
    )
    assert {key: done.json[key] for key in spent} == dict.fromkeys(spent, 0)
    assert done.json["reused"] == 6
    assert "nothing to ask: 6 of 6 cells are answered" in done.err
    assert fp.bill()["requests"] == 6


def test_machine_output_and_words_for_people_are_kept_apart(
    hbench: Hbench, fp: FakeProvider
) -> None:
    """Stdout has the JSON or nothing; --quiet silences stderr too."""
    path = hbench.pairs(2)
    plain = hbench(*asking(fp, "--suite", path))
    assert plain.out == ""
    assert "done: 4 of 4 answered" in plain.err
    assert "\x1b" not in plain.err
    quiet = hbench(*asking(fp, "--suite", path, "--fresh", "--quiet"))
    assert (quiet.out, quiet.err) == ("", "")
    both = hbench(*asking(fp, "--suite", path, "--fresh", "--quiet", "--json"))
    assert both.err == ""
    assert both.json["status"] == "done"


def test_a_dry_run_asks_nothing_and_makes_no_ledger(hbench: Hbench, fp: FakeProvider) -> None:
    """It needs neither a ledger nor an answer."""
    said = hbench(*asking(fp, "--suite", hbench.pairs(2), "--dry-run", "--json")).json
    assert (said["cells"], said["asked"], said["run_id"]) == (4, 4, None)
    assert fp.bill()["requests"] == 0
    assert [p.name for p in hbench.folder.iterdir()] == ["pairs.jsonl"]


def test_a_dry_run_counts_what_a_dead_run_had_answered(hbench: Hbench, fp: FakeProvider) -> None:
    """It sees the ledger as the next real run will see it."""
    path = hbench.pairs(2)
    hbench(*asking(fp, "--suite", path, "--quiet"))
    # The ledger of a moment before, beside the journal that knows more: what a kill leaves behind.
    hbench.ledger.unlink()
    [journal] = hbench.folder.glob("*.journal/*")
    whole = journal.read_bytes()
    journal.unlink()
    replay_until_claimed(hbench, asking(fp, "--suite", path), whole)
    said = hbench(*asking(fp, "--suite", path, "--dry-run", "--json")).json
    assert (said["asked"], said["reused"]) == (0, 4)


# --- exit codes --------------------------------------------------------------------------------


def test_case_51_exit_1_when_a_cell_ended_in_an_error(hbench: Hbench, fp: FakeProvider) -> None:
    """The error is counted beside the answers, and the pair is dropped on both sides."""
    fp.rules([{"contains": "item 3", **TOO_LONG}])
    done = hbench(*asking(fp, "--suite", hbench.pairs(4), "--json"), code=1)
    assert done.json["status"] == "errors"
    assert (done.json["answered"], done.json["errors"]) == (7, 1)
    assert hbench.rows("select outcome, count(*) as n from answers group by all order by all") == [
        {"outcome": "correct", "n": 7},
        {"outcome": "error", "n": 1},
    ]
    scored = "base_outcome <> 'error' and form_outcome <> 'error'"
    assert hbench.one(f"select count(*) from pairs where {scored}") == 3
    fp.rules([])
    again = hbench(*asking(fp, "--suite", "pairs.jsonl", "--json")).json
    assert (again["asked"], again["reused"]) == (1, 7)


@pytest.mark.parametrize(
    "flags",
    [
        ("--forms", "en,en"),
        ("--limit", "0"),
        ("--samples", "x"),
        ("--concurrency", "many"),
        ("--temperature", "7"),
        ("--no-such-flag",),
        ("--record", "a", "--replay", "b"),
        ("--transport", "pigeon"),
    ],
)
def test_exit_2_when_the_command_line_makes_no_sense(
    hbench: Hbench, fp: FakeProvider, flags: tuple[str, ...]
) -> None:
    """Before any call, and before any file."""
    hbench(*asking(fp, "--suite", hbench.pairs(1), *flags), code=2)
    assert fp.bill()["requests"] == 0
    assert [p.name for p in hbench.folder.iterdir()] == ["pairs.jsonl"]


@pytest.mark.parametrize(
    "flags",
    [
        ("--suite", "no-such-suite"),
        ("--suite", "absent.jsonl"),
        ("--suite", "bad.jsonl"),
        ("--prompt", "no-such-prompt"),
        ("--effort", "sideways"),
        ("--forms", "en,xx"),
        ("--replay", "absent.tape"),
        ("--api-key-env", "NO_SUCH_VARIABLE"),
    ],
)
def test_exit_3_when_it_is_refused_before_any_call(
    hbench: Hbench, fp: FakeProvider, flags: tuple[str, ...]
) -> None:
    """A message, what to do, a JSON object that says refused, and no ledger."""
    hbench.pairs(1)
    (hbench.folder / "bad.jsonl").write_text(
        '{"id": "a", "answer": "1", "forms": {"en": "x"}}\n{"id": 1\n'
    )
    suite = () if flags[0] == "--suite" else ("--suite", "pairs.jsonl")
    done = hbench(*asking(fp, *suite, *flags, "--json"), code=3)
    assert done.err.startswith("hbench: ")
    assert done.json["status"] == "refused"
    assert fp.bill()["requests"] == 0
    assert not hbench.ledger.exists()


def test_a_bad_line_is_named_by_number(hbench: Hbench, fp: FakeProvider) -> None:
    """Before the first call is paid."""
    path = hbench.pairs(2)
    path.write_text(path.read_text() + "{not json\n")
    assert "pairs.jsonl:3: not JSON" in hbench(*asking(fp, "--suite", path), code=3).err


def test_case_61_exit_5_when_the_credits_end_in_mid_run(hbench: Hbench, fp: FakeProvider) -> None:
    """Rows are kept, no call follows, and the same command later asks the rest."""
    fp.script([{"fault": "ok", "times": 3}, {"fault": "no_credits_402", "times": 999}])
    path = hbench.pairs(6)
    done = hbench(*asking(fp, "--suite", path, "--concurrency", 1, "--json"), code=5)
    assert done.json["status"] == "endpoint"
    assert (done.json["answered"], done.json["attempts"]) == (3, 4)
    assert "credits" in done.err
    assert fp.bill()["requests"] == 4
    fp.reset()
    again = hbench(*asking(fp, "--suite", path, "--json")).json
    assert (again["asked"], again["reused"], again["status"]) == (9, 3, "done")
    hbench.sound()


def test_one_endpoint_that_stops_leaves_the_other_going(
    hbench: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """Exit 5, and every cell of the healthy one is answered."""
    good, bad = provider(), provider()
    bad.script([{"fault": "no_credits_402", "times": 999}])
    text = "".join(
        f'[providers.{name}]\ntitle = "{name}"\nbase_url = "{server.base_url}"\nkey_required = false\n'
        f'default_model = "fake/model"\n'
        for name, server in (("good", good), ("bad", bad))
    )
    (hbench.folder / "hbench.toml").write_text(text)
    done = hbench(
        "run",
        "--provider",
        "good",
        "--provider",
        "bad",
        "--suite",
        hbench.pairs(5),
        "--json",
        code=5,
    )
    assert done.json["answered"] == 10
    assert list(done.json["stopped"]) == ["bad"]
    assert good.bill()["complete"]["requests"] == 10


def test_exit_6_when_the_ledger_is_not_one(hbench: Hbench, fp: FakeProvider) -> None:
    """No call is made, the file is left alone, and no journal stays behind."""
    hbench.ledger.write_text("my shopping list\n")
    done = hbench(*asking(fp, "--suite", hbench.pairs(1)), code=6)
    assert "not a DuckDB file" in done.err
    assert fp.bill()["requests"] == 0
    assert hbench.ledger.read_text() == "my shopping list\n"
    assert list(hbench.folder.glob("*.journal/*")) == []


# --- odd replies -------------------------------------------------------------------------------


def test_case_50_a_reply_without_choices_is_an_error_and_no_answer(
    hbench: Hbench, fp: FakeProvider, no_waits: None
) -> None:
    """Retried within bounds, then an error: out of the accuracy, in the counts, exit 1."""
    del no_waits
    fp.rules([{"contains": "item 1", "fault": "no_choices"}])
    done = hbench(*asking(fp, "--suite", hbench.pairs(2), "--json"), code=1)
    assert (done.json["answered"], done.json["errors"]) == (3, 1)
    [row] = hbench.rows(
        "select outcome, error, text from answers where item = 'k1' and form = 'en'"
    )
    assert row == {"outcome": "error", "error": "no_choices", "text": None}
    assert hbench.one("select count(*) from attempts where billed = 'maybe'") == 4


def test_case_53_a_filtered_reply_is_filtered(hbench: Hbench, fp: FakeProvider) -> None:
    """Neither an error nor a wrong answer, asked once, and shown apart."""
    fp.rules([{"contains": "item 1", "fault": "content_filter"}])
    said = hbench(*asking(fp, "--suite", hbench.pairs(2), "--json")).json
    assert (said["status"], said["answered"], said["attempts"]) == ("done", 4, 4)
    assert hbench.one("select outcome from answers where item = 'k1' and form = 'en'") == "filtered"
    assert hbench(*asking(fp, "--suite", "pairs.jsonl", "--json")).json["asked"] == 0


def test_case_69_a_dropped_connection_may_be_billed_each_time(
    hbench: Hbench, fp: FakeProvider, no_waits: None
) -> None:
    """Four submissions at most, all on the server's bill, all in the upper bound, none in the sure sum."""
    del no_waits
    (hbench.folder / "prices.toml").write_text(PRICES)
    fp.rules([{"contains": "item 0", "fault": "reset_after"}])
    path = hbench.pairs(1)
    said = hbench(*asking(fp, "--suite", path, "--forms", "en", "--json"), code=1).json
    bill = fp.settled_bill()
    assert said["attempts"] == bill["requests"] == bill["aborted"]["requests"] == 4
    assert (said["prompt_tokens"], said["completion_tokens"], said["cost_usd"]) == (0, 0, 0)
    real = (bill["aborted"]["prompt_tokens"] + 2 * bill["aborted"]["completion_tokens"]) / 1e6
    assert said["cost_upper_usd"] >= real
    [cost] = hbench("cost", "--json").json
    assert (cost["maybe_billed_attempts"], cost["cost_usd"]) == (4, 0)
    assert cost["cost_upper_usd"] == said["cost_upper_usd"]


def test_case_84_half_a_surrogate_pair_does_not_end_the_run(
    hbench: Hbench, fp: FakeProvider
) -> None:
    """The row is saved with a replacement and everything reads it."""
    fp.script([{"fault": "lone_surrogate"}])
    done = hbench(*asking(fp, "--suite", hbench.pairs(2), "--concurrency", 1, "--json")).json
    assert done["answered"] == 4
    assert hbench.one("select count(*) from answers where contains(text, '\ufffd')") == 1
    hbench("export", "--out", "out")
    hbench.sound()


def test_a_reply_without_usage_has_unknown_tokens(hbench: Hbench, fp: FakeProvider) -> None:
    """NULL and unpriced, never 0; the upper bound is what was asked for."""
    (hbench.folder / "prices.toml").write_text(PRICES)
    fp.script(["no_usage"])
    said = hbench(*asking(fp, "--suite", hbench.pairs(1), "--concurrency", 1, "--json")).json
    assert said["answered"] == 2
    assert said["unpriced_attempts"] == 1
    [row] = hbench.rows(
        "select prompt_tokens, billable_output_tokens, upper_output_tokens, cost_usd, unpriced_reason"
        " from attempts join attempt_costs using (attempt_id) where usage is null"
    )
    assert row == {
        "prompt_tokens": None, "billable_output_tokens": None, "upper_output_tokens": 4096,
        "cost_usd": None, "unpriced_reason": "no usage",
    }  # fmt: skip
    assert said["cost_upper_usd"] > said["cost_usd"] > 0


# --- money -------------------------------------------------------------------------------------


def test_without_a_price_the_cost_is_unknown_and_said_so(hbench: Hbench, fp: FakeProvider) -> None:
    """Null in JSON, a dash for people, and where a price is entered."""
    done = hbench(*asking(fp, "--suite", hbench.pairs(2), "--json"))
    assert (done.json["cost_usd"], done.json["cost_upper_usd"]) == (None, None)
    assert "without a known price" in done.err
    assert "hbench prices" in done.err
    [cost] = hbench("cost", "--json").json
    assert (cost["cost_usd"], cost["cost_upper_usd"], cost["unpriced_attempts"]) == (None, None, 4)
    assert "no known price" in hbench("cost").err


def test_attempts_that_cost_nothing_do_not_make_an_unpriced_sum_zero(
    hbench: Hbench, fp: FakeProvider, no_waits: None
) -> None:
    """All that is billed is unpriced: the sum is unknown, however many refusals were free."""
    del no_waits
    fp.script([{"fault": "rate_limit", "wait_s": 0.01}])
    said = hbench(*asking(fp, "--suite", hbench.pairs(1), "--concurrency", 1, "--json")).json
    assert said["attempts"] == 3
    assert (said["cost_usd"], said["cost_upper_usd"]) == (None, None)
    [cost] = hbench("cost", "--json").json
    assert (cost["cost_usd"], cost["cost_upper_usd"], cost["unpriced_attempts"]) == (None, None, 2)


def test_a_price_of_the_users_prices_the_run(hbench: Hbench, fp: FakeProvider) -> None:
    """prices.toml is read, exact to the last digit, and copied into the ledger."""
    (hbench.folder / "prices.toml").write_text(PRICES)
    said = hbench(*asking(fp, "--suite", hbench.pairs(3), "--json")).json
    complete = fp.bill()["complete"]
    assert said["unpriced_attempts"] == 0
    exact = (complete["prompt_tokens"] + 2 * complete["completion_tokens"]) / 1e6
    assert said["cost_usd"] == pytest.approx(exact, rel=1e-12)
    (hbench.folder / "prices.toml").unlink()
    [cost] = hbench("cost", "--json").json
    assert cost["cost_usd"] == said["cost_usd"]
    assert (cost["prompt_tokens"], cost["completion_tokens"]) == (
        complete["prompt_tokens"], complete["completion_tokens"],
    )  # fmt: skip


def test_cost_has_the_promised_keys_by_every_key(hbench: Hbench, fp: FakeProvider) -> None:
    """The group's keys first; the sums of the groups are the whole."""
    hbench(*asking(fp, "--suite", hbench.pairs(2), "--quiet"))
    names = [
        "cells", "attempts", "prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens",
        "cost_usd", "cost_upper_usd", "unpriced_attempts", "maybe_billed_attempts",
    ]  # fmt: skip
    [whole] = hbench("cost", "--json").json
    assert [name for name in whole if name in names] == names
    for key in ("run", "model", "provider", "suite", "prompt", "day", "purpose"):
        rows = hbench("cost", "--by", key, "--json").json
        assert [list(row) for row in rows] == [[key, *whole]]
        assert sum(row["prompt_tokens"] for row in rows) == whole["prompt_tokens"]
    assert hbench("cost", "--by", "model,day", "--csv").out.startswith("model,day,cells,")
    assert "cost has no key 'colour'" in hbench("cost", "--by", "colour", code=2).err


# --- the journal's disk is full ----------------------------------------------------------------


def fill_disk(monkeypatch: pytest.MonkeyPatch, *, room: int, freed: bool) -> None:
    """The journal's disk takes `room` bytes more; `freed`: someone makes room before the last line."""
    real, left = os.write, [room]

    def tight(fd: int, data: bytes) -> int:
        if freed and b'"e":"done"' in bytes(data):
            left[0] = 10**9
        if left[0] < len(data):
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= len(data)
        return real(fd, data)

    monkeypatch.setattr(os, "write", tight)


def test_a_full_disk_stops_admission_and_loses_nothing(hbench: Hbench, fp: FakeProvider) -> None:
    """What had arrived is kept in memory and written when there is room; the rest is asked later."""
    path = hbench.pairs(20)
    with pytest.MonkeyPatch.context() as patch:
        fill_disk(patch, room=5000, freed=True)
        done = hbench(*asking(fp, "--suite", path, "--concurrency", 2, "--json"), code=5)
    assert "the journal cannot be written (No space left on device)" in done.err
    assert 0 < done.json["answered"] == fp.bill()["complete"]["requests"] < 40
    again = hbench(*asking(fp, "--suite", path, "--json")).json
    assert again["status"] == "done"
    assert fp.bill()["requests"] == 40
    hbench.sound()


def test_a_disk_that_stays_full_is_told_without_a_traceback(
    hbench: Hbench, fp: FakeProvider
) -> None:
    """How many bytes are not on disk, exit 5, and the next command asks again what is lost."""
    path = hbench.pairs(20)
    with pytest.MonkeyPatch.context() as patch:
        fill_disk(patch, room=5000, freed=False)
        done = hbench(*asking(fp, "--suite", path, "--concurrency", 1, "--json"), code=5)
    assert "could not be written" in done.err
    assert list(done.json["stopped"]) == ["journal"]
    again = hbench(*asking(fp, "--suite", path, "--json")).json
    assert again["status"] == "done"
    assert fp.bill()["requests"] <= 41
    hbench.sound()
