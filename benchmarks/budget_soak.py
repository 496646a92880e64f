"""Thousands of calls of random size, with faults, against the test server's own bill, at many caps.

    python benchmarks/budget_soak.py [blocks] [seeds]

Each row is one run of the whole command. `bill` is what the server would charge, lost replies
included; it must never pass `cap`. `unused` is what was neither spent nor reserved when a run
stopped with work left; it must be less than `bound`, what the next call could have cost.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from decimal import Decimal
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from hinglishbench.run.options import RunOptions  # noqa: E402  after the path
from hinglishbench.run.runner import run  # noqa: E402  the same
from tests.fakeprovider import FakeProvider  # noqa: E402  the same

USD_IN, USD_OUT = 100, 1000  # per million tokens: dear, so that caps are round
FAULTS = {
    "server_error": 0.05, "reset_after": 0.03, "reset_before": 0.02, "cut_body": 0.03, "no_usage": 0.02,
    "bad_json": 0.02, "empty_200": 0.01, "error_in_200": 0.01, "overloaded": 0.02, "content_filter": 0.02,
}  # fmt: skip
SHARES = (0.0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0, 2.0)  # of what everything would cost


def suite(path: Path, blocks: int, luck: random.Random) -> None:
    with path.open("w") as file:
        for i in range(blocks):
            more = "very " * luck.choice([0, 1, 5, 20, 100, 400])
            forms = {"en": f"What is {more}item {i}?", "cm-rom": f"Item {i} {more}kya hai?"}
            file.write(json.dumps({"id": f"k{i}", "answer": "42", "forms": forms}) + "\n")


def dollars(bill: dict[str, Any]) -> Decimal:
    usd = Decimal(0)
    for kind in ("complete", "aborted"):
        usd += bill[kind]["prompt_tokens"] * Decimal(USD_IN)
        usd += bill[kind]["completion_tokens"] * Decimal(USD_OUT)
    return usd / 1_000_000


def one(server: Any, folder: Path, cap: Decimal, name: str) -> tuple[dict[str, Any], Decimal]:
    server.reset()
    options = RunOptions(
        suite=str(folder / "suite.jsonl"), providers=("openai-compatible",), models=("fake/model",),
        base_url=server.base_url, max_tokens=64, max_usd=cap, ledger=folder / f"{name}.duckdb",
    )  # fmt: skip
    result = run(options, quiet=True)
    return result.as_json(), dollars(server.settled_bill())


def main(blocks: int = 1500, seeds: int = 3) -> None:
    calls = passed = wasted = 0
    print(
        f"{'cap':>10} {'bill':>12} {'upper':>12} {'calls':>6} {'status':>8} {'unused':>10} {'bound':>8} {'s':>6}"
    )
    for seed in range(seeds):
        luck = random.Random(seed)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            os.chdir(folder)
            suite(folder / "suite.jsonl", blocks, luck)
            (folder / "prices.toml").write_text(
                f'[[prices]]\nprovider = "openai-compatible"\nmodel = "fake/model"\ninput = {USD_IN}\noutput = {USD_OUT}\n'
            )
            with FakeProvider.spawn(
                seed=seed, completion_tokens=40, completion_spread=1.0, rates=FAULTS, bill_5xx=True,
                latency_s=0.01, latency_kind="lognormal", usage=("inside", "outside", "no_total")[seed % 3],
                reasoning_tokens=(0, 10, 10)[seed % 3],
            ) as server:  # fmt: skip
                whole = None
                for share in (*reversed(SHARES),):
                    cap = (
                        Decimal(10_000)
                        if whole is None
                        else (whole * Decimal(str(share))).quantize(Decimal("1e-6"))
                    )
                    started = time.perf_counter()
                    done, bill = one(server, folder, cap, f"cap-{share}")
                    took = time.perf_counter() - started
                    whole = whole or bill
                    calls += done["attempts"]
                    budget = done["budget"]
                    stopped = done["status"] == "budget"
                    passed += bill > cap or Decimal(str(done["cost_upper_usd"])) > cap
                    wasted += stopped and budget["left_usd"] >= budget["next_bound_usd"]
                    wasted += done["left"] > 0 and not stopped
                    print(
                        f"{cap:>10.4f} {bill:>12.6f} {done['cost_upper_usd']:>12.6f} {done['attempts']:>6}"
                        f" {done['status']:>8} {budget['left_usd'] if stopped else 0:>10.6f}"
                        f" {budget['next_bound_usd'] or 0:>8.4f} {took:>6.1f}"
                    )
    print(
        f"{calls:,} calls; caps passed: {passed}; caps with more than one call's bound unused: {wasted}"
    )
    sys.exit(1 if passed or wasted else 0)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
