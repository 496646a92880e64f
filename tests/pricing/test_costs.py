"""Dollars of attempts: the view `attempt_costs`, the program's own book, and the worked cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hinglishbench.client.usage import read_usage
from hinglishbench.ledger.prices import add_prices
from hinglishbench.ledger.store import connect
from hinglishbench.pricing.book import PriceBook, Tokens
from hinglishbench.pricing.price import ALWAYS, PriceRow, per_token, spread_over_day

NOW = datetime(2026, 11, 20, 12)  # noqa: DTZ001  naive UTC, as the ledger
PROVIDER, MODEL = "p", "x/y"


@pytest.fixture(scope="module")
def ledger() -> Iterator[duckdb.DuckDBPyConnection]:
    with connect(Path(":memory:"), write=True) as connection:
        connection.execute(
            "insert into endpoints values (1, 'endpoint:1', 'p', 'direct', 'a'), (2, 'endpoint:2', 'p', 'hf', 'b')"
        )
        connection.execute(
            "insert into arms values (1, 'arm:1', 1, 1, 'x/y', null, null, 10, '{}'),"
            " (2, 'arm:2', 2, 1, 'x/y', null, null, 10, '{}')"
        )
        yield connection


@pytest.fixture
def empty(ledger: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    clear(ledger)
    return ledger


def clear(ledger: duckdb.DuckDBPyConnection) -> None:
    ledger.execute("delete from attempts")
    ledger.execute("delete from prices")


def dollars(usd: str | Decimal | None) -> Decimal | None:
    return per_token(None if usd is None else Decimal(usd))


def price(input_: str | Decimal, output: str | Decimal, **more: Any) -> PriceRow:
    """A price in dollars per million tokens."""
    for key in ("cached_input_usd", "reasoning_usd", "cache_write_usd"):
        if key in more:
            more[key] = dollars(more[key])
    more = {"source": "user", "priority": 10, **more}
    return PriceRow(PROVIDER, MODEL, input_usd=dollars(input_), output_usd=dollars(output), **more)


def attempt(ledger: duckdb.DuckDBPyConnection, **columns: Any) -> None:
    columns = {
        "attempt_id": 1, "request_id": 1, "run_id": 1, "arm_id": 1, "try": 1, "origin": "live",
        "sent_at": NOW, "billed": "yes", **columns,
    }  # fmt: skip
    ledger.execute(
        f"insert into attempts ({', '.join(columns)}) values ({', '.join('?' * len(columns))})",
        list(columns.values()),
    )


def from_usage(raw: dict[str, Any]) -> dict[str, Any]:
    """The columns that a reply's usage fills."""
    usage = read_usage(raw)
    return {
        "prompt_tokens": usage.prompt_tokens, "cached_tokens": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens, "output_rule": usage.output_rule,
        "billable_output_tokens": usage.billable_output_tokens,
        "upper_prompt_tokens": usage.prompt_tokens, "upper_output_tokens": usage.upper_output_tokens,
        "reported_cost_usd": usage.reported_cost_usd,
    }  # fmt: skip


Cost = tuple[Decimal | None, Decimal | None, str | None, str | None]


def costs(ledger: duckdb.DuckDBPyConnection) -> list[Cost]:
    rows: list[Cost] = ledger.execute(
        "select cost_usd, cost_upper_usd, price_source, unpriced_reason from attempt_costs"
        " order by attempt_id"
    ).fetchall()
    return rows


# --- the worked cases --------------------------------------------------------------------------


def test_cached_tokens_are_charged_once(empty: duckdb.DuckDBPyConnection) -> None:
    """Case 42: (86 * 2.5 + 1920 * 1.25 + 300 * 10) / 1e6 = 0.005615, to the last digit."""
    add_prices(empty, [price("2.5", "10", cached_input_usd="1.25")], NOW)
    raw = {"prompt_tokens": 2006, "completion_tokens": 300, "total_tokens": 2306,
           "prompt_tokens_details": {"cached_tokens": 1920}}  # fmt: skip
    attempt(empty, **from_usage(raw))
    assert costs(empty) == [(Decimal("0.005615"), Decimal("0.005615"), "user", None)]


