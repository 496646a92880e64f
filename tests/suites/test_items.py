"""A user's parallel file is judged whole before any call; packaged suites load by name."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinglishbench.errors import InputError, RefusedError
from hinglishbench.suites.items import Item, items_digest, load_suite, packaged_names
from hinglishbench.suites.parallel import read_items, safe_name

GOOD = '{"id":"a","answer":"5","forms":{"en":"x","cm-rom":"y"}}'
Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write lines to a file; bytes are written as they are."""

    def _write(*lines: str, name: str = "pairs.jsonl", raw: bytes | None = None) -> Path:
        path = tmp_path / name
        path.write_bytes(raw if raw is not None else "\n".join(lines).encode())
        return path

    return _write


def test_a_file_becomes_a_suite(write: Write) -> None:
    """Id, answer, forms, optional fields and further keys arrive; name and forms are derived."""
    path = write(
        '{"id":7,"answer":5,"forms":{"en":"x","cm-rom":"y","hi":"z"},"tier":"easy","topic":"t",'
        '"check":"2+3","options":["p","q"],"labels":["A","B"],"context":{"en":"c"},"source":{"n":1}}',
        '{"id":"b","answer":"6","forms":{"cm-rom":"y","en":"x"}}',
        name="meri file!.jsonl",
    )
    suite = load_suite(str(path), need_forms=("en", "cm-rom"))
    assert (suite.name, suite.grader, suite.default_prompt) == ("meri-file", "numeric", "fair")
    assert suite.forms == ("en", "cm-rom")
    first = suite.items[0]
    assert (first.id, first.answer, first.tier, first.topic) == ("7", "5", "easy", "t")
    assert (first.options, first.labels) == (("p", "q"), ("A", "B"))
    assert (first.check, first.context, first.meta) == ("2+3", {"en": "c"}, {"source": {"n": 1}})
    assert suite.digest.startswith("sha256:")


def test_the_digest_follows_content_and_not_the_place(write: Write) -> None:
    """Equal items have one digest whatever the file; a changed gold changes it."""
    one = load_suite(write(GOOD, name="one.jsonl"))
    two = load_suite(write("", GOOD.replace(",", ", "), "", name="two.jsonl"))
    other = load_suite(write(GOOD.replace('"5"', '"6"'), name="other.jsonl"))
    assert one.digest == two.digest != other.digest
    assert items_digest([Item("a", "5", {"en": "x"})]) == items_digest(
        [Item("a", "5", {"en": "x"})]
    )


def test_mark_blank_lines_and_crlf_are_no_fault(write: Write) -> None:
    """Notepad's byte-order mark, CRLF and blank lines are tolerated."""
    path = write(raw=b"\xef\xbb\xbf" + GOOD.encode() + b"\r\n\r\n   \n")
    assert [item.id for item in load_suite(path).items] == ["a"]


