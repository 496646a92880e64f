"""Digests: sha256 over canonical JSON, tagged with what it is a digest of."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> str:
    """The same value always gives the same text: keys sorted, no blanks, no escapes of letters."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(kind: str, value: Any) -> str:
    """`kind:sha256:…` of a JSON value; lone surrogates count as U+FFFD."""
    data = canonical_json(value).encode("utf-8", "replace")
    return f"{kind}:sha256:{hashlib.sha256(data).hexdigest()}"
