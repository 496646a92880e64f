"""Ledgers for the tests of the page, through the program's own import of predictions."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hinglishbench.ledger.predictions import FORMAT, import_predictions
from hinglishbench.suites.prompts import load_prompt

Line = dict[str, Any]
Answer = Callable[[random.Random, int, str, str], Line]
"""(random, item number, form, model) -> what differs from a plain correct answer."""

START = datetime(2026, 11, 3, 9, 0, 0)  # noqa: DTZ001  the files hold UTC without a zone
TOPICS = ("bazaar", "travel", "cricket", "kitchen")
TIERS = ("easy", "medium", "hard")
QUESTIONS = {
    "en": "Order {i}: Asha buys {n} mangoes at ₹12 each and pays with a ₹500 note. What is left?",
    "cm-rom": "Order {i}: Asha ne {n} aam liye, 12 rupaye ka ek, aur 500 ka note diya. Kitna bacha?",
    "cm": "Order {i}: Asha ने {n} mangoes लिए, ₹12 each, और 500 का note दिया। कितना बचा?",
    "hi": "{i}: आशा ने {n} आम ₹12 के भाव से लिए और ₹500 का नोट दिया। कितना बचा?",
    "hi-rom": "{i}: Asha ne {n} aam 12 rupaye ke bhaav se liye aur 500 ka note diya. Kitna bacha?",
}
WORDS = (
    "first take the total then subtract what was paid so the price of one mango times the number "
    "gives the sum and the note less the sum is the change pehle total nikalte hain phir note se "
    "ghatate hain isliye bacha hua paisa"
)


def prose(rng: random.Random, words: int) -> str:
    """Text that compresses about as well as replies do."""
    known = WORDS.split()
    return " ".join(
        rng.choice(known) if rng.random() < 0.8 else str(rng.randrange(10_000))
        for _ in range(words)
    )


def typical(rng: random.Random, number: int, form: str, model: str) -> Line:
    """An answer as models give it: mostly right, Hinglish longer, now and then cut or unparsed."""
    stretch = {"en": 1.0, "cm-rom": 1.45, "cm": 1.7, "hi": 2.3, "hi-rom": 1.6}.get(form, 1.2)
    heavy = 1.0 if model.endswith("large") else 0.8
    tokens = max(8, round(rng.lognormvariate(4.6, 0.45) * (1 + (stretch - 1) * heavy)))
    gold = 500 - 12 * (number % 40)
    luck = rng.random()
    worse = 0.12 + (stretch - 1) * 0.06 - (0.06 if model.endswith("large") else 0.0)
    line: Line = {
        "output": f"{prose(rng, tokens * 2 // 3)}\n{gold}",
        "parsed": str(gold),
        "outcome": "correct",
        "billable_output_tokens": tokens,
    }
    if luck < 0.02:
        line |= {"outcome": "unparsed", "parsed": None, "method": "none", "output": prose(rng, 30)}
    elif luck < 0.05:
        line |= {
            "outcome": "truncated",
            "parsed": None,
            "method": "none",
            "finish_reason": "length",
        }
        line["billable_output_tokens"] = 1024
    elif luck < 0.06:
        line |= {"outcome": "filtered", "parsed": None, "method": "none", "output": None}
        line |= {"finish_reason": "content_filter"}
    elif luck < 0.07:
        line |= {"outcome": "error", "error": "server_error", "message": "Internal server error."}
        line |= {"output": None, "parsed": None, "method": None, "billed": "maybe", "status": 500}
    elif luck < 0.07 + worse:
        line |= {"outcome": "wrong", "parsed": str(gold + 12)}
        line["output"] = f"{line['output'].rpartition(chr(10))[0]}\n{gold + 12}"
    if model.endswith("large"):
        line["reasoning"] = prose(rng, tokens // 2)
        line["reasoning_tokens"] = tokens // 3
    return line


def write_predictions(
    folder: Path,
    *,
    items: int,
    models: Sequence[str] = ("acme/small",),
    forms: Sequence[str] = ("en", "cm-rom"),
    answer: Answer = typical,
    suite: str = "mangoes",
    priced: bool = True,
    prompt: str = "fair",
) -> None:
    """Write predictions as `hbench export` would, from made-up answers (seeded)."""
    content = load_prompt(prompt).content
    for model in models:
        target = folder / suite / f"{model.replace('/', '-')}-{prompt}"
        target.mkdir(parents=True)
        arm = {
            "format": FORMAT,
            "suite": suite,
            "provider": "acme",
            "route": "direct",
            "address": "https://llm.example/v1",
            "model": model,
            "effort": "low" if model.endswith("large") else None,
            "temperature": None,
            "max_tokens": 1024,
            "params": {"model": model, "max_tokens": 1024},
            "prompt": content,
            "prices": _prices(model) if priced else [],
        }
        (target / "arm.json").write_text(json.dumps(arm), "utf-8")
        for form in forms:
            with (target / f"{form}.jsonl").open("w", encoding="utf-8") as out:
                for line in _lines(items, form, model, answer):
                    out.write(json.dumps(line, ensure_ascii=False) + "\n")


def _prices(model: str) -> list[Mapping[str, str]]:
    return [
        {
            "provider": "acme",
            "model": model,
            "source": "user",
            "priority": "0",
            "start_at": "2026-10-01 00:00:00",
            "input_usd": "0.0000002",
            "output_usd": "0.0000008" if model.endswith("large") else "0.0000005",
        }
    ]


def _lines(items: int, form: str, model: str, answer: Answer) -> Iterable[Line]:
    for number in range(items):
        rng = random.Random(f"{number}/{form}/{model}")
        asked = START + timedelta(seconds=3 * number + (1 if form == "en" else 2))
        line: Line = {
            "id": f"m-{number:05d}",
            "sample": 0,
            "question": QUESTIONS[form].format(n=number % 40, i=number),
            "gold": str(500 - 12 * (number % 40)),
            "grader": "numeric",
            "grader_version": "numeric-1",
            "method": "final line",
            "finish_reason": "stop",
            "prompt_tokens": 40 + len(QUESTIONS[form]) // 3,
            "output_rule": "inside",
            "billed": "yes",
            "seconds": 1.5,
            "asked_at": asked.isoformat(),
            "tier": TIERS[number % 3],
            "topic": TOPICS[number % 4],
            "origin": "live",
        }
        line |= answer(rng, number, form, model)
        line.setdefault("completion_tokens", line.get("billable_output_tokens"))
        yield {key: value for key, value in line.items() if value is not None}


def make_ledger(path: Path, **options: Any) -> Path:
    """A ledger at `path` holding made-up predictions; see `write_predictions`."""
    folder = path.with_suffix(".predictions")
    write_predictions(folder, **options)
    import_predictions(folder, path)
    return path
