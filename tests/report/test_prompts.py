"""The prompts that `hbench compare` is made for."""

from __future__ import annotations

from typing import Any

import pytest

from hinglishbench.suites.prompts import load_prompt

MITIGATIONS = (
    "think-in-english",
    "answer-in-english",
    "translate-then-solve",
    "concise",
    "append-translation",
)
VALUES = {"question": "Ram ke paas 3 aam hain.", "question_en": "Ram has 3 mangoes."}


def text(name: str, form: str) -> str:
    """Everything that the model would read."""
    english: dict[str, Any] = {
        "question": VALUES["question_en"],
        "question_en": VALUES["question_en"],
    }
    messages = load_prompt(name).messages(form, english if form == "en" else VALUES)
    return "\n".join(message["content"] for message in messages)


@pytest.mark.parametrize("name", MITIGATIONS)
def test_a_mitigation_has_a_purpose_a_source_and_the_usual_answer_line(name: str) -> None:
    """Only the mitigation may differ from `fair`: the grader reads the same last line."""
    prompt = load_prompt(name)
    assert prompt.content["purpose"]
    assert prompt.content["source"]
    assert prompt.content["answer_format"] == load_prompt("fair").content["answer_format"]
    assert "end your reply with a final line containing ONLY the numeric answer." in text(
        name, "cm-rom"
    )


@pytest.mark.parametrize("name", ["translate-then-solve", "append-translation"])
def test_an_english_question_keeps_the_words_of_fair(name: str) -> None:
    """There is nothing to translate or to append."""
    assert text(name, "en") == text("fair", "en")


def test_the_translation_stands_below_the_question() -> None:
    """Both texts, the Hinglish one first."""
    shown = text("append-translation", "cm-rom")
    assert 0 < shown.index(VALUES["question"]) < shown.index(VALUES["question_en"])
