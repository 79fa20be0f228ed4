"""What a person does with a session, from the first page to the raw record."""

from __future__ import annotations

import json
import re

from playwright.sync_api import expect

from sessions.text.engine.words import tokens
from tests.demo import names
from tests.e2e.browsing import Visit

LONG = names.LONG
TITLE = "Fix the clock-change hole, add spring and neap alerts"


def position_of(name: str) -> int:
    return names.point("long", name).position


def test_the_first_page_says_that_the_import_is_done_and_leads_to_a_session(visit: Visit) -> None:
    page = visit.open("/")
    expect(page.locator("#import-state progress")).to_have_count(0)
    expect(page.locator(".latest .item")).to_have_count(len(names.SESSIONS))
    page.get_by_role("link", name="All sessions").last.click()
    expect(page).to_have_url(re.compile(r"/sessions/$"))
    page.get_by_role("link", name=TITLE).click()
    expect(page).to_have_url(re.compile(f"/sessions/{LONG}/$"))
    expect(page).to_have_title(re.compile("Fix the clock-change hole"))
    expect(visit.card(position_of("first prompt"))).to_be_in_viewport()


def test_a_boundary_is_reached_with_a_key_and_its_summary_unfolds(visit: Visit) -> None:
    page = visit.session(LONG)
    page.keyboard.press("]")
    boundary = visit.card(position_of("manual boundary"))
    before = names.boundary("long", "manual boundary")["preTokens"]
    expect(boundary).to_be_in_viewport()
    expect(boundary).to_contain_text(f"Compacted by hand at ~{tokens(before)} tokens")
    summary = boundary.locator("details")
    expect(summary.locator(".md").first).to_be_hidden()
    summary.locator("summary").click()
    expect(summary.locator(".md").first).to_be_visible()


def test_a_search_in_the_session_leads_to_the_entry(visit: Visit) -> None:
    page = visit.session(LONG)
    page.keyboard.press("/")
    expect(page.locator("#find-here")).to_be_focused()
    page.keyboard.type("isobars")
    hit = page.locator("#results .hits a")
    expect(hit).to_have_count(1)
    expect(hit.locator("mark")).to_have_text("isobars")
    hit.click()
    expect(page).to_have_url(re.compile(f"at={position_of('plot')}#e{position_of('plot')}$"))
    expect(visit.card(position_of("plot"))).to_be_in_viewport()


def test_a_search_in_everything_leads_to_the_entry(visit: Visit) -> None:
    page = visit.open("/")
    page.keyboard.press("/")
    page.keyboard.type("semidiurnal")
    page.keyboard.press("Enter")
    expect(page.locator(".hits .hit")).to_have_count(1)
    expect(page.locator(".hits mark").first).to_have_text("semidiurnal")
    page.locator(".hits a.what").click()
    expect(page).to_have_url(re.compile(f"/sessions/{LONG}/"))
    expect(visit.card(position_of("auto boundary"))).to_be_in_viewport()


def test_tool_output_is_found_when_it_is_asked_for(visit: Visit) -> None:
    page = visit.open("/search/?q=provisional")
    expect(page.locator(".hits .hit")).to_have_count(0)
    page.get_by_label("search tool output too").check()
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#deep-hits .hit")).to_have_count(1)
    expect(page.locator("#deep-slice")).to_contain_text("scanned.")
    page.locator("#deep-hits a.what").click()
    expect(visit.card(position_of("mcp lookup"))).to_be_in_viewport()
    expect(visit.card(position_of("mcp lookup"))).to_contain_text("provisional")


