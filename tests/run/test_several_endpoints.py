"""Several models, efforts and providers in one run: fair turns, and each endpoint on its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Hbench
from tests.fakeprovider import FakeProvider

Make = Callable[..., FakeProvider]


def describe(folder: Path, **servers: FakeProvider) -> None:
    """An `hbench.toml` with each server as a provider of its own."""
    (folder / "hbench.toml").write_text(
        "".join(
            f'[providers.{name}]\nbase_url = "{server.base_url}"\nlimits = {{ concurrency = 2 }}\n'
            for name, server in servers.items()
        )
    )


def test_two_providers_two_models_two_efforts_are_all_asked(hbench: Hbench, provider: Make) -> None:
    """The plan is the product of all; every arm gets every cell, each server its own half."""
    one, two = provider(), provider()
    describe(hbench.folder, one=one, two=two)
    done = hbench(
        "run", "--suite", hbench.pairs(4), "--provider", "one", "--provider", "two",
        "--model", "a", "--model", "b", "--effort", "low", "--effort", "high", "--json",
    ).json  # fmt: skip
    assert (done["status"], done["cells"], done["answered"], done["left"]) == ("done", 64, 64, 0)
    assert one.bill()["by_model"] == two.bill()["by_model"] == {"a": 16, "b": 16}
    assert {(a["provider"], a["model"], a["effort"]) for a in done["arms"]} == {
        (p, m, e) for p in ("one", "two") for m in ("a", "b") for e in ("low", "high")
    }
    assert done["limits"].keys() == {"one", "two"}
    assert done["limits"]["one"] == {"start": 2, "max": 2, "min": 2, "end": 2, "cuts": 0}


def test_arms_of_an_endpoint_take_turns_block_by_block(hbench: Hbench, provider: Make) -> None:
    """No model waits for another to finish: after any number of blocks each has had as many."""
    fp = provider(keep_requests=True)
    describe(hbench.folder, one=fp)
    hbench("run", "--suite", hbench.pairs(6), "--provider", "one", "--model", "a", "--model", "b",
           "--concurrency", 1)  # fmt: skip
    models = [row["model"] for row in fp.log()]
    assert models == ["a", "a", "b", "b"] * 6


def test_an_endpoint_that_stops_leaves_the_others_running(hbench: Hbench, provider: Make) -> None:
    """Exit 5; the other's cells are all answered, the rest is left and asked by the same command."""
    poor, rich = provider(rates={"no_credits_402": 1.0}), provider(latency_s=0.005)
    describe(hbench.folder, poor=poor, rich=rich)
    command = ("run", "--suite", hbench.pairs(20), "--provider", "poor", "--provider", "rich",
               "--model", "m", "--json")  # fmt: skip
    first = hbench(*command, code=5)
    done = first.json
    assert (done["status"], done["answered"], done["errors"], done["left"]) == (
        "endpoint",
        40,
        0,
        40,
    )
    assert "credits" in done["stopped"]["poor"]
    assert "add credits" in first.err
    assert "40 left for the same command later" in first.err
    assert rich.bill()["complete"]["requests"] == 40
    assert poor.bill()["requests"] <= 2
    poor.rates({})
    again = hbench(*command).json
    assert (again["status"], again["asked"], again["reused"]) == ("done", 40, 40)
    hbench.sound()


def test_a_refused_model_is_counted_and_the_others_go_on(hbench: Hbench, provider: Make) -> None:
    """Case 64: the router's 400 for a model stops that model alone; its unasked cells are said."""
    strict = provider(models=("good",), strict_models=True)
    describe(hbench.folder, one=strict)
    done = hbench("run", "--suite", hbench.pairs(10), "--provider", "one", "--model", "bad",
                  "--model", "good", "--concurrency", 1, "--json", code=5)  # fmt: skip
    result = done.json
    assert (result["answered"], result["errors"], result["left"]) == (20, 1, 19)
    assert "19 cells of it were not asked" in result["stopped"]["bad at one"]
    assert "stopped: bad at one" in done.err
    assert strict.bill()["by_model"] == {"good": 20}


def test_an_effort_that_is_refused_stops_its_arm_alone(hbench: Hbench, provider: Make) -> None:
    """A 400 for what one arm sends says nothing about the same model asked otherwise."""
    fp = provider(refused_fields=("reasoning_effort",))
    describe(hbench.folder, one=fp)
    with (hbench.folder / "hbench.toml").open("a") as file:
        file.write("[providers.one.effort.'*']\nnone = {}\nlow = { reasoning_effort = 'low' }\n")
    done = hbench("run", "--suite", hbench.pairs(5), "--provider", "one", "--model", "m",
                  "--effort", "low", "--effort", "none", "--concurrency", 1, "--json", code=5).json  # fmt: skip
    assert (done["answered"], done["errors"], done["left"]) == (10, 1, 9)
    assert list(done["stopped"]) == ["m (effort low) at one"]


def test_a_refusal_of_one_item_stops_nothing(hbench: Hbench, provider: Make) -> None:
    """A 400 after the arm's requests were taken is that item's fault: an error, and the run goes on."""
    fp = provider()
    fp.rules([{"contains": "item 3", "fault": "bad_request"}])
    describe(hbench.folder, one=fp)
    done = hbench("run", "--suite", hbench.pairs(6), "--provider", "one", "--model", "m", "--seed", 1,
                  "--concurrency", 1, "--json", code=1).json  # fmt: skip
    assert (done["status"], done["answered"], done["errors"], done["left"]) == ("errors", 11, 1, 0)


@pytest.mark.parametrize("option", ["--base-url", "--endpoint", "--api-key-env"])
def test_what_is_one_endpoints_is_refused_with_several(hbench: Hbench, option: str) -> None:
    """An address, a name or (above all) a key of one provider must not go to another."""
    done = hbench("run", "--provider", "groq", "--provider", "together", option, "x", code=2)
    assert f"{option} goes with one --provider, not with groq, together" in done.err
    assert "hbench.toml" in done.err
    assert not hbench.ledger.exists()


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [("--rpm", 0, "at least 1"), ("--tpm", -5, "at least 1"), ("--timeout", 0, "at least 1 seconds"),
     ("--deadline", 0.5, "at least 1 seconds"), ("--max-wait", -1, "at least 0 seconds"),
     ("--max-wait", "nan", "at least 0 seconds")],
)  # fmt: skip
def test_a_limit_that_makes_no_sense_is_refused(
    hbench: Hbench, option: str, value: float, said: str
) -> None:
    """0 requests a minute is a mistake, not "no limit"."""
    assert said in hbench("run", option, value, code=2).err


def test_naming_something_twice_is_refused(hbench: Hbench) -> None:
    """A model given twice would make two arms of one digest."""
    done = hbench("run", "--provider", "groq", "--model", "m", "--model", "m", code=2)
    assert "--model names something twice" in done.err
