"""Streamed replies through the whole command: the same answer, and the time to its first token."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Hbench
from tests.fakeprovider import FakeProvider

Make = Callable[..., FakeProvider]
TRANSPORTS = ["httpx2", "pyreqwest"]


def streaming(hbench: Hbench, fp: FakeProvider, policy: str = "always") -> tuple[object, ...]:
    """`run` against a server that is described as one to stream from."""
    (hbench.folder / "hbench.toml").write_text(
        f'[providers.tap]\nbase_url = "{fp.base_url}"\nstream = "{policy}"\n'
    )
    return ("run", "--provider", "tap", "--model", "m", "--json")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_stream_gives_the_same_answer_as_a_whole_reply(
    hbench: Hbench, provider: Make, transport: str
) -> None:
    """Text, reasoning and counts are equal; only the stream has a first token's time."""
    fp = provider(answer_key="messages", latency_s=0.2, first_token_share=0.25, reasoning_tokens=9,
                  cached_share=0.5)  # fmt: skip
    suite = hbench.pairs(3)
    for policy, ledger in (("always", "streamed.duckdb"), ("never", "whole.duckdb")):
        done = hbench(*streaming(hbench, fp, policy), "--suite", suite, "--ledger", ledger,
                      "--transport", transport).json  # fmt: skip
        assert (done["answered"], done["errors"]) == (6, 0)
    log = fp.log()
    assert [row["stream"] for row in log] == [True] * 6 + [False] * 6
    columns = (
        "i.key, c.form, t.text, t.reasoning, t.finish_reason, t.prompt_tokens, t.completion_tokens,"
        " t.reasoning_tokens, t.cached_tokens, t.billable_output_tokens, t.output_rule, t.billed"
    )
    sql = f"select {columns} from cells c join items i using (item_id) join attempts t using (attempt_id) order by 1, 2"
    streamed, whole = (
        hbench("sql", sql, "--json", "--ledger", ledger).json
        for ledger in ("streamed.duckdb", "whole.duckdb")
    )
    assert streamed == whole
    assert streamed[0]["reasoning_tokens"] == 9
    times = hbench("sql", "select min(first_token_s) as least, max(first_token_s) as most, "
                   "min(epoch(ended_at - sent_at)) as shortest from attempts",
                   "--json", "--ledger", "streamed.duckdb").json[0]  # fmt: skip
    assert 0.05 <= times["least"] <= times["most"] < times["shortest"]
    assert hbench("sql", "select count(first_token_s) as n from attempts", "--json",
                  "--ledger", "whole.duckdb").json == [{"n": 0}]  # fmt: skip


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("fault", ["stream_cut", "stream_error"])
def test_a_stream_cut_in_the_middle_is_maybe_billed_and_asked_again(
    hbench: Hbench, provider: Make, fault: str, transport: str
) -> None:
    """What had come is no answer: one attempt of each kind, and the bill lies between the two."""
    fp = provider(reasoning_tokens=9)
    fp.script([{"fault": fault, "after": 0.5}])
    done = hbench(*streaming(hbench, fp), "--suite", hbench.pairs(1), "--concurrency", 1,
                  "--transport", transport).json  # fmt: skip
    bill = fp.settled_bill()
    assert (done["answered"], done["errors"]) == (2, 0)
    assert (done["attempts"], done["maybe_billed_attempts"]) == (bill["requests"], 1) == (3, 1)
    assert bill["aborted"]["requests"] == 1
    first = hbench.rows("select billed, error, text, upper_output_tokens as most from attempts "
                        "order by attempt_id limit 1")[0]  # fmt: skip
    assert first["billed"] == "maybe"
    assert first["error"] == ("cut" if fault == "stream_cut" else "error_in_200")
    assert first["text"] is None
    assert done["completion_tokens"] == bill["complete"]["completion_tokens"]
    assert first["most"] >= bill["aborted"]["completion_tokens"]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_events_in_pieces_are_put_together(hbench: Hbench, provider: Make, transport: str) -> None:
    """Chunks that break lines and characters change nothing."""
    fp = provider(final_answer="उत्तर ४२ – 42")
    fp.rates({"stream_ragged": 1.0})
    done = hbench(*streaming(hbench, fp), "--suite", hbench.pairs(1), "--transport", transport).json
    assert done["answered"] == 2
    assert hbench.one("select count(*) from attempts where text like '%उत्तर ४२ – 42'") == 2
    assert hbench.one("select count(first_token_s) from attempts") == 2


def test_a_stream_without_usage_is_answered_and_unpriced(hbench: Hbench, provider: Make) -> None:
    """Counts that never come are unknown, not 0; the bound stands in for them."""
    fp = provider(stream_usage="never")
    done = hbench(*streaming(hbench, fp), "--suite", hbench.pairs(1)).json
    assert (done["answered"], done["completion_tokens"]) == (2, None)
    assert hbench.one("select min(upper_output_tokens) from attempts") == 4096


def test_long_replies_are_streamed_where_the_provider_says_so(
    hbench: Hbench, provider: Make
) -> None:
    """`long`: only with a cap over the threshold, as behind a gateway that times out."""
    fp = provider()
    for cap in (100, 9000):
        hbench(*streaming(hbench, fp, "long"), "--suite", hbench.pairs(1), "--max-tokens", cap)
    assert [row["stream"] for row in fp.log()] == [False, False, True, True]
