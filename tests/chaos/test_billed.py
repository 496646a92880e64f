"""`billed` for every way in which an attempt can end, beside what the server charges for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from hinglishbench.run import runner
from tests.conftest import Hbench
from tests.fakeprovider import FakeProvider
from tests.fakeprovider.behaviours import Fault

Make = Callable[..., FakeProvider]

# fault -> error in the ledger, billed; by hand
ENDS: dict[str, tuple[str | None, str]] = {
    "ok": (None, "yes"),
    # refused: nothing ran
    "rate_limit": ("rate_limited", "no"),
    "no_credits_429": ("no_credits", "no"),
    "no_credits_402": ("no_credits", "no"),
    "bad_key": ("bad_key", "no"),
    "forbidden": ("forbidden", "no"),
    "unknown_model": ("unknown_model", "no"),
    "unsupported_model": ("unknown_model", "no"),
    "bad_request": ("bad_request", "no"),
    # 5xx: maybe, as this provider's documents do not say no
    "server_error": ("server_error", "maybe"),
    "bad_gateway": ("server_error", "maybe"),
    "unavailable": ("overloaded", "maybe"),
    "gateway_timeout": ("timeout", "maybe"),
    "overloaded": ("overloaded", "maybe"),
    # sent, and nothing whole came
    "reset_before": ("reset", "maybe"),
    "reset_after": ("reset", "maybe"),
    "cut_body": ("cut", "maybe"),
    "silence": ("timeout", "maybe"),
    "empty_200": ("empty_reply", "maybe"),
    "bad_json": ("cut", "maybe"),
    "html_200": ("bad_json", "maybe"),
    "no_choices": ("no_choices", "maybe"),
    "error_in_200": ("error_in_200", "maybe"),
    # a complete 200, however odd
    "no_usage": (None, "yes"),
    "slow_body": (None, "yes"),
    "gzip": (None, "yes"),
    "huge": (None, "yes"),
    "wrong_type": (None, "yes"),
    "null_content": (None, "yes"),
    "parts_content": (None, "yes"),
    "content_filter": (None, "yes"),
    "lone_surrogate": (None, "yes"),
}
STREAMS: dict[str, tuple[str | None, str]] = {
    "stream_cut": ("cut", "maybe"),
    "stream_error": ("error_in_200", "maybe"),
    "stream_ragged": (None, "yes"),
}
MORE: dict[str, dict[str, Any]] = {"slow_body": {"over_s": 0.05}, "huge": {"megabytes": 0.2}}


def test_the_tables_have_every_fault() -> None:
    """A fault added to the server is added here."""
    assert ENDS.keys() | STREAMS.keys() == {fault.value for fault in Fault}


def test_every_ending_is_billed_by_rule_7(
    hbench: Hbench, provider: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One run over as many endpoints as there are endings, each with its own lane and its own bill."""
    usual = runner._limits
    monkeypatch.setattr(runner, "_limits", lambda options: replace(usual(options), base_s=0.001))
    expected = ENDS | STREAMS
    servers = {
        fault: provider(rates=[{"share": 1.0, "fault": fault, **MORE.get(fault, {})}])
        for fault in expected
    }
    (hbench.folder / "hbench.toml").write_text(
        "".join(
            f'[providers.{name}]\nbase_url = "{server.base_url}"\n'
            f'stream = "{"always" if name in STREAMS else "never"}"\n'
            for name, server in servers.items()
        )
        + '[providers.nobody]\nbase_url = "http://127.0.0.1:9/v1"\n'
    )
    names = [*servers, "nobody"]
    done = hbench("run", "--suite", hbench.pairs(1), "--model", "m", "--timeout", 1, "--json",
                  *(part for name in names for part in ("--provider", name)), code=5).json  # fmt: skip
    rows = hbench.rows(
        "select e.provider, t.error, t.billed, count(*)::int as n,"
        " coalesce(sum(t.billable_output_tokens), 0)::bigint as sure,"
        " coalesce(sum(t.upper_output_tokens), 0)::bigint as most"
        " from attempts t join arms a using (arm_id) join endpoints e using (endpoint_id) group by all"
    )
    found = {row["provider"]: row for row in rows}
    assert len(rows) == len(names)  # every try of an endpoint ended in the same way
    told = {name: (row["error"], row["billed"]) for name, row in found.items()}
    assert told == expected | {"nobody": ("connect", "no")}
    for name, server in servers.items():
        bill, row = server.settled_bill(), found[name]
        assert row["n"] == bill["requests"], name
        assert row["sure"] == bill["complete"]["completion_tokens"], name
        charged = bill["complete"]["completion_tokens"] + bill["aborted"]["completion_tokens"]
        assert row["sure"] <= charged <= row["most"], name
    assert done["answered"] == 2 * sum(error is None for error, _ in expected.values())
    assert {"no_credits_402", "bad_key", "forbidden", "m at unknown_model"} <= done[
        "stopped"
    ].keys()


def test_a_provider_that_does_not_bill_a_500_is_believed(
    hbench: Hbench, provider: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fact of the file decides: then nothing is added to the bound."""
    usual = runner._limits
    monkeypatch.setattr(runner, "_limits", lambda options: replace(usual(options), base_s=0.001))
    fp = provider()
    fp.script(["server_error", "bad_gateway"])
    (hbench.folder / "hbench.toml").write_text(
        f'[providers.kind]\nbase_url = "{fp.base_url}"\nbilled_5xx = "no"\n'
        '[providers.kind.billed_status]\n502 = "yes"\n'
    )
    hbench(
        "run", "--suite", hbench.pairs(1), "--provider", "kind", "--model", "m", "--concurrency", 1
    )
    rows = hbench.rows(
        "select status, billed, upper_output_tokens as most from attempts order by attempt_id"
    )
    assert [(r["status"], r["billed"], r["most"] is None) for r in rows[:2]] == [
        (500, "no", True), (502, "yes", False),
    ]  # fmt: skip