def test_text_tokens_equal_to_the_prompt_add_nothing(empty: duckdb.DuckDBPyConnection) -> None:
    """Case 43: prompt 1000 of which cached 900, text_tokens 1000: 100 full and 900 cached."""
    add_prices(empty, [price("2", "10", cached_input_usd="0.5")], NOW)
    raw = {"prompt_tokens": 1000, "completion_tokens": 0, "total_tokens": 1000,
           "prompt_tokens_details": {"text_tokens": 1000, "cached_tokens": 900}}  # fmt: skip
    attempt(empty, **from_usage(raw))
    assert costs(empty)[0][0] == Decimal("0.00065")  # (100 * 2 + 900 * 0.5) / 1e6


@pytest.mark.parametrize("prices", [[], [price("100", "100")]])
def test_a_stated_cost_beats_any_price(
    empty: duckdb.DuckDBPyConnection, prices: list[PriceRow]
) -> None:
    """Case 46: cost 0.0021, with the user's own upstream key 0.04 on top; a price or none."""
    add_prices(empty, prices, NOW)
    raw = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "cost": 0.0021,
           "cost_details": {"upstream_inference_cost": 0.04}}  # fmt: skip
    attempt(empty, **from_usage(raw))
    stated = Decimal("0.0421")
    assert costs(empty) == [(stated, stated, "stated by the provider", None)]


def test_the_asked_model_prices_a_reply_that_names_another(
    empty: duckdb.DuckDBPyConnection,
) -> None:
    """Case 47: asked x/y, the reply says x/y-0725; without a price NULL with a reason, never 0."""
    attempt(empty, model="x/y-0725", **from_usage({"prompt_tokens": 10, "completion_tokens": 5}))
    assert costs(empty) == [(None, None, None, "no price")]
    add_prices(empty, [price("1", "2")], NOW)
    assert costs(empty)[0][0] == Decimal("0.00002")


# --- which price -------------------------------------------------------------------------------


def test_a_price_change_in_mid_run_splits_at_its_moment(empty: duckdb.DuckDBPyConnection) -> None:
    """Calls before the new start cost the old price, from it on the new one; the sum is exact."""
    change = NOW + timedelta(seconds=30)
    add_prices(empty, [price("1", "0"), price("3", "0", start_at=change)], NOW)
    for second in range(60):
        attempt(
            empty, attempt_id=second, sent_at=NOW + timedelta(seconds=second),
            prompt_tokens=1_000_000, billable_output_tokens=0,
        )  # fmt: skip
    assert [cost for cost, *_ in costs(empty)] == [Decimal(1)] * 30 + [Decimal(3)] * 30


def test_repricing_the_past_is_adding_a_price(empty: duckdb.DuckDBPyConnection) -> None:
    """A corrected price of the same start counts for calls that were made before it was known."""
    attempt(empty, prompt_tokens=1_000_000, billable_output_tokens=0)
    assert add_prices(empty, [price("1", "1")], NOW) == 1
    assert add_prices(empty, [price("1", "1")], NOW) == 0
    assert costs(empty)[0][0] == 1
    assert add_prices(empty, [price("2", "1")], NOW) == 1
    assert costs(empty)[0][0] == 2
    assert add_prices(empty, [price("1", "1")], NOW) == 1
    assert costs(empty)[0][0] == 1


def test_a_changed_set_replaces_all_its_rows(empty: duckdb.DuckDBPyConnection) -> None:
    """When the size at which a price rises moves, the old step does not linger."""
    attempt(empty, prompt_tokens=150, billable_output_tokens=0)
    add_prices(empty, [price("1", "1"), price("9", "9", above_tokens=100)], NOW)
    assert costs(empty)[0][0] == Decimal("0.00135")
    add_prices(empty, [price("1", "1"), price("9", "9", above_tokens=200)], NOW)
    assert costs(empty)[0][0] == Decimal("0.00015")


@pytest.mark.parametrize(
    ("tokens", "usd"), [(0, "0"), (200, "0.0002"), (201, "0.000402"), (301, "0.001204")]
)
def test_the_whole_prompt_costs_what_its_size_says(
    empty: duckdb.DuckDBPyConnection, tokens: int, usd: str
) -> None:
    """Over 200 tokens each token costs 2, over 300 each costs 4: a step, not a slope."""
    steps = [price("1", "0"), price("2", "0", above_tokens=200), price("4", "0", above_tokens=300)]
    add_prices(empty, steps, NOW)
    attempt(empty, prompt_tokens=tokens, billable_output_tokens=0)
    assert costs(empty)[0][0] == Decimal(usd)


