"""When a word that can be a number is one: the context rules, one function a word.

The words that are numbers only sometimes are few and frequent. `do` is two or "give", `saath` is
sixty or "with", `pav` is a quarter or a bun, `half` may be the second half of a match. Each verdict
is True (a number), False (perhaps: it may match a number of the other text) or None (no number).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hinglishbench.forms.number_words import NumberWord
from hinglishbench.forms.units import is_weighed, unit_of


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text: its kind (`number`, `word`, `symbol`, …), text and place."""

    kind: str
    text: str
    start: int
    end: int


Verdict = bool | None


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_AFTER_GIVE = _words(
    "na naa yaar yar bhai ki aur or to toh mujhe muje usko use unko unhe sabko phir fir please plz "
    "warna varna zara jaldi hai न ना यार भाई कि और तो मुझे उसको उसे उनको उन्हें सबको फिर ज़रा जल्दी"
)
_BEFORE_GIVE = _words(
    "de bata kar dila likh bhej nikal nikaal le rakh laga jod ghata baant bant bech chhod chod hone "
    "jaane jane rehne karne samjha jawab javab uttar answer hisaab hisab dikha suna pila khila "
    "दे बता कर दिला लिख भेज निकाल ले रख लगा जोड़ घटा बाँट बांट बेच छोड़ होने जाने रहने करने समझा "
    "जवाब उत्तर हिसाब दिखा सुना पिला खिला"
)
_COUNTED = _words(
    "do baar bar guna gunaa log logon dost doston bachche bachchon bachhe jan dukaan tarah plate "
    "packet ticket bottle kitab kitaab kitabein pen copy log हिस्से"
)
_PART_OF_GAME = _words(
    "first second other next later latter former remaining pehle pahle pehla pahla dusre doosre "
    "dusra doosra baaki baki पहले पहला दूसरे दूसरा बाकी"
)
_DOUBLE_THINGS = _words("bed beds roti decker door tick check role")


def judge(tokens: Sequence[Token], at: int, word: NumberWord) -> Verdict:
    """Whether a number word that stands alone (no digits, no multiplier beside it) is a number."""
    text = tokens[at].text.lower()
    before = tokens[at - 1].text.lower() if at else ""
    after = tokens[at + 1].text.lower() if at + 1 < len(tokens) else ""
    if text in {"do", "दो"}:
        return _two_or_give(text, before, after)
    if text in {"saath", "sath", "saatha"}:
        return False if unit_of(after) else None
    if word.role == "times":
        return None if after in _DOUBLE_THINGS else True
    if word.role == "modifier":
        return bool(unit_of(after))
    if word.value.denominator == 4 and word.role == "base":
        return True if is_weighed(after) or after in {"bhar", "भर", "ser"} else None
    if text == "teen" and after.startswith("age"):
        return None
    if word.value.denominator == 2 and before in _PART_OF_GAME:
        return False
    if word.role == "base" and word.value == 1:
        return False  # ek, एक, one: as often an article or a pronoun
    if text in {"tin", "sat"} or (
        word.role == "base" and not word.english and _is_name(tokens, at)
    ):
        return False
    return word.sure


def _two_or_give(text: str, before: str, after: str) -> Verdict:
    if unit_of(after) or after in _COUNTED:
        return True
    if not after or not after[0].isalnum() or after in _AFTER_GIVE or before in _BEFORE_GIVE:
        return None
    # In Devanagari text `दो` before a noun is the number; typed `do` is left open.
    return text == "दो"


def _is_name(tokens: Sequence[Token], at: int) -> bool:
    """A capital in mid-sentence: Das, Sattar and Bavan are also names."""
    if not tokens[at].text[0].isupper() or at == 0:
        return False
    return tokens[at - 1].text not in {".", "?", "!", ":", '"', "'", "“", "("}


def is_negative(text: str, start: int) -> bool:
    """Whether a minus sign stands right before a number (a hyphen inside `10-15` is none)."""
    if not start:
        return False
    sign = text[start - 1]
    if sign != "-":
        return sign == "\u2212"
    opens = start == 1 or text[start - 2] in " (=\n\t"
    return opens and not text[: start - 1].rstrip(" ")[-1:].isdigit()