def test_an_entry_has_a_page_of_its_own_and_a_raw_record(visit: Visit) -> None:
    uuid = names.uuid("long", "edit hours")
    page = visit.session(LONG, f"?at={position_of('edit hours')}")
    href = visit.card(position_of("edit hours")).locator("a.at").get_attribute("href")
    assert href == f"/sessions/{LONG}/entries/{uuid}/"
    visit.open(href)
    expect(page.locator("#panel h2")).to_have_text(f"Entry {position_of('edit hours')}")
    expect(visit.card(position_of("edit hours")).locator(".diff ins").first).to_be_visible()
    page.get_by_role("main").get_by_role("link", name="Raw record").click()
    expect(page).to_have_url(re.compile("/raw/$"))
    assert json.loads(page.locator("body").inner_text())["uuid"] == uuid


def test_the_time_of_an_entry_shows_its_facts_beside_the_timeline(visit: Visit) -> None:
    page = visit.session(LONG, f"?at={position_of('edit hours')}#e{position_of('edit hours')}")
    visit.card(position_of("edit hours")).locator("a.at").click()
    expect(page.locator("#panel h2")).to_have_text(f"Entry {position_of('edit hours')}")
    expect(page.locator("#panel")).to_contain_text("claude-opus-5-5")
    expect(page).to_have_url(re.compile(f"/sessions/{LONG}/[?]at="))
    expect(visit.card(position_of("edit hours"))).to_have_class(re.compile("current"))
    page.locator("#panel").get_by_role("link", name="Permalink").click()
    expect(page).to_have_url(re.compile(names.uuid("long", "edit hours")))


def test_images_are_shown(visit: Visit) -> None:
    for name in ("pasted chart", "read chart"):
        visit.session(LONG, f"?at={position_of(name)}#e{position_of(name)}")
        image = visit.card(position_of(name)).locator("img").first
        image.scroll_into_view_if_needed()
        expect(image).to_be_visible()
        expect(image).to_have_js_property("complete", True)
        assert image.evaluate("(img) => img.naturalWidth") > 10


def test_a_spilled_output_can_be_read_whole(visit: Visit) -> None:
    page = visit.session(LONG, f"?at={position_of('year report')}#e{position_of('year report')}")
    visit.card(position_of("year report")).get_by_role("link", name="whole output").click()
    expect(page.locator("body")).to_contain_text("bathymetry")


def test_the_ruler_leads_to_a_place(visit: Visit) -> None:
    page = visit.session(LONG)
    box = page.locator("#ruler svg").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2)
    expect(page).to_have_url(re.compile(r"at=3[89]\d"))
    assert any(380 <= position <= 400 for position in visit.cards())


def test_an_agent_is_reached_from_the_tree_and_its_call_from_there(visit: Visit) -> None:
    page = visit.session(names.SURVEY, "agents/")
    expect(page.locator(".agent-tree .agent")).to_have_count(4)
    outer, nested = page.locator("summary", has_text="Check the constants"), page.locator(".agent .agent")
    expect(nested).to_contain_text("Type out table 4")
    outer.press("Enter")
    expect(nested).to_be_hidden()
    outer.press("Enter")
    nested.get_by_role("link", name="Timeline").click()
    expect(page.locator(".crumbs")).to_contain_text("sub-agent")
    expect(page.locator(".card.user").first).to_be_visible()


def test_a_call_leads_to_the_agent_that_it_started(visit: Visit) -> None:
    start = names.point("survey", "start heights").position
    page = visit.session(names.SURVEY)
    visit.card(start).get_by_role("link", name="open agent").click()
    expect(page).to_have_url(re.compile(f"/sessions/agent-{names.AGENT_HEIGHTS}/$"))


def test_the_theme_is_chosen_with_a_button_and_kept(visit: Visit) -> None:
    page = visit.open("/")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for _ in range(3):
        if page.locator("html").get_attribute("data-theme") == "dark":
            break
        page.locator("[data-theme-toggle]").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    visit.session(LONG)
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_the_palette_finds_a_session_by_its_title(visit: Visit) -> None:
    page = visit.open("/")
    page.keyboard.press("Control+k")
    page.keyboard.type("clock-change")
    option = page.locator("#palette-results [role=option]", has_text=TITLE)
    expect(option).to_be_visible()
    option.click()
    expect(page).to_have_url(re.compile(LONG))
