"""`hbench data translate`: any file of items into another form, under the same check."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal

import pytest

from hinglishbench.ledger.requests import Reply
from hinglishbench.pipelines.asking import after
from hinglishbench.pipelines.replies import Exclusion, tidy
from hinglishbench.pipelines.translation import fault, judge
from hinglishbench.run.options import RunOptions
from hinglishbench.run.result import RunResult
from tests.conftest import Hbench
from tests.fakeprovider import Ask, FakeProvider
from tests.pipelines.rig import at, hinglish, lines, problem_in, question

Make = Callable[..., FakeProvider]


def items(hbench: Hbench, n: int) -> str:
    """A file of `n` items that have only Hinglish."""
    path = hbench.folder / "first.jsonl"
    path.write_text(
        "".join(
            json.dumps(
                {"id": f"h{k}", "answer": str(200 + k - 7 * (k + 3)), "tier": "easy", "scene": "shop",
                 "forms": {"cm-rom": hinglish(question(k))}}
            ) + "\n"
            for k in range(n)
        )
    )  # fmt: skip
    return str(path)


def to_english(ask: Ask) -> str:
    """A good translator, but for item 2 (a number lost) and item 3 (Hinglish comes back, in part)."""
    text = problem_in(ask)
    found = re.search(r"(\d+) notebooks kharidi, .* aur (\d+) dollar", text)
    assert found is not None
    number = int(found[1]) - 3
    if number == 3:
        return text.replace("kharidi", "bought")
    return question(number).replace("$7", "$" if number == 2 else "$7")


def test_reverse_gives_a_parallel_suite(hbench: Hbench, provider: Make) -> None:
    """Hinglish to English: what passes is a suite that `run` takes, English first, keys kept."""
    fp = provider(to_english)
    file = items(hbench, 5)
    done = hbench("data", "translate", file, "--reverse", "--out", "out", *at(fp), "--json").json
    assert done["reasons"] == {"untranslated": 1, "numbers": 1}
    kept = lines(hbench.folder / "out/first_parallel.jsonl")
    assert [row["id"] for row in kept] == ["h0", "h1", "h4"]
    assert list(kept[0]["forms"]) == ["en", "cm-rom"]  # type: ignore[call-overload]  # a dict
    assert (kept[0]["tier"], kept[0]["scene"]) == ("easy", "shop")
    left_out = (hbench.folder / "out/first_parallel_excluded.txt").read_text()
    assert "h2\tnumbers\t7 is missing" in left_out
    run = hbench(
        "run", "--suite", "out/first_parallel.jsonl", *at(fp), "--dry-run", "--json", "--quiet"
    )
    assert run.json["cells"] == 6
    assert hbench("data", "verify", "out/first_parallel.jsonl").code == 0
    [row] = hbench("cost", "--by", "suite,purpose", "--json").json
    assert (row["suite"], row["purpose"], row["attempts"]) == ("first_parallel", "translate", 5)


def test_other_directions_name_both_forms(hbench: Hbench, provider: Make) -> None:
    """`--from` and `--to` reach the prompt by the forms' titles."""
    seen: list[str] = []

    def note(ask: Ask) -> str:
        seen.append(ask.question)
        return "x"

    fp = provider(note)
    done = hbench("data", "translate", items(hbench, 1), "--from", "cm-rom", "--to", "hi", "--out", "o",
                  *at(fp), "--json").json  # fmt: skip
    assert "Hinglish, romanized" in seen[0]
    assert "Hindi" in seen[0]
    assert done["reasons"] == {"scripts": 1}