def test_the_hour_of_sending_decides(empty: duckdb.DuckDBPyConnection) -> None:
    """From 22:00 to 06:00 a token costs half; the end of the window is not in it."""
    rows = spread_over_day([(None, price("2", "0")), ((22 * 3600, 6 * 3600), price("1", "0"))])
    add_prices(empty, rows, NOW)
    midnight = NOW.replace(hour=0)
    clock = [(0, 0), (5, 59), (6, 0), (21, 59), (22, 0), (23, 59)]
    for number, (hour, minute) in enumerate(clock):
        attempt(
            empty, attempt_id=number, sent_at=midnight + timedelta(hours=hour, minutes=minute),
            prompt_tokens=1_000_000, billable_output_tokens=0,
        )  # fmt: skip
    assert [cost for cost, *_ in costs(empty)] == [1, 1, 2, 2, 1, 1]


def test_a_better_source_counts_from_its_start_on(empty: duckdb.DuckDBPyConnection) -> None:
    """Before the user's price begins, the package's still counts, and the row says whose it was."""
    user = price("5", "0", start_at=NOW)
    package = price("1", "0", source="genai-prices", priority=40)
    add_prices(empty, [user, package], NOW)
    for number, sent_at in enumerate((NOW - timedelta(seconds=1), NOW)):
        attempt(empty, attempt_id=number, sent_at=sent_at, prompt_tokens=1_000_000,
                billable_output_tokens=0)  # fmt: skip
    assert [(cost, source) for cost, _, source, _ in costs(empty)] == [
        (Decimal(1), "genai-prices"), (Decimal(5), "user")]  # fmt: skip


def test_a_price_of_one_route_leaves_the_other_alone(empty: duckdb.DuckDBPyConnection) -> None:
    """The router may charge otherwise than the provider itself."""
    add_prices(empty, [price("5", "0", route="hf"), price("1", "0")], NOW)
    for arm_id in (1, 2):
        attempt(empty, attempt_id=arm_id, arm_id=arm_id, prompt_tokens=1_000_000,
                billable_output_tokens=0)  # fmt: skip
    assert [cost for cost, *_ in costs(empty)] == [1, 5]


# --- what is in doubt --------------------------------------------------------------------------


def test_a_lost_reply_costs_nothing_surely_and_its_bound_at_most(
    empty: duckdb.DuckDBPyConnection,
) -> None:
    """A maybe has the cost NULL and its upper bound at the dearest kind of token."""
    add_prices(empty, [price("1", "2", cached_input_usd="0.1", reasoning_usd="3")], NOW)
    attempt(empty, billed="maybe", upper_prompt_tokens=100, upper_output_tokens=10)
    assert costs(empty) == [(None, Decimal("0.00013"), "user", None)]


def test_the_bound_of_a_lost_reply_takes_the_dearest_step(empty: duckdb.DuckDBPyConnection) -> None:
    """A prompt of at most 300 tokens may have been under the step, where a token costs more."""
    add_prices(empty, [price("9", "0"), price("1", "0", above_tokens=200)], NOW)
    attempt(empty, billed="maybe", upper_prompt_tokens=300, upper_output_tokens=0)
    assert costs(empty)[0][1] == Decimal("0.0027")


def test_an_unreadable_count_is_bracketed_by_its_two_readings(
    empty: duckdb.DuckDBPyConnection,
) -> None:
    """Counts that do not add up: the sure reading is the cost, the larger one the upper bound."""
    add_prices(empty, [price("1", "2")], NOW)
    raw = {"prompt_tokens": 18, "completion_tokens": 47, "total_tokens": 300,
           "completion_tokens_details": {"reasoning_tokens": 198}}  # fmt: skip
    attempt(empty, **from_usage(raw))
    assert costs(empty)[0][:2] == (Decimal("0.000112"), Decimal("0.000582"))


def test_a_cache_write_that_is_not_counted_moves_the_upper_bound(
    empty: duckdb.DuckDBPyConnection,
) -> None:
    """The ledger has no count of written tokens: at most all fresh ones were written."""
    add_prices(empty, [price("1", "0", cache_write_usd="1.25")], NOW)
    attempt(empty, prompt_tokens=100, cached_tokens=20, billable_output_tokens=0)
    assert costs(empty)[0][:2] == (Decimal("0.0001"), Decimal("0.00012"))


