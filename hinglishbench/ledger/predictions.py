"""Predictions: a ledger's answers as plain files that can be read, diffed, published and taken back.

One folder an arm, `predictions/<suite>/<provider>__<model>__<effort>__<prompt>__<digest, 8>/`, with
`arm.json` (what was under test, its prompt and the prices used) and `<form>.jsonl`, one line an item
and sample, errors too. `import_predictions` rebuilds a ledger that gives the same `tax`; imported
answers are never taken for live ones.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import Any

from hinglishbench import __version__
from hinglishbench.canonical import canonical_json
from hinglishbench.clock import utc_now
from hinglishbench.errors import InputError, RefusedError
from hinglishbench.grading import GRADERS
from hinglishbench.ledger import planning
from hinglishbench.ledger.identity import ArmRow, EndpointRow, PromptRow, RunRow
from hinglishbench.ledger.intake import GivenGrade, insert_attempts, transaction
from hinglishbench.ledger.planning import ItemRow, WantedRow
from hinglishbench.ledger.prices import add_prices
from hinglishbench.ledger.reader import Ledger
from hinglishbench.ledger.store import connect, query
from hinglishbench.pricing.price import ALWAYS, PriceRow
from hinglishbench.suites.parallel import safe_name
from hinglishbench.suites.prompts import Prompt
from hinglishbench.suites.request import request_body, request_digest, slot_values

FORMAT = "hinglishbench-predictions/1"
_LINE = (
    "id", "sample", "question", "gold", "output", "reasoning", "finish_reason", "parsed", "outcome",
    "method", "grader", "grader_version", "prompt_tokens", "completion_tokens",
    "billable_output_tokens", "output_rule", "reasoning_tokens", "cached_tokens", "cost_usd",
    "price_source", "billed", "error", "message", "status", "model_observed", "reply_id", "first_token_s",
    "seconds", "asked_at", "tier", "topic", "options", "origin",
)  # fmt: skip
_JSON_COLUMNS = ("gold", "options")
_KINDS: dict[str, type | tuple[type, ...]] = {
    "gold": (str, list), "options": dict, "context": (str, dict), "first_token_s": (int, float),
    "seconds": (int, float),
    **dict.fromkeys(
        ("sample", "prompt_tokens", "completion_tokens", "billable_output_tokens", "reasoning_tokens",
         "cached_tokens", "status"), int,
    ),
}  # fmt: skip
_NEGATIVE_NEVER = ("sample", "prompt_tokens", "completion_tokens", "billable_output_tokens",
                   "reasoning_tokens", "cached_tokens")  # fmt: skip
_INT32 = 2**31  # the columns' type
_OUTCOMES = frozenset({"correct", "wrong", "unparsed", "truncated", "filtered", "error"})


# --- out ---------------------------------------------------------------------------------------


def export_predictions(
    ledger: Ledger, folder: Path, *, origin: str = "live", suite: str | None = None
) -> list[Path]:
    """Write the answers of a ledger; the folders written, in order.

    Files are replaced whole, each through a temporary neighbour, so a reader never sees half a file.

    Raises:
        RefusedError: the ledger has no answers of that origin (and suite).
    """
    rows = ledger.ask(query("export"), {"origin": origin, "suite": suite}).dicts()
    if not rows:
        raise RefusedError(
            f"{ledger.path} has no {origin} answers" + (f" of suite {suite}" if suite else ""),
            hint="see `hbench ledger runs`",
        )
    prices = ledger.ask(
        "select distinct p.*, a.arm_id from arm_prices ap join prices p using (price_id)"
        " join arms a using (arm_id) order by p.price_id"
    ).dicts()
    written = []
    for (suite_name, _), group in groupby(rows, key=lambda r: (r["suite"], r["arm_id"])):
        cells = list(group)
        first = cells[0]
        name = "__".join(
            safe_name(str(part))
            for part in (first["provider"], first["model"], first["effort"] or "default",
                         first["prompt"], first["arm_digest"].rpartition(":")[2][:8])
        )  # fmt: skip
        target = folder / safe_name(suite_name) / name
        target.mkdir(parents=True, exist_ok=True)
        _write(
            target / "arm.json",
            json.dumps(_arm_json(first, prices), ensure_ascii=False, indent=2) + "\n",
        )
        files: dict[str, list[str]] = {}
        for row in cells:
            name = safe_name(row["form"])
            line = _line(row)
            if name != row["form"]:  # two forms may come to the same safe name
                line["form"] = row["form"]
            files.setdefault(name, []).append(json.dumps(line, ensure_ascii=False) + "\n")
        for name, lines in files.items():
            _write(target / f"{name}.jsonl", "".join(lines))
        written.append(target)
    return written


def _write(path: Path, text: str) -> None:
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(text, "utf-8")
    os.replace(temporary, path)  # noqa: PTH105  atomic on every platform, unlike rename


def _arm_json(row: Mapping[str, Any], prices: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "suite": row["suite"],
        "provider": row["provider"],
        "route": row["route"],
        "address": row["address"],
        "model": row["model"],
        "effort": row["effort"],
        "temperature": row["temperature"],
        "max_tokens": row["max_tokens"],
        "params": json.loads(row["params"]),
        "prompt": json.loads(row["prompt_content"]),
        "prompt_digest": row["prompt_digest"],
        "arm_digest": row["arm_digest"],
        "prices": [
            {
                key: str(value)
                for key, value in price.items()
                if value is not None and key not in {"price_id", "set_id", "arm_id", "recorded_at"}
            }
            for price in prices
            if price["arm_id"] == row["arm_id"]
        ],
    }


def _line(row: Mapping[str, Any]) -> dict[str, Any]:
    line = {key: row[key] for key in _LINE}
    for key in _JSON_COLUMNS:
        line[key] = None if line[key] is None else json.loads(line[key])
    if context := json.loads(row["meta"] or "{}").get("context"):
        line["context"] = context
    if row["cost_usd"] is not None:
        line["cost_usd"] = format(row["cost_usd"].normalize(), "f")
    for key in ("first_token_s", "seconds"):
        line[key] = None if line[key] is None else round(line[key], 6)
    line["asked_at"] = None if row["asked_at"] is None else row["asked_at"].isoformat()
    return {key: value for key, value in line.items() if value is not None}


# --- in ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Cell:
    """One line of a predictions file, checked."""

    form: str
    line: dict[str, Any]


def import_predictions(folder: Path, ledger: Path) -> dict[str, int]:
    """Take predictions into a ledger as `origin = import`; arms and cells taken in.

    Raises:
        RefusedError: there are no predictions below the folder.
        InputError: a file of them is wrong; nothing of its arm is taken in.
    """
    arms = sorted(folder.rglob("arm.json"))
    if not arms:
        raise RefusedError(
            f"there are no predictions below {folder}",
            hint="a predictions folder has arm.json and FORM.jsonl; `hbench export` writes one",
        )
    counts = {"arms": 0, "cells": 0}
    with connect(ledger, write=True) as connection:
        for path in arms:
            arm, document, prices = _read_arm(path)
            cells = list(_read_cells(path.parent))
            counts["arms"] += 1
            counts["cells"] += len(cells)
            add_prices(connection, prices, utc_now())
            _import_arm(connection, ledger, arm, str(document["suite"]), cells)
    return counts


def _read_arm(path: Path) -> tuple[ArmRow, dict[str, Any], list[PriceRow]]:
    try:
        document = json.loads(path.read_text("utf-8"))
        if document.get("format") != FORMAT:
            raise InputError(path, None, f"not predictions: format must be {FORMAT!r}")
        content = document["prompt"]
        prompt = Prompt(content["id"], content)
        arm = ArmRow(
            EndpointRow(document["provider"], document["route"], document["address"]),
            PromptRow(prompt.name, prompt.digest, content),
            document["model"],
            document["effort"],
            document["temperature"],
            document["max_tokens"],
            document["params"],
        )
        prices = _prices(document)
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
        raise InputError(path, None, f"not an arm: {error!r}") from error
    return arm, document, prices


def _prices(document: Mapping[str, Any]) -> list[PriceRow]:
    money = ("input_usd", "cached_input_usd", "output_usd", "reasoning_usd", "request_usd",
             "cache_write_usd")  # fmt: skip
    whole = ("above_tokens", "day_from_s", "day_to_s")
    rows = []
    for price in document.get("prices", ()):
        own: dict[str, Any] = {key: Decimal(price[key]) for key in money if key in price}
        own |= {key: int(price[key]) for key in whole if key in price}
        own |= {key: own.get(key) for key in ("input_usd", "output_usd")}
        start = datetime.fromisoformat(price["start_at"]) if "start_at" in price else ALWAYS
        rows.append(
            PriceRow(
                provider=price["provider"], model=price["model"], source=price["source"],
                priority=int(price["priority"]), start_at=start, note=price.get("note"),
                route=price.get("route"), **own,
            )
        )  # fmt: skip
    return rows


def _read_cells(folder: Path) -> Iterator[_Cell]:
    first: dict[tuple[str, str, int], str] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for number, text in enumerate(path.read_text("utf-8").split("\n"), 1):
            if not text.strip():
                continue
            try:
                line = json.loads(text)
            except ValueError as error:
                raise InputError(path, number, f"not JSON: {error}") from error
            if not isinstance(line, dict):
                raise InputError(path, number, "not an object")
            if fault := _fault(line):
                raise InputError(path, number, fault)
            cell = _Cell(line.get("form", path.stem), line)
            place = f"{path.name}:{number}"
            before = first.setdefault((cell.form, line["id"], line["sample"]), place)
            if before != place:
                raise InputError(path, number, f"the same item and sample as {before}")
            yield cell


def _fault(line: Mapping[str, Any]) -> str | None:
    """What is wrong with a line, None when nothing is."""
    needed = ["id", "sample", "question", "gold", "grader"]
    outcome = line.get("outcome")
    if outcome is not None:
        needed += ["asked_at", "billed"]
        if outcome != "error":
            needed += ["method", "grader_version"]
    for key in needed:
        if line.get(key) is None:
            return f"has no {key}"
    for key, value in line.items():
        wanted = _KINDS.get(key, str)
        if not isinstance(value, wanted) or isinstance(value, bool):
            return f"{key} cannot be {json.dumps(value, ensure_ascii=False)[:60]}"
    for key in _NEGATIVE_NEVER:
        if not 0 <= line.get(key, 0) < _INT32:
            return f"{key} cannot be {line[key]}"
    if line["grader"] not in GRADERS:
        return f"there is no grader {line['grader']!r}"
    if outcome is not None and outcome not in _OUTCOMES:
        return f"there is no outcome {outcome!r}"
    try:
        datetime.fromisoformat(line.get("asked_at", "2026-01-01"))
    except ValueError:
        return f"asked_at is no time: {line['asked_at']!r}"
    return None


def _import_arm(
    connection: Any, ledger: Path, arm: ArmRow, suite: str, cells: Sequence[_Cell]
) -> None:
    now = utc_now()
    run = RunRow(
        f"import-{arm.digest.rpartition(':')[2][:8]}-{os.urandom(4).hex()}", "", "import", suite,
        __version__, {"imported": arm.digest}, now,
    )  # fmt: skip
    ordered = sorted(cells, key=lambda c: (c.line["id"], c.line["sample"], c.form))
    claimed = planning.claim(
        connection,
        ledger,
        run=run,
        arms=[arm],
        items=_items(suite, ordered),
        wanted=_wanted(arm, ordered),
        fresh=True,
        gap_s=0,
        now=run.started_at,
    )
    ends = [
        _end(ask.request_id, claimed.arm_ids[0], ordered[ask.seq].line)
        for ask in claimed.asks
        if ordered[ask.seq].line.get("outcome") is not None
    ]
    given = {
        cell_id: GivenGrade(
            line["grader_version"], line.get("parsed"), line["outcome"],
            float(line["outcome"] == "correct"), line["method"],
        )
        for seq, cell_id in connection.execute(query("plan_cells"), {"origin": "import"}).fetchall()
        if (line := ordered[seq].line).get("outcome") not in (None, "error")
    }  # fmt: skip
    with transaction(connection):
        insert_attempts(connection, claimed.run, ends, given)
        connection.execute(
            "update runs set status = 'done', ended_at = ? where run_id = ?",
            [now, claimed.run.run_id],
        )


def _items(suite: str, cells: Sequence[_Cell]) -> Iterator[ItemRow]:
    seen: set[str] = set()
    for cell in cells:
        line = cell.line
        if line["id"] in seen:
            continue
        seen.add(line["id"])
        options = line.get("options")
        yield (
            len(seen), suite, line["id"], canonical_json(line["gold"]), line["grader"],
            line.get("tier"), line.get("topic"),
            None if options is None else json.dumps(options, ensure_ascii=False),
            canonical_json({"context": line["context"]}) if "context" in line else None,
        )  # fmt: skip


def _wanted(arm: ArmRow, cells: Sequence[_Cell]) -> Iterator[WantedRow]:
    prompt = Prompt(arm.prompt.name, arm.prompt.content)
    english = {cell.line["id"]: cell.line["question"] for cell in cells if cell.form == "en"}
    for seq, cell in enumerate(cells):
        line = cell.line
        options = line.get("options") or {}
        values = slot_values(
            line["question"], english.get(line["id"]), cell.form,
            options.get("options", ()), options.get("labels", ()), line.get("context"),
        )  # fmt: skip
        body = request_body(arm.params, prompt.messages(cell.form, values))
        digest = request_digest(arm.endpoint.digest, body, line["sample"])
        yield (seq, 0, line["id"], cell.form, line["question"], line["sample"], digest)


def _end(request_id: int, arm_id: int, line: Mapping[str, Any]) -> dict[str, Any]:
    sent = datetime.fromisoformat(line["asked_at"]).replace(tzinfo=UTC).timestamp()
    stated = line.get("price_source") == "stated by the provider"
    copied = ("reasoning", "finish_reason", "prompt_tokens", "completion_tokens", "output_rule",
              "billable_output_tokens", "reasoning_tokens", "cached_tokens", "billed", "error", "message",
              "status", "reply_id", "first_token_s")  # fmt: skip
    return {
        "r": request_id, "n": 1, "arm": arm_id, "sent_at": sent, "at": sent + line.get("seconds", 0.0),
        "text": line.get("output"), "model": line.get("model_observed"),
        "reported_cost_usd": line.get("cost_usd") if stated else None,
        "upper_prompt_tokens": line.get("prompt_tokens"),
        "upper_output_tokens": line.get("billable_output_tokens"),
        "final": "error" if line["outcome"] == "error" else "answered",
        **{key: line.get(key) for key in copied},
    }  # fmt: skip
