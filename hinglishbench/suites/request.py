"""From an item to the body of its request, and the identity of a request.

Here, below both the run that asks and the ledger that verifies, so that both derive the same bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from hinglishbench.canonical import canonical_bytes
from hinglishbench.grading.labels import labels_of


def slot_values(
    text: str,
    text_en: str | None,
    form: str,
    options: Sequence[str] = (),
    labels: Sequence[str] = (),
    context: Mapping[str, str] | str | None = None,
) -> dict[str, str]:
    """What fills the slots of a prompt for one item and form."""
    values = {"question": text}
    if text_en is not None:
        values["question_en"] = text_en
    if options:
        pairs = zip(labels_of(tuple(labels), tuple(options)), options, strict=False)
        values["options"] = "\n".join(f"{label}. {option}" for label, option in pairs)
    passage = context.get(form) if isinstance(context, Mapping) else context
    if passage:
        values["context"] = passage
    return values


def request_body(params: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]) -> bytes:
    """The JSON body as it is sent."""
    return canonical_bytes({**params, "messages": messages})


def request_digest(endpoint_digest: str, body: bytes, sample: int) -> bytes:
    """What makes two requests the same: endpoint, body as sent, sample; 16 bytes."""
    return hashlib.sha256(b"%b\n%d\n%b" % (endpoint_digest.encode(), sample, body)).digest()[:16]