def test_line_separators_inside_a_text_are_text(write: Write) -> None:
    """U+2028 does not end a line; line numbers stay those of an editor."""
    path = write('{"id":"a","answer":"5","forms":{"en":"x\u2028y"}}', "{")
    _, faults = read_items(path)
    assert [fault.line for fault in faults] == [2]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("{", "not JSON: Expecting property name"),
        ("not json", "not JSON"),
        ('{"id": 7, "te', "not JSON"),
        ("[1]", "not a JSON object but a list"),
        ('"x"', "not a JSON object but a text"),
        ("null", "not a JSON object but null"),
        ("[" * 100_000, "not JSON"),
        ("1" * 5000, "not JSON"),
        (GOOD.replace('"5"', "NaN"), "NaN is no JSON number"),
        (GOOD.replace('"answer"', '"id":"z","answer"'), "the key 'id' stands twice"),
        (GOOD.replace('"x"', '"\\ud835"'), "half of a surrogate pair"),
        (GOOD.replace('"x"', '"a\\u0000b"'), "form en holds a NUL"),
        (GOOD.replace('"x"', '"a\x00b"'), "holds a NUL byte"),
        (GOOD.replace('"id":"a",', ""), "no id"),
        (GOOD.replace('"a"', '""'), "no id"),
        (GOOD.replace('"a"', '"a\\nb"'), "id is not a printable string"),
        (GOOD.replace('"a"', "1.5"), "id is not a printable string"),
        (GOOD.replace('"a"', "true"), "id is not a printable string"),
        (GOOD.replace('"answer":"5",', ""), "no answer"),
        (GOOD.replace('"5"', '""'), "no answer"),
        (GOOD.replace('"5"', "null"), "no answer"),
        (GOOD.replace('"5"', "[]"), "no answer"),
        (GOOD.replace('"5"', "false"), "answer is not a text"),
        (GOOD.replace('"5"', "{}"), "answer is not a text"),
        (GOOD.replace('"5"', '"five apples"'), "the gold 'five apples' is not a number"),
        (GOOD.replace('"5"', '["5","6"]'), "a numeric item has exactly one"),
        ('{"id":"z","answer":"5"}', "no forms"),
        ('{"id":"z","answer":"5","forms":[]}', "no forms"),
        ('{"id":"z","answer":"5","forms":"x"}', "forms is a text, not an object"),
        ('{"id":"z","answer":"5","forms":{}}', "forms is empty"),
        (GOOD.replace('"x"', '"  "'), "form en is empty"),
        (GOOD.replace('"x"', "null"), "form en is null, not a text"),
        (GOOD.replace('"x"', "12"), "form en is a number, not a text"),
        (GOOD.replace('"cm-rom"', '"hi"'), "form cm-rom is missing"),
        (GOOD.replace('"forms"', '"options":"A","forms"'), "options is not a list of texts"),
        (GOOD.replace('"forms"', '"tier":["x"],"forms"'), "tier is a list, not a text"),
        (GOOD.replace('"forms"', '"context":3,"forms"'), "context is a number"),
        (
            GOOD.replace('"forms"', '"tolerance":"lots","forms"'),
            "the tolerance 'lots' is not a number",
        ),
        (
            GOOD.replace('"forms"', '"tolerance":0.1,"forms"'),
            "tolerance is a number, not a text such as",
        ),
    ],
)
def test_a_bad_line_is_named_by_file_and_number(write: Write, bad: str, said: str) -> None:
    """Each kind of fault stops the load with file, line and what is wrong."""
    path = write(GOOD.replace('"a"', '"first"'), "", bad, GOOD.replace('"a"', '"last"'))
    with pytest.raises(InputError) as caught:
        load_suite(path, need_forms=("en", "cm-rom"))
    assert str(caught.value).startswith(f"{path}:3: ")
    assert said in str(caught.value)
    assert caught.value.exit_code == 3


def test_bytes_that_are_not_utf8_are_named(write: Write) -> None:
    """Latin-1 and UTF-16 files are told apart from broken JSON."""
    with pytest.raises(InputError, match=r":2: not UTF-8 \(byte 39"):
        load_suite(
            write(raw=GOOD.encode() + b"\n" + GOOD.replace('"x"', '"\xe9"').encode("latin-1"))
        )
    with pytest.raises(InputError, match="UTF-16"):
        load_suite(write(raw=GOOD.encode("utf-16")))


def test_a_duplicate_id_names_both_lines(write: Write) -> None:
    """An int and its string are the same id; the third of a kind also names the first."""
    path = write(
        GOOD.replace('"a"', "1"), GOOD, GOOD.replace('"a"', '"1"'), GOOD.replace('"a"', '"1"')
    )
    _, faults = read_items(path)
    assert [(f.line, f.message) for f in faults] == [
        (3, "duplicate id '1', first on line 1"),
        (4, "duplicate id '1', first on line 1"),
    ]


