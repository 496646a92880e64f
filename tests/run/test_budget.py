"""The budget: never passed, hardly left unused, refused where it could not be kept, resumable."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hinglishbench.client.failures import Failure
from hinglishbench.client.normalise import Answer
from hinglishbench.client.usage import NO_USAGE, Usage
from hinglishbench.pricing.book import PriceBook
from hinglishbench.pricing.price import PriceRow
from hinglishbench.run.budget import Budget, Hold, NotSent, shown
from hinglishbench.run.options import RunOptions
from hinglishbench.run.progress import Lines
from tests.conftest import Hbench, asking, until
from tests.fakeprovider import FakeProvider

NOW = 1_800_000_000.0
CENT = Decimal("0.01")
# One cent a token either way, so that a bound of (20, 10) is 30 cents.
BOOK = PriceBook([PriceRow("p", "m", "user", 10, CENT, CENT)])


def answer(prompt: int, output: int, **usage: Any) -> Answer:
    counts = Usage(prompt, output, None, None, output, output, "inside")
    return Answer("42", None, "stop", replace(counts, **usage), None, None, False, False)


def failure(billed: Any, usage: Usage | None = None) -> Failure:
    return Failure("reset", "m", False, "request", billed=billed, usage=usage)


# --- one call ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "spent", "held"),
    [
        (answer(5, 3), "0.08", "0"),
        (answer(5, 3, reported_cost_usd=Decimal("0.0421")), "0.0421", "0"),
        (answer(5, 3, output_rule="inconsistent", upper_output_tokens=7), "0.08", "0.04"),
        (replace(answer(1, 1), usage=NO_USAGE), "0", "0.30"),
        (failure("no"), "0", "0"),
        (failure("maybe"), "0", "0.30"),
        (failure("yes", answer(5, 3).usage), "0.08", "0"),
        (failure("yes"), "0", "0.30"),
        (None, "0", "0.30"),
        (NotSent, "0", "0"),
    ],
)
def test_what_a_call_books(outcome: Any, spent: str, held: str) -> None:
    """What is known is spent; what may be billed stays reserved at its bound."""
    budget = Budget([BOOK], max_usd=Decimal(1))
    hold = budget.reserve(0, budget.bound(0, NOW, 20, 10), NOW)
    assert hold == Hold(0, Decimal("0.30"), NOW)
    assert (budget.reserved, budget.left) == (Decimal("0.30"), Decimal("0.70"))
    budget.settle(hold, outcome)
    assert (budget.spent, budget.held) == (Decimal(spent), Decimal(held))
    assert budget.in_flight == budget.flying == 0
    assert budget.overrun is None


def test_exactly_the_cap_fits_and_a_trillionth_less_does_not() -> None:
    """Decimals, not doubles: three times 0.1 is 0.3."""
    for cap, fits in ((Decimal("0.90"), True), (Decimal("0.899999999999"), False)):
        budget = Budget([BOOK], max_usd=cap)
        for _ in range(2):
            assert budget.reserve(0, Decimal("0.30"), NOW)
        assert bool(budget.reserve(0, Decimal("0.30"), NOW)) is fits


def test_a_bill_over_its_bound_admits_nothing_more() -> None:
    """The price or the cap was not what it was taken for; the message says both amounts."""
    budget = Budget([BOOK], max_usd=Decimal(100))
    hold = budget.reserve(0, Decimal("0.30"), NOW)
    assert hold is not None
    budget.settle(hold, answer(5, 3, reported_cost_usd=Decimal("0.31")))
    assert budget.overrun is not None
    assert "$0.31" in budget.overrun
    assert "$0.3:" in budget.overrun
    assert budget.reserve(0, CENT, NOW) is None
    assert not anyio.run(budget.room, CENT)


def test_the_tighter_of_two_caps_counts() -> None:
    """The ledger's cap has what was spent before taken off."""
    budget = Budget([BOOK], max_usd=Decimal(5), max_usd_total=Decimal(9), already=Decimal("8.25"))
    assert budget.cap == Decimal("0.75")
    assert "--max-usd-total" in budget.closing()
    assert "--max-usd " in Budget([BOOK], max_usd=Decimal(5)).closing()


