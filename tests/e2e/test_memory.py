"""Memory in the browser: edited with a preview, merged with what somebody else wrote, pruned, put right, recalled, and
every time undone. What is asserted last is what lies on disk."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.browsing import Visit
from tests.e2e.shelves import Shelf, forgive, open_memory, open_topic, visiting_shelf
from tests.inspector.agents.server import Say
from tests.serving import wait_until


@pytest.fixture
def visit(browser: Browser, shelf: Shelf) -> Iterator[Visit]:
    with visiting_shelf(browser, shelf) as made:
        yield made


def undo(page: Page) -> None:
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".toast")).to_contain_text("Undid")


def test_a_topic_is_edited_with_a_preview_and_the_save_is_undone(visit: Visit, shelf: Shelf) -> None:
    page = open_topic(visit, "station-order.md")
    page.get_by_role("link", name="Edit", exact=True).first.click()
    before = shelf.files()
    page.get_by_label("Body").fill("Port Hallow stands **first**, then Gull Haven.")
    page.get_by_label("Why one would open it").fill("Port Hallow, then Gull Haven")
    preview = page.locator("#preview")
    expect(preview.locator("strong")).to_have_text("first")
    expect(preview).to_contain_text("(station-order.md) — Port Hallow, then Gull Haven")
    assert shelf.files() == before
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".toast")).to_contain_text("station-order.md")
    after = shelf.files()
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"MEMORY.md", "station-order.md"}
    assert b"then Gull Haven" in after["MEMORY.md"]
    undo(page)
    assert shelf.files() == before


def test_the_index_shows_what_would_be_loaded_of_it_while_one_types(visit: Visit) -> None:
    page = open_memory(visit)
    page.locator(".index-pane").get_by_role("link", name="Edit").click()
    lines = "\n".join(f"- [Line {number}](utc-inside.md)" for number in range(230))
    page.get_by_label("Text").fill(lines)
    expect(page.locator("#preview .found")).to_contain_text("200 of 230 lines")
    expect(page.locator("#preview .cut-mark")).to_be_visible()


def test_what_somebody_else_wrote_meanwhile_is_merged_by_choice(visit: Visit, shelf: Shelf) -> None:
    path = shelf.memory / "harbour-office.md"
    first = path.read_text()
    page = open_topic(visit, path.name)
    page.get_by_role("link", name="Edit", exact=True).first.click()
    body = page.get_by_label("Body")
    body.fill(body.input_value().replace("typed by hand", "typed by dev") + "\n- The office opens at nine.\n")
    # The agent is quicker, in the same line and in one of its own.
    path.write_text(first.replace("typed by hand", "read by a script").replace("yearly sheet and", "sheet and"))
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".finding.boxed")).to_contain_text("Nothing was written")
    forgive(visit)
    assert "read by a script" in path.read_text()
    conflict = page.locator("fieldset.is-conflict")
    expect(conflict).to_have_count(1)
    expect(conflict).to_contain_text("typed by dev")
    expect(conflict).to_contain_text("read by a script")
    conflict.get_by_label("Yours").check()
    page.get_by_role("button", name="Save the merged text").click()
    expect(page.locator(".toast")).to_be_visible()
    merged = path.read_text()
    assert "typed by dev" in merged
    assert "The office opens at nine." in merged
    assert "office's sheet and" in merged
    undo(page)
    assert "read by a script" in path.read_text()
    path.write_text(first)


def test_topics_are_pruned_after_a_look_at_the_index_and_come_back(visit: Visit, shelf: Shelf) -> None:
    before = shelf.files()
    page = open_memory(visit)
    for name in ("next-week.md", "orphan-moorings.md"):
        page.get_by_label(f"Choose {name}").check()
    page.get_by_role("button", name="Prune the chosen ones").click()
    expect(page.locator(".prune")).to_contain_text("What the index becomes")
    expect(page.locator(".prune .section-head").last).to_contain_text("16 → 15 lines")
    expect(page.locator(".prune pre.diff")).to_contain_text("Next week")
    assert shelf.files() == before
    page.get_by_role("button", name="Delete 2 files").click()
    expect(page.locator(".toast")).to_be_visible()
    assert set(before) - set(shelf.files()) == {"next-week.md", "orphan-moorings.md"}
    assert b"next-week.md" not in shelf.files()["MEMORY.md"]
    undo(page)
    assert shelf.files() == before


def test_a_finding_is_put_right_by_its_button_and_undone(visit: Visit, shelf: Shelf) -> None:
    page = open_memory(visit, "Findings")
    finding = page.locator(".finding.item", has_text="points to harbour-contacts.md")
    finding.get_by_role("button", name="Remove the line").click()
    expect(page.locator(".toast")).to_be_visible()
    expect(page.locator(".finding.item", has_text="points to harbour-contacts.md")).to_have_count(0)
    assert b"harbour-contacts.md" not in shelf.files()["MEMORY.md"]
    undo(page)
    assert b"harbour-contacts.md" in shelf.files()["MEMORY.md"]


def test_a_change_from_outside_becomes_a_version_with_a_diff_and_is_restored(visit: Visit, shelf: Shelf) -> None:
    path = shelf.memory / "refit-cost.md"
    first = path.read_bytes()
    path.write_bytes(first + b"\nOn mains power only.\n")
    # Nobody presses anything: the watcher sees it.
    page = open_memory(visit, "History")

    def noticed() -> bool:
        page.reload()
        return page.locator(".changes > li").first.inner_text().find("refit-cost.md") >= 0

    wait_until(noticed)
    page.locator(".changes > li").first.locator("a.what").click()
    expect(page.locator("pre.diff")).to_contain_text("On mains power only.")
    page.get_by_role("button", name="Undo as a whole").click()
    expect(page.locator(".toast")).to_be_visible()
    assert path.read_bytes() == first


def test_a_message_recalls_memories_by_the_ranker_and_by_a_model(visit: Visit, shelf: Shelf) -> None:
    count = len(shelf.model.requests)
    page = open_memory(visit, "Recall")
    page.get_by_role("textbox", name="Message").fill("Which constants did the harbour office send?")
    page.get_by_role("button", name="See what is recalled").click()
    expect(page.locator(".chosen")).to_contain_text("harbour-office.md")
    expect(page.locator("#recalled")).to_contain_text("local ranker, no model asked")
    expect(page.locator("pre.injected").first).to_contain_text("typed by hand into")
    assert len(shelf.model.requests) == count
    shelf.model.answer(Say(json.dumps(["user-dev.md", "../../secrets.md"])))
    page.get_by_role("button", name=re.compile("^Ask ")).click()
    # The worker may be starting still.
    expect(page.locator(".chosen")).to_contain_text("user-dev.md", timeout=60_000)
    expect(page.locator("#recalled")).to_contain_text("Left out")
    expect(page.locator("#recalled")).not_to_contain_text("no model asked")
    sent = shelf.model.requests[-1].json
    assert "harbour-office.md" in json.dumps(sent["messages"])


def test_all_messages_are_replayed_and_what_is_never_chosen_is_listed(visit: Visit, shelf: Shelf) -> None:
    count = len(shelf.model.requests)
    page = open_memory(visit, "Recall")
    page.get_by_role("link", name="Replay all messages").click()
    page.get_by_role("button", name="Replay all messages").click()
    expect(page.locator("#never")).to_be_visible(timeout=60_000)
    expect(page.locator("#unfitted")).to_be_visible()
    assert len(shelf.model.requests) == count


def test_memory_of_all_projects_is_searched_and_leads_to_the_file(visit: Visit) -> None:
    page = visit.open("/memory/")
    page.get_by_label("Search all memory").fill("wall-clock arithmetic")
    page.get_by_role("button", name="Search", exact=True).click()
    page.get_by_role("link", name="utc-inside").first.click()
    expect(page.locator(".memory-text")).to_contain_text("wall-clock arithmetic")
