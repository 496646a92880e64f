"""`hbench data generate hinglish-first`: order, check, compare, solve, keep or reject with both answers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from hinglishbench.ledger.requests import Reply
from hinglishbench.pipelines import neardup
from hinglishbench.pipelines.generation import Written, judge, orders, parse, verdict
from hinglishbench.pipelines.replies import Exclusion
from tests.conftest import Hbench, until
from tests.fakeprovider import Ask, FakeProvider
from tests.pipelines.rig import at, lines

Make = Callable[..., FakeProvider]
STORIES = (
    "Meena ne bazaar se {a} kilo aam kharide aur har kilo ka rate {b} rupaye tha. Usne kul kitne rupaye diye?",
    "Office ki canteen me roz {a} log chai peete hain aur ek chai {b} rupaye ki hai. Din bhar ki kamai kitni hui?",
    "Ek bus me {a} seats hain aur har ticket {b} rupaye ka bika. Poori bus bharne par total kitna collection hoga?",
    "Dadi ne {a} dabbe laddu banaye, har dabbe me {b} laddu rakhe. Bachche poochte hain ki laddu kitne hue?",
    "Kisan ke {a} khet hain aur har khet se {b} bori gehun nikla. Is saal uske paas kitni bori gehun hai?",
    "School ke {a} bachche picnic par gaye aur sabne {b} rupaye jama kiye. Teacher ke paas kitne paise aaye?",
)


def story(number: int) -> tuple[str, int]:
    """A good problem and its answer; stories come again after six, which makes duplicates."""
    a, b = number + 3, 2 * number + 5
    return STORIES[number % len(STORIES)].format(a=a, b=b), a * b


def solve(ask: Ask) -> str | None:
    """The right answer of a problem that is to be solved; None when one is to be written."""
    if "Work out the answer" not in ask.question:
        return None
    a, b = map(int, re.findall(r"\d+", ask.question.rsplit("\n\n", 1)[-1])[:2])
    return f"Multiply: {a} x {b}\n{a * b}"


def writer(ask: Ask) -> str:
    """A good author: another story for each topic of the first tier."""
    if said := solve(ask):
        return said
    topic = TOPICS.index(re.findall(r"Topic: (.*)\. Scene", ask.question)[0])
    text, answer = story(topic)
    return f"Problem: {text}\nAnswer: {answer}"


TOPICS = [task.values["topic"] for task in orders(12)]


def generating(fp: FakeProvider, folder: Path, n: int, *more: object) -> list[object]:
    """The command against a test server."""
    return ["data", "generate", "hinglish-first", "--n", n, "--out", folder / "out", *at(fp), *more]


def test_orders_cover_topics_and_tiers_evenly() -> None:
    """340 orders: 36 cells of nine or ten, no order twice, a larger number extends a smaller."""
    tasks = orders(340)
    cells = Counter((t.values["topic"], t.values["tier"]) for t in tasks)
    assert len(cells) == 36
    assert set(cells.values()) == {9, 10}
    assert len({t.values["topic"] for t in tasks}) == 12
    assert len({(*t.values.values(), t.sample) for t in orders(800)}) == 800
    assert tasks == orders(400)[:340]


def test_good_problems_are_kept_and_doubles_are_not(hbench: Hbench, provider: Make) -> None:
    """Six stories told twice: the first of each is kept with its solve, the second is a duplicate."""
    fp = provider(writer)
    done = hbench(*generating(fp, hbench.folder, 12), "--json").json
    assert (done["kept"], done["reasons"], done["passed_checks"]) == (6, {"duplicate": 6}, 6)
    assert done["asked"] == 12 + 6
    kept = lines(hbench.folder / "out/hinglish_first.jsonl")
    assert [(row["answer"], row["votes"]) for row in kept] == [
        (str(story(k)[1]), [str(story(k)[1])]) for k in range(6)
    ]
    rejected = lines(hbench.folder / "out/hinglish_first_rejected.jsonl")
    assert "hf-0001" in str(rejected[0]["detail"])
    purposes = {
        r["purpose"]: r["attempts"] for r in hbench("cost", "--by", "purpose", "--json").json
    }
    assert purposes == {"generate": 12, "solve": 6}
    run = hbench("run", "--suite", hbench.folder / "out/hinglish_first.jsonl", "--forms", "cm-rom",
                 *at(fp), "--dry-run", "--json", "--quiet")  # fmt: skip
    assert run.json["cells"] == 6
    hbench.sound()


def test_each_bad_author_is_rejected_for_its_own_reason(hbench: Hbench, provider: Make) -> None:
    """Format, answer, scripts, markers, length, empty and a wrong key, each counted once."""
    good, answer = story(0)
    bad = [
        "",
        good,
        f"Problem: {good}\nAnswer: bahut saare",
        f"Problem: {good}\nAnswer: -5",
        f"Problem: {good} मीना\nAnswer: {answer}",
        "Problem: Meena bought 5 kilos of mangoes at 20 rupees for each kilo. What did she pay in all?\nAnswer: 100",
        "Problem: Meena ne 5 aam liye. Kitne hue?\nAnswer: 5",
        f"Problem: {good}\nAnswer: {answer + 1}",
    ]

    def author(ask: Ask) -> str:
        if said := solve(ask):
            return said
        return bad[TOPICS.index(re.findall(r"Topic: (.*)\. Scene", ask.question)[0])]

    fp = provider(author)
    done = hbench(*generating(fp, hbench.folder, len(bad)), "--json").json
    assert done["reasons"] == {
        "empty": 1, "format": 1, "answer": 2, "scripts": 1, "markers": 1, "length": 1, "disagree": 1,
    }  # fmt: skip
    last = lines(hbench.folder / "out/hinglish_first_rejected.jsonl")[-1]
    assert (last["author_answer"], last["solver_answers"]) == (str(answer + 1), [str(answer)])


def test_another_solver_and_votes(hbench: Hbench, provider: Make) -> None:
    """The solver is an arm of its own; most of k votes decide; the card says who agreed with whom."""
    seen: Counter[str] = Counter()

    def moody(ask: Ask) -> str:
        said = solve(ask)
        if said is None:
            return writer(ask)
        seen[ask.question] += 1
        return said if ask.model == "other/model" and seen[ask.question] != 2 else "I cannot say."

    fp = provider(moody)
    command = generating(fp, hbench.folder, 3, "--votes", 3, "--concurrency", 1)
    done = hbench(*command, "--solver", "other/model", "--json").json
    assert (done["asked"], done["kept"]) == (3 + 9, 3)
    [first, *_] = lines(hbench.folder / "out/hinglish_first.jsonl")
    assert first["votes"] == ["15", None, "15"]
    assert "different models" in (hbench.folder / "out/card.md").read_text()
    done = hbench(*command, "--json").json
    assert (done["kept"], done["reasons"], done["reused"]) == (0, {"unsolved": 3}, 3)
    assert "are the same model" in (hbench.folder / "out/card.md").read_text()


def test_killed_between_the_stages_buys_nothing_twice(hbench: Hbench, provider: Make) -> None:
    """Kill -9 while solving: the problems are there, only what was in flight is asked again."""
    fp = provider(writer, latency_s=0.03)
    command = generating(fp, hbench.folder, 6, "--concurrency", 1)
    process = hbench.start(*command)
    until(lambda: fp.bill()["requests"] >= 9)
    process.kill()
    hbench.finish(process)
    done = hbench(*command, "--json").json
    assert (done["kept"], done["complete"]) == (6, True)
    assert 12 <= fp.settled_bill()["requests"] <= 13
    hbench.sound()


def test_reply_is_read_as_people_write_it() -> None:
    """Labels in bold or in Hindi, an answer with a currency, a problem without a label."""
    assert parse("**Problem:** Ravi ne 5 pen liye.\nKitne?\n\n**Answer:** 50") == Written(
        "Ravi ne 5 pen liye. Kitne?", "50"
    )
    assert parse("Ravi ne 5 pen liye.\nJawab: 50") == Written("Ravi ne 5 pen liye.", "50")
    assert isinstance(parse("Answer: 5"), Exclusion)
    assert isinstance(parse("Problem: x\nAnswer:"), Exclusion)
    text = story(1)[0]
    assert judge(Reply("answered", f"Problem: {text}\nAnswer: Rs. 1,250.50")) == Written(
        text, "1250.5"
    )
    cut = judge(Reply("answered", f"Problem: {text}\nAnswer: 12", finish_reason="length"))
    assert isinstance(cut, tuple)
    assert cut[0].reason == "truncated"


@pytest.mark.parametrize(
    ("votes", "reason"),
    [
        (("50", "50", "7"), None),
        (("100/2",), None),
        (("50", "7"), "disagree"),
        ((None,), "unsolved"),
        (("50", None, None), "unsolved"),
        (("50", "7", None), "disagree"),
    ],
)
def test_most_votes_decide(votes: tuple[str | None, ...], reason: str | None) -> None:
    """More than half must give the author's answer; a tie does not."""
    against = verdict("50", votes)
    assert (against and against.reason) == reason


