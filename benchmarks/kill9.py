"""kill -9 at random moments, then the same command: what is lost, what is paid again, what is doubted.

`python -m benchmarks.kill9 [--times 20] [--seed 0]` prints one line a trial and a Markdown row at the end.
In each trial the command is killed one to three times, anywhere from its start to its end, and then
left to finish. Read off the journal at each death: replies that had arrived, attempts in flight. Held
against it afterwards (exit 1 when one does not hold):

- every reply that had arrived is reused: no arrived answer is asked, or paid, again;
- what is paid again was in flight at a kill;
- each attempt sent and never ended is in the ledger as maybe billed, and no other is;
- attempts in the ledger: all that the server saw, and at most those that a kill kept from going out;
- the ledger is sound, and sure + maybe brackets the server's bill.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hinglishbench.ledger import journal
from tests.fakeprovider import FakeProvider
from tests.fakeprovider.provider import SpawnedProvider

HBENCH = [sys.executable, "-m", "hinglishbench.cli.main"]
CONCURRENCY = 16
PRICE_IN, PRICE_OUT = 1.0, 2.0
PRICES = f"""[[prices]]
provider = "openai-compatible"
model = "fake/model"
input = {PRICE_IN}
output = {PRICE_OUT}
"""


@dataclass
class Trial:
    """What one trial came to."""

    kills: int = 0
    arrived: int = 0
    in_flight: int = 0
    paid_again: int = 0
    maybe: int = 0
    faults: list[str] = field(default_factory=list)

    def hold(self, *, true: bool, what: str) -> None:
        if not true:
            self.faults.append(what)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=20, help="trials")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cells", type=int, default=400)
    parser.add_argument("--latency", type=float, default=0.05, help="seconds")
    args = parser.parse_args()
    luck = random.Random(args.seed)
    trials = []
    with FakeProvider.spawn(latency_s=args.latency, completion_spread=0.5) as server:
        for number in range(args.times):
            server.reset()
            with tempfile.TemporaryDirectory() as folder:
                trial = _trial(Path(folder), server, luck, args.cells)
            trials.append(trial)
            print(f"{number + 1:3d}  killed {trial.kills}x · arrived {trial.arrived} · in flight {trial.in_flight}"
                  f" · paid again {trial.paid_again} · maybe {trial.maybe}"
                  f" · {'; '.join(trial.faults) or 'holds'}", flush=True)  # fmt: skip
    failed = sum(bool(trial.faults) for trial in trials)
    again, flying = sum(t.paid_again for t in trials), sum(t.in_flight for t in trials)
    print(f"\n| kill -9 {sum(t.kills for t in trials)}x in {len(trials)} runs, then the same command: paid again |"
          f" {again} of {flying} in flight, {sum(t.maybe for t in trials)} maybe billed,"
          f" {failed} runs with a fault |")  # fmt: skip
    sys.exit(1 if failed else 0)


def _trial(folder: Path, server: SpawnedProvider, luck: random.Random, cells: int) -> Trial:
    trial = Trial()
    (folder / "prices.toml").write_text(PRICES)
    _suite(folder / "pairs.jsonl", cells // 2)
    command = [*HBENCH, "run", "--provider", "openai-compatible", "--base-url", server.base_url, "--model", "fake/model",
               "--suite", "pairs.jsonl", "--concurrency", str(CONCURRENCY), "--json"]  # fmt: skip
    # Start-up, request phase and the last intake together; the machine decides, so it is measured once.
    whole = 0.8 + cells / CONCURRENCY * server.settings.latency_s
    read: set[str] = set()
    for _ in range(luck.randint(1, 3)):
        process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(luck.uniform(0.1, whole))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        else:
            break  # it was done before the moment came
        trial.kills += 1
        _settled(server)
        for path in set(folder.glob("*.journal/*")):
            if path.name not in read:
                read.add(path.name)
                arrived, flying = _at_death(path)
                trial.arrived += arrived
                trial.in_flight += flying
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    trial.hold(
        true=done.returncode == 0, what=f"exit {done.returncode}: {done.stderr.strip()[-200:]}"
    )
    if done.returncode:
        return trial
    _check(trial, folder, server, json.loads(done.stdout), cells)
    return trial


def _check(
    trial: Trial, folder: Path, server: SpawnedProvider, last: dict[str, Any], cells: int
) -> None:
    bill = _settled(server)
    [cost] = _ask(folder, "cost", "--json")
    verify = _ask(folder, "ledger", "verify", "--json")
    trial.paid_again = bill["billed_again"]
    trial.maybe = cost["maybe_billed_attempts"]
    trial.hold(true=last["reused"] + last["asked"] == cells, what="the plan lost cells")
    trial.hold(
        true=cost["attempts"] - trial.maybe == cells, what="an arrived answer was asked again"
    )
    trial.hold(true=trial.paid_again <= trial.in_flight, what="paid again more than was in flight")
    trial.hold(true=trial.maybe == trial.in_flight, what="maybe billed is not what was in flight")
    trial.hold(
        true=cost["attempts"] - trial.in_flight <= bill["requests"] <= cost["attempts"],
        what=f"{cost['attempts']} attempts, {bill['requests']} requests",
    )
    trial.hold(true=verify["faults"] == {}, what=f"unsound: {verify['faults']}")
    sums = [bill[kind] for kind in ("complete", "aborted")]
    usd = (
        sum(s["prompt_tokens"] * PRICE_IN + s["completion_tokens"] * PRICE_OUT for s in sums) / 1e6
    )
    bracket = (cost["cost_usd"], cost["cost_upper_usd"])
    trial.hold(
        true=bracket[0] - 1e-9 <= usd <= bracket[1] + 1e-9, what=f"bill {usd} outside {bracket}"
    )


def _at_death(path: Path) -> tuple[int, int]:
    """Replies that had arrived and attempts in flight, as the journal of a dead run has them."""
    events = journal.read_from(path, 0).events
    arrived = sum(event["e"] == "end" for event in events)
    return arrived, sum(1 for _ in journal.open_attempts(path))


def _suite(path: Path, items: int) -> None:
    path.write_text(
        "".join(
            json.dumps({"id": f"k{i}", "answer": "42",
                        "forms": {"en": f"What is item {i} times six?", "cm-rom": f"Item {i} ka chhe guna kitna hai?"}})
            + "\n"
            for i in range(items)
        )
    )  # fmt: skip


def _ask(folder: Path, *args: str) -> Any:
    done = subprocess.run([*HBENCH, *args], cwd=folder, capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def _settled(server: SpawnedProvider) -> dict[str, Any]:
    """The bill once the server has noticed every hang-up."""
    time.sleep(0.02)
    return server.settled_bill()


if __name__ == "__main__":
    main()
