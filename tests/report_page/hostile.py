"""Strings that try to leave their place."""

from __future__ import annotations

import random
from typing import Any

OWN = "document.title='owned';window.owned=1"
LONG = "x" * 1_000_000
REPLIES = (
    f"<script>{OWN}</script>",
    f"</script><script>{OWN}</script>",
    f'</textarea></pre></div><img src=x onerror="{OWN}">',
    f'<a href="javascript:{OWN}">javascript:{OWN}</a>',
    f"<!-- --!> <![CDATA[ ]]> </style></title><svg onload={OWN}>",
    "start \u202etxet desrever\u202c \u2066isolated\u2069 \u200fright-to-left end",
    f"{LONG}\n42",
    "line one\u2028line two\u2029\u0085three\x1b[31m\tfour\n\n| a | b |\n# heading",
    "http://tracker.invalid/pixel.png ![img](http://tracker.invalid/x.png) <link rel=prefetch href=//tracker.invalid>",
    "{{constructor.constructor('alert(1)')()}} ${alert(1)} %3Cscript%3E &lt;b&gt; &amp; \\u003cscript>",
)  # fmt: skip
MODEL = f"acme/<img src=x onerror={OWN}>|\u202elarge"
SUITE = f"s\"'><script>{OWN}</script>"
TOPIC = f"</option></select><script>{OWN}</script>"


def answer(rng: random.Random, number: int, form: str, model: str) -> dict[str, Any]:
    """Reply `number`, also as reasoning, parsed answer and topic."""
    del model
    text = REPLIES[number]
    return {
        "id": f"{number:02d} {REPLIES[number][:40]}",
        "topic": TOPIC if number % 2 else "<b>plain</b>",
        "output": text,
        "reasoning": text,
        "parsed": text[:200],
        "outcome": "wrong",
        "method": "<i>last number</i>",
        "finish_reason": "<u>stop</u>",
        "question": f"{number}: {text[:1000]} {form}",
        "billable_output_tokens": 40 + rng.randrange(60),
    }
