"""Runs in the browser: start one, watch it, kill it, retry it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect

from tests.archives import large_archive
from tests.e2e.browsing import Visit, demo_site, visiting
from tests.serving import Server, fair

LONG = 400_000


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of its own, whose archive takes a while to read."""
    folder: Path = tmp_path_factory.mktemp("runs")
    with demo_site(folder) as server:
        large_archive(folder / "home" / "lucid.sqlite3", LONG)
        yield server


@pytest.fixture
def visit(browser: Browser, busy: Server) -> Iterator[Visit]:
    with visiting(browser, busy) as made:
        yield made
        assert made.troubles == []


def test_a_check_is_started_watched_killed_and_retried(visit: Visit) -> None:
    page = visit.open("/runs/")
    page.get_by_role("button", name="Check the archive").click()
    expect(page).to_have_url(re.compile(r"/runs/\d+/$"))
    expect(page.locator(".state-chip")).to_contain_text("running")
    first = page.locator("progress").get_attribute("value")
    expect(page.locator("progress")).not_to_have_attribute("value", str(first))
    expect(page.locator(".run-counts")).to_contain_text("left")
    expect(page.locator("#run-indicator")).to_contain_text("1 run")

    request = time.monotonic()
    page.get_by_role("button", name="Kill").click()
    expect(page.locator(".state-chip")).to_contain_text("killed")
    assert time.monotonic() - request < fair(3)
    expect(page.get_by_role("button", name="Kill")).to_have_count(0)
    killed = page.url

    page.get_by_role("button", name="Retry").click()
    expect(page).not_to_have_url(killed)
    expect(page.locator("#run")).to_contain_text("attempt 2")
    expect(page.locator(".state-chip")).to_contain_text("running")

    page.goto(f"{visit.site.url}/runs/?status=active")
    card = page.locator(".run-card")
    expect(card).to_have_count(1)
    card.get_by_role("button", name="Kill").click()
    expect(page.locator(".run-card.is-killed")).to_have_count(1)
    expect(page.locator("#run-indicator a")).to_have_count(0)


def test_the_kill_button_keeps_the_focus_while_the_page_moves(visit: Visit) -> None:
    page = visit.open("/runs/")
    page.get_by_role("button", name="Check the archive").focus()
    page.keyboard.press("Enter")
    expect(page.locator("progress")).to_have_attribute("value", re.compile(r"\d"))
    page.get_by_role("button", name="Kill").focus()
    page.wait_for_timeout(2500)
    expect(page.locator("#kill")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".state-chip")).to_contain_text("killed")


def test_an_answer_that_a_kill_overtakes_does_no_harm(visit: Visit) -> None:
    """On a busy machine the page may hear that the run has changed when it shows the answer to the kill already."""
    page = visit.open("/runs/")
    page.get_by_role("button", name="Check the archive").click()
    expect(page.locator(".state-chip")).to_contain_text("running")
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        held.append(route)
        if len(held) > 1:
            route.continue_()

    page.route(re.compile(r"/runs/\d+/\?shown="), hold_the_first)
    while not held:
        page.wait_for_timeout(100)
    page.get_by_role("button", name="Kill").click()
    expect(page.locator(".state-chip")).to_contain_text("killed")
    held[0].continue_()
    visit.quiet()
    expect(page.locator(".state-chip")).to_contain_text("killed")


def test_without_scripts_buttons_are_forms(browser: Browser, busy: Server) -> None:
    with visiting(browser, busy, java_script_enabled=False) as plain:
        page = plain.open("/runs/")
        page.get_by_role("button", name="Check the archive").click()
        expect(page).to_have_url(re.compile(r"/runs/\d+/$"))
        page.get_by_role("button", name="Kill").click()
        page.wait_for_timeout(2000)
        page.reload()
        expect(page.locator(".state-chip")).to_contain_text("killed")
        assert plain.troubles == []


def test_the_page_of_an_import_is_there(visit: Visit) -> None:
    page = visit.open("/runs/?kind=import")
    page.locator(".run-card a.what").first.click()
    expect(page.locator("h1")).to_have_text("Import")
    expect(page.locator(".state-chip")).to_contain_text("completed")
    page.get_by_text("Raw JSON").click()
    expect(page.locator(".raw-json pre")).to_contain_text('"rows_written"')
