"""A ledger of a million cells, and the whole `hbench tax` command timed on it.

    python benchmarks/tax_million.py               # 10 arms x 50,000 items x 2 forms
    python benchmarks/tax_million.py --items 5000 --samples 5
    python benchmarks/tax_million.py --keep big.duckdb --all

The rows are made up, set by set in SQL from a seed: log-normal token counts, a tax near 1.4, three
replies in a hundred cut, a few errors, filtered replies, retries, far pairs and unpriced arms, so that
every branch of the query does its work. Prints the wall time of five runs of the command as a person
starts it: interpreter, imports, adoption of journals, SQL, statistics and table.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hinglishbench.ledger.store import connect

GENERATE = """
select setseed(0.42);

insert into endpoints
select i, 'endpoint:sha256:' || i, 'provider-' || i, 'direct', 'https://api.example/' || i
from range(1, 4) t(i);

insert into prompts values (1, 'prompt:sha256:1', 'fair', '{}');

insert into arms
select i, 'arm:sha256:' || i, 1 + i % 3, 1, 'model-' || i, case when i % 2 = 0 then 'low' end, null, 1024,
       '{"model":"model-' || i || '","max_tokens":1024}'
from range(1, $arms + 1) t(i);

-- One price changes in the middle of the run, one model has none.
insert into prices by name
select row_number() over () as price_id, row_number() over () as set_id,
       'provider-' || (1 + i % 3) as provider, 'model-' || i as model, 'user' as source, 1 as priority, start_at,
       0.0000003 as input_usd, 0.00000006 as cached_input_usd, 0.0000012 * k as output_usd, now()::timestamp as recorded_at
from range(2, $arms + 1) t(i),
     (values (timestamp '1970-01-01', 1), (timestamp '2026-01-03', 2)) s(start_at, k);

insert into items
select i, 'made-up', 'item-' || i, '"' || i || '"', 'numeric', null, 'topic-' || i % 40, null, null
from range(1, $items + 1) t(i);

insert into texts
select 2 * i - 1 + f, i, case when f = 0 then 'en' else 'cm-rom' end, 'question ' || i || ' ' || f
from range(1, $items + 1) t(i), range(0, 2) u(f);

insert into runs values (1, 'made-up', '', 0, 'live', 'made-up', '0', '{}', timestamp '2026-01-01',
                         timestamp '2026-01-05', 'done', '{}');

-- One row a cell, in the order of asking, as an engine with many workers leaves them.
create temp table asked as
with drawn as (
    select a, i, s, f, random() as u, random() as v, random() as w, random() as x,
           hash(a, i, s) as place, random() as wobble
    from range(1, $arms + 1) ta(a), range(1, $items + 1) ti(i), range(0, $samples) ts(s), range(0, 2) tf(f)
)
select row_number() over (order by place, f) as id,
       (a - 1)::bigint * $items * $samples + (i - 1) * $samples + s + 1 as block_id,
       a, i, s, f, u, v, w, x,
       timestamp '2026-01-01' + to_milliseconds((row_number() over (order by place, f)) * 300)
           + case when wobble < 0.002 then interval 2 hour else interval 0 hour end as sent_at,
       -- Box and Muller: log tokens spread by 0.4 about log 180 (English) and log 250 (Hinglish).
       least(1024, greatest(1, (case f when 0 then 180 else 250 end)
           * exp(0.4 * sqrt(-2 * ln(1 - u)) * cos(6.283185307 * v)) * case when x < 0.03 then 5 else 1 end
       )::integer)::integer as tokens
from drawn;

insert into requests
select id, md5(id::varchar)::uuid, a, 1, s, 'eval', 'made-up', 'live',
       case when w < 0.001 then 'error' else 'answered' end, 2 * id, 2 * i - 1 + f, null
from asked order by id;

-- A retry in fifty: its first attempt was refused and not billed.
insert into attempts
select 2 * id - 1, id, 1, a, 1, 'live', sent_at - interval 1 second, sent_at, null, 429, 'rate_limited',
       'slow down', 'no', null, null, null, null, null, null, null, null, null, null, null, null, null, null,
       null, null
