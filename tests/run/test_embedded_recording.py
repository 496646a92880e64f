"""A recording of the embedded model's server, replayed through the whole command to fixed figures.

Made with (temperature 0; another build of llama.cpp may well answer otherwise)::

    hbench run --suite tests/cassettes/embedded-pairs.jsonl --temperature 0 --max-tokens 64 \
        --record tests/cassettes/embedded.jsonl --ledger new.duckdb
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import Hbench

CASSETTES = Path(__file__).resolve().parents[1] / "cassettes"
REPLAY = (
    "run", "--suite", CASSETTES / "embedded-pairs.jsonl", "--temperature", 0, "--max-tokens", 64,
    "--replay", CASSETTES / "embedded.jsonl", "--json",
)  # fmt: skip

# item, form: prompt tokens, output tokens, whether it was cut, read off the recording by hand
TOLD = {
    ("bus", "cm-rom"): (86, 64, True),
    ("bus", "en"): (84, 29, False),
    ("mangoes", "cm-rom"): (86, 64, True),
    ("mangoes", "en"): (77, 37, False),
    ("tea", "cm-rom"): (86, 10, False),
    ("tea", "en"): (82, 64, True),
}


def test_the_recording_is_a_recording() -> None:
    """Not written by hand, without a key or a path, and of the model that is packaged."""
    head, *exchanges = map(json.loads, (CASSETTES / "embedded.jsonl").read_text().splitlines())
    assert (head["synthetic"], head["provider"], len(exchanges)) == (False, "local", 6)
    assert head["address"].startswith("gguf:sha256:")
    assert all(set(e["headers"]) <= {"content-type", "date"} for e in exchanges)


def test_every_answer_is_what_was_recorded(hbench: Hbench) -> None:
    """Tokens, ends, counts and dollars, cell by cell; nothing is asked, no model is needed."""
    done = hbench(*REPLAY).json
    assert (done["status"], done["answered"], done["attempts"], done["left"]) == ("done", 6, 6, 0)
    assert (done["prompt_tokens"], done["completion_tokens"]) == (501, 268)
    assert (done["cost_usd"], done["maybe_billed_attempts"]) == (0, 0)
    rows = hbench.rows("select item, form, prompt_tokens, completion_tokens, finish_reason, outcome,"
                       " parsed, origin from answers")  # fmt: skip
    assert {
        (r["item"], r["form"]): (r["prompt_tokens"], r["completion_tokens"], r["finish_reason"] == "length")
        for r in rows
    } == TOLD  # fmt: skip
    assert {r["origin"] for r in rows} == {"replay"}
    by_cell = {(r["item"], r["form"]): (r["outcome"], r["parsed"]) for r in rows}
    assert by_cell["bus", "en"] == ("wrong", "12")
    assert by_cell["mangoes", "en"] == ("wrong", "17")
    hbench.sound()


def test_the_tax_of_the_recording(hbench: Hbench) -> None:
    """By hand: 64/29, 64/37, 10/64; a cut form is open above, a cut English side below."""
    hbench(*REPLAY)
    [row] = hbench("tax", "--json").json
    assert (row["origin"], row["n_pairs"], row["n_dropped"]) == ("replay", 3, 0)
    assert row["tax_lo"] == pytest.approx(64 / 37)
    assert row["tax_hi"] is None
    assert row["tax_total_ratio"] == pytest.approx((64 + 64 + 10) / (29 + 37 + 64))
    assert (row["cut_rate_base"], row["cut_rate_form"]) == pytest.approx((1 / 3, 2 / 3))
    assert (row["acc_base"], row["acc_form"]) == (0, 0)


def test_another_question_than_recorded_is_an_error_that_says_so(hbench: Hbench) -> None:
    """A cassette answers what it was asked, nothing else, and never by a guess."""
    command = [part if part != 64 else 65 for part in REPLAY]
    done = hbench(*command, code=1).json
    assert (done["answered"], done["errors"], done["status"]) == (0, 6, "errors")
    assert done["attempts"] == 6  # asking again brings nothing else
    [row] = hbench.rows("select distinct error, billed, message from attempts")
    assert (row["error"], row["billed"]) == ("absent", "no")
    assert "holds no (further) reply to this request" in row["message"]