@pytest.mark.parametrize(
    ("usd", "text"),
    [("0", "$0.00"), ("2.5", "$2.50"), ("0.1234", "$0.1234"), ("0.00001234", "$0.000012"), ("1200", "$1200.00")],
)  # fmt: skip
def test_small_amounts_show_their_figures(usd: str, text: str) -> None:
    """Never $0.00 for something."""
    assert shown(Decimal(usd)) == text


@pytest.mark.parametrize("amount", [0.1, "0.1", Decimal("0.1")])
def test_amounts_given_from_python_are_exact(amount: Any) -> None:
    """A float of 0.1 is ten cents, not its binary neighbour."""
    assert RunOptions(max_usd=amount).max_usd == Decimal("0.1")
    assert RunOptions(max_usd_total=amount).max_usd_total == Decimal("0.1")


# --- many calls at once ------------------------------------------------------------------------

calls = st.tuples(
    st.integers(1, 60),  # bound in
    st.integers(1, 60),  # bound out
    st.floats(0, 1),  # share of the bound that is used
    st.sampled_from(["answer", "no", "maybe", "silent", "not sent", "cancelled"]),
    st.integers(0, 3),  # how many rounds of the loop it takes
)


@settings(max_examples=120, deadline=None)
@given(
    work=st.lists(calls, min_size=1, max_size=60), cap=st.decimals(0, 15, places=4),
    workers=st.integers(1, 12),
)  # fmt: skip
def test_any_order_of_calls_keeps_to_the_cap(work: list[Any], cap: Decimal, workers: int) -> None:
    """Everything that may be billed fits at every moment; a stop leaves less than the next bound."""
    budget = Budget([BOOK], max_usd=cap)
    queue = iter(work)
    stopped: list[Decimal] = []
    asked = 0

    async def worker() -> None:
        nonlocal asked
        for bound_in, bound_out, share, kind, rounds in queue:
            bound = budget.bound(0, NOW, bound_in, bound_out)
            while (hold := budget.reserve(0, bound, NOW)) is None:
                if stopped or not await budget.room(bound):
                    stopped.append(bound)
                    return
            asked += 1
            assert budget.spent + budget.reserved <= cap
            for _ in range(rounds):
                await anyio.lowlevel.checkpoint()
            used = answer(int(share * bound_in), int(share * bound_out))
            outcome: Any = {
                "answer": used, "no": failure("no"), "maybe": failure("maybe"),
                "silent": replace(used, usage=NO_USAGE), "not sent": NotSent, "cancelled": None,
            }[kind]  # fmt: skip
            budget.settle(hold, outcome)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(workers):
                group.start_soon(worker)

    anyio.run(main)
    assert budget.flying == 0
    assert budget.in_flight == 0
    assert budget.spent + budget.held <= cap
    if stopped:
        assert budget.short is not None
        assert budget.left < budget.short
    else:
        assert asked == len(work)


# --- the whole command against the server's own bill --------------------------------------------

PRICES = """[[prices]]
provider = "openai-compatible"
model = "fake/model"
input = 100
output = 1000
"""
FAULTS = {"server_error": 0.05, "reset_after": 0.04, "cut_body": 0.04, "no_usage": 0.03, "bad_json": 0.02}  # fmt: skip


def prices(folder: Path, text: str = PRICES) -> None:
    (folder / "prices.toml").write_text(text)


def billed(server: FakeProvider) -> Decimal:
    """The server's own bill in dollars, lost replies included."""
    price = tomllib.loads(PRICES, parse_float=Decimal)["prices"][0]
    bill = server.settled_bill()
    tokens_in = bill["complete"]["prompt_tokens"] + bill["aborted"]["prompt_tokens"]
    tokens_out = bill["complete"]["completion_tokens"] + bill["aborted"]["completion_tokens"]
    usd: Decimal = (
        tokens_in * Decimal(price["input"]) + tokens_out * Decimal(price["output"])
    ) / 1_000_000
    return usd


