"""What is reused, claimed, asked, and asked again: whole blocks, each answer bought once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ledger.rig import HOUR, Rig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    with Rig(tmp_path) as rig:
        yield rig
        for run in list(rig.living):
            run.die()
        assert rig.faults() == {}


def test_a_first_run_asks_every_cell_and_keeps_a_block_together(rig: Rig) -> None:
    """The forms of a block are asked next to each other."""
    run = rig.whole(rig.plan(("k1", "k2", "k3")))
    assert run.counts == (6, 0, 0, 0)
    items = [name.split("/")[0] for name in run.asks]
    assert items[0::2] == items[1::2]
    assert rig.outcomes() == dict.fromkeys(
        ("k1/cm-rom", "k1/en", "k2/cm-rom", "k2/en", "k3/cm-rom", "k3/en"), "correct"
    )


def test_a_second_run_asks_nothing(rig: Rig) -> None:
    """Everything is answered, so nothing is bought."""
    rig.whole()
    assert rig.whole().counts == (0, 4, 0, 0)
    assert rig.attempts() == 4


def test_an_old_whole_block_is_reused_however_old(rig: Rig) -> None:
    """Age matters only to blocks answered in part."""
    rig.whole()
    rig.now += 1000 * HOUR
    assert rig.whole().counts == (0, 4, 0, 0)


def test_a_larger_limit_asks_only_what_it_adds(rig: Rig) -> None:
    """--limit takes the head of one order, so a larger limit extends a smaller one."""
    items = tuple(f"k{i}" for i in range(6))
    first = rig.whole(rig.plan(items, limit=2))
    more = rig.whole(rig.plan(items, limit=5))
    assert more.counts == (6, 4, 0, 0)
    assert not set(first.asks) & set(more.asks)


def test_another_order_buys_nothing(rig: Rig) -> None:
    """The seed orders blocks; it is no part of what makes two requests the same."""
    rig.whole(rig.plan(seed=1))
    assert rig.whole(rig.plan(seed=2)).counts == (0, 4, 0, 0)


def test_a_young_block_is_completed_with_a_form_added_later(rig: Rig) -> None:
    """Within --max-pair-gap only the new form is asked."""
    rig.whole(rig.plan(("k1",)))
    rig.now += HOUR - 1
    run = rig.whole(rig.plan(("k1",), forms=("en", "cm-rom", "hi")))
    assert run.asks == ["k1/hi"]
    assert run.counts == (1, 2, 0, 0)


def test_an_old_block_is_asked_again_whole_with_a_form_added_later(rig: Rig) -> None:
    """Past --max-pair-gap the forms would not be comparable; the count of again says the price."""
    rig.whole(rig.plan(("k1",)))
    rig.now += HOUR + 1
    run = rig.whole(rig.plan(("k1",), forms=("en", "cm-rom", "hi")))
    assert sorted(run.asks) == ["k1/cm-rom", "k1/en", "k1/hi"]
    assert run.counts == (3, 0, 0, 2)
    assert set(rig.outcomes("asked_at::varchar").values()) == {"2027-01-15 09:00:01"}


def test_a_longer_gap_may_be_allowed(rig: Rig) -> None:
    """--max-pair-gap is what decides."""
    rig.whole(rig.plan(("k1",)))
    rig.now += 5 * HOUR
    run = rig.whole(rig.plan(("k1",), forms=("en", "cm-rom", "hi")), gap_s=6 * HOUR)
    assert run.asks == ["k1/hi"]


def test_fresh_replaces_whole_blocks(rig: Rig) -> None:
    """All cells are bought again and the new answers stand."""
    rig.whole()
    run = rig.start(fresh=True)
    assert run.counts == (4, 0, 0, 4)
    run.answer(text="17").end()
    assert set(rig.outcomes().values()) == {"wrong"}
    assert rig.attempts() == 8


def test_the_new_answers_of_a_block_stand_only_together(rig: Rig) -> None:
    """Half a fresh block changes nothing; the other half moves both up."""
    rig.whole(rig.plan(("k1",)))
    run = rig.start(rig.plan(("k1",)), fresh=True)
    run.answer("k1/en", text="17")
    assert rig.outcomes() == {"k1/cm-rom": "correct", "k1/en": "correct"}
    run.answer("k1/cm-rom", text="17")
    assert rig.outcomes() == {"k1/cm-rom": "wrong", "k1/en": "wrong"}


def test_an_interrupted_fresh_run_leaves_the_old_blocks_in_force(rig: Rig) -> None:
    """A death in mid-block loses nothing of what was there before."""
    rig.whole(rig.plan(("k1",)))
    rig.start(rig.plan(("k1",)), fresh=True).answer("k1/en", text="17").die()
    assert rig.whole(rig.plan(("k1",))).counts == (0, 2, 0, 0)
    assert rig.outcomes() == {"k1/cm-rom": "correct", "k1/en": "correct"}


def test_a_fresh_run_after_a_died_one_asks_only_the_rest_of_its_blocks(rig: Rig) -> None:
    """What the died run bought a moment ago is not bought a third time."""
    rig.whole(rig.plan(("k1",)))
    rig.start(rig.plan(("k1",)), fresh=True).answer("k1/en", text="17").die()
    run = rig.start(rig.plan(("k1",)), fresh=True)
    assert run.asks == ["k1/cm-rom"]
    run.answer(text="17").end()
    assert rig.outcomes() == {"k1/cm-rom": "wrong", "k1/en": "wrong"}


def test_a_died_fresh_run_is_forgotten_when_its_answers_are_old(rig: Rig) -> None:
    """Half a block from yesterday is no partner for today's other half."""
    rig.whole(rig.plan(("k1",)))
    rig.start(rig.plan(("k1",)), fresh=True).answer("k1/en").die()
    rig.now += 2 * HOUR
    assert len(rig.whole(rig.plan(("k1",)), fresh=True).asks) == 2


