"""A small source in GSM8K's shape, and translators that are good, careless, silent or wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from tests.fakeprovider import Ask, FakeProvider

NAMES = ("Asha", "Ravi", "Meena", "Kabir", "Noor", "Dev", "Tara", "Irfan", "Sunil", "Leela")


def question(number: int) -> str:
    """English problem `number`, with three quantities of its own."""
    name = NAMES[number % len(NAMES)]
    return (
        f"{name} buys {number + 3} notebooks for $7 each and pays with a {number + 200} dollar note."
        f" How much money does {name} get back?"
    )


def hinglish(text: str) -> str:
    """A good translation of `question`."""
    name, notebooks, note = re.findall(r"^(\w+) buys (\d+) .* a (\d+) dollar", text, re.MULTILINE)[
        0
    ]
    return (
        f"{name} ne {notebooks} notebooks kharidi, $7 har ek ke liye, aur {note} dollar ka note diya."
        f" {name} ko kitna paisa wapas milega?"
    )


def problem_in(ask: Ask) -> str:
    """The text to translate: the last paragraph of the prompt."""
    return ask.question.rsplit("\n\n", 1)[-1]


def good(ask: Ask) -> str:
    """Keep everything."""
    return hinglish(problem_in(ask))


def careless(ask: Ask) -> str:
    """Drop the first number."""
    return re.sub(r" \d+ notebooks", " notebooks", good(ask), count=1)


def silent(ask: Ask) -> str:  # noqa: ARG001  an answerer takes the request
    """Say nothing."""
    return ""


def lazy(ask: Ask) -> str:
    """Send the English back."""
    return problem_in(ask)


def by_number(kinds: dict[int, Callable[[Ask], str]]) -> Callable[[Ask], str]:
    """Another translator for some problems, told by their number of notebooks; good for the others."""

    def answer(ask: Ask) -> str:
        found = re.search(r"buys (\d+) notebooks", ask.question)
        assert found is not None
        return kinds.get(int(found[1]) - 3, good)(ask)

    return answer


def source(folder: Path, n: int) -> Path:
    """A file of `n` problems in GSM8K's shape."""
    path = folder / "source.jsonl"
    rows = [
        {"question": question(k), "answer": f"It is {k + 200} - 7 * {k + 3}.\n#### {k + 200 - 7 * (k + 3):,}"}
        for k in range(n)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def building(fp: FakeProvider, folder: Path, n: int, *more: object) -> list[object]:
    """`data build gsm8k-hinglish` of a source of `n` against a test server."""
    return [
        "data", "build", "gsm8k-hinglish", "--n", n, "--source", source(folder, n), "--out", folder / "out",
        *at(fp), *more,
    ]  # fmt: skip


def at(fp: FakeProvider) -> list[object]:
    """The options that reach a test server."""
    return ["--provider", "openai-compatible", "--base-url", fp.base_url, "--model", "fake/model",
            "--endpoint", "fake"]  # fmt: skip


def lines(path: Path) -> list[dict[str, object]]:
    """Objects of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text().splitlines()]
