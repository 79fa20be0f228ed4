"""Narrow windows, paper, and pages that are opened one after the other: nothing sticks out, nothing complains."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.demo import names
from tests.e2e.browsing import NARROW, Visit, visiting
from tests.e2e.contrast import faint_words
from tests.serving import Server

LONG, SURVEY = names.LONG, names.SURVEY
BOUNDARY = names.point("long", "manual boundary").position
PAGES = {
    "home": "/",
    "list": "/sessions/",
    "filtered": "/sessions/?compacted=1&sort=-cost",
    "session": f"/sessions/{LONG}/",
    "boundary": f"/sessions/{LONG}/?at={BOUNDARY}#e{BOUNDARY}",
    "end": f"/sessions/{LONG}/?at=end",
    "everything": f"/sessions/{LONG}/?all=1",
    "old": f"/sessions/{names.OLD_INLINE}/",
    "broken": f"/sessions/{names.ODD}/",
    "entry": f"/sessions/{LONG}/entries/{names.uuid('long', 'edit hours')}/",
    "context": f"/sessions/{LONG}/context/",
    "context after": f"/sessions/{LONG}/context/?at={names.uuid('long', 'edit hours')}",
    "left out": f"/sessions/{LONG}/context/left-out/",
    "changes": f"/sessions/{LONG}/context/changes/",
    "compact": f"/sessions/{LONG}/compact/?kind=full",
    "compactions": f"/sessions/{LONG}/compactions/",
    "before and after": f"/sessions/{LONG}/compactions/{names.uuid('long', 'manual boundary')}/",
    "notes": f"/sessions/{LONG}/notes/",
    "cache": f"/sessions/{LONG}/cache/",
    "cache break": f"/sessions/{LONG}/cache/{names.BROKE}/",
    "request": f"/sessions/{LONG}/requests/{names.BROKE}/?open=0",
    "two requests": f"/sessions/{LONG}/requests/compare/?a={names.BEFORE_IT_BROKE}&b={names.BROKE}",
    "choosing requests": f"/sessions/{LONG}/requests/compare/",
    "cache report": "/cache/",
    "agents": f"/sessions/{SURVEY}/agents/",
    "memory": "/memory/",
    "index and topics": "/memory/1/",
    "loaded": "/memory/1/loaded/",
    "findings": "/memory/1/findings/",
    "chain": "/memory/1/chain/",
    "recall": "/memory/1/recall/?message=When+is+high+water+in+the+harbour",
    "replay": "/memory/1/recall/evaluation/",
    "memory history": "/memory/1/history/",
    "topic": "/memory/1/file/?name=metres-two-decimals.md",
    "editor": "/memory/1/edit/?name=utc-inside.md",
    "editor of the index": "/memory/1/edit/?name=MEMORY.md",
    "new topic": "/memory/1/new/",
    "prune": "/memory/1/prune/?name=utc-inside.md&name=next-week.md",
    "rename": "/memory/1/rename/?name=utc-inside.md",
    "merge": "/memory/1/merge/?name=utc-inside.md&other=local-time-inside.md",
    "split": "/memory/1/split/?name=utc-inside.md",
    "version": "/memory/1/versions/1/",
    "change": "/memory/1/changes/1/",
    "memory search": "/memory/search/?q=metres",
    "dreams": "/dreams/",
    "agent": f"/sessions/agent-{names.AGENT_CONSTANTS}/",
    "find": f"/sessions/{LONG}/find/?q=Azores",
    "search": "/search/?q=Azores",
    "deep search": "/search/?q=provisional&deep=1",
    "odd": "/odd/",
    "retention": "/retention/",
    "settings": "/settings/",
    "docs": "/docs/",
    "a document": "/docs/compaction/",
    "runs": "/runs/",
    "run": "/runs/1/",
    "captures": "/captures/",
    "own forks": "/cache/own/",
    "palette": "/palette/?q=tide",
}


TOO_WIDE = """
    [...document.querySelectorAll("body *")]
      .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
      .map((one) => one.outerHTML.slice(0, 120))
"""

IN_SIGHT = """Object.fromEntries([...document.querySelectorAll('header.top nav a')].map((link) => {
  const box = link.getBoundingClientRect();
  const ends = [box.left + 1, box.right - 1].map((x) => document.elementFromPoint(x, (box.top + box.bottom) / 2));
  return [link.textContent, ends.every((end) => end === link)];
}))"""
"""Nothing covers or cuts off either end of a link."""


@pytest.fixture(scope="module")
def narrow(browser: Browser, site: Server) -> Iterator[Visit]:
    """One window for all pages: a new one would load every script and style again."""
    with visiting(browser, site, viewport=NARROW) as visit:
        yield visit


@pytest.mark.parametrize("address", PAGES.values(), ids=PAGES)
def test_nothing_sticks_out_of_a_narrow_window(narrow: Visit, address: str) -> None:
    narrow.troubles.clear()
    page = narrow.open(address)
    narrow.settled()
    width, room = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    assert width <= room, page.evaluate(TOO_WIDE)
    assert narrow.troubles == []


def test_every_section_is_in_sight_in_a_narrow_window(browser: Browser, site: Server) -> None:
    with visiting(browser, site, viewport=NARROW) as visit:
        page = visit.open("/memory/")
        expect(page.locator("header.top nav a")).not_to_have_count(0)
        assert [name for name, whole in page.evaluate(IN_SIGHT).items() if not whole] == []


@pytest.mark.parametrize("width", [380, 699, 700, 799, 800, 1100])
def test_there_is_room_to_type_a_search_at_every_width(browser: Browser, site: Server, width: int) -> None:
    with visiting(browser, site, viewport={"width": width, "height": 800}) as visit:
        box = visit.open("/sessions/").locator("#find").bounding_box()
        assert box is not None
        assert box["width"] >= 160


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_complains_and_all_words_stand_out_from_what_is_behind_them(
    browser: Browser, site: Server, theme: str
) -> None:
    faint = {}
    with visiting(browser, site, color_scheme=theme) as visit:
        for name, address in PAGES.items():
            page = visit.open(address)
            visit.settled()
            page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
            faint[name] = faint_words(page)
            visit.settled()
        assert visit.troubles == []
    assert {name: words for name, words in faint.items() if words} == {}


FAINT = """
    <body style="background: white">
      <p class="black">black on white</p>
      <p class="grey" style="color: #999">grey on white</p>
      <div style="background: black"><p class="hidden">black on black</p><p style="color: white">white</p></div>
      <div style="opacity: 0.3"><p class="veiled"><b class="within">black, seen through a veil</b></p></div>
    </body>
"""


def test_words_that_are_faint_are_noticed_whatever_makes_them_so(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content(FAINT)
    assert set(faint_words(page)) == {"p.grey", "p.hidden", "b.within"}
    page.close()


def test_pages_that_are_missing_say_so(browser: Browser, site: Server) -> None:
    with visiting(browser, site) as visit:
        page = visit.session("no-such-session")
        expect(page.locator("main")).to_contain_text("No session no-such-session has been imported.")


@pytest.mark.parametrize("name", ["home", "list", "boundary", "entry", "search"])
def test_paper_has_the_content_and_not_the_tools(visit: Visit, name: str) -> None:
    page = visit.open(PAGES[name])
    page.emulate_media(media="print")
    expect(page.locator("header.top")).to_be_hidden()
    main = page.locator("main")
    expect(main).to_be_visible()
    assert len(main.inner_text()) > 200
    if name == "boundary":
        expect(visit.card(BOUNDARY)).to_be_visible()
        expect(page.locator(".session-bar")).to_be_hidden()
