"""What a person does to find out what the model was sent."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.demo import names
from tests.e2e.browsing import Visit

LONG = names.LONG


def test_one_opens_the_tab_steps_back_and_sees_the_array_change(visit: Visit) -> None:
    page = visit.session(LONG)
    page.get_by_role("link", name="Context", exact=True).click()
    expect(page).to_have_url(re.compile(f"/sessions/{LONG}/context/$"))
    number = page.locator(".scrubber b")
    expect(number).to_have_text("Request 79 of 79")
    expect(page.locator("#changes")).to_contain_text("The prefix held")
    count = page.locator(".array .section-head span")
    last = count.inner_text()
    page.get_by_role("link", name="‹ Previous").click()
    expect(number).to_have_text("Request 78 of 79")
    expect(page).to_have_url(re.compile(r"/context/\?request=msg_"))
    expect(count).not_to_have_text(last)
    page.keyboard.press("]")
    expect(number).to_have_text("Request 79 of 79")
    expect(count).to_have_text(last)
    page.keyboard.press("]")
    expect(page.locator(".htmx-request")).to_have_count(0)
    expect(number).to_have_text("Request 79 of 79")
    page.keyboard.press("[")
    expect(number).to_have_text("Request 78 of 79")
    page.go_back()
    expect(number).to_have_text("Request 79 of 79")


def test_the_ruler_leads_to_a_request_near_the_place(visit: Visit) -> None:
    page = visit.session(LONG, "context/")
    page.locator("#ruler a").nth(40).click()
    expect(page.locator(".scrubber b")).not_to_have_text("Request 79 of 79")
    expect(page).to_have_url(re.compile(r"\?request=msg_"))


def test_a_compaction_is_seen_to_break_the_prefix_and_leads_to_its_record(visit: Visit) -> None:
    page = visit.session(LONG, "context/")
    for _ in range(5):
        number = page.locator(".scrubber b").inner_text()
        page.keyboard.press("[")
        expect(page.locator(".scrubber b")).not_to_have_text(number)
    changes = page.locator("#changes")
    expect(changes).to_contain_text("The prefix broke at message 1")
    expect(changes).to_contain_text("the conversation was compacted")
    changes.locator(".verdict a").click()
    expect(page).to_have_url(re.compile(r"/entries/"))


def test_what_is_left_out_comes_by_itself_and_leads_to_the_timeline_as_it_was_seen(visit: Visit) -> None:
    page = visit.session(LONG, "context/")
    left = page.locator("#left-out")
    expect(left).to_contain_text("Summarised away")
    left.locator(".left-group").first.locator(".range").first.click()
    expect(page.locator(".from-here")).to_contain_text("As the model saw it at request 79 of 79")
    expect(page.locator(".card.summarised").first).to_be_visible()
    page.locator(".from-here a").first.click()
    expect(page.locator(".scrubber b")).to_have_text("Request 79 of 79")


def test_what_is_still_ahead_of_a_request_looks_like_any_other_entry(visit: Visit) -> None:
    page = visit.session(LONG, "context/")
    page.get_by_role("link", name="⇤ First").click()
    page.get_by_role("link", name="the timeline as the model saw it").click()
    ahead = page.locator(".card.assistant.ahead .md").first
    expect(ahead).to_be_visible()
    assert ahead.evaluate("node => getComputedStyle(node).textAlign") == "start"
    expect(page.locator("#timeline .later")).to_have_count(page.locator("#timeline a[href^='?from=']").count())


def test_a_long_block_opens_in_place(visit: Visit) -> None:
    page = visit.session(LONG, f"context/?at={names.uuid('long', 'edit hours')}")
    page.get_by_role("link", name="Last ⇥").click()
    expect(page.locator(".scrubber b")).to_have_text("Request 79 of 79")
    message = page.locator("#m0")
    before = len(message.inner_text())
    links = message.locator(".more")
    count = links.count()
    links.first.click()
    expect(links).to_have_count(count - 1)
    assert len(message.inner_text()) > before


def test_an_answer_and_its_facts_lead_to_the_context(visit: Visit) -> None:
    page = visit.session(LONG)
    page.locator(".card.assistant .ctx").first.click()
    expect(page.locator(".scrubber b")).to_contain_text("Request")
    page.go_back()
    page.locator(".card.assistant a.at").first.click()
    panel = page.locator("#panel")
    expect(panel).to_contain_text("Context right after this entry")
    panel.get_by_role("link", name="Context right after this entry").click()
    expect(page.locator(".scrubber b")).to_contain_text("Right after entry")
