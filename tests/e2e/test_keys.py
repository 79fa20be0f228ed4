"""The keyboard: entries, turns, compactions, search, help, and the ends of a session."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.demo import names
from tests.e2e.browsing import Visit

LONG = names.LONG


def position_of(name: str) -> int:
    return names.point("long", name).position


def current(visit: Visit) -> str:
    result: str = visit.page.evaluate("document.querySelector('.current')?.id ?? ''")
    return result


def test_j_and_k_walk_through_the_entries(visit: Visit) -> None:
    page = visit.session(LONG)
    cards = [f"e{position}" for position in visit.cards()]
    page.keyboard.press("j")
    expect(page.locator(".current")).to_have_count(1)
    start = cards.index(current(visit))
    for _ in range(5):
        page.keyboard.press("j")
    assert current(visit) == cards[start + 5]
    page.keyboard.press("k")
    assert current(visit) == cards[start + 4]
    expect(page.locator(".current")).to_be_in_viewport()


def test_j_goes_on_into_entries_that_were_not_loaded(visit: Visit) -> None:
    page = visit.session(LONG)
    loaded = visit.cards()
    page.locator(f"#e{loaded[-2]}").evaluate("(card) => card.classList.add('current')")
    for _ in range(6):
        page.keyboard.press("j")
        visit.quiet()
    assert int(current(visit)[1:]) > loaded[-1]


def test_n_and_p_walk_through_the_turns(visit: Visit) -> None:
    page = visit.session(LONG)
    page.keyboard.press("n")
    first = current(visit)
    page.keyboard.press("n")
    second = current(visit)
    assert re.fullmatch(r"t\d+", first)
    assert int(second[1:]) == int(first[1:]) + 1
    expect(page.locator(f"#{second}")).to_be_in_viewport()
    page.keyboard.press("p")
    assert current(visit) == first


def test_brackets_walk_through_the_compactions_of_the_whole_session(visit: Visit) -> None:
    page = visit.session(LONG)
    page.keyboard.press("]")
    expect(visit.card(position_of("manual boundary"))).to_be_in_viewport()
    visit.quiet()
    for _ in range(8):
        page.keyboard.press("]")
        visit.quiet()
        if visit.card(position_of("auto boundary")).count():
            break
    expect(visit.card(position_of("auto boundary"))).to_be_in_viewport()
    for _ in range(8):
        page.keyboard.press("[")
        visit.quiet()
    expect(visit.card(position_of("manual boundary"))).to_have_count(1)


def test_g_and_shift_g_go_to_the_ends(visit: Visit) -> None:
    page = visit.session(LONG, f"?at={position_of('manual boundary')}")
    page.keyboard.press("Shift+G")
    expect(page).to_have_url(re.compile("at=end"))
    expect(page.locator("#timeline > :is(.card, .chips)").last).to_be_in_viewport()
    page.keyboard.press("g")
    expect(page).to_have_url(re.compile("at=0"))
    expect(visit.card(position_of("first prompt"))).to_be_in_viewport()


def test_a_question_mark_shows_the_keys_and_escape_closes_them(visit: Visit) -> None:
    page = visit.session(LONG)
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    expect(page.locator("#help")).to_contain_text("next, previous compaction")
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_be_hidden()


def test_keys_typed_into_a_field_stay_in_it(visit: Visit) -> None:
    page = visit.session(LONG)
    page.keyboard.press("/")
    page.keyboard.type("jump?")
    expect(page.locator("#find-here")).to_have_value("jump?")
    expect(page.locator("#help")).to_be_hidden()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(page.locator(".current")).to_have_count(1)


def test_enter_opens_the_chosen_session_of_the_list(visit: Visit) -> None:
    page = visit.open("/sessions/")
    page.keyboard.press("j")
    href = page.locator(".current a.what").get_attribute("href")
    assert href is not None
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(re.escape(href)))
