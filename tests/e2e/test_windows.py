"""Long sessions come in windows: what lies above or below is loaded when it is about to be seen."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from tests.demo import names
from tests.e2e.browsing import Visit

LONG = names.LONG
MIDDLE = names.point("long", "to sonnet").position
LAST = names.point("long", "away summary").position


def test_scrolling_down_loads_what_follows_to_the_end(visit: Visit) -> None:
    page = visit.session(LONG)
    expect(page.locator("a.later")).to_have_count(1)
    before = visit.cards()
    bottom = "scrollTo(0, document.body.scrollHeight)"
    visit.until(lambda: not page.locator("a.later").count(), lambda: page.evaluate(bottom))
    expect(page.locator("#tail")).to_have_count(1)
    after = visit.cards()
    assert after[: len(before)] == before
    assert after == sorted(set(after))
    assert max(after) > 450


def test_what_one_reads_stays_in_place_while_earlier_entries_come_in_above(visit: Visit) -> None:
    page = visit.session(LONG, f"?at={MIDDLE}#e{MIDDLE}")
    visit.quiet()
    first = visit.cards()[0]
    page.evaluate("scrollTo(0, 0)")
    expect(page.locator("#timeline .card").first).not_to_have_id(f"e{first}")
    visit.quiet()
    assert visit.scrolled() > 0
    assert visit.cards() == sorted(set(visit.cards()))
    assert visit.cards()[0] < first


def held_back(visit: Visit, address: str) -> Route:
    """Opens the session there, and holds back the earlier entries that it asks for."""
    held: list[Route] = []
    visit.page.route("**/*before=*part=rows*", lambda route: held.append(route))
    visit.session(LONG, address)
    while not held:
        visit.page.wait_for_timeout(50)
    return held[0]


def test_earlier_entries_do_not_move_the_card_under_the_readers_eyes(visit: Visit) -> None:
    earlier = held_back(visit, f"?from={MIDDLE}")
    first, watched = visit.cards()[0], visit.cards()[2]
    top = visit.top_of(watched)
    earlier.continue_()
    expect(visit.page.locator("#timeline .card").first).not_to_have_id(f"e{first}")
    visit.page.wait_for_timeout(200)
    assert abs(visit.top_of(watched) - top) < 2


@pytest.mark.parametrize("name", ["edit hours", "auto boundary"])
def test_images_that_arrive_above_do_not_move_what_one_reads(visit: Visit, name: str) -> None:
    position = names.point("long", name).position
    earlier = held_back(visit, f"?at={position}#e{position}")
    top = visit.top_of(position)
    earlier.continue_()
    images = visit.page.locator("#timeline img")
    expect(images).not_to_have_count(0)
    for image in images.all():
        image.evaluate("(img) => (img.loading = 'eager')")
        expect(image).to_have_js_property("complete", True)
    visit.page.wait_for_timeout(200)
    assert abs(visit.top_of(position) - top) < 2


def test_every_record_is_shown_when_it_is_asked_for(visit: Visit) -> None:
    page = visit.session(LONG)
    page.get_by_role("link", name="Every record").click()
    expect(page).to_have_url(re.compile("all=1"))
    expect(page.locator("#e0")).to_have_count(1)
    page.get_by_role("link", name="Hide state records").click()
    expect(page).not_to_have_url(re.compile("all=1"))


def test_the_end_opens_at_the_last_entry(visit: Visit) -> None:
    page = visit.session(LONG)
    page.get_by_role("link", name="End", exact=True).click()
    expect(page).to_have_url(re.compile("at=end"))
    last = page.locator("#timeline > :is(.card, .chips)").last
    expect(last).to_be_in_viewport()