def test_a_fresh_run_with_fewer_forms_than_the_died_one_still_moves_up(rig: Rig) -> None:
    """What a dead run left pending in another form does not hold the block for ever."""
    three = rig.plan(("k1",), forms=("en", "cm-rom", "hi"))
    rig.whole(three)
    rig.start(three, fresh=True).die()
    rig.start(rig.plan(("k1",)), fresh=True).answer(text="17").end()
    assert rig.outcomes() == {"k1/cm-rom": "wrong", "k1/en": "wrong", "k1/hi": "correct"}


def test_a_plain_run_beside_a_living_fresh_one_does_not_cost_it_its_answers(rig: Rig) -> None:
    """The plain run reuses; the fresh run's answers still move up."""
    rig.whole(rig.plan(("k1",)))
    fresh = rig.start(rig.plan(("k1",)), fresh=True)
    assert rig.whole(rig.plan(("k1",))).counts == (0, 2, 0, 0)
    fresh.answer(text="17").end()
    assert rig.outcomes() == {"k1/cm-rom": "wrong", "k1/en": "wrong"}


def test_errors_are_asked_again(rig: Rig) -> None:
    """An error is not an answer: the next run asks it, and only it."""
    run = rig.start(rig.plan(("k1",)))
    run.answer("k1/en", error="server_error").answer().end()
    assert rig.outcomes()["k1/en"] == "error"
    again = rig.whole(rig.plan(("k1",)))
    assert again.asks == ["k1/en"]
    assert again.counts == (1, 1, 0, 0)
    assert rig.outcomes()["k1/en"] == "correct"


def test_an_error_in_an_old_block_is_asked_again_with_its_block(rig: Rig) -> None:
    """The answered side is too old to be paired with a new one."""
    rig.start(rig.plan(("k1",))).answer("k1/en", error="server_error").answer().end()
    rig.now += 2 * HOUR
    assert rig.whole(rig.plan(("k1",))).counts == (2, 0, 0, 1)
    assert set(rig.outcomes().values()) == {"correct"}


def test_a_corrected_gold_grades_again_and_buys_nothing(rig: Rig) -> None:
    """The gold is no part of the request."""
    rig.whole(rig.plan(("k1",)))
    rig.golds["k1"] = "43"
    assert rig.whole(rig.plan(("k1",))).counts == (0, 2, 0, 0)
    assert rig.outcomes() == {"k1/cm-rom": "wrong", "k1/en": "wrong"}
    golds = rig.rows("select gold, count(*) from grades group by gold order by gold")
    assert golds == [('"42"', 2), ('"43"', 2)]


def test_the_same_request_under_another_suite_is_reused(rig: Rig) -> None:
    """The suite's name is no part of the request; the other suite gets cells and grades of its own."""
    rig.whole(rig.plan(suite="mine"))
    assert rig.whole(rig.plan(suite="yours")).counts == (0, 4, 0, 0)
    assert rig.rows("select suite, count(*) from answers group by all order by all") == [
        ("mine", 4),
        ("yours", 4),
    ]
    assert rig.attempts() == 4