def test_the_first_fault_is_told_and_the_others_counted(write: Write) -> None:
    """One sentence, with how many more there are; every fault of a line counts."""
    path = write("{", '{"id":"","answer":"","forms":{}}', GOOD)
    with pytest.raises(InputError, match=r":1: not JSON.* \(and 3 more faults\)"):
        load_suite(path)
    with pytest.raises(InputError, match=r":1: not JSON.* \(and 1 more fault\)"):
        load_suite(write("{", "{"))


@pytest.mark.parametrize(
    ("written", "read"),
    [("5", "5"), ("2.50", "2.50"), ("1e3", "1e3"), ("-3", "-3"), ('"1,250"', "1,250")],
)
def test_an_answer_that_is_a_number_is_kept_as_written(
    write: Write, written: str, read: str
) -> None:
    """No float comes between the file and the gold: 2.50 stays 2.50."""
    suite = load_suite(write(GOOD.replace('"5"', written)))
    assert suite.items[0].answer == read


def test_files_that_are_not_there_or_empty(tmp_path: Path, write: Write) -> None:
    """No such file, a folder, an empty file: each in one sentence."""
    with pytest.raises(InputError, match="no such file"):
        load_suite(tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="cannot be read"):
        load_suite(tmp_path)
    with pytest.raises(InputError, match="has no items"):
        load_suite(write("", "  "))


@pytest.mark.parametrize("name", ["no-such-suite", "x" * 5000, "a\x00b"])
def test_an_unknown_name_lists_the_suites(name: str) -> None:
    """A name that is neither packaged nor a file: the error names what exists."""
    with pytest.raises(RefusedError) as caught:
        load_suite(name)
    assert all(packaged in str(caught.value) for packaged in packaged_names())


@pytest.mark.parametrize(
    ("stem", "name"),
    [
        ("pairs", "pairs"),
        ("my pairs (2)", "my-pairs-2"),
        ("../../etc", "etc"),
        ("हिंदी", "हिंदी"),
        ("...", "items"),
        ("a/b\\c:d", "a-b-c-d"),
    ],
)
def test_the_stem_is_made_safe(stem: str, name: str) -> None:
    """Names go into folders and tables: no separators, no leading dots, other scripts stay."""
    assert safe_name(stem) == name


@given(st.text(max_size=120))
def test_a_safe_name_is_always_safe(stem: str) -> None:
    """Whatever the stem: not empty, no separator, no hidden file, stable."""
    name = safe_name(stem)
    assert name
    assert not set(name) & set('/\\:\x00\n*?"<>| ')
    assert not name.startswith(".")
    assert safe_name(name) == name


@given(st.binary(max_size=200))
def test_no_bytes_can_crash_the_reader(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    """Any bytes give items or faults, or an InputError; nothing else comes out."""
    path = tmp_path_factory.mktemp("fuzz") / "f.jsonl"
    path.write_bytes(raw)
    try:
        items, faults = read_items(path)
    except InputError:
        return
    assert items or faults


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=6,
)


@given(
    st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("id", "answer", "forms", "tier", "options"), json_values)
    )
)
def test_no_object_can_crash_the_reader(
    tmp_path_factory: pytest.TempPathFactory, row: dict[str, object]
) -> None:
    """Any JSON object gives an item whose fields have their types, or a fault."""
    path = tmp_path_factory.mktemp("fuzz") / "f.jsonl"
    path.write_text(json.dumps(row), "utf-8")
    items, faults = read_items(path)
    assert len(items) + bool(faults) == 1
    for item in items:
        assert item.id
        assert all(isinstance(t, str) and t.strip() for t in item.forms.values())


def test_the_import_is_cheap() -> None:
    """The module loads only the standard library, and no JSON, TOML or hashing before use."""
    code = (
        "import sys, __future__, dataclasses, pathlib, typing; before = set(sys.modules); "
        "import hinglishbench.suites.items; print(*sorted(set(sys.modules) - before))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [name for name in out.stdout.split() if not name.startswith("hinglishbench")]
    assert loaded == []
