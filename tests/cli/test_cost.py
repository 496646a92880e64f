"""`hbench cost`: what was spent, what it would cost elsewhere, and whether the bill agrees."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from hinglishbench.client.retry import decide
from hinglishbench.errors import InputError
from hinglishbench.ledger.statements import read_csv
from hinglishbench.run import engine
from tests.conftest import Hbench, asking
from tests.fakeprovider import FakeProvider

KEYS = ("run", "model", "provider", "suite", "prompt", "day", "purpose")
# What the design promises for `cost --json`.
PROMISED = ["cells", "attempts", "prompt_tokens", "completion_tokens", "reasoning_tokens",
            "cached_tokens", "cost_usd", "cost_upper_usd", "unpriced_attempts", "maybe_billed_attempts"]  # fmt: skip


def price(model: str = "fake/model", provider: str = "openai-compatible", **more: str) -> str:
    lines = {"input": "100", "output": "1000", **more}
    return f'[[prices]]\nprovider = "{provider}"\nmodel = "{model}"\n' + "".join(
        f"{key} = {value}\n" for key, value in lines.items()
    )


def server_usd(server: FakeProvider) -> Decimal:
    bill = server.settled_bill()
    usd = Decimal(0)
    for kind in ("complete", "aborted"):
        usd += 100 * bill[kind]["prompt_tokens"] + 1000 * bill[kind]["completion_tokens"]
    return usd / 1_000_000


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retries follow without jitter."""
    monkeypatch.setattr(engine, "decide", lambda *a, **k: decide(*a, **{**k, "rand": 0.0}))


@pytest.fixture
def faulty(
    request: pytest.FixtureRequest, hbench: Hbench, provider: Callable[..., FakeProvider]
) -> FakeProvider:
    """A ledger with two models, lost replies, reasoning and cached tokens."""
    request.getfixturevalue("at_once")
    server = provider(
        rates={"server_error": 0.1, "reset_after": 0.1, "cut_body": 0.1}, completion_spread=0.5,
        reasoning_tokens=20, cached_share=0.5, bill_5xx=True, models=("fake/model", "fake/other"),
    )  # fmt: skip
    (hbench.folder / "prices.toml").write_text(
        price(cached_input="50", reasoning="1500")
        + price("fake/other", cached_input="50", reasoning="1500")
    )
    for model in ("fake/model", "fake/other"):
        ask = asking(server, "--suite", hbench.pairs(15))
        ask[ask.index("fake/model")] = model
        hbench(*ask, code=None)
    return server


# --- what was spent ----------------------------------------------------------------------------


@pytest.mark.usefixtures("faulty")
def test_the_promised_keys_are_there(hbench: Hbench) -> None:
    """In their order; more may follow."""
    [row] = hbench("cost", "--json").json
    assert list(row)[: len(PROMISED)] == PROMISED
    assert list(row)[len(PROMISED) :] == ["correct", "usd_per_correct"]


@pytest.mark.usefixtures("faulty")
def test_the_parts_add_up_to_the_whole_whatever_they_are_cut_by(hbench: Hbench) -> None:
    """Every count and every dollar stands in one group."""
    [whole] = hbench("cost", "--json").json
    assert whole["maybe_billed_attempts"] > 0
    assert whole["reasoning_tokens"] > 0
    for key in KEYS:
        parts = hbench("cost", "--by", key, "--json").json
        assert len(parts) == (2 if key in {"run", "model"} else 1)
        for name in [*PROMISED, "correct"]:
            assert sum(part[name] for part in parts) == pytest.approx(whole[name], abs=1e-12)


def test_cost_per_correct_counts_everything_that_was_spent(
    hbench: Hbench, fp: FakeProvider
) -> None:
    """Wrong answers are paid for too: dollars of all over the number of right ones."""
    (hbench.folder / "prices.toml").write_text(price())
    hbench(*asking(fp, "--suite", hbench.pairs(4)))
    [row] = hbench("cost", "--json").json
    assert row["correct"] == 8
    assert row["usd_per_correct"] == pytest.approx(row["cost_usd"] / 8)


def test_what_is_partly_unpriced_has_no_cost_per_correct(hbench: Hbench, fp: FakeProvider) -> None:
    """The sum of the priced part would flatter it; without any price the cost is unknown."""
    hbench(*asking(fp, "--suite", hbench.pairs(2)))
    [row] = hbench("cost", "--json").json
    assert (row["cost_usd"], row["usd_per_correct"], row["unpriced_attempts"]) == (None, None, 4)
    done = hbench("cost")
    assert "4 attempts have no known price" in done.err
    assert "$0" not in done.out


