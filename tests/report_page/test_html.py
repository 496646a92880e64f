"""HTML from data: text stays text."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from hinglishbench.report.html import Markup, el, escape, render, shown, table


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def _read(markup: str) -> _Reader:
    reader = _Reader()
    reader.feed(markup)
    reader.close()
    return reader


@given(st.text(), st.text())
def test_a_parser_reads_back_one_element_with_the_text(text: str, value: str) -> None:
    """Whatever the text and the attribute hold, there is one element, and it holds them."""
    read = _read(el("p", text, title=value))
    assert read.tags == ["p"]
    assert read.attributes == [("title", shown(value))]
    assert read.text == shown(text)


def test_elements_are_not_escaped_twice() -> None:
    """Markup of this module passes through; lists and nothing are content too."""
    assert el("p", [el("b", "<"), None, " & "]) == "<p><b>&lt;</b> &amp; </p>"
    assert render(Markup("<i></i>")) == "<i></i>"


def test_attributes_of_python_names() -> None:
    """`class_`, `aria_label`, True and None."""
    assert el("input", class_="a", aria_label="b", hidden=True, id=None) == (
        '<input class="a" aria-label="b" hidden>'
    )


def test_marks_that_are_obeyed_are_shown_by_number() -> None:
    """A right-to-left override does not reach the page; joiners of Indic scripts do."""
    assert escape("a\u202eb\x00\u2066") == "a[U+202E]b[U+0000][U+2066]"
    assert shown("क्\u200dष \u200c") == "क्\u200dष \u200c"


def test_a_table_scrolls_in_a_named_region() -> None:
    """Keyboard and screen reader can reach what is wider than the screen."""
    markup = table(["A", "B"], [["x", "1"]], caption="C & D")
    read = _read(markup)
    assert ("role", "region") in read.attributes
    assert ("tabindex", "0") in read.attributes
    assert ("aria-label", "C & D") in read.attributes
    assert ("scope", "row") in read.attributes