def test_samples_are_requests_of_their_own(rig: Rig) -> None:
    """Case 75: the same body asked twice as two samples is bought twice, and once each."""
    assert rig.whole(rig.plan(("k1",))).counts == (2, 0, 0, 0)
    more = rig.whole(rig.plan(("k1",), samples=3))
    assert more.counts == (4, 2, 0, 0)
    assert rig.whole(rig.plan(("k1",), samples=3)).counts == (0, 6, 0, 0)


def test_case_75_a_temperature_left_out_is_not_zero(rig: Rig) -> None:
    """An omitted field and an explicit 0 are two arms."""
    rig.whole(rig.plan(("k1",)))
    assert rig.whole(rig.plan(("k1",), temperature=0.0)).counts == (2, 0, 0, 0)
    assert rig.rows("select temperature from arms order by arm_id") == [(None,), (0.0,)]


def test_case_74_another_cap_is_another_request(rig: Rig) -> None:
    """An answer cut at 16 tokens is not served where 4,000 are allowed."""
    rig.whole(rig.plan(("k1",), max_tokens=16))
    assert rig.whole(rig.plan(("k1",), max_tokens=4000)).counts == (2, 0, 0, 0)


def test_another_address_is_another_endpoint(rig: Rig) -> None:
    """The same model elsewhere is another arm."""
    rig.whole(rig.plan(("k1",)))
    assert rig.whole(rig.plan(("k1",), address="elsewhere")).counts == (2, 0, 0, 0)


def test_a_changed_text_is_asked(rig: Rig) -> None:
    """Only the changed form is asked while the block is young."""
    rig.whole(rig.plan(("k1",)))
    rig.texts["k1", "cm-rom"] = "naya sawaal?"
    run = rig.whole(rig.plan(("k1",)))
    assert run.asks == ["k1/cm-rom"]
    assert rig.attempts() == 3


def test_a_changed_text_keeps_its_old_answer_until_the_new_one_stands(rig: Rig) -> None:
    """No cell ever shows the answer to one text beside the words of another."""
    rig.whole(rig.plan(("k1",)))
    rig.texts["k1", "cm-rom"] = "naya sawaal?"
    rig.start(rig.plan(("k1",))).die()
    text = "(select x.text from texts x where x.text_id = answers.text_id)"
    assert rig.outcomes(text)["k1/cm-rom"] == "k1 in cm-rom?"
    run = rig.whole(rig.plan(("k1",)))
    assert run.asks == ["k1/cm-rom"]
    assert rig.outcomes(text)["k1/cm-rom"] == "naya sawaal?"


def test_a_text_taken_back_finds_its_old_answer(rig: Rig) -> None:
    """An answer bought once is never bought again, whatever was asked in between."""
    rig.whole(rig.plan(("k1",)))
    rig.texts["k1", "cm-rom"] = "naya sawaal?"
    rig.start(rig.plan(("k1",))).answer(text="17").end()
    del rig.texts["k1", "cm-rom"]
    assert rig.whole(rig.plan(("k1",))).counts == (0, 2, 0, 0)
    assert rig.outcomes() == {"k1/cm-rom": "correct", "k1/en": "correct"}


def test_equal_texts_in_one_suite_are_bought_once(rig: Rig) -> None:
    """Two items with the same words share one request and have a grade each."""
    rig.texts["k2", "en"] = "k1 in en?"
    rig.golds["k2"] = "17"
    run = rig.whole()
    assert len(run.asks) == 3
    assert rig.outcomes() == {
        "k1/cm-rom": "correct", "k1/en": "correct", "k2/cm-rom": "wrong", "k2/en": "wrong",
    }  # fmt: skip


def test_equal_texts_are_replaced_together_too(rig: Rig) -> None:
    """--fresh over shared requests moves every block up."""
    rig.texts["k2", "en"] = "k1 in en?"
    rig.whole()
    run = rig.start(fresh=True)
    assert len(run.asks) == 3
    for name in run.asks:  # one at a time, as they come
        run.answer(name, text="17")
    assert set(rig.outcomes().values()) == {"wrong"}


def test_cells_that_a_living_run_is_asking_are_not_asked(rig: Rig) -> None:
    """Two runs at once share the work; the second says how much the first has claimed."""
    first = rig.start(rig.plan(("k1", "k2")))
    second = rig.start(rig.plan(("k1", "k2", "k3")))
    assert second.counts == (2, 0, 4, 0)
    first.answer().end()
    second.answer().end()
    assert rig.attempts() == 6
    assert set(rig.outcomes().values()) == {"correct"}


