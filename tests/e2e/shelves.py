"""A site whose memory may be changed, with a model to ask, and the files that a person would find on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from memory.dreams.engine.lock import NAME
from tests.demo.story.transcript import SLUG
from tests.e2e.browsing import Visit, demo_site, visiting
from tests.inspector.agents.server import MessagesServer, messages_server
from tests.serving import Server, wait_until

CONFLICT = "409"


@dataclass
class Shelf:
    site: Server
    model: MessagesServer
    memory: Path

    def files(self) -> dict[str, bytes]:
        """What the agent would find; the lock of dreams is none of its memories."""
        return {path.name: path.read_bytes() for path in sorted(self.memory.iterdir()) if path.name != NAME}


@contextmanager
def shelf_site(folder: Path, prepare: Callable[[Path], None] = lambda config: None) -> Iterator[Shelf]:
    with messages_server() as model:
        asking = {"ANTHROPIC_API_KEY": model.key, "ANTHROPIC_BASE_URL": model.url}
        with demo_site(folder, prepare, environment=asking) as site:
            wait_until(lambda: b"tidewatch" in site.get("/memory/").body)
            yield Shelf(site, model, folder / "config" / "projects" / SLUG / "memory")


@contextmanager
def visiting_shelf(browser: Browser, shelf: Shelf) -> Iterator[Visit]:
    """Whatever a test does, it leaves the files as they were."""
    shelf.model.forget()
    before = shelf.files()
    with visiting(browser, shelf.site) as made:
        yield made
        assert made.troubles == []
    assert shelf.files() == before


def open_memory(visit: Visit, tab: str = "") -> Page:
    """From the list to the directory, as a person goes; then to one of its tabs."""
    page = visit.open("/memory/")
    page.locator("#directories a.what", has_text="tidewatch").click()
    expect(page.locator("#topics")).to_be_visible()
    if tab:
        page.get_by_role("navigation", name="Pages of this memory").get_by_role("link", name=tab).click()
    return page


def open_topic(visit: Visit, name: str) -> Page:
    page = open_memory(visit)
    page.locator("#topics li", has_text=name).locator("a.what").click()
    expect(page.locator(".file-head h2")).to_have_text(name)
    return page


def forgive(visit: Visit, status: str = CONFLICT) -> None:
    """A page that says what stands in the way has a status that says so, too; nothing else may have gone wrong."""
    visit.troubles[:] = [trouble for trouble in visit.troubles if status not in trouble]
