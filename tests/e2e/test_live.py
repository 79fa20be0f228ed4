"""A session that is being written to: its page follows without losing the reader's place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.demo import names
from tests.demo.reading import records
from tests.demo.story.transcript import SLUG
from tests.e2e.browsing import Visit, demo_site, visiting
from tests.serving import Server
from tests.sessions.writing import Writing, append


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("live")


@pytest.fixture(scope="module")
def growing(folder: Path) -> Iterator[Server]:
    """A server of its own: these tests write to the transcripts that it follows."""
    with demo_site(folder) as server:
        yield server


@pytest.fixture
def visit(browser: Browser, growing: Server) -> Iterator[Visit]:
    with visiting(browser, growing) as made:
        yield made
        assert made.troubles == []


def transcript(folder: Path, session: str) -> Path:
    return folder / "config" / "projects" / SLUG / f"{session}.jsonl"


class Agent:
    """Goes on with a transcript where it ends, like the client does."""

    def __init__(self, path: Path) -> None:
        self.path = path
        known = records(path)
        self.position = len(known)
        leaf = next(row["uuid"] for row in reversed(known) if row.get("uuid"))
        self.writing = Writing(session=path.stem, clock=1_795_000_000_000, leaf=leaf, count=self.position)

    def write(self) -> int:
        """Append what was added to `writing`; returns the position of its first record."""
        first, made = self.position, self.writing.records
        append(self.path, *made)
        self.position += len(made)
        self.writing.records = []
        return first

    def user(self, text: str) -> int:
        self.writing.user(text)
        return self.write()

    def call(self, tool: str, command: str) -> int:
        self.writing.call("Bash", tool, command=command)
        return self.write()

    def result(self, tool: str, text: str) -> int:
        self.writing.result(tool, text)
        return self.write()


@pytest.fixture
def long(folder: Path) -> Agent:
    return Agent(transcript(folder, names.LONG))


def test_a_new_entry_appears_and_the_page_does_not_move(visit: Visit, long: Agent) -> None:
    page = visit.session(names.LONG, "?at=end#tail")
    page.mouse.wheel(0, -1500)
    page.wait_for_timeout(300)
    card = next(item for item in visit.cards() if visit.top_of(item) > 200)
    before, top = visit.scrolled(), visit.top_of(card)
    assert before > 0
    first = long.user("Does the harbour office have a telephone?")
    expect(visit.card(first)).to_contain_text("Does the harbour office have a telephone?")
    second = long.user("And who answers it?")
    expect(visit.card(second)).to_contain_text("And who answers it?")
    assert visit.scrolled() == before
    assert abs(visit.top_of(card) - top) < 1
    assert visit.cards() == sorted(set(visit.cards()))


def test_the_mark_of_the_ruler_finds_its_place_among_several_cards_of_one_record(visit: Visit, long: Agent) -> None:
    long.writing.assistant("First words", "Last words")
    position = long.write()
    page = visit.session(names.LONG, "?at=end")
    page.locator(f"#e{position}-1").scroll_into_view_if_needed()
    expect(page.locator(f"#e{position}-1")).to_be_in_viewport()
    page.evaluate("new Promise((done) => setTimeout(done, 200))")
    assert 0 < int(page.locator("#ruler [data-at]").get_attribute("data-at") or 0) <= position


def test_a_call_gets_its_result_in_place(visit: Visit, long: Agent) -> None:
    page = visit.session(names.LONG, "?at=end#tail")
    position = long.call("toolu_live_1", "tide --harbour gull-haven --live")
    card = visit.card(position)
    expect(card).to_contain_text("tide --harbour gull-haven --live")
    expect(card).not_to_contain_text("high water at noon")
    cards = len(visit.cards())
    long.result("toolu_live_1", "high water at noon")
    expect(card).to_contain_text("high water at noon")
    expect(page.locator(f"#e{position}")).to_have_count(1)
    assert len(visit.cards()) == cards


def test_a_page_without_its_end_loaded_finds_the_new_entry_when_it_gets_there(visit: Visit, long: Agent) -> None:
    page = visit.session(names.LONG)
    position = long.user("What is the last thing that was said here?")
    visit.until(visit.card(position).count, lambda: page.evaluate("scrollTo(0, document.body.scrollHeight)"))
    expect(visit.card(position)).to_contain_text("the last thing that was said")
    assert visit.cards() == sorted(set(visit.cards()))


def test_a_line_that_comes_in_two_pieces_is_shown_once_it_is_whole(visit: Visit, folder: Path) -> None:
    agent = Agent(transcript(folder, names.CLEARED))
    visit.session(names.CLEARED)
    agent.writing.user("Half of this sentence comes later.")
    (record,) = agent.writing.records
    line = json.dumps(record).encode() + b"\n"
    with agent.path.open("ab") as file:
        file.write(line[:200])
        file.flush()
        visit.page.wait_for_timeout(1500)
        expect(visit.card(agent.position)).to_have_count(0)
        file.write(line[200:])
    expect(visit.card(agent.position)).to_contain_text("Half of this sentence comes later.")


def test_a_new_compaction_is_drawn_as_a_bar_and_on_the_ruler(visit: Visit, folder: Path) -> None:
    agent = Agent(transcript(folder, names.SURVEY))
    page = visit.session(names.SURVEY, "?at=end")
    expect(page.locator("#ruler .boundary")).to_have_count(0)
    details: dict[str, Any] = {"trigger": "auto", "preTokens": 24_000, "postTokens": 900}
    agent.writing.row("system", subtype="compact_boundary", content="Conversation compacted", compactMetadata=details)
    agent.writing.user("This session is being continued. Summary: all well.", isCompactSummary=True)
    position = agent.write()
    expect(visit.card(position)).to_contain_text("Compacted automatically at ~24.0k tokens")
    expect(page.locator("#ruler .boundary")).to_have_count(1)


def test_a_new_session_is_in_the_list(visit: Visit, folder: Path) -> None:
    writing = Writing(session="33333333-2222-4333-8444-555555555555")
    writing.user("Is this the newest session of all?")
    writing.save(folder / "config" / "projects" / SLUG)
    page = visit.open("/sessions/?text=newest")
    visit.until(page.locator("tr.item").count, page.reload)
    expect(page.locator("tr.item")).to_contain_text("Is this the newest session of all?")