@pytest.mark.usefixtures("faulty")
def test_a_provider_and_a_period_cut_the_ledger(hbench: Hbench) -> None:
    """Days are UTC, the last one included."""
    [whole] = hbench("cost", "--json").json
    day = hbench.one("select max(sent_at)::date::varchar from attempts")
    today = ["--from", hbench.one("select min(sent_at)::date::varchar from attempts"), "--to", day]
    assert hbench("cost", *today, "--provider", "openai-compatible", "--json").json == [whole]
    for other in (["--provider", "groq"], ["--to", "2020-01-01"], ["--from", "2100-01-01"]):
        [row] = hbench("cost", *other, "--json").json
        assert (row["attempts"], row["cost_usd"]) == (0, 0)


@pytest.mark.usefixtures("faulty")
def test_the_table_ends_with_the_whole(hbench: Hbench) -> None:
    """For a person who asked for parts."""
    done = hbench("cost", "--by", "model")
    assert "together" in done.out
    assert "may be billed" in done.err


# --- elsewhere ---------------------------------------------------------------------------------


def test_a_free_run_shows_dollars_at_another_price(hbench: Hbench, fp: FakeProvider) -> None:
    """The tokens are those of the run; what the price file says of the run itself does not matter."""
    (hbench.folder / "prices.toml").write_text(price(input="0", output="0"))
    hbench(*asking(fp, "--suite", hbench.pairs(3)))
    [own] = hbench("cost", "--json").json
    assert own["cost_usd"] == 0
    done = hbench("cost", "--price-as", "cerebras/gpt-oss-120b", "--by", "model", "--json")
    [row] = done.json
    usd = (
        Decimal("0.35") * row["prompt_tokens"] + Decimal("0.75") * row["completion_tokens"]
    ) / 10**6
    assert row["cost_usd"] == float(usd)
    assert "genai-prices" in done.err
    assert hbench("cost", "--json").json == [own]


@pytest.mark.usefixtures("faulty")
def test_the_same_price_elsewhere_gives_the_same_cost(hbench: Hbench) -> None:
    """Cached and reasoning tokens, lost replies and their bounds, by every key."""
    same = (hbench.folder / "prices.toml").read_text()
    (hbench.folder / "prices.toml").write_text(
        same + price("m", "groq", cached_input="50", reasoning="1500")
    )
    for by in ("", "model", "run"):
        assert (
            hbench("cost", "--price-as", "groq/m", "--by", by, "--json").json
            == hbench("cost", "--by", by, "--json").json
        )