def test_near_duplicates_are_measured_and_not_guessed() -> None:
    """The first of a group stays; names of numbers do not matter; a shared question is no duplicate."""
    base = "Meena ne bazaar se 5 kilo aam kharide aur har kilo ka rate 20 rupaye tha, usne kul kitne rupaye diye?"
    texts = {
        "a": base,
        "b": base.replace("5", "9").replace("20", "35"),
        "c": "Ek bus me 40 seats hain, har ticket 20 rupaye ka hai. Usne kul kitne rupaye diye?",
        "d": base.replace("aam", "seb"),
    }
    done = neardup.drop_near_duplicates(texts, 0.5)
    assert done.kept == ("a", "c")
    assert done.dropped["b"].similarity == 1
    assert 0.5 < done.dropped["d"].similarity < 1
    assert neardup.drop_near_duplicates(texts, 0.9).kept == ("a", "c", "d")
    assert neardup.miss_rate(0.5) < 0.004


def test_without_the_library_nothing_is_asked(
    hbench: Hbench, provider: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Datasketch missing: refused before any call, with what to install."""
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    fp = provider(writer)
    done = hbench(*generating(fp, hbench.folder, 3), code=3)
    assert "hinglishbench[datasets]" in done.err
    assert fp.bill()["requests"] == 0


def test_record_tells_author_and_solver(hbench: Hbench, provider: Make) -> None:
    """`build.json` has both arms with prompt digests, the counts and the runs."""
    fp = provider(writer)
    hbench(*generating(fp, hbench.folder, 2), "--solver", "other/model", "--quiet")
    record = json.loads((hbench.folder / "out/build.json").read_text())
    assert (record["author"]["model"], record["solver"]["model"]) == ("fake/model", "other/model")
    assert record["author"]["prompt_digest"] != record["solver"]["prompt_digest"]
    assert len(record["runs"]) == 2
