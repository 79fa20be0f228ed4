"""Dreams in the browser: the price first, then the run as it goes, then a proposal that is accepted in part and undone;
one that is killed; one without a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from memory.dreams.engine.lock import NAME
from tests.e2e.browsing import Visit
from tests.e2e.ordering import ended
from tests.e2e.shelves import Shelf, visiting_shelf
from tests.inspector.agents.server import Call, Say
from tests.serving import wait_until

STATIONS = "station-order.md"
HARBOUR = "harbour-office.md"
FOG = "invisible-fog.md"
REASON = "It was no type that the agent knows."
ACCOUNT = {
    "files": {STATIONS: {"reason": REASON}, FOG: {"reason": "Nobody asked for it."}},
    "contradictions": ["Local time against UTC: UTC is newer."],
}


@pytest.fixture
def visit(browser: Browser, shelf: Shelf) -> Iterator[Visit]:
    with visiting_shelf(browser, shelf) as made:
        yield made


def confirmed(visit: Visit) -> Page:
    """As far as the last button before anything is sent."""
    page = visit.open("/dreams/")
    page.get_by_role("button", name="Dream now…").click()
    expect(page.locator("main")).to_contain_text("Nothing has been sent yet.")
    expect(page.locator("main")).to_contain_text("~$")
    return page


def edit(name: str, old: str, new: str, id: str) -> Call:
    return Call("Edit", {"file_path": name, "old_string": old, "new_string": new}, id)


def test_a_dream_is_reviewed_accepted_in_part_and_undone(visit: Visit, shelf: Shelf) -> None:
    before = shelf.files()
    shelf.model.answer(
        Say("Orienting.", calls=[Call("Shell", {"command": "ls"}), Call("Read", {"file_path": "MEMORY.md"}, "r")]),
        Say("Gathering.", calls=[Call("Grep", {"pattern": "Port Hallow", "path": "."})]),
        Say(
            "Consolidating.",
            calls=[
                edit(STATIONS, "type: hunch", "type: user", "1"),
                edit(HARBOUR, "typed by hand", "typed by dev", "2"),
                edit(HARBOUR, "type: reference", "type: project", "3"),
                Call("Write", {"file_path": FOG, "content": ""}, "4"),
            ],
        ),
        Say(f"In order.\n```json\n{json.dumps(ACCOUNT)}\n```"),
    )
    count = len(shelf.model.requests)
    page = confirmed(visit)
    assert len(shelf.model.requests) == count
    page.get_by_role("button", name="Dream now").click()
    ended(page)
    expect(page.locator("main")).to_contain_text("Consolidating.")
    assert shelf.files() == before
    page.get_by_role("link", name=re.compile("[Pp]ropos")).first.click()
    expect(page.locator(".proposal")).to_contain_text("nothing has been written yet")
    expect(page.locator(".finding.is-warning")).to_contain_text(FOG)
    expect(page.locator(".proposal")).to_contain_text("Local time against UTC: UTC is newer.")
    expect(page.get_by_label(STATIONS, exact=True).locator(".why")).to_have_text(REASON)
    # The fog stays, and of two changes of a file only the second is taken.
    page.get_by_label(FOG, exact=True).locator("header input").uncheck()
    harbour = page.get_by_label(HARBOUR, exact=True)
    expect(harbour.locator(".pieces > li")).to_have_count(2)
    harbour.locator(".pieces input").first.uncheck()
    page.get_by_role("button", name="Accept what is ticked").click()
    expect(page.locator(".state-chip")).to_contain_text("part")
    after = shelf.files()
    assert {name for name in after if after[name] != before[name]} == {STATIONS, HARBOUR}
    assert after[HARBOUR] == before[HARBOUR].replace(b"typed by hand", b"typed by dev")
    page.get_by_role("button", name="Undo it").click()
    expect(page.locator(".state-chip")).to_contain_text("taken back")
    assert shelf.files() == before


def test_a_dream_that_is_killed_leaves_memory_and_lock_as_they_were(visit: Visit, shelf: Shelf) -> None:
    lock = shelf.memory / NAME
    consolidated = lock.stat().st_mtime_ns if lock.exists() else None
    write = Call("Write", {"file_path": "wind.md", "content": "West.\n"})
    shelf.model.answer(Say("Writing.", calls=[write]), Say("Never heard.", wait=60))
    page = confirmed(visit)
    page.get_by_role("button", name="Dream now").click()
    expect(page.locator("#run")).to_contain_text("updating")
    wait_until(lambda: not shelf.model.waiting)
    # Whoever looks meanwhile sees who holds the lock, without pressing anything.
    other = visit.page.context.new_page()
    other.goto(f"{shelf.site.url}/dreams/")
    expect(other.locator(".gates .is-shut", has_text="lock")).to_contain_text("holds the lock")
    page.get_by_role("button", name="Kill").click()
    ended(page, "killed")
    expect(other.locator(".gates .is-open", has_text="lock")).to_be_visible()
    assert (lock.stat().st_mtime_ns if lock.exists() else None) == consolidated


def test_without_a_model_it_tidies_and_the_proposal_is_rejected(visit: Visit, shelf: Shelf) -> None:
    before, count = shelf.files(), len(shelf.model.requests)
    page = visit.open("/dreams/")
    page.get_by_role("button", name="Tidy now").click()
    ended(page)
    page.get_by_role("link", name=re.compile("[Pp]ropos")).first.click()
    expect(page.get_by_role("region", name="Contradictions")).to_contain_text("metres-two-decimals.md")
    page.get_by_role("button", name="Reject").click()
    expect(page.locator(".state-chip")).to_contain_text("rejected")
    assert len(shelf.model.requests) == count
    assert shelf.files() == before
