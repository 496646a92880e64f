"""Texts of strangers made safe for a message: one line, no key, no control characters."""

from __future__ import annotations

import re

from hinglishbench.client.secret import SecretKey

_LONGEST = 500
# Words that look like keys: a known prefix and a tail, or whatever follows "Bearer" or "key:".
_KEY_LIKE = re.compile(
    r"\b(?:sk|pk|rk|hf|gsk|csk|fw|tgp|xai|nvapi|key|api|api_key|org|glhf)[-_]"
    r"(?=[A-Za-z_.\-]{0,80}[0-9*])[A-Za-z0-9_*.\-]{6,}"
    r"|(?<=Bearer )\S+"
    r"|(?<=provided: )\S+|(?<=api_key=)\S+|(?<=api-key: )\S+|(?<=API key: )\S+"
    r"|\b[A-Za-z0-9]{8}\.[A-Za-z0-9]{32}\b",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+")


def one_line(text: str, key: SecretKey | None = None) -> str:
    """A stranger's text as one safe line: no key, no control characters, at most 500 characters."""
    if key is not None:  # before cutting, or half a key could be left at the end
        text = text.replace(key.reveal(), "[key]")
    text = _KEY_LIKE.sub("[key]", text[:8000])
    text = _SPACES.sub(" ", text).strip()
    if not text.isprintable():
        text = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def printable(text: str, limit: int = 80) -> str:
    """A stranger's text as one line for a message: control characters escaped, cut at `limit`."""
    shown = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[:limit])
    return shown if len(text) <= limit else shown[: limit - 1] + "…"
