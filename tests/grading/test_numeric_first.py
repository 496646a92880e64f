"""The numeric grader reads the plainest replies."""

from __future__ import annotations

import pytest
from hinglishbench.grading import Reply, Task, grade


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("16 - 3 - 4 = 9\n\n**$18**", "18"),
        ("<think>7?</think>\n#### 18", "18"),
        ("Answer: 18", "18"),
        ("उत्तर: ₹१,२५,०००", "125000"),
    ],
)
def test_plain_replies_are_read(text: str, gold: str) -> None:
    """A final line, a marker and native digits are read."""
    assert grade(Reply(text), gold, Task("numeric")).outcome == "correct"
