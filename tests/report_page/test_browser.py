"""The page in a real Chromium."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hinglishbench.ledger.reader import Ledger
from hinglishbench.report.write import Written, write_report
from tests.report_page import hostile
from tests.report_page.browser import Browser
from tests.report_page.conftest import NOW, OPTIONS
from tests.report_page.ledgers import make_ledger

TAB, ENTER = "\ue004", "\ue007"


def _quiet(browser: Browser) -> None:
    assert browser.console() == []
    assert browser.requests() == []


def test_loads_without_an_error_or_a_request(browser: Browser, written: Written) -> None:
    """The page opens, lists every block, logs nothing and asks nobody for anything."""
    browser.open(written.page)
    assert browser.status() == "1 to 50 of 240 blocks."
    assert len(browser.texts("#list tbody tr")) == 50
    _quiet(browser)


def test_filters_agree_with_the_ledger(browser: Browser, written: Written, ledger: Path) -> None:
    """What each filter shows is what SQL counts."""
    reader = Ledger(ledger)

    def blocks(condition: str) -> int:
        sql = (
            "select count(*) from (select block_id, any_value(item) as item, any_value(topic) as topic,"
            " any_value(tier) as tier, any_value(model) as model,"
            " map_from_entries(list((form, outcome))) as o,"
            " map_from_entries(list((form, completion_tokens))) as t"
            f" from answers group by block_id) where {condition}"
        )
        return int(reader.ask(sql).rows[0][0])

    judged = "o['en'] <> 'error' and o['hi'] <> 'error'"
    for fields, condition in (
        ({"show": "unparsed"}, "list_contains(map_values(o), 'unparsed')"),
        ({"show": "truncated"}, "list_contains(map_values(o), 'truncated')"),
        ({"show": "filtered"}, "list_contains(map_values(o), 'filtered')"),
        ({"show": "error"}, "list_contains(map_values(o), 'error')"),
        (
            {"show": "flipped", "form": "hi"},
            f"{judged} and (o['en'] = 'correct') <> (o['hi'] = 'correct')",
        ),
        (
            {"show": "lost", "form": "hi"},
            f"{judged} and o['en'] = 'correct' and o['hi'] <> 'correct'",
        ),
        ({"topic": "travel", "tier": "hard"}, "topic = 'travel' and tier = 'hard'"),
        (
            {"form": "hi", "tmin": "2.5"},
            f"{judged} and o['en'] <> 'filtered' and o['hi'] <> 'filtered' and t['hi'] / t['en'] >= 2.5",
        ),
        ({"q": "m-00017"}, "item = 'm-00017'"),
    ):
        browser.open(written.page, "#" + "&".join(f"{k}={v}" for k, v in fields.items()))
        count = blocks(condition)
        assert count, f"nothing to see: {fields}"
        status = browser.status()
        assert f" of {count:,} block" in status, f"{fields}: {status}, not {count}"
    _quiet(browser)


def test_typing_filters_and_clearing_brings_all_back(browser: Browser, written: Written) -> None:
    """A filter typed in narrows the list and stands in the address; clearing undoes both."""
    browser.open(written.page)
    browser.set("f-q", "kitchen")
    assert browser.status().endswith("of 60 blocks (of 240).")
    assert browser.js("location.hash") == "#q=kitchen"
    browser.driver.execute_script("document.getElementById('reset').click()")
    browser.until("document.getElementById('status').textContent === '1 to 50 of 240 blocks.'")


def test_search_reads_the_texts_when_asked(browser: Browser, written: Written) -> None:
    """A word of one question alone is found in the texts, and only there."""
    browser.open(written.page)
    browser.set("f-q", "Order 77:")
    assert browser.status() == "No block fits, of 240."
    browser.set("f-deep", "1")
    browser.until("document.getElementById('status').textContent.includes('of 2 blocks')")
    _quiet(browser)


def test_a_pair_is_shown_side_by_side(browser: Browser, written: Written, ledger: Path) -> None:
    """Opening an item shows its forms with question, reply, answer, tokens, cost and tax."""
    browser.open(written.page)
    browser.driver.execute_script("document.querySelector('#list tbody a').click()")
    browser.until("!document.getElementById('pair').hidden")
    assert browser.texts(".side h4") == ["en", "cm-rom", "hi"]
    item = browser.texts("#pair-title")[0]
    arm = browser.js("location.hash").split("/")[2]
    rows = Ledger(ledger).ask(
        "select form, text, completion_tokens from answers join arms using (arm_id)"
        " where item = ? and digest like ? order by form <> 'en', form",
        [item, f"arm:sha256:{arm}%"],
    )
    replies = browser.texts(".side .text.answer:not([aria-label=reasoning])")
    assert replies == [text for _, text, _ in rows.rows if text]
    facts = " ".join(browser.texts(".side .facts"))
    for _, _, tokens in rows.rows:
        assert f"{tokens:,} out" in facts
    assert "x English" in facts
    assert browser.js("document.activeElement.id") == "pair-title"
    assert browser.js("[...document.querySelectorAll('.side details')].every(d => !d.open)")
    _quiet(browser)


def test_a_deep_link_opens_its_item(browser: Browser, written: Written) -> None:
    """A link to an item opens it at once, whatever page of the list it is on."""
    browser.open(written.page)
    arm = browser.js("document.querySelector('#f-arm option:nth-child(2)').value")
    browser.open(written.page, f"#pair=mangoes/m-00119/{arm}/0")
    assert browser.texts("#pair-title") == ["m-00119"]
    assert browser.js("document.getElementById('pair').getBoundingClientRect().top") < 400
    browser.open(written.page, "#pair=mangoes/m-99999/none/0")
    assert browser.texts("#pair-title") == ["This file has no such item"]
    _quiet(browser)


def test_copies_as_json(browser: Browser, written: Written, ledger: Path) -> None:
    """The copy is the whole block, texts unshortened, as JSON."""
    browser.open(written.page)
    arm = browser.js("document.querySelector('#f-arm option:nth-child(2)').value")
    browser.open(written.page, f"#pair=mangoes/m-00007/{arm}/0")
    browser.driver.execute_script(
        "navigator.clipboard.writeText = async text => { window.copied = text; };"
        "document.getElementById('copy-json').click();"
    )
    copied = json.loads(str(browser.until("window.copied")))
    assert copied["item"] == "m-00007"
    assert copied["arm_id"] == arm
    text = Ledger(ledger).ask(
        "select text from answers join arms using (arm_id)"
        " where item = 'm-00007' and form = 'hi' and digest like ?",
        [f"arm:sha256:{arm}%"],
    )
    assert copied["forms"]["hi"].get("output") == text.rows[0][0]
    browser.until("document.querySelector('#pair [role=status]').textContent === 'JSON copied.'")


def test_works_by_keyboard_alone(browser: Browser, written: Written) -> None:
    """Skip link, filter, item, next item and back to the list, without a pointer."""
    browser.open(written.page)
    browser.keys(TAB)
    assert browser.js("document.activeElement.className") == "skip"
    browser.driver.execute_script("document.getElementById('f-tier').focus()")
    browser.keys("h")  # hard
    browser.until("document.getElementById('status').textContent.includes('(of 240)')")
    for _ in range(40):
        browser.keys(TAB)
        if browser.js("document.activeElement.matches('#list tbody a')"):
            break
    first = browser.js("document.activeElement.textContent")
    browser.keys(ENTER)
    browser.until("document.activeElement.id === 'pair-title'")
    assert browser.texts("#pair-title") == [first]
    opened = browser.js("location.hash")
    browser.keys(TAB, TAB)  # previous is closed to the first item, so next, then copy
    while browser.js("document.activeElement.textContent") != "Next item":
        browser.keys("\ue008" + TAB)
    browser.keys(ENTER)
    browser.until(
        f"location.hash !== {json.dumps(opened)} && !document.getElementById('pair').hidden"
    )
    for _ in range(12):
        browser.keys(TAB)
        if browser.js("document.activeElement.textContent") == "Back to the list":
            break
    browser.keys(ENTER)
    browser.until("document.activeElement.matches('#list tbody a')")
    assert browser.js("document.getElementById('pair').hidden")


@pytest.mark.parametrize("number", range(len(hostile.REPLIES)))
def test_what_a_model_wrote_stays_text(
    browser: Browser, hostile_page: Written, number: int
) -> None:
    """Scripts, tags, links, marks and long lines are shown, never run, followed or obeyed."""
    browser.open(hostile_page.page)
    link = "[...document.querySelectorAll('#list tbody a')].find(a => a.textContent.startsWith(%r))"
    browser.driver.execute_script((link + ".click()") % f"{number:02d} ")
    browser.until("document.querySelectorAll('.side').length === 2")
    browser.driver.execute_script(
        "for (const b of document.querySelectorAll('#pair button'))"
        " if (b.textContent.startsWith('Show all')) b.click();"
    )
    seen = browser.js("document.querySelector('.text[aria-label=reply]').textContent")
    assert seen == _as_shown(hostile.REPLIES[number])
    assert browser.js("document.title").startswith("What the same answer costs")
    assert browser.js("window.owned === undefined")
    assert browser.js(
        "[...document.querySelectorAll('img,iframe,object,embed,link,base,textarea')]"
        '.filter(e => e.outerHTML !== \'<link rel="icon" href="data:,">\').length === 0'
    )
    assert browser.js(
        "[...document.querySelectorAll('[href]')].every(e => /^(#|data:,$)/.test(e.getAttribute('href')))"
    )
    assert browser.js("[...document.querySelectorAll('script')].length") == _own_scripts(
        hostile_page.page
    )
    _quiet(browser)


def _as_shown(text: str) -> str:
    """Marks that would be obeyed appear by number."""
    obeyed = "\u202e\u202c\u2066\u2069\u200f\u0085\x1b"
    return "".join(f"U+{ord(c):04X}" if c in obeyed else c for c in text)


def _own_scripts(page: Path) -> int:
    text = page.read_text("utf-8")
    return text.count('<script type="text/plain"') + text.count("<script>")


def test_a_filter_option_of_a_stranger_is_text(browser: Browser, hostile_page: Written) -> None:
    """Topics go into options as text."""
    browser.open(hostile_page.page)
    assert hostile.TOPIC in browser.texts("#f-topic option")
    assert browser.js("window.owned === undefined")
    _quiet(browser)


@pytest.mark.parametrize(
    ("width", "dark"), [(1280, False), (1280, True), (375, False), (375, True)]
)
def test_axe_finds_no_violation(
    browser: Browser, written: Written, axe: str, width: int, dark: bool
) -> None:
    """Automated accessibility check of the whole page with an item open, in both themes."""
    browser.look(width=width, dark=dark)
    browser.bypass_policy(on=True)
    try:
        browser.open(written.page)
        browser.driver.execute_script("document.querySelector('#list tbody a').click()")
        browser.until("!document.getElementById('pair').hidden")
        browser.driver.execute_script(
            "for (const d of document.querySelectorAll('details')) d.open = true;"
        )
        browser.driver.execute_script(axe)
        found = browser.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {resultTypes: ['violations']}).then(r => done(r.violations.map("
            "  v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | '))),"
            "  e => done([String(e)]));"
        )
    finally:
        browser.bypass_policy(on=False)
        browser.look(width=1280)
    assert found == []


@pytest.mark.parametrize("width", [320, 375, 768])
def test_nothing_sticks_out_on_a_phone(browser: Browser, written: Written, width: int) -> None:
    """The page is never wider than the screen; what is wide scrolls in its own frame."""
    browser.look(width=width)
    try:
        browser.open(written.page)
        browser.driver.execute_script("document.querySelector('#list tbody a').click()")
        browser.until("!document.getElementById('pair').hidden")
        assert browser.js("document.documentElement.scrollWidth") <= width
        small = browser.js(
            "[...document.querySelectorAll('#filters select, #filters input[type=search], button')]"
            ".filter(e => e.offsetParent && e.getBoundingClientRect().height < 32).length"
        )
        assert small == 0
    finally:
        browser.look(width=1280)


def test_prints_the_report_and_not_the_list(browser: Browser, written: Written) -> None:
    """On paper: a few pages, without controls."""
    browser.open(written.page)
    pdf = browser.print_pdf()
    assert pdf.startswith(b"%PDF")
    pages = pdf.count(b"/Type /Page\n") or pdf.count(b"/Type /Page ") or pdf.count(b"/Type/Page")
    assert 2 <= pages <= 12
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert browser.js("getComputedStyle(document.getElementById('list')).display") == "none"
        assert browser.js("getComputedStyle(document.getElementById('filters')).display") == "none"
    finally:
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_a_split_report_lists_all_and_opens_the_right_file(
    browser: Browser, split: Written
) -> None:
    """The first page knows every block; opening one goes to the file that holds its texts."""
    assert split.items_files > 1
    browser.open(split.page)
    assert browser.status() == "1 to 50 of 240 blocks."
    assert "stand in" in browser.texts("#files")[0]
    browser.set("f-q", "m-00119")
    browser.driver.execute_script("document.querySelector('#list tbody a').click()")
    browser.until("location.pathname.includes('items-') && document.body.dataset.ready")
    browser.until("!document.getElementById('pair').hidden")
    assert browser.texts("#pair-title") == ["m-00119"]
    assert len(browser.texts(".side")) == 3
    _quiet(browser)
    browser.open(split.page, browser.js("location.hash"))
    browser.until("location.pathname.includes('items-')")


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """10,000 pairs."""
    path = make_ledger(
        tmp_path_factory.mktemp("large") / "l.duckdb", items=10_000, models=("acme/large",)
    )
    return write_report(Ledger(path), tmp_path_factory.mktemp("page"), OPTIONS, now=NOW)


def test_ten_thousand_pairs_open_within_two_seconds(browser: Browser, large: Written) -> None:
    """From the request for the page until its list can be used; the best of three on a busy machine."""
    taken = []
    for _ in range(3):
        browser.open(large.page)
        assert browser.status() == "1 to 50 of 10,000 blocks."
        taken.append(int(browser.js("document.body.dataset.ready")))
    assert min(taken) < 2000
    browser.driver.execute_script("document.querySelector('#list tbody a').click()")
    browser.until("!document.getElementById('pair').hidden")
    _quiet(browser)