def long_and_short(hbench: Hbench, n: int) -> Path:
    """Items whose texts differ in length by a hundred times."""
    luck = random.Random(7)
    path = hbench.pairs(n)
    lines = path.read_text().splitlines()
    path.write_text(
        "".join(
            f"{line.replace('item ', 'item ' + 'very ' * luck.choice([0, 1, 10, 100]))}\n"
            for line in lines
        )
    )
    return path


@pytest.mark.usefixtures("no_waits")
@pytest.mark.parametrize("cap", ["0", "0.05", "0.7", "2.31", "9", "40", "1000"])
def test_no_cap_is_ever_passed(
    hbench: Hbench, provider: Callable[..., FakeProvider], cap: str
) -> None:
    """Random sizes and faults that bill without telling: the server's own bill stays under the cap."""
    server = provider(
        completion_tokens=40, completion_spread=1.0, rates=FAULTS, bill_5xx=True, latency_s=0.002,
        latency_kind="lognormal",
    )  # fmt: skip
    prices(hbench.folder)
    suite = long_and_short(hbench, 100)
    run = partial(
        hbench, *asking(server, "--suite", suite, "--max-tokens", 64, "--json"), "--max-usd", code=None
    )  # fmt: skip
    done = run(cap).json
    bill, limit = billed(server), Decimal(cap)
    assert bill <= limit
    assert Decimal(str(done["cost_usd"])) <= bill
    assert bill - Decimal("1e-9") <= Decimal(str(done["cost_upper_usd"])) <= limit
    budget = done["budget"]
    if done["status"] == "budget":
        assert done["left"] > 0
        assert budget["left_usd"] < budget["next_bound_usd"]
    else:
        assert done["left"] == 0
    if cap == "1000":  # the faults were there: replies were lost, and billed
        assert server.bill()["aborted"]["requests"] > 5
        assert done["maybe_billed_attempts"] > 5
    if cap == "2.31":
        rest = run("1000").json
        assert rest["status"] in {"done", "errors"}
        assert rest["asked"] == done["left"]
    hbench.sound()


def test_the_cap_of_the_ledger_counts_what_was_spent_before(
    hbench: Hbench, fp: FakeProvider
) -> None:
    """The second run has only what the first left; exit 4 and the way on are said."""
    prices(hbench.folder)
    suite = hbench.pairs(30)
    ask = asking(fp, "--suite", suite, "--max-tokens", 64, "--json")
    first = hbench(*ask, "--max-usd-total", "1.5", code=4).json
    assert first["status"] == "budget"
    assert billed(fp) <= Decimal("1.5")
    again = hbench(*ask, "--max-usd-total", "1.5", code=4)
    assert again.json["attempts"] == 0
    assert "--max-usd-total goes on" in again.err
    hbench(*ask, "--max-usd-total", "100")
    assert billed(fp) > Decimal("1.5")


