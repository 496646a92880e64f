"""Bring a piece of text to plain characters, as far as numbers and labels are concerned.

Digits of any script become ASCII, LaTeX becomes text, bold and code marks go, invisible
marks go, currency words before a number become signs.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hinglishbench.grading.wording import compiled

_DIGIT_ZEROS = (
    0x0660, 0x06F0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66,
    0xFF10, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6,
)  # fmt: skip
_FRACTIONS = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5",
    "⅗": "3/5", "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅐": "1/7", "⅛": "1/8", "⅜": "3/8",
    "⅝": "5/8", "⅞": "7/8", "⅑": "1/9", "⅒": "1/10",
}  # fmt: skip
_SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"


@lru_cache(maxsize=1)
def _table() -> dict[int, str]:
    table: dict[int, str] = {}
    for zero in _DIGIT_ZEROS:
        table.update({zero + n: str(n) for n in range(10)})
    table.update({ord(c): f"^{n}" for n, c in enumerate(_SUPERSCRIPTS)})
    table.update({ord(c): f"_{n}" for n, c in enumerate(_SUBSCRIPTS)})
    table.update({ord(c): f" {text} " for c, text in _FRACTIONS.items()})
    table.update(dict.fromkeys(map(ord, "−﹣－‐‑"), "-"))  # en dash stays: it is a range or a dash
    table.update(dict.fromkeys(map(ord, "  　           "), " "))
    invisible = [0xAD, 0x61C, 0xFEFF, 0xFE0F, *range(0x200B, 0x2010), *range(0x202A, 0x202F)]
    table.update(dict.fromkeys([*invisible, *range(0x2060, 0x206A)], ""))
    table.update(
        {ord(a): b for a, b in zip("，．：＝＄％／（）＋⁄∕٫٬’", ",.:=$%/()+//.,'", strict=True)}
    )
    table.update({ord("∶"): ":", ord("₨"): "₹", ord("⋅"): "·", ord("∙"): "·", ord("＊"): "*"})
    return table


@lru_cache(maxsize=1)
def _thin_groups() -> re.Pattern[str]:
    return re.compile(r"(?<=\d)[\u00a0\u2007\u2009\u202f](?=\d{3}(?!\d))")


def _sub(pattern: str, to: str, text: str) -> str:
    return compiled(pattern).sub(to, text)


def _latex(text: str) -> str:
    """LaTeX to plain text, as far as numbers are concerned."""
    text = text.replace("\\!", "")
    text = _sub(r"(?<=\d)\s*(?:\{,\}|\{\\,\}|\\[,;: ]|~)\s*(?=\d{2,3}(?!\d))", ",", text)
    if "\\$" in text:  # then a bare $ only opens and closes a formula
        text = text.replace("\\$", "\ue000").replace("$", " ").replace("\ue000", "$")
    text = _sub(r"(?<=\d)\s*(?=\\[dtc]?frac)", " ", text)  # 2\frac12 is a mixed number
    text = _sub(r"\\[dtc]?frac\s*\{([^{}]{1,60})\}\s*\{([^{}]{1,60})\}", r"\1/\2 ", text)
    text = _sub(r"\\[dtc]?frac\s*(\d)\s*(\d)", r"\1/\2 ", text)
    text = _sub(r"\\sqrt(?![a-z])", "√", text)
    text = _sub(r"\\pi(?![a-z])", "π", text)
    text = _sub(r"\^\s*\{?\s*\\(?:circ|degree)\s*\}?", "°", text)
    text = _sub(r"\^\s*\{([^{}]{0,40})\}", r"^\1 ", text)
    text = _sub(r"_\s*\{([^{}]{0,40})\}", r"_\1 ", text)
    text = _sub(r"\\(?:times|cdot|ast)(?![a-z])", "×", text)
    text = _sub(r"\\div(?![a-z])", "÷", text)
    text = _sub(r"\\(?:approx|simeq|sim)(?![a-z])", "≈", text)
    text = _sub(r"\\(?:rupee|textrupee|INR)(?![a-z])", "₹", text)
    text = _sub(r"\\(?:Longr|longr|r|R)ightarrow|\\implies|\\to(?![a-z])", "→", text)
    text = text.replace("\\%", "%").replace("\\#", "#").replace("\\&", "&").replace("\\_", "_")
    text = _sub(r"\\[a-zA-Z]+\*?|\\.|[{}]", " ", text)
    return text.replace("\\", " ")


def fold(text: str) -> str:
    """Plain characters: ASCII digits, no LaTeX, no bold or code marks, no invisible marks."""
    if not text.isascii():
        text = _thin_groups().sub(",", text).translate(_table())
    if "\\" in text or "{" in text:
        text = _latex(text)
    if "**" in text:
        text = _sub(r"(?<=\d)\*\*(?=\d)", "^", text).replace("**", "")
    if "__" in text:
        text = text.replace("__", "")
    if "`" in text:
        text = text.replace("`", "")
    if "~~" in text:
        text = text.replace("~~", "")
    if "<<" in text:
        text = _sub(r"<<[^<>\n]{0,200}>>", "", text)  # GSM8K's calculator marks
    if "<" in text:
        text = _sub(
            r"</?(?:b|i|u|em|strong|br|p|span|div|code|mark|sub|answer|ans|final|final_answer|result|output|solution|response)\s*/?>",
            " ",
            text,
        )
    if "&" in text:
        text = (
            text.replace("&nbsp;", " ")
            .replace("&#8377;", "₹")
            .replace("&dollar;", "$")
            .replace("&minus;", "-")
        )
    if "$" in text or "₹" in text:
        text = compiled(r"(?<=[$₹])\d{1,3}(?: \d{3}){1,4}(?![\d.]*\d)").sub(
            lambda match: match[0].replace(" ", ","), text
        )
    if "s" in text or "R" in text or "N" in text or "S" in text:
        text = _sub(
            r"(?i)(?<![a-z])(?:rs\.?|inr|usd|us\$|rupees?|rupaye|rupay|mrp)\s*(?=[-+]?[.\d])",
            "₹",
            text,
        )
    return text