def test_a_reply_without_counts_is_unpriced_and_bounded(empty: duckdb.DuckDBPyConnection) -> None:
    """A complete reply without usage is NULL with its reason, and has an upper bound."""
    add_prices(empty, [price("1", "1")], NOW)
    attempt(empty, upper_prompt_tokens=100, upper_output_tokens=10)
    assert costs(empty) == [(None, Decimal("0.00011"), "user", "no usage")]


def test_what_was_not_billed_costs_nothing_even_without_a_price(
    empty: duckdb.DuckDBPyConnection,
) -> None:
    """Not billed is the one true 0."""
    attempt(empty, billed="no")
    assert costs(empty) == [(Decimal(0), Decimal(0), "not billed", None)]


def test_a_bound_takes_the_dearest_hour_and_the_price_that_is_to_come() -> None:
    """A call that is sent now may be priced by a later hour, and a run may last into a new price."""
    cheap, dear = price("1", "1"), price("4", "2")
    day = PriceBook(spread_over_day([(None, cheap), ((0, 3600), dear)]))
    assert day.bound(NOW, 1_000_000, 1_000_000) == 6
    coming = PriceBook([cheap, replace(dear, start_at=NOW + timedelta(days=1))])
    assert coming.bound(NOW, 1_000_000, 1_000_000) == 6
    gone = PriceBook(
        [replace(dear, start_at=NOW - timedelta(days=2)), replace(cheap, start_at=NOW)]
    )
    assert gone.bound(NOW, 1_000_000, 1_000_000) == 2
    assert PriceBook([replace(cheap, start_at=NOW + timedelta(days=1))]).bound(NOW, 1, 1) is None


# --- for any prices and counts -----------------------------------------------------------------

amounts = st.decimals(0, 200, places=4)
counts = st.integers(0, 500)


@st.composite
def price_sets(draw: st.DrawFn) -> list[PriceRow]:
    """Prices of two sources over time, with steps, hours and parts that may be absent."""
    rows: list[PriceRow] = []
    for source, priority in (("user", 10), ("genai-prices", 40)):
        starts = draw(st.lists(st.sampled_from([-40, -1, 0, 1, 50]), max_size=2, unique=True))
        for hours in starts:
            steps = [0, *draw(st.lists(st.sampled_from([100, 250]), max_size=2, unique=True))]
            start = ALWAYS if hours == -40 else NOW + timedelta(hours=hours)
            set_ = [
                price(
                    draw(amounts), draw(amounts), source=source, priority=priority, start_at=start,
                    above_tokens=step, cached_input_usd=draw(st.none() | amounts),
                    reasoning_usd=draw(st.none() | amounts), cache_write_usd=draw(st.none() | amounts),
                    request_usd=draw(st.none() | st.decimals(0, 1, places=6)),
                )
                for step in steps
            ]  # fmt: skip
            window = draw(st.sampled_from([None, (3600, 46_800), (80_000, 40_000)]))
            parts: list[tuple[tuple[int, int] | None, PriceRow]] = [(None, row) for row in set_]
            if window:
                parts += [(window, replace(row, input_usd=dollars(draw(amounts)))) for row in set_]
            rows += spread_over_day(parts)
    return rows


@st.composite
def attempts(draw: st.DrawFn) -> dict[str, Any]:
    """Columns of an attempt whose counts are known."""
    prompt, output = draw(counts), draw(counts)
    return {
        "sent_at": NOW + timedelta(seconds=draw(st.integers(-200_000, 200_000))),
        "prompt_tokens": prompt, "billable_output_tokens": output,
        "cached_tokens": draw(st.none() | st.integers(0, prompt)),
        "reasoning_tokens": draw(st.none() | st.integers(0, output)),
        "upper_prompt_tokens": prompt, "upper_output_tokens": output + draw(st.integers(0, 50)),
    }  # fmt: skip


def tokens_of(row: dict[str, Any]) -> Tokens:
    return Tokens(
        row["prompt_tokens"], row["billable_output_tokens"], row["cached_tokens"],
        row["reasoning_tokens"], row["upper_output_tokens"],
    )  # fmt: skip


often = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@often
@given(rows=price_sets(), asked=st.lists(attempts(), min_size=1, max_size=12))
def test_the_book_and_the_view_agree_to_the_last_digit(
    ledger: duckdb.DuckDBPyConnection, rows: list[PriceRow], asked: list[dict[str, Any]]
) -> None:
    """The budget's arithmetic is the ledger's; the bound holds the upper reading, that the cost."""
    clear(ledger)
    add_prices(ledger, rows, NOW)
    book = PriceBook(rows)
    for number, row in enumerate(asked):
        attempt(ledger, attempt_id=number, **row)
    for row, (cost, upper, _, reason) in zip(asked, costs(ledger), strict=True):
        tokens = tokens_of(row)
        assert book.cost(row["sent_at"], tokens) == cost
        assert book.upper(row["sent_at"], tokens) == upper
        bound = book.bound(row["sent_at"], row["prompt_tokens"], max(row["upper_output_tokens"], 0))
        if cost is None or upper is None or bound is None:
            assert cost is upper is bound is None
            assert reason == "no price"
        else:
            assert 0 <= cost <= upper <= bound


@often
@given(rows=price_sets(), row=attempts())
def test_the_parts_of_a_cost_add_up_to_the_whole(rows: list[PriceRow], row: dict[str, Any]) -> None:
    """Fresh and cached input, visible and reasoning output and the request, priced one by one."""
    book, at = PriceBook(rows), row["sent_at"]
    whole = book.cost(at, tokens_of(row))
    chosen = book.row(at, row["prompt_tokens"])
    if whole is None or chosen is None:
        assert whole is None
        assert chosen is None
        return
    cached = row["cached_tokens"] or 0
    thought = row["reasoning_tokens"] or 0
    fresh, visible = row["prompt_tokens"] - cached, row["billable_output_tokens"] - thought
    one = PriceBook(
        [replace(chosen, above_tokens=0, day_from_s=0, day_to_s=86_400, start_at=ALWAYS)]
    )
    parts = [
        one.cost(at, Tokens(fresh, 0)), one.cost(at, Tokens(cached, 0, cached)),
        one.cost(at, Tokens(0, visible)), one.cost(at, Tokens(0, thought, 0, thought)),
    ]  # fmt: skip
    request = chosen.request_usd or 0
    assert sum(part - request for part in parts if part is not None) + request == whole


@often
@given(
    rows=price_sets(), row=attempts(), more=amounts,
    part=st.sampled_from(["input_usd", "output_usd", "cached_input_usd", "reasoning_usd"]),
)  # fmt: skip
def test_a_dearer_price_never_lowers_a_cost(
    rows: list[PriceRow], row: dict[str, Any], more: Decimal, part: str
) -> None:
    """Whatever part of the price rises, neither the cost nor its bound falls."""

    def raised(one: PriceRow) -> PriceRow:
        old = getattr(one, part)
        return one if old is None else replace(one, **{part: old + (dollars(more) or 0)})

    before, after = PriceBook(rows), PriceBook(map(raised, rows))
    tokens, at = tokens_of(row), row["sent_at"]
    was, is_ = before.cost(at, tokens), after.cost(at, tokens)
    assert (was is None) == (is_ is None)
    if was is not None and is_ is not None:
        assert is_ >= was
        low, high = before.bound(at, 500, 500), after.bound(at, 500, 500)
        assert low is not None
        assert high is not None
        assert high >= low


@often
@given(rows=price_sets(), missing=st.sampled_from(["prompt_tokens", "billable_output_tokens", "price"]),
       row=attempts())  # fmt: skip
def test_unknown_never_becomes_nothing(
    ledger: duckdb.DuckDBPyConnection, rows: list[PriceRow], missing: str, row: dict[str, Any]
) -> None:
    """A missing count or price gives NULL with a reason, in the view and in the book."""
    clear(ledger)
    if missing == "price":
        rows = [replace(one, input_usd=None) for one in rows]
    else:
        row = {**row, missing: None}
    add_prices(ledger, rows, NOW)
    attempt(ledger, **row)
    [(cost, _, _, reason)] = costs(ledger)
    assert cost is None
    assert reason in {"no price", "no usage"}
    assert PriceBook(rows).cost(row["sent_at"], tokens_of(row)) is None
