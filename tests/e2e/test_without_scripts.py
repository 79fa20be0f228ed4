"""With JavaScript off: windows, search and filters are links and forms."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.demo import names
from tests.e2e.browsing import Visit, visiting
from tests.serving import Server

LONG = names.LONG


@pytest.fixture
def plain(browser: Browser, site: Server) -> Iterator[Visit]:
    with visiting(browser, site, java_script_enabled=False) as visit:
        yield visit
        assert visit.troubles == []


def positions(visit: Visit) -> list[int]:
    ids = [card.get_attribute("id") or "" for card in visit.page.locator(".card[id^=e]").all()]
    return [int(match[1]) for identifier in ids if (match := re.fullmatch(r"e(\d+)", identifier))]


def test_a_session_is_read_window_by_window(plain: Visit) -> None:
    page = plain.session(LONG)
    seen = positions(plain)
    while page.get_by_role("link", name="Later entries").count():
        page.get_by_role("link", name="Later entries").click()
        after = positions(plain)
        assert after[0] > seen[-1]
        seen += after
    assert seen == sorted(set(seen))
    assert names.point("long", "auto boundary").position in seen
    page.get_by_role("link", name="Earlier entries").click()
    assert positions(plain)[0] < seen[-1]


def test_a_search_finds_and_leads_to_the_entry(plain: Visit) -> None:
    page = plain.open("/")
    page.locator("#find").fill("semidiurnal")
    page.locator("#find").press("Enter")
    page.locator(".hits a.what").click()
    expect(plain.card(names.point("long", "auto boundary").position)).to_be_in_viewport()


def test_a_search_in_the_session_is_a_page(plain: Visit) -> None:
    page = plain.session(LONG)
    page.locator("#find-here").fill("isobars")
    page.locator("#find-here").press("Enter")
    expect(page.locator("#results .hits a")).to_have_count(1)
    page.locator("#results .hits a").click()
    expect(plain.card(names.point("long", "plot").position)).to_be_in_viewport()


def test_filters_are_a_form_and_orders_are_links(plain: Visit) -> None:
    page = plain.open("/sessions/")
    page.get_by_label("compacted").check()
    page.get_by_role("button", name="Apply").click()
    expect(page).to_have_url(re.compile("compacted=1"))
    assert 0 < page.locator("tr.item").count() < len(names.SESSIONS)
    page.get_by_role("link", name="Tokens").click()
    expect(page.locator("tr.item").first).to_contain_text("Fix the clock-change hole")


def test_a_summary_unfolds(plain: Visit) -> None:
    boundary = names.point("long", "manual boundary").position
    plain.session(LONG, f"?at={boundary}#e{boundary}")
    card = plain.card(boundary)
    card.locator("summary").first.click()
    expect(card.locator(".md").first).to_be_visible()


def test_an_entry_that_was_cut_is_shown_whole_on_its_page(plain: Visit) -> None:
    page = plain.session(LONG)
    page.locator("a.more").first.click()
    expect(page).to_have_url(re.compile("/entries/"))
    expect(page.locator("#timeline .card").first).to_be_visible()
    expect(page.locator("a.more")).to_have_count(0)


def test_no_control_is_shown_that_would_do_nothing(plain: Visit) -> None:
    page = plain.open("/")
    for control in page.locator(".with-js").all():
        expect(control).to_be_hidden()
