"""`hbench ledger verify`: every digest re-derived, every reference checked."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hinglishbench.canonical import digest
from hinglishbench.ledger.reader import Ledger
from hinglishbench.ledger.store import query
from hinglishbench.suites.prompts import Prompt
from hinglishbench.suites.request import request_body, request_digest, slot_values


@dataclass
class Report:
    """What was checked, and what is wrong.

    Attributes:
        checked: how many of each kind were re-derived.
        faults: kind of fault to how many; empty: the ledger is sound.
        notes: sentences about journals.
    """

    checked: dict[str, int] = field(default_factory=dict)
    faults: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


def verify(path: Path | None) -> Report:
    """Check a ledger.

    Raises:
        NoLedgerError: there is none.
    """
    ledger = Ledger(path)
    report = Report()
    for fault, count in ledger.ask(query("verify")).rows:
        report.faults[fault] += count
    _check_names(ledger, report)
    _check_requests(ledger, report)
    report.notes = ledger.notes
    return report


def _check_names(ledger: Ledger, report: Report) -> None:
    endpoints = ledger.ask("select digest, provider, route, address from endpoints").rows
    for stored, *parts in endpoints:
        report.faults["endpoint digests that do not fit"] += stored != digest("endpoint", parts)
    prompts = ledger.ask("select digest, content from prompts").rows
    for stored, content in prompts:
        report.faults["prompt digests that do not fit"] += stored != digest(
            "prompt", json.loads(content)
        )
    arms = ledger.ask(
        "select a.digest, e.digest, p.digest, a.effort, a.params from arms a"
        " join endpoints e using (endpoint_id) join prompts p using (prompt_id)"
    ).rows
    for stored, endpoint, prompt, effort, params in arms:
        fits = stored == digest("arm", [endpoint, prompt, effort, json.loads(params)])
        report.faults["arm digests that do not fit"] += not fits
    report.checked |= {"endpoints": len(endpoints), "prompts": len(prompts), "arms": len(arms)}
    report.faults = +report.faults


def _check_requests(ledger: Ledger, report: Report) -> None:
    table = ledger.ask(query("verify_requests"))
    seen = set()
    for row in table.dicts():
        seen.add(row["request_id"])
        report.faults["request digests that do not fit"] += row["digest"].bytes != _rederived(row)
    report.checked["requests"] = len(seen) + _check_bodies(ledger, report)
    report.faults = +report.faults


def _check_bodies(ledger: Ledger, report: Report) -> int:
    """Requests that keep their body (no cell asks for them); how many there are."""
    rows = ledger.ask(query("pipeline_bodies")).dicts()
    for row in rows:
        rederived = request_digest(row["endpoint"], row["body"].encode(), row["sample"])
        report.faults["request digests that do not fit"] += row["digest"].bytes != rederived
        document = json.loads(row["body"])
        document.pop("messages", None)
        report.faults["bodies that are not their arm's"] += document != json.loads(row["params"])
    return len(rows)


def _rederived(row: dict[str, Any]) -> bytes:
    prompt = Prompt(row["name"], json.loads(row["content"]))
    fields = json.loads(row["options"] or "{}")
    meta = json.loads(row["meta"] or "{}")
    values = slot_values(
        row["text"], row["text_en"], row["form"], fields.get("options", ()), fields.get("labels", ()),
        meta.get("context"),
    )  # fmt: skip
    body = request_body(json.loads(row["params"]), prompt.messages(row["form"], values))
    return request_digest(row["endpoint"], body, row["sample"])
