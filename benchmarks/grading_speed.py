"""Replies of 1 kB graded per second on one core, and the worst hostile reply in milliseconds.

Run: ``python benchmarks/grading_speed.py``. Nothing is asserted; the figures are printed.
A second is one of processor time, so that neighbours on the machine count less.
The replies are made here, in the styles of today's models and in several languages; each is
filled with steps of working up to 1,000 characters. Graders see every reply as new text.
"""

from __future__ import annotations

import random
import time

from hinglishbench.grading import GRADERS, Reply, Task

STEPS = {
    "en": "Step {n}: The shop sells {a} pens at {b} rupees each, so that is {a} x {b} = {c} rupees.\n",
    "md": "* **Step {n}:** multiply {a} by {b}: {a} × {b} = {c}\n",
    "tex": "{n}. We have\n\\[\n{a} \\times {b} = {c}\n\\]\n",
    "cm-rom": "Step {n}: Dukaan mein {a} pen hain, har pen {b} rupaye ka, toh {a} x {b} = {c} rupaye.\n",
    "hi": "चरण {n}: दुकान में {a} पेन हैं, हर पेन {b} रुपये का, तो {a} × {b} = {c} रुपये।\n",
}
ENDS = {
    "numeric": (
        "\n{c}",
        "\n**${c}**",
        "\nTherefore, the total is {c} rupees.",
        "\n**Answer:** {c}",
        "\nThe final answer is: $\\boxed{{{c}}}$",
        "\nइसलिए, कुल {c} रुपये होंगे।",
        "\n#### {c}",
        "\nToh 5 din mein total {c} rupaye lagenge.",
    ),
    "choice": (
        "\nTherefore, the correct answer is **B**.",
        "\nAnswer: (C) Paris",
        "\n\\boxed{{D}}",
        "\nसही उत्तर B है।",
        "\nIsliye sahi jawab option A hai.",
        "\nSo option C is the correct answer.",
    ),
    "span": ("\nAnswer: New Delhi", "\nThe answer is नई दिल्ली।"),
}
OPTIONS = ("London", "Rome", "Paris", "Madrid")


def replies(grader: str, count: int) -> list[Reply]:
    """Different replies of 1,000 characters, one in four with its reasoning in front."""
    draw = random.Random(7)
    made = []
    for index in range(count):
        step = draw.choice(list(STEPS.values()))
        a, b = draw.randint(2, 99), draw.randint(2, 99)
        end = draw.choice(ENDS[grader]).format(c=a * b)
        body = ""
        if index % 4 == 0:
            body = "<think>\nLet me see, maybe 7 or 12?\n</think>\n"
        n = 1
        while len(body) + len(end) < 1000 - 100:
            body += step.format(n=n, a=a + n, b=b, c=(a + n) * b)
            n += 1
        made.append(Reply((body + end).ljust(1000)))
    return made


def hostile() -> dict[str, str]:
    """Replies made to hurt: a megabyte each, or deep, or with giant numbers."""
    mega = 1_000_000
    return {
        "1 MB of digits": "7" * mega,
        "1 MB of grouped digits": "1,11," * (mega // 5),
        "1 MB of words": "answer is not known and " * (mega // 24),
        "1 MB of 'answer: 1'": "answer: 1\n" * (mega // 10),
        "1 MB of 'Answer' lines": "Answer\n" * (mega // 7),
        "1 MB of open braces": "\\boxed{" * (mega // 7),
        "1 MB of nested braces": "\\boxed{" + "{" * (mega // 2) + "}" * (mega // 2),
        "1 MB of think tags": "<think>" * (mega // 7),
        "1 MB of think pairs": "<think>a</think>" * (mega // 16),
        "1 MB of 'Question:'": "Question: 5?\n" * (mega // 13),
        "1 MB of lines": "\n" * mega,
        "1 MB of blanks": " " * mega,
        "1 MB of stars": "*" * mega,
        "1 MB of 'option B'": "option B is not right, " * (mega // 23),
        "1 MB of labels": "A) x\nB) y\n" * (mega // 10),
        "1 MB of brackets": "(" * mega,
        "1 MB of 'is is'": "the answer" + " is" * (mega // 3),
        "1 MB of equals": "1 = " * (mega // 4),
        "1 MB of ####": "#### 1\n" * (mega // 7),
        "1 MB of '<|channel|>'": "<|channel|>" * (mega // 11),
        "1 MB of Devanagari": "उत्तर है " * (mega // 9),
        "giant exponent": "The answer is 1e999999999999.",
        "power tower": "10^999999999999 and 9^9^9^9^9^9",
        "zero denominator": "\\boxed{\\frac{1}{0}} 5/0",
        "lone surrogates": "\ud835\udc00\ud800" * 1000 + " = 4",
        "NUL and bidi": "\x00\u202e\u200f18\x00" * 1000,
    }


def main() -> None:
    """Print the figures."""
    for name, task in (
        ("numeric", Task("numeric")),
        ("choice", Task("choice", OPTIONS)),
        ("choice, no options", Task("choice")),
        ("span", Task("span")),
    ):
        grader = GRADERS[task.grader]
        gold = {"numeric": "18", "choice": "B", "span": "New Delhi"}[task.grader]
        made = replies(task.grader, 4_000)
        for reply in made[:200]:
            grader.judge(grader.parse(reply, task), gold, task)
        best = 0.0
        for _ in range(3):
            start = time.process_time()
            for reply in made:
                grader.judge(grader.parse(reply, task), gold, task)
            best = max(best, len(made) / (time.process_time() - start))
        print(f"{name:20s} {best:10,.0f} replies of 1 kB a second")
        worst = ("", 0.0)
        for what, text in hostile().items():
            start = time.process_time()
            grader.judge(grader.parse(Reply(text), task), gold, task)
            took = (time.process_time() - start) * 1e3
            if took > worst[1]:
                worst = (what, took)
            if took > 20:
                print(f"    {took:8.1f} ms  {what}")
        print(f"{'':20s} worst hostile reply: {worst[1]:.1f} ms ({worst[0]})")


if __name__ == "__main__":
    main()
