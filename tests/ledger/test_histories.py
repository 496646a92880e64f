"""Any history of runs that plan, answer, fail, die and overlap leaves a sound ledger.

`HISTORIES=500 pytest tests/ledger/test_histories.py` looks longer, and elsewhere each time.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from tests.ledger.rig import HOUR, LiveRun, Rig

ITEMS = ("k1", "k2", "k3")
PLANS = st.fixed_dictionaries(
    {
        "items": st.lists(st.sampled_from(ITEMS), min_size=1, unique=True),
        "forms": st.sampled_from(
            [("en", "cm-rom"), ("en",), ("en", "cm-rom", "hi"), ("cm-rom", "hi")]
        ),
        "samples": st.sampled_from([1, 1, 2]),
        "suite": st.sampled_from(["pairs", "pairs", "other"]),
    }
)


class Histories(RuleBasedStateMachine):
    """Runs over one ledger; the model beside it knows only what was bought and what it was for.

    A request has one identity: text, form's words and sample. An answered one is bought again only
    by --fresh, or because its block had gone stale (which the run counts beforehand as `again`).
    """

    runs = Bundle("runs")

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self.rig = Rig(Path(self._folder.name))
        # Two items with the same words, so that a request may serve two cells.
        self.rig.texts["k3", "en"] = "k2 in en?"

    def teardown(self) -> None:
        for run in list(self.rig.living):
            run.die()
        self.check()
        self.rig.connection.close()
        self._folder.cleanup()

    def digests(self, where: str) -> set[str]:
        """Identities of requests."""
        return {str(row[0]) for row in self.rig.rows(f"select digest from requests where {where}")}

    @rule(target=runs, plan=PLANS, fresh=st.sampled_from([False, False, True]))
    def start(self, plan: dict[str, object], fresh: bool) -> LiveRun:
        run = self.rig.start(self.rig.plan(**plan), fresh=fresh)  # type: ignore[arg-type]
        asked = self.digests(f"run_id = {run.claimed.run.run_id} and state = 'planned'")
        assert run.claimed.cells == len(run.plan)
        assert len(asked) == len(run.claimed.asks)
        if not fresh:
            bought_again = asked & self.digests("state = 'answered'")
            assert bool(bought_again) == bool(run.claimed.again)
        for other in self.rig.living:  # what a living run asks is nobody else's
            if other is not run:
                theirs = f"run_id = {other.claimed.run.run_id} and state = 'planned'"
                assert asked & self.digests(theirs) == set()
        return run

    @rule(run=runs, n=st.integers(1, 4), error=st.sampled_from([None, None, None, "server_error"]))
    def answer(self, run: LiveRun, n: int, error: str | None) -> None:
        if run in self.rig.living:
            for name in run.asks[:n]:
                run.answer(name, error=error, take=False)

    @rule(run=runs)
    def take(self, run: LiveRun) -> None:
        if run in self.rig.living:
            run.take()

    @rule(run=consumes(runs), in_flight=st.booleans())
    def die(self, run: LiveRun, in_flight: bool) -> None:
        if run in self.rig.living:
            if in_flight and run.asks:
                run.answer(run.asks[-1], sent_only=True, take=False)
            run.die()

    @rule(run=consumes(runs))
    def finish(self, run: LiveRun) -> None:
        if run in self.rig.living:
            run.answer(take=False)
            run.end()

    @rule(hours=st.sampled_from([0.2, 2.0]))
    def wait(self, hours: float) -> None:
        self.rig.now += hours * HOUR

    @rule(key=st.sampled_from(ITEMS), text=st.sampled_from(["new words?", "k2 in cm-rom?"]))
    def edit(self, key: str, text: str) -> None:
        self.rig.texts[key, "cm-rom"] = text

    @rule(key=st.sampled_from(ITEMS), gold=st.sampled_from(["42", "17"]))
    def correct(self, key: str, gold: str) -> None:
        self.rig.golds[key] = gold

    @invariant()
    def check(self) -> None:
        assert self.rig.faults() == {}
        # An answer belongs to the text that its cell shows.
        wrong = self.rig.rows(
            "select count(*) from cells c join attempts t on t.attempt_id = c.attempt_id"
            " join requests r on r.request_id = t.request_id join texts a on a.text_id = r.text_id"
            " join texts b on b.text_id = c.text_id where a.text <> b.text"
        )
        assert wrong == [(0,)]


class Reruns(Histories):
    """After any history: run until all is answered, then the same command asks nothing."""

    def teardown(self) -> None:
        for run in list(self.rig.living):
            run.die()
        plan = self.rig.plan(ITEMS, forms=("en", "cm-rom", "hi"), samples=2)
        self.rig.whole(plan)
        again = self.rig.whole(plan)
        assert again.counts == (0, len(plan), 0, 0)
        outcomes = self.rig.rows(
            "select count(*) from answers where suite = 'pairs' and origin = 'live'"
            " and (outcome is null or outcome = 'error')"
        )
        assert outcomes == [(0,)]
        super().teardown()


TestHistories = Reruns.TestCase
TestHistories.settings = settings(
    max_examples=int(os.environ.get("HISTORIES", "4")), stateful_step_count=10, deadline=None,
    derandomize="HISTORIES" not in os.environ, suppress_health_check=list(HealthCheck),
)  # fmt: skip