def test_a_form_that_is_there_or_lacking_is_refused(hbench: Hbench, provider: Make) -> None:
    """Nothing is asked when there is nothing to translate from, or nothing to translate to."""
    fp = provider(to_english)
    file = items(hbench, 1)
    base = ["data", "translate", "--out", "o", *at(fp)]
    assert "has the form en already" in hbench(*base, "tiered-100", "--reverse", code=3).err
    assert "form en is missing" in hbench(*base, file, "--to", "hi", code=3).err
    assert fp.bill()["requests"] == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Asha ne 4 pens liye, kitne hue?", None),
        ("Asha ne chaar pens liye, kitne hue?", None),
        ("Asha ne 40 pens liye, kitne hue?", "numbers"),
        ("Asha bought 4 pens today, right?", "markers"),
        ("आशा ने 4 pens liye, kitne hue?", "scripts"),
        ("asha bought 4 pens,  how many?", "untranslated"),
        ("Asha ne 4 pens liye. " + "Phir wo ghar gayi aur usne khana khaya. " * 9, "length"),
    ],
)
def test_each_fault_of_a_translation_has_its_reason(text: str, reason: str | None) -> None:
    """The first that holds is told; a number said in words is no fault."""
    found = fault("Asha bought 4 pens, how many?", text, "en", "cm-rom")
    assert (found and found.reason) == reason


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("error", error="server_error", message="502"), "error"),
        (Reply("planned"), "error"),
        (Reply("answered", "Asha ne", finish_reason="length"), "truncated"),
        (Reply("answered", "Asha ne", finish_reason="content_filter"), "filtered"),
        (Reply("answered", None, finish_reason="stop"), "empty"),
        (Reply("answered", "  \n"), "empty"),
        (Reply("answered", "<think>Asha ne 4 pens liye", finish_reason="length"), "truncated"),
    ],
)
def test_replies_without_a_whole_text(reply: Reply, reason: str) -> None:
    """A cut, filtered, silent or failed reply is told apart, and no part of it is used."""
    found = judge(reply, "Asha bought 4 pens.", "en", "cm-rom")
    assert isinstance(found, Exclusion)
    assert found.reason == reason


@pytest.mark.parametrize(
    "said",
    [
        "Asha ne 4 pens liye.",
        '"Asha ne 4 pens liye."',
        "Hinglish translation:\nAsha ne 4 pens liye.",
        "**Hinglish:** Asha ne 4 pens liye.",
        "Here is the problem in Hinglish: Asha ne 4 pens liye.",
        "```text\nAsha ne 4 pens liye.\n```",
        "<think>four</think>Asha ne 4 pens liye.",
    ],
)
def test_what_models_put_around_a_text_is_taken_off(said: str) -> None:
    """Labels, quotes, fences and reasoning are no part of a translation."""
    assert (
        judge(Reply("answered", said), "Asha bought 4 pens.", "en", "cm-rom")
        == "Asha ne 4 pens liye."
    )


def test_tidying_leaves_a_text_alone() -> None:
    """A text that only looks like a label keeps its words: a name, a colon, inner quotes."""
    for text in (
        "Problem yeh hai: Asha ke paas 4 pens hain.",
        "Asha: 4 pens do.",
        "Here is a list of prices: a pen costs 4 rupees.",
        '"Haan", usne kaha, "4 do."',
    ):
        assert tidy(text) == text


def test_a_later_stage_has_what_is_left_of_the_budget() -> None:
    """`--max-usd` is for the command: each stage gets it less what earlier ones may have spent."""
    options = RunOptions(max_usd=Decimal("1.00"))
    spent = RunResult(1, "done", cost_upper_usd=Decimal("0.30"))
    assert after(options, spent, spent).max_usd == Decimal("0.40")
    assert after(options, spent, spent, spent, spent).max_usd == 0
    assert after(RunOptions(), spent).max_usd is None


def test_budget_stops_a_build_and_the_next_goes_on(hbench: Hbench, provider: Make) -> None:
    """Exit code 4 at the budget, nothing written; with a larger one the rest is asked."""
    (hbench.folder / "prices.toml").write_text(
        '[[prices]]\nprovider = "openai-compatible"\nmodel = "fake/model"\ninput = 1\noutput = 1\n'
    )
    fp = provider(to_english)
    base = ["data", "translate", items(hbench, 5), "--reverse", "--out", "out", *at(fp),
            "--concurrency", 1, "--max-tokens", 100, "--json"]  # fmt: skip
    done = hbench(*base, "--max-usd", "0.0020", code=None)
    assert done.code == 4, done
    assert not (hbench.folder / "out").exists()
    asked = fp.bill()["requests"]
    assert 0 < asked < 5
    done = hbench(*base, "--max-usd", "1")
    assert (done.json["reused"], done.json["complete"]) == (asked, True)
    assert fp.bill()["requests"] == 5
