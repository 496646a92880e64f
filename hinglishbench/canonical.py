"""Canonical JSON, in which equal values have equal bytes, and digests over it.

The digest of a body decides whether an answer is reused, so there is one spelling for the client
that sends, the ledger that keeps and the suites that describe.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

_SURROGATES = re.compile("[\ud800-\udfff]")
# Kept, as `json.dumps` makes an encoder a call: a plan encodes every cell.
_TEXT = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_WIRE = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def canonical_json(value: Any) -> str:
    """JSON in one spelling: keys sorted, no blanks, no escapes of letters."""
    return _TEXT.encode(value)


def canonical_bytes(value: Any) -> bytes:
    """The same in UTF-8, for sending; lone surrogates become U+FFFD.

    Raises:
        ValueError: NaN or an infinity, which JSON does not have.
    """
    return _utf8(_WIRE.encode(value))


def digest(kind: str, value: Any) -> str:
    """`kind:sha256:…` of a JSON value; lone surrogates count as U+FFFD."""
    return f"{kind}:sha256:{hashlib.sha256(_utf8(canonical_json(value))).hexdigest()}"


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text).encode()
