"""What fills the slots of a prompt, and what makes two requests the same."""

from __future__ import annotations

import pytest

from hinglishbench.grading.labels import labels_of
from hinglishbench.suites.request import request_body, request_digest, slot_values


@pytest.mark.parametrize("n", [2, 10, 11, 26])
def test_every_option_is_shown_under_the_label_that_the_grader_knows(n: int) -> None:
    """Up to a whole alphabet of them; none is left out of the prompt."""
    options = tuple(f"choice {i}" for i in range(n))
    shown = slot_values("q", None, "en", options)["options"].split("\n")
    assert shown == [f"{a}. {b}" for a, b in zip(labels_of((), options), options, strict=True)]


def test_labels_of_the_item_come_first() -> None:
    """As given, in their order."""
    assert slot_values("q", None, "hi", ("x", "y"), ("क", "ख"))["options"] == "क. x\nख. y"


def test_slots_without_content_are_absent() -> None:
    """A form's own context is taken; an item without one has no such slot."""
    assert slot_values("q", None, "en") == {"question": "q"}
    passages = {"en": "once", "hi": "एक बार"}
    assert slot_values("प्र", "q", "hi", context=passages) == {
        "question": "प्र", "question_en": "q", "context": "एक बार",
    }  # fmt: skip
    assert "context" not in slot_values("q", None, "cm", context=passages)


def test_a_request_is_its_endpoint_its_body_and_its_sample() -> None:
    """Each of the three changes the digest, the order of the body's fields does not."""
    body = request_body({"model": "m", "max_tokens": 9}, [{"role": "user", "content": "q"}])
    again = request_body({"max_tokens": 9, "model": "m"}, [{"content": "q", "role": "user"}])
    first = request_digest("endpoint:1", body, 0)
    assert len(first) == 16
    assert request_digest("endpoint:1", again, 0) == first
    others = {
        request_digest("endpoint:2", body, 0),
        request_digest("endpoint:1", body, 1),
        request_digest("endpoint:1", body + b" ", 0),
    }
    assert len(others | {first}) == 4
