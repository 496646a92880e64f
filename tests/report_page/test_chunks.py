"""Texts in chunks: nothing lost, nothing that could end its block."""

from __future__ import annotations

import random
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hinglishbench.report.chunks import chunked, pack, unpack
from hinglishbench.report.explorer import ArmLabel, Index, parts

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@given(st.lists(TEXT, max_size=30), st.integers(1, 200))
def test_every_block_comes_back_in_order(texts: list[str], size: int) -> None:
    """Unpacked one after another, the chunks give what went in; the alphabet is that of base64."""
    back: list[str] = []
    for group, packed in chunked(texts, lambda text: {"t": text}, size=size):
        assert re.fullmatch(r"[A-Za-z0-9+/=]+", packed)
        unpacked = [row["t"] for row in unpack(packed)]
        assert unpacked == group
        back += unpacked
    assert back == texts


@given(st.lists(TEXT, min_size=2, max_size=30), st.integers(20, 200))
def test_a_chunk_passes_its_size_only_for_a_single_block(texts: list[str], size: int) -> None:
    """A group of several blocks fits."""
    for group, packed in chunked(texts, lambda text: text, size=size):
        if len(group) > 1:
            assert sum(len(row) + 2 for row in unpack(packed)) <= size + 4 * len(group) + 60


def test_the_same_texts_give_the_same_bytes() -> None:
    """No clock in the gzip header."""
    assert pack({"a": "क" * 100}) == pack({"a": "क" * 100})


def test_half_a_surrogate_pair_costs_no_page() -> None:
    """It becomes a replacement."""
    assert unpack(pack(["\ud835 = 4"])) == ["? = 4"]


def _cell(block: int, form: str, **more: Any) -> dict[str, Any]:
    keys = (
        "question outcome parsed method grader_version output reasoning finish_reason prompt_tokens"
        " completion_tokens reasoning_tokens cached_tokens cost_usd price_source unpriced_reason"
        " asked_at seconds error message model_observed attempts topic tier"
    )
    return {
        **dict.fromkeys(keys.split()),
        "suite": "s",
        "item": f"i{block}",
        "gold": '"42"',
        "grader": "numeric",
        "arm_id": 7,
        "sample": 0,
        "block_id": block,
        "form": form,
        "cut": False,
        **more,
    }


def _noise(seed: str) -> str:
    return random.Random(seed).randbytes(1500).hex()


def _rows(n: int) -> list[dict[str, Any]]:
    return [
        _cell(i, form, output=_noise(f"{i}{form}"), outcome="correct", completion_tokens=i)
        for i in range(n)
        for form in ("cm-rom", "en")
    ]


def test_parts_hold_all_blocks_and_keep_their_size() -> None:
    """Small parts, each within the limit unless one chunk alone is larger."""
    made = list(parts(_rows(300), part_bytes=400_000))
    assert len(made) > 2
    assert sum(part.n_blocks for part in made) == 300
    assert all(part.size <= 400_000 or len(part.chunks) == 1 for part in made)
    assert [part.number for part in made] == list(range(len(made)))


def test_the_index_says_where_each_block_is() -> None:
    """Rows of the index stand in the order of the chunks, with letters and tokens by form."""
    index = Index([ArmLabel(7, "abc", "model")], ["cm-rom", "en"])
    for part in parts(_rows(5), part_bytes=10**6):
        index.add(part)
    found = index.as_json()
    assert found["forms"] == ["en", "cm-rom"]
    assert found["cells"]["en"]["outcome"] == "ccccc"
    assert found["cells"]["cm-rom"]["tokens"] == [0, 1, 2, 3, 4]
    assert [row[1] for row in found["items"]] == ["i0", "i1", "i2", "i3", "i4"]
    assert sum(length for _, _, length in found["chunks"]) == 5
    assert {file for file, _, _ in found["chunks"]} == {None}
    assert {f for f, _, _ in index.as_json(lambda n: f"f{n}")["chunks"]} == {"f0"}


def test_a_form_that_a_block_lacks_is_blank() -> None:
    """Not asked yet and not planned are told apart."""
    index = Index([ArmLabel(7, "abc", "model")], ["en", "hi", "bn"])
    [part] = parts([_cell(1, "en"), _cell(1, "hi", outcome="wrong")], part_bytes=10**6)
    index.add(part)
    cells = index.as_json()["cells"]
    assert [cells[form]["outcome"] for form in ("en", "hi", "bn")] == ["n", "w", " "]
