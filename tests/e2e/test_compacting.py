"""Compactions in the browser: every kind started, watched, compared and handed back; on the worker inside, and on two
workers over Redis."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, expect

from tests.demo import names
from tests.e2e.browsing import Visit, demo_site, visiting
from tests.e2e.ordering import KINDS, ended, order
from tests.inspector.agents.server import Fail, MessagesServer, Say, messages_server, too_long
from tests.serving import Server, fair, wait_until

SUMMARY = """<analysis>What matters here.</analysis>
<summary>
1. Primary Request and Intent:
   The tide table has to be right for the Azores.

2. Pending Tasks:
   - Check the heights once more.
</summary>"""


@dataclass
class Harbour:
    """A site with a model to ask, and whoever works on its runs."""

    site: Server
    model: MessagesServer


@pytest.fixture(
    scope="module", params=["the worker inside", pytest.param("two workers on Redis", marks=pytest.mark.long)]
)
def harbour(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, redis_url: str
) -> Iterator[Harbour]:
    folder = tmp_path_factory.mktemp("compacting")
    with ExitStack() as stack:
        model = stack.enter_context(messages_server())
        asking = {"ANTHROPIC_API_KEY": model.key, "ANTHROPIC_BASE_URL": model.url}
        redis = redis_url if request.param == "two workers on Redis" else ""
        yield Harbour(stack.enter_context(demo_site(folder, environment=asking, redis_url=redis)), model)


@pytest.fixture
def visit(browser: Browser, harbour: Harbour) -> Iterator[Visit]:
    harbour.model.forget()
    with visiting(browser, harbour.site) as made:
        yield made
        assert made.troubles == []


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_started_watched_and_compared(visit: Visit, kind: str) -> None:
    query, choose, fate = KINDS[kind]
    page = order(visit, query, choose)
    ended(page)
    page.get_by_role("link", name="Before and after").click()
    expect(page.locator(f".fates .mk.{fate}")).to_be_visible()
    expect(page.locator(f"#rows .is-{fate}").first).to_be_visible()
    page.get_by_role("link", name="Inline").click()
    expect(page.locator("#comparison")).to_have_class(re.compile("inline"))


def test_a_model_is_asked_after_its_price_was_shown_and_its_words_are_seen_as_they_come(
    visit: Visit, harbour: Harbour
) -> None:
    usage = {"input_tokens": 9000, "output_tokens": 400}
    rest = threading.Event()
    harbour.model.answer(Fail(529, retry_after=0.2), Say(SUMMARY, hold=rest, usage=usage))
    count = len(harbour.model.requests)
    page = order(visit, "kind=full&writer=configured&instructions=Keep the heights.")
    expect(page.locator(".confirm h2")).to_contain_text("for the summary?")
    expect(page.locator(".confirm")).to_contain_text("~$")
    assert len(harbour.model.requests) == count
    page.locator(".confirm .primary").click()
    expect(page.locator("#run")).to_contain_text("asking")
    expect(page.locator(".run-turns")).to_contain_text("Primary Request and Intent")
    expect(page.locator(".run-turns")).not_to_contain_text("Check the heights once more.")
    expect(page.locator(".state-chip")).to_contain_text("running")
    rest.set()
    ended(page)
    expect(page.locator(".run-turns")).to_contain_text("Check the heights once more.")
    expect(page.locator("#run")).to_contain_text("Cost")
    assert b"Keep the heights." in harbour.model.requests[-1].body
    page.get_by_role("link", name="Before and after").click()
    expect(page.locator("#comparison")).to_contain_text("The tide table has to be right for the Azores.")


def test_what_is_too_long_is_asked_again_with_less(visit: Visit, harbour: Harbour) -> None:
    harbour.model.answer(too_long(210_000), Say(SUMMARY))
    page = order(visit, "kind=full&writer=configured")
    page.locator(".confirm .primary").click()
    ended(page)
    expect(page.locator("#run")).to_contain_text("too long")


def test_a_refusal_is_said_and_nothing_is_lost(visit: Visit, harbour: Harbour) -> None:
    harbour.model.answer(Fail(401, "invalid x-api-key"))
    page = order(visit, "kind=full&writer=configured")
    page.locator(".confirm .primary").click()
    ended(page, "failed")
    expect(page.locator("#run .finding.is-error")).to_contain_text("key")
    expect(page.get_by_role("button", name="Retry")).to_be_visible()


def test_a_run_that_waits_for_the_model_is_killed(visit: Visit, harbour: Harbour) -> None:
    harbour.model.answer(Say(SUMMARY, wait=900))
    before = made(harbour)
    page = order(visit, "kind=full&writer=configured")
    page.locator(".confirm .primary").click()
    expect(page.locator("#run")).to_contain_text("asking")
    wait_until(lambda: not harbour.model.waiting)
    page.get_by_role("button", name="Kill").click()
    ended(page, "killed")
    assert made(harbour) == before


def test_a_compaction_is_exported_and_read_in_again(visit: Visit) -> None:
    page = order(visit, "kind=full")
    ended(page)
    page.get_by_role("link", name="Before and after").click()
    page.get_by_text("Go on from it: hand it back").click()
    page.get_by_role("button", name="Export").click()
    expect(page.locator("#export .command")).to_contain_text("claude --resume")
    page.get_by_role("link", name="The new session").click()
    expect(page).not_to_have_url(re.compile(names.LONG))
    page.get_by_role("link", name="Context", exact=True).click()
    expect(page.locator("#messages")).to_contain_text("its earlier part was replaced by a summary")


def test_the_tab_lists_what_was_recorded_and_what_was_made(visit: Visit) -> None:
    page = visit.session(names.LONG, "compactions/")
    expect(page.locator("main")).to_contain_text("Compacted automatically")
    page.get_by_role("link", name="Compact this session").click()
    expect(page).to_have_url(re.compile(r"/compact/"))


def test_any_entry_leads_to_a_compaction(visit: Visit) -> None:
    page = visit.session(names.LONG, f"entries/{names.uuid('long', 'edit hours')}/")
    page.get_by_role("link", name="Compact up to here").first.click()
    expect(page).to_have_url(re.compile(r"kind=partial-up-to"))
    expect(page.locator("#turns")).to_be_visible()


def test_a_worker_that_is_killed_loses_its_run_which_another_repeats(visit: Visit, harbour: Harbour) -> None:
    harbour.model.answer(Say(SUMMARY, wait=900), Say(SUMMARY))
    page = order(visit, "kind=full&writer=configured")
    page.locator(".confirm .primary").click()
    expect(page.locator("#run")).to_contain_text("asking")
    # The page says "asking" before the request has arrived, and an answer nobody took would be the next one's.
    wait_until(lambda: harbour.model.waiting == 1)
    os.kill(owner(harbour), signal.SIGKILL)
    expect(page.locator(".state-chip")).to_contain_text("failed", timeout=fair(60_000))
    expect(page.locator("#run")).to_contain_text("Its worker ended")
    page.get_by_role("button", name="Retry").click()
    page.locator(".order .primary").click()
    page.locator(".confirm .primary").click()
    ended(page)


def made(harbour: Harbour) -> int:
    with closing(sqlite3.connect(harbour.site.home / "lucid.sqlite3", timeout=30)) as connection:
        return int(connection.execute("SELECT count(*) FROM compaction_compaction").fetchone()[0])


def owner(harbour: Harbour) -> int:
    """The process that works on the latest run."""
    with closing(sqlite3.connect(harbour.site.home / "lucid.sqlite3", timeout=30)) as connection:
        running = "SELECT worker FROM inspector_run WHERE status = 'running' ORDER BY id DESC"
        wait_until(lambda: connection.execute(running).fetchone())
        return int(str(connection.execute(running).fetchone()[0]).partition("-")[0])
