"""How long it takes to price a million attempts: `hbench cost` and the view behind it.

    python benchmarks/pricing_speed.py [attempts]

The ledger is made up: four arms, a price that changes in the middle, one arm whose price depends on
the hour and on the prompt's size, 2% of attempts maybe billed, 1% refused, a tenth with reasoning.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from hinglishbench.ledger.prices import add_prices
from hinglishbench.ledger.reader import Ledger
from hinglishbench.ledger.store import connect
from hinglishbench.pricing.price import PriceRow

MILLION = 1_000_000

_FILL = """
insert into runs (run_id, run_key, journal, origin, suite, version, options, started_at)
    values (1, 'r', '', 'live', 's', '0', '{}', timestamp '2026-11-01');
insert into prompts values (1, 'prompt:x', 'fair', '{}');
insert into endpoints select 1 + i, 'endpoint:' || i, 'p' || i, 'direct', 'a' from range(4) t(i);
insert into arms select 1 + i, 'arm:' || i, 1 + i, 1, 'm', null, null, 4096, '{}' from range(4) t(i);
insert into requests select i, uuid(), 1 + i % 4, 1, 0, 'eval', 's', 'live', 'answered', i, null, null
    from range($n) t(i);
insert into cells by name
select i as cell_id, i // 2 as block_id, 1 + i % 4 as arm_id, i // 8 as item_id, if(i % 2 = 0, 'en', 'hi') as form,
    0 as sample, 'live' as origin, 1 as text_id, i as request_id, i as attempt_id,
    if(i % 3 = 0, 'wrong', 'correct') as outcome
from range($n) t(i);
insert into attempts by name
select i as attempt_id, i as request_id, 1 as run_id, 1 + i % 4 as arm_id, 1 as try, 'live' as origin,
    timestamp '2026-11-01' + to_seconds(i % 1728000) as sent_at,
    case when i % 100 < 2 then 'maybe' when i % 100 = 2 then 'no' else 'yes' end as billed,
    case when i % 100 > 2 then 60 + i % 300 end as prompt_tokens,
    case when i % 100 > 2 then 100 + i % 900 end as billable_output_tokens,
    case when i % 100 > 2 and i % 10 = 3 then i % 90 end as reasoning_tokens,
    case when i % 100 > 2 then i % 50 end as cached_tokens,
    case when i % 100 > 2 then 60 + i % 300 else 1500 end as upper_prompt_tokens,
    case when i % 100 > 2 then 100 + i % 900 else 4096 end as upper_output_tokens,
    repeat('some words of an answer ', 20) as text
from range($n) t(i);
"""


def prices() -> list[PriceRow]:
    def row(provider: str, usd: str, **more: Any) -> PriceRow:
        each = Decimal(usd)
        return PriceRow(provider, "m", "user", 10, each, 4 * each, each / 10, **more)

    later = datetime(2026, 11, 10)  # noqa: DTZ001  naive UTC, as the ledger
    rows = [row(f"p{i}", "0.0000006") for i in range(3)]
    rows += [row("p0", "0.0000005", start_at=later), row("p1", "0.0000004", start_at=later)]
    for above, usd in ((0, "0.000001"), (200, "0.000002")):
        for start, end in ((0, 3600), (3600, 14400), (14400, 86400)):
            rows.append(row("p3", usd, above_tokens=above, day_from_s=start, day_to_s=end))
    return rows


def best_of(times: int, work: Callable[[], object]) -> str:
    took, cpu = [], []
    for _ in range(times):
        started, busy = time.perf_counter(), time.process_time()
        work()
        took.append(time.perf_counter() - started)
        cpu.append(time.process_time() - busy)
    return f"{min(took):.3f} s ({min(cpu):.3f} s of CPU on {os.cpu_count()} cores)"


def main(attempts: int = MILLION) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.duckdb"
        with connect(path, write=True) as connection:
            for statement in connection.extract_statements(_FILL):
                connection.execute(statement, {"n": attempts} if statement.named_parameters else {})
            add_prices(connection, prices(), datetime(2026, 11, 1))  # noqa: DTZ001  naive UTC
        ledger = Ledger(path)
        view = (
            "select sum(cost_usd), sum(cost_upper_usd), count(unpriced_reason) from attempt_costs"
        )
        print(f"{attempts:,} attempts; best of 5, opening and closing the ledger included")
        print(f"  the view attempt_costs      {best_of(5, lambda: ledger.ask(view))}")
        print(f"  hbench cost                 {best_of(5, ledger.cost)}")
        print(
            f"  hbench cost --by model,day  {best_of(5, lambda: ledger.cost(by=('model', 'day')))}"
        )
        print("  sums:", ledger.ask(view).rows[0])


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