def test_the_claims_of_a_dead_run_are_free(rig: Rig) -> None:
    """Once its lock is gone its cells are asked by the next."""
    first = rig.start(rig.plan(("k1",)))
    first.answer("k1/en").die()
    second = rig.whole(rig.plan(("k1",)))
    assert second.asks == ["k1/cm-rom"]
    assert second.counts == (1, 1, 0, 0)


def test_a_living_runs_claim_holds_for_a_fresh_run_too(rig: Rig) -> None:
    """--fresh does not ask beside a run that is asking."""
    first = rig.start(rig.plan(("k1",)))
    assert rig.start(rig.plan(("k1",)), fresh=True).counts == (0, 0, 2, 0)
    first.answer()
    assert set(rig.outcomes().values()) == {"correct"}


def test_a_new_form_of_a_block_that_a_living_run_replaces_waits(rig: Rig) -> None:
    """The block is that run's; the form that it does not ask is left for a later run, without a cell."""
    rig.whole(rig.plan(("k1",)))
    rig.now += 2 * HOUR
    first = rig.start(rig.plan(("k1",)), fresh=True)
    second = rig.start(rig.plan(("k1",), forms=("en", "cm-rom", "hi")))
    assert second.counts == (0, 0, 3, 0)
    second.end()
    first.answer().end()
    assert rig.whole(rig.plan(("k1",), forms=("en", "cm-rom", "hi"))).asks == ["k1/hi"]


def test_a_fresh_run_with_a_new_form_waits_for_a_living_one(rig: Rig) -> None:
    """The same with --fresh on both sides."""
    first = rig.start(rig.plan(("k1",)))
    assert rig.start(rig.plan(("k1",), forms=("en", "hi")), fresh=True).counts == (0, 0, 2, 0)
    first.answer().end()


def test_what_is_claimed_elsewhere_is_not_counted_as_bought_again(rig: Rig) -> None:
    """`again` is the price of this run, not of another one's."""
    rig.whole(rig.plan(("k1",)))
    rig.start(rig.plan(("k1",)), fresh=True)
    assert rig.start(rig.plan(("k1",)), fresh=True).counts == (0, 0, 2, 0)


def test_imported_and_replayed_answers_are_never_taken_for_live_ones(rig: Rig) -> None:
    """Only origin live is reused."""
    rig.whole(rig.plan(("k1",)), origin="replay")
    assert rig.whole(rig.plan(("k1",))).counts == (2, 0, 0, 0)
    assert rig.rows("select origin, count(*) from cells group by all order by all") == [
        ("live", 2),
        ("replay", 2),
    ]


def test_a_dry_plan_leaves_the_ledger_as_it_was(rig: Rig) -> None:
    """It counts what would be asked, and claims nothing."""
    rig.whole(rig.plan(("k1",)))
    before = rig.rows("select count(*) from runs"), rig.rows("select * from cells")
    dry = rig.start(rig.plan(("k1", "k2")), dry=True)
    assert dry.counts == (2, 2, 0, 0)
    assert (rig.rows("select count(*) from runs"), rig.rows("select * from cells")) == before


def test_an_attempt_in_flight_at_the_death_is_maybe_billed(rig: Rig) -> None:
    """Case 69: sent and never ended is on the bill at its upper bound, and is asked again."""
    first = rig.start(rig.plan(("k1",)))
    first.answer("k1/en").answer("k1/cm-rom", sent_only=True).die()
    second = rig.whole(rig.plan(("k1",)))
    assert second.asks == ["k1/cm-rom"]
    [taken] = second.adopted
    assert (taken.attempts, taken.in_flight) == (1, 1)
    lost = rig.rows(
        "select error, billed, upper_prompt_tokens, upper_output_tokens, ended_at is null"
        " from attempts where billed = 'maybe'"
    )
    assert lost == [("died", "maybe", 1100, 64, True)]
    assert rig.rows("select status from runs order by run_id") == [("died",), ("done",)]


def test_a_dead_journal_is_taken_in_once(rig: Rig) -> None:
    """However often a ledger is opened afterwards."""
    rig.start(rig.plan(("k1",))).answer("k1/en", take=False).answer(
        sent_only=True, take=False
    ).die()
    assert [len(rig.start(rig.plan(("k1",))).adopted) for _ in range(3)] == [1, 0, 0]
    assert rig.attempts() == 2
