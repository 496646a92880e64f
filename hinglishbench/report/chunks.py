"""Long texts in small compressed pieces, so that a page of 10,000 pairs opens at once.

A chunk is a JSON list of blocks, gzipped and written in base64 into a data block of the page; the
browser unpacks one (DecompressionStream) when somebody opens one of its pairs. Base64 has no `<`:
nothing in it can end the block.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")

CHUNK_BYTES = 192 * 1024
"""JSON of a chunk before compression, in characters: unpacked in milliseconds, compressed well."""


def pack(value: Any) -> str:
    """JSON, gzipped (the same bytes at any time), in base64."""
    return _pack(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _pack(text: str) -> str:
    # A reply may hold half of a surrogate pair; it must not cost the page.
    data = text.encode("utf-8", "replace")
    return base64.b64encode(gzip.compress(data, 6, mtime=0)).decode("ascii")


def unpack(text: str) -> Any:
    """What `pack` packed."""
    return json.loads(gzip.decompress(base64.b64decode(text)))


def chunked(
    blocks: Iterable[T], detail: Callable[[T], Any], *, size: int = CHUNK_BYTES
) -> Iterator[tuple[list[T], str]]:
    """Blocks in groups, each with the packed list of their details.

    A group is closed before it passes `size`; a single block that is larger is a group of its own.
    """
    group: list[T] = []
    texts: list[str] = []
    length = 0
    for block in blocks:
        text = json.dumps(detail(block), ensure_ascii=False, separators=(",", ":"))
        if group and length + len(text) > size:
            yield group, _pack(f"[{','.join(texts)}]")
            group, texts, length = [], [], 0
        group.append(block)
        texts.append(text)
        length += len(text)
    if group:
        yield group, _pack(f"[{','.join(texts)}]")