def test_another_run_that_is_spending_makes_the_total_unknown(
    hbench: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """Two runs cannot both count on the same rest; the cap of one run alone still works."""
    slow = provider(latency_s=60.0)
    prices(hbench.folder)
    ask = asking(slow, "--suite", hbench.pairs(4), "--max-tokens", 64, "--concurrency", 2)
    process = hbench.start(*ask)
    try:
        while not slow.bill()["requests"]:
            assert process.poll() is None, process.communicate()
        other = asking(slow, "--suite", hbench.pairs(1, name="other.jsonl"), "--max-tokens", 64)
        refused = hbench(*other, "--max-usd-total", "10", code=3)
        assert "another run is spending" in refused.err
    finally:
        process.kill()
        process.communicate()


def test_a_killed_run_counts_what_was_in_flight(
    hbench: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """After kill -9 the total holds too: what was in flight may have been billed, at its bound."""
    server = provider(latency_s=0.05, completion_tokens=60)
    prices(hbench.folder)
    ask = asking(
        server, "--suite", hbench.pairs(40), "--max-tokens", 64, "--concurrency", 8, "--max-usd-total", "3"
    )  # fmt: skip
    process = hbench.start(*ask)
    until(lambda: server.bill()["complete"]["requests"] >= 10)
    process.kill()
    process.communicate()
    done = hbench(*ask, "--json", code=4).json
    lost = hbench.one("select sum(cost_upper_usd) from attempt_costs where billed = 'maybe'")
    whole = hbench.one("select sum(cost_upper_usd) from attempt_costs")
    assert lost > 0
    assert billed(server) <= Decimal(str(whole)) <= 3
    assert done["budget"]["left_usd"] < done["budget"]["next_bound_usd"]


def test_a_total_over_unpriced_attempts_is_refused(hbench: Hbench, fp: FakeProvider) -> None:
    """What the ledger came to is unknown; the lines to paste are printed, `prices apply` mends it."""
    ask = asking(fp, "--suite", hbench.pairs(1), "--max-tokens", 64)
    hbench(*ask)
    prices(hbench.folder, PRICES.replace("fake/model", "other"))
    more = [*asking(fp, "--suite", hbench.pairs(2), "--max-tokens", 64), "--model", "other"]
    more[more.index("fake/model")] = "other"
    refused = hbench(*more[:-2], "--max-usd-total", 5, code=3)
    assert 'model = "fake/model"' in refused.err
    prices(hbench.folder, PRICES + PRICES.replace("fake/model", "other"))
    hbench("prices", "apply")
    hbench(*more[:-2], "--max-usd-total", 5)


def test_a_model_without_a_price_is_refused_before_any_call(
    hbench: Hbench, fp: FakeProvider
) -> None:
    """Exit 3 with the exact lines to paste; nothing is asked and no ledger is left behind."""
    done = hbench(*asking(fp, "--suite", hbench.pairs(1), "--max-usd", 1), code=3)
    assert '[[prices]]\nprovider = "openai-compatible"\nmodel = "fake/model"\n' in done.err
    assert fp.bill()["requests"] == 0
    assert not hbench.ledger.exists()


def test_an_endpoint_whose_cap_may_not_hold_needs_a_word(hbench: Hbench, fp: FakeProvider) -> None:
    """`reliable_cap = false` is refused unless --allow-unbounded is given."""
    prices(hbench.folder)
    (hbench.folder / "hbench.toml").write_text(
        "[providers.openai-compatible]\nreliable_cap = false\n"
    )
    ask = asking(fp, "--suite", hbench.pairs(1), "--max-usd", 5)
    assert "no reliable cap" in hbench(*ask, code=3).err
    hbench(*ask, "--allow-unbounded")


def test_a_bill_over_its_bound_stops_the_run(
    hbench: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """The provider states a cost a thousand times what the price file says."""
    server = provider(state_cost=True, price_in=100_000.0, price_out=100_000.0)
    prices(hbench.folder, PRICES.replace("1000", "1").replace("100", "1"))
    ask = asking(server, "--suite", hbench.pairs(20), "--concurrency", 1, "--json")
    done = hbench(*ask, "--max-usd", "50", code=4)
    assert done.json["attempts"] == 1
    assert "over its bound" in done.json["budget"]["overrun"]
    assert "over its bound" in done.err


def test_a_replay_costs_nothing_and_needs_no_budget(hbench: Hbench, fp: FakeProvider) -> None:
    """The cap of the command that recorded may stay in the command that replays."""
    suite, tape = hbench.pairs(2), hbench.folder / "tape.jsonl"
    hbench(*asking(fp, "--suite", suite, "--record", tape))
    hbench(*asking(fp, "--suite", suite, "--replay", tape, "--max-usd", 0))


@pytest.mark.parametrize("amount", ["-1", "much", "nan", "1e9"])
def test_an_amount_that_is_none_is_wrong_usage(hbench: Hbench, amount: str) -> None:
    """Exit 2, before anything else."""
    assert "amount in US dollars" in hbench("run", f"--max-usd={amount}", code=2).err


def test_the_bar_shows_spent_reserved_and_cap() -> None:
    """A person sees how far it is."""
    lines = Lines(lambda *_: None, 2, 10, clock=lambda: 0.0)
    lines.budget = Budget([BOOK], max_usd=Decimal("2.5"))
    lines.budget.reserve(0, Decimal("0.3"), NOW)
    assert "$0.00 spent, $0.30 reserved of $2.50" in lines.line()
