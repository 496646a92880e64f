"""Which scripts a text is written in, and whether they fit its form.

Only letters and their marks have a script here. Digits of any script, punctuation and the danda
(which Unicode keeps in the Devanagari block, and Bengali uses too) belong to none.
"""

from __future__ import annotations

import unicodedata
from collections import Counter

from hinglishbench.forms.names import FORMS

_RANGES = (
    (0x0041, 0x024F, "Latin"),
    (0x1E00, 0x1EFF, "Latin"),
    (0x0900, 0x097F, "Devanagari"),
    (0xA8E0, 0xA8FF, "Devanagari"),
    (0x0980, 0x09FF, "Bengali"),
)
_JOINERS = {"\u200c", "\u200d"}  # part of ordinary Indic spelling


def script_of(char: str) -> str | None:
    """Script of one letter or mark: `Latin`, `Devanagari`, `Bengali`, `Other`; None for the rest."""
    category = unicodedata.category(char)
    if category[0] not in "LM":
        return None
    code = ord(char)
    for low, high, name in _RANGES:
        if low <= code <= high:
            return name
    # Combining accents and modifier letters follow their base; they make no script of their own.
    return None if category in {"Mn", "Lm"} else "Other"


def scripts(text: str) -> Counter[str]:
    """How many letters and marks of each script a text has."""
    return Counter(name for name in map(script_of, text) if name)


def script_faults(text: str, form: str) -> list[str]:
    """What is wrong with the characters of a text for its form; an unknown form is not judged.

    Besides foreign scripts: characters that a reader cannot see, letters with diacritics in the
    forms that people type in plain a-z, and text that is not in Unicode form NFC (the same word in
    two spellings has two token counts).
    """
    faults = []
    if hidden := sorted({f"U+{ord(c):04X}" for c in text if _is_hidden(c)}):
        faults.append(f"holds characters that cannot be seen: {', '.join(hidden)}")
    if not unicodedata.is_normalized("NFC", text):
        faults.append("is not in Unicode form NFC")
    rule = FORMS.get(form)
    if rule is None:
        return faults
    found = scripts(text)
    for name in sorted(set(found) - rule.scripts):
        sample = "".join(c for c in text if script_of(c) == name)[:12]
        faults.append(f"holds {found[name]} {name} letters ({sample})")
    faults += (f"holds no {name} letters" for name in sorted(rule.needs - set(found)))
    if rule.ascii_letters:
        marked = sorted({c for c in text if script_of(c) == "Latin" and not c.isascii()})
        if marked:
            faults.append(f"holds letters with diacritics: {' '.join(marked)}")
    return faults


def native_digits(text: str) -> list[str]:
    """Decimal digits of a text that are not 0-9, in order (one style of digits in a suite)."""
    return [c for c in text if c.isdecimal() and not c.isascii()]


def _is_hidden(char: str) -> bool:
    if char in _JOINERS or char in "\n\t":
        return False
    return unicodedata.category(char) in {"Cc", "Cf", "Co", "Cn"} or char == "\u00ad"
