"""One spelling of JSON, and the digests over it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinglishbench.canonical import canonical_bytes, canonical_json, digest


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.one_of(
            st.text(max_size=8), st.integers(), st.floats(allow_nan=False, allow_infinity=False)
        ),
        max_size=5,
    )
)
def test_canonical_json_can_be_read_back(document: dict[str, Any]) -> None:
    """Whatever strings come in, what goes out is UTF-8 JSON of the same document."""
    assert json.loads(canonical_bytes(document)) == document
    assert canonical_json(document).encode() == canonical_bytes(document)


def test_the_order_of_keys_does_not_matter() -> None:
    """Nor does the way a mapping was built; letters are not escaped."""
    assert canonical_json({"b": [1], "a": "पाँच"}) == '{"a":"पाँच","b":[1]}'
    assert digest("arm", {"b": 1, "a": 2}) == digest("arm", {"a": 2, "b": 1})


def test_a_digest_says_of_what_it_is() -> None:
    """Equal values of two kinds have two digests."""
    assert digest("arm", [1]).startswith("arm:sha256:")
    assert digest("prompt", [1]).removeprefix("prompt:") == digest("arm", [1]).removeprefix("arm:")


def test_case_84_a_lone_surrogate_is_replaced() -> None:
    """In what is sent and in digests; U+FFFD, as every reader of broken UTF-16 has it."""
    assert canonical_bytes(["\ud83d"]) == '["\ufffd"]'.encode()
    assert digest("prompt", "\ud83d") == digest("prompt", "\ufffd")


def test_numbers_that_json_lacks_are_refused() -> None:
    """NaN has no canonical spelling."""
    with pytest.raises(ValueError, match="JSON"):
        canonical_bytes({"a": float("nan")})