def test_a_stated_cost_is_not_looked_at_elsewhere(
    hbench: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """It is what this provider took, not what another would."""
    server = provider(state_cost=True, price_in=1e6, price_out=1e6)
    (hbench.folder / "prices.toml").write_text(price("m", "groq", input="0", output="0"))
    hbench(*asking(server, "--suite", hbench.pairs(1)))
    [own] = hbench("cost", "--json").json
    assert own["cost_usd"] > 1
    [row] = hbench("cost", "--price-as", "groq/m", "--json").json
    assert row["cost_usd"] == 0


def test_steps_by_size_and_hours_count_elsewhere_too(hbench: Hbench, fp: FakeProvider) -> None:
    """A prompt over one token costs the dearer step, at every hour."""
    hbench(*asking(fp, "--suite", hbench.pairs(1)))
    (hbench.folder / "prices.toml").write_text(
        price("m", "groq", output="0") + price("m", "groq", input="300", output="0", above="1")
        + price("m", "groq", input="300", output="0", hours='"06:00-12:00"')
    )  # fmt: skip
    [row] = hbench("cost", "--price-as", "groq/m", "--json").json
    assert row["cost_usd"] == pytest.approx(300 * row["prompt_tokens"] / 1e6)


@pytest.mark.parametrize(
    ("asked", "code"), [("groq", 2), ("nobody/m", 2), ("groq/", 2), ("groq/no/such", 3)]
)
def test_a_price_that_is_not_there_is_refused(
    hbench: Hbench, fp: FakeProvider, asked: str, code: int
) -> None:
    """Not priced at 0."""
    hbench(*asking(fp, "--suite", hbench.pairs(1)))
    hbench("cost", "--price-as", asked, code=code)


# --- the bill ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("at_once")
def test_the_servers_own_bill_is_inside_the_bracket(
    hbench: Hbench, provider: Callable[..., FakeProvider]
) -> None:
    """Under faults that bill without telling: sure <= bill <= at most; kept once, readable by sql."""
    server = provider(
        rates={"server_error": 0.1, "reset_after": 0.1, "cut_body": 0.1}, bill_5xx=True,
        completion_spread=0.5,
    )  # fmt: skip
    (hbench.folder / "prices.toml").write_text(price())
    hbench(*asking(server, "--suite", hbench.pairs(30)), code=None)
    bill = server_usd(server)
    for _ in range(2):
        [row] = hbench(
            "cost", "--against-bill", bill, "--provider", "openai-compatible", "--json"
        ).json
        assert row["cost_usd"] < row["bill_usd"] < row["cost_upper_usd"]
        assert row["within"] is True
        assert row["difference_usd"] == pytest.approx(float(bill) - row["cost_usd"])
    [kept] = hbench.rows("select provider, amount_usd, source from statements")
    assert kept == {"provider": "openai-compatible", "amount_usd": float(bill), "source": "given"}
    assert "yes" in hbench("cost", "--against-bill", bill).out


@pytest.mark.usefixtures("faulty")
@pytest.mark.parametrize(("bill", "side"), [("0", "less"), ("1000", "more")])
def test_a_bill_outside_says_on_which_side(hbench: Hbench, bill: str, side: str) -> None:
    """And what may be the cause."""
    done = hbench("cost", "--against-bill", bill)
    assert f"the bill is {side} than this ledger" in done.err


def test_unpriced_attempts_leave_the_bracket_open(hbench: Hbench, fp: FakeProvider) -> None:
    """Neither inside nor outside can be said."""
    hbench(*asking(fp, "--suite", hbench.pairs(1)))
    [row] = hbench("cost", "--against-bill", "1", "--json").json
    assert (row["within"], row["cost_usd"], row["difference_usd"]) == (None, None, None)


def write(folder: Path, text: str) -> Path:
    path = folder / "bill.csv"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "amount", "rows"),
    [
        ("date,amount_usd\n2026-11-01,1.10\n2026-11-02,2.20\n", "3.30", 2),
        ('\ufeffModel,Cost,Day\nm,$1,2026-11-01\nm,"$1,000.5",2026-11-01T05:00:00Z\n', "1001.5", 2),
        ("usd\n0.000000000001\n\n-1\n", "-0.999999999999", 2),
        ("Amount (USD),Amount\n1,7\n", "1", 1),
    ],
)  # fmt: skip
def test_exports_of_several_shapes_add_up(
    tmp_path: Path, text: str, amount: str, rows: int
) -> None:
    """Exactly, with credits as negative rows; the period is that of the days in the file."""
    bill = read_csv(write(tmp_path, text), None, None, None)
    assert (bill.amount, bill.rows) == (Decimal(amount), rows)


@pytest.mark.usefixtures("faulty")
def test_a_period_cuts_the_export_and_the_ledger(hbench: Hbench) -> None:
    """Rows of other days are left out; without a period the file's own days are taken."""
    path = write(
        hbench.folder, "date,cost\n2019-12-31,50\n2020-01-01,1\n2020-01-02,2\n2020-01-03,4\n"
    )
    cut = ["--from", "2020-01-01", "--to", "2020-01-02", "--json"]
    [row] = hbench("cost", "--against-bill", path, *cut).json
    assert (row["bill_usd"], row["attempts"]) == (3, 0)
    assert (row["from"], row["to"]) == ("2020-01-01 00:00:00", "2020-01-03 00:00:00")
    [whole] = hbench("cost", "--against-bill", path, "--json").json
    assert (whole["bill_usd"], whole["from"], whole["to"]) == (
        57, "2019-12-31 00:00:00", "2020-01-04 00:00:00")  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line"),
    [("", None), ("date,model\n", 1), ("cost\nmuch\n", 2), ("cost\n1\nnan\n", 3), ("cost\n1e9\n", 2),
     ("date,cost\n01/02/2026,1\n", 2)],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_named_with_its_line(
    tmp_path: Path, text: str, line: int | None
) -> None:
    """Day and month are never guessed."""
    with pytest.raises(InputError) as caught:
        read_csv(write(tmp_path, text), None, None, None)
    assert caught.value.line == line


@pytest.mark.parametrize(
    "arguments",
    [["--against-bill", "much"], ["--against-bill", "1", "--by", "run"], ["--from", "today"],
     ["--from", "2026-11-02", "--to", "2026-11-01"], ["--by", "colour"], ["--origin", "dream"]],
)  # fmt: skip
def test_wrong_usage_exits_2(hbench: Hbench, fp: FakeProvider, arguments: list[Any]) -> None:
    """Before anything is kept."""
    hbench(*asking(fp, "--suite", hbench.pairs(1)))
    hbench("cost", *arguments, code=2)
    assert hbench.one("select count(*) from statements") == 0


def test_without_a_ledger_nothing_is_kept_and_no_file_is_made(hbench: Hbench) -> None:
    """Exit 3."""
    hbench("cost", "--against-bill", "1", code=3)
    assert not list(hbench.folder.iterdir())
