"""What a person does to find out why the prompt cache broke, and what it cost."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, expect

from sessions.text.engine.words import money, tokens
from tests.demo import names
from tests.demo.story.ledger import PRICES
from tests.e2e.browsing import NARROW, Visit, visiting
from tests.serving import Server

LONG = names.LONG
BROKE, BEFORE = names.spent("long", names.BROKE), names.spent("long", names.BEFORE_IT_BROKE)
LOST = BROKE.lost(BEFORE)
_, _, WRITE, READ = PRICES["claude-opus-5-5"]
COST = money(LOST * (WRITE - READ) / 1_000_000)


def test_one_reads_why_it_broke_down_to_the_record_that_proves_it(visit: Visit) -> None:
    page = visit.session(LONG)
    page.locator(".tabs").get_by_role("link", name=re.compile("^Cache")).click()
    expect(page.locator(".answer")).to_contain_text("The cache of this session broke 6 times unexpectedly, which cost")
    expect(page.locator(".answer")).to_contain_text(f"What cost most: tools changed (1 time, {COST}).")
    expect(page.locator(".break-flags .broke")).to_have_count(6)

    page.get_by_role("link", name="Tools changed", exact=True).click()
    expect(page).to_have_url(re.compile(f"/cache/{names.BROKE}/$"))
    expect(page.locator(".answer")).to_contain_text(
        f"1 added (mcp__tides__lookup). That cost {COST}: {tokens(LOST)} tokens"
    )
    expect(page.locator(".advice")).to_contain_text("Connect MCP servers and choose tools before the first message")
    expect(page.locator(".divergence ins")).to_contain_text("mcp__tides__lookup")
    expect(page.locator(".evidence")).to_contain_text("The API's own diagnosis agrees")

    page.locator(".evidence a").first.click()
    expect(page.locator("main h1, main h2").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"/entries/L\d+/$"))
    page.go_back()

    page.get_by_role("link", name="everything that differs").click()
    expect(page.locator(".answer")).to_contain_text("The tools changed: 1 added (mcp__tides__lookup)")
    page.locator(".two-sides a").last.click()
    expect(page.locator(".scrubber b")).to_have_text("Request 28 of 79")


def test_one_takes_a_request_apart(visit: Visit) -> None:
    page = visit.session(LONG, f"requests/{names.BROKE}/")
    expect(page.locator(".answer")).to_contain_text(f"Nothing of its {tokens(BROKE.prompt)} tokens came from the cache")
    part = page.locator("#p1")
    part.locator("a.fold-mark").click()
    expect(part.locator(".piece").first).to_be_visible()
    part.locator("a.fold-mark").click()
    expect(part.locator(".piece")).to_have_count(0)
    folded = page.locator("#s-messages .gap-row").first
    count = page.locator("#s-messages .part").count()
    folded.get_by_role("link", name="Show them").click()
    expect(page.locator("#s-messages .part").nth(count + 5)).to_be_visible()
    page.keyboard.press("[")
    expect(page.locator(".scrubber b")).to_have_text("Request 27 of 79")


def test_one_reads_what_stands_in_front_of_the_messages(visit: Visit) -> None:
    page = visit.session(LONG, f"requests/{names.BROKE}/")
    sections = page.locator(".prompt-sections")
    expect(sections.locator("summary").first).to_contain_text("the same as in the request before")
    rows = sections.locator("tbody tr")
    expect(rows.first).to_be_visible()
    rows.first.get_by_role("link").click()
    expect(page).to_have_url(re.compile(r"#p(system\.)?\d+$"))
    reasons = page.locator("details", has_text="Its cache marks")
    expect(reasons).to_contain_text("Its source repl_main_thread is on the list")
    help_link = sections.get_by_role("link", name="what is said of a section")
    expect(help_link).to_have_attribute("href", "/docs/cache/#the-prompt-in-front-of-the-messages")


def test_one_goes_from_the_report_to_a_session_and_takes_it_along(visit: Visit) -> None:
    page = visit.open("/")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Cache").click()
    expect(page.locator(".answer")).to_contain_text("The cache of all sessions broke")
    expect(page.locator(".causes")).to_contain_text("5-minute lifetime expired")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    assert "tools_changed" in download.value.path().read_text()
    page.locator(".losers a").first.click()
    expect(page).to_have_url(re.compile(f"/sessions/{names.CLEARED}/cache/$"))


def test_everything_can_be_read_without_scripts(browser: Browser, site: Server) -> None:
    with visiting(browser, site, java_script_enabled=False) as visit:
        page = visit.session(LONG, "cache/")
        page.locator(".cache-series summary").click()
        expect(page.locator(".cache-series tbody tr")).to_have_count(79)
        page.get_by_role("link", name="Tools changed", exact=True).click()
        page.locator(".two-sides a").last.click()
        page.go_back()
        page.get_by_role("link", name="everything that differs").click()
        expect(page.locator("#rows")).to_be_visible()
        page = visit.session(LONG, f"requests/{names.BROKE}/")
        page.locator("#p1 a.fold-mark").click()
        expect(page.locator("#p1 .piece").first).to_be_visible()
        assert visit.troubles == []


def test_in_a_narrow_window_the_current_tab_is_in_view(browser: Browser, site: Server) -> None:
    with visiting(browser, site, viewport=NARROW) as visit:
        page = visit.session(names.SURVEY, "agents/")
        expect(page.locator(".tabs [aria-current]")).to_be_in_viewport(ratio=0.9)
        assert visit.scrolled() == 0