from asked where w > 0.98 order by id;

insert into attempts
select 2 * id, id, 1, a, case when w > 0.98 then 2 else 1 end, 'live', sent_at, sent_at + interval 2 second,
       0.5, case when w < 0.001 then 500 else 200 end, case when w < 0.001 then 'server_error' end, null,
       case when w < 0.001 then 'maybe' else 'yes' end,
       case when w >= 0.001 then 120 end, case when w >= 0.001 then tokens end, null, 0,
       case when w >= 0.001 then tokens end, 'inside', 1200, 1024, null,
       case when w < 0.001 then null when w < 0.002 then 'content_filter'
            when tokens >= 1024 then 'length' else 'stop' end,
       'model-' || a, 'reply-' || id, null,
       repeat('a step of the working, ', 1 + tokens // 8) || i, null, '{"completion_tokens":' || tokens || '}'
from asked order by id;

insert into grades
select id, id, 2 * id, 'numeric/1', '"' || i || '"', i::varchar,
       case when w < 0.002 then 'filtered' when tokens >= 1024 then 'truncated'
            when v < 0.93 - 0.04 * f then 'correct' when v < 0.99 then 'wrong' else 'unparsed' end,
       0, 'final line', sent_at
from asked where w >= 0.001 order by id;

insert into cells
select a.id, block_id, a.a, a.i, case when f = 0 then 'en' else 'cm-rom' end, s, 'live', 2 * i - 1 + f, a.id, null,
       2 * a.id, g.grade_id, case when w < 0.001 then 'error' else g.outcome end
from asked a left join grades g on g.grade_id = a.id
order by block_id, f;
"""


def make(path: Path, *, arms: int, items: int, samples: int) -> None:
    """Write the ledger."""
    sizes = {"arms": arms, "items": items, "samples": samples}
    with connect(path, write=True) as connection:
        for statement in connection.extract_statements(GENERATE):
            named = {key: sizes[key] for key in statement.named_parameters}
            connection.execute(statement, named)
        connection.execute("checkpoint")


COMMANDS = [
    ["tax"],
    ["tax", "--json"],
    ["tax", "--cluster", "topic"],
    ["power"],
    ["compare", "--model", "model-2", "model-4"],
]


def main() -> None:
    """Make the ledger if need be, time the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--arms", type=int, default=10)
    parser.add_argument("--items", type=int, default=50_000)
    parser.add_argument("--samples", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--all", action="store_true", help="the other commands on pairs as well")
    parser.add_argument("--keep", type=Path, help="the ledger's file; used again when it is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.keep or Path(folder) / "million.duckdb"
        if not path.exists():
            started = time.perf_counter()
            make(path, arms=options.arms, items=options.items, samples=options.samples)
            print(
                f"made {path} in {time.perf_counter() - started:.1f} s, {path.stat().st_size / 1e6:.0f} MB"
            )
        cells = options.arms * options.items * options.samples * 2
        print(
            f"{cells:,} cells, {os.cpu_count()} cores, median of {options.runs} (best, worst), processor"
        )
        for command in COMMANDS if options.all else COMMANDS[:1]:
            took, cpu = zip(*(timed(command, path) for _ in range(options.runs)), strict=True)
            print(
                f"hbench {' '.join(command):<40} {statistics.median(took):5.2f} s"
                f" ({min(took):.2f}, {max(took):.2f}) {statistics.median(cpu):5.2f} s"
            )


def timed(command: list[str], path: Path) -> tuple[float, float]:
    """Run it as a person would; wall and processor seconds (the second does not grow with the
    machine's other work)."""
    before, started = os.times(), time.perf_counter()
    program = [sys.executable, "-m", "hinglishbench.cli.main", *command, "--ledger", str(path)]
    subprocess.run(program, check=True, capture_output=True)
    took, after = time.perf_counter() - started, os.times()
    cpu = (
        after.children_user - before.children_user + after.children_system - before.children_system
    )
    return took, cpu


if __name__ == "__main__":
    main()
