"""Takes the pictures of docs/screenshots/ from the demo: `python -m tests.e2e.screenshots`."""

from __future__ import annotations

import os
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.archives import large_archive
from tests.demo import names
from tests.demo.reading import records
from tests.demo.story.transcript import SLUG
from tests.e2e.browsing import CHROMIUM, WIDE, chromium, demo_site, visiting
from tests.e2e.ordering import KINDS, ended, order
from tests.serving import Server

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "screenshots"
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def _at(name: str) -> str:
    position = names.point("long", name).position
    return f"/sessions/{names.LONG}/?at={position}#e{position}"


MESSAGE = "msg_015834b3409264963180fe5f"
"""The answer that came first after the automatic compaction."""

PAGES = {
    "home": "/",
    "sessions": "/sessions/",
    "timeline": _at("edit hours"),
    "boundary": _at("manual boundary"),
    "context": f"/sessions/{names.LONG}/context/?request={MESSAGE}",
    "cache": f"/sessions/{names.LONG}/cache/",
    "cache-break": f"/sessions/{names.LONG}/cache/{names.BROKE}/",
    "cache-report": "/cache/",
    "request": f"/sessions/{names.LONG}/requests/{names.BROKE}/",
    "agents": f"/sessions/{names.SURVEY}/agents/",
    "search": "/search/?q=Azores",
    "entry": f"/sessions/{names.LONG}/entries/{names.uuid('long', 'edit hours')}/",
    "run": "/runs/",
    "compact": f"/sessions/{names.LONG}/compact/?kind=full",
    "compactions": f"/sessions/{names.LONG}/compactions/",
}
LOW: ViewportSize = {"width": 1280, "height": 720}


def main() -> int:
    if CHROMIUM is None:
        print("chromium is not installed.", file=sys.stderr)
        return 1
    PICTURES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="lucid-screenshots-") as folder,
        demo_site(Path(folder), prepare=age) as server,
        chromium() as browser,
    ):
        compactions(browser, server)
        # So that there is something to see of its check.
        large_archive(server.home / "lucid.sqlite3", 400_000)
        for theme in THEMES:
            page = browser.new_page(viewport=WIDE, color_scheme=theme, reduced_motion="reduce")
            for name, address in PAGES.items():
                page.goto(f"{server.url}{address}")
                prepare(page, name)
                page.screenshot(path=PICTURES / f"{name}-{theme}.png")
                if name == "run":
                    page.get_by_role("button", name="Kill").click()
                    expect(page.get_by_role("button", name="Retry")).to_be_visible()
                print(f"{name}-{theme}.png")
            page.close()
    return 0


def compactions(browser: Browser, server: Server) -> None:
    """One of each kind: what it leaves, beside what there was."""
    with visiting(browser, server, viewport=LOW, color_scheme="light", reduced_motion="reduce") as visit:
        for kind, (query, choose, fate) in KINDS.items():
            page = order(visit, query, choose)
            ended(page)
            page.get_by_role("link", name="Before and after").click()
            page.locator(f".fates .mk.{fate}").click()
            page.wait_for_load_state("networkidle")
            page.evaluate("document.querySelector('#comparison').scrollIntoView()")
            page.screenshot(path=PICTURES / f"compaction-{kind}.png")
            print(f"compaction-{kind}.png")


def age(config: Path) -> None:
    """As if the agent had written each file when its last record says so: nothing is live, and nothing else changes."""
    for path in (config / "projects" / SLUG).rglob("*.jsonl"):
        stamps = [row["timestamp"] for row in records(path) if isinstance(row.get("timestamp"), str)]
        written = max(datetime.fromisoformat(stamp).timestamp() for stamp in stamps)
        os.utime(path, (written, written))


def prepare(page: Page, name: str) -> None:
    """Bring a page into the state that it is shown in."""
    page.wait_for_load_state("networkidle")
    if name == "timeline":
        position = names.point("long", "edit hours").position
        page.locator(f"#e{position} a.at").click()
        expect(page.locator("#panel h2")).to_have_text(f"Entry {position}")
        page.mouse.move(0, 0)
    if name == "run":
        page.get_by_role("button", name="Check the archive").click()
        expect(page.locator(".run-counts")).to_contain_text("left")
        page.wait_for_timeout(3000)
    if name == "boundary":
        page.locator(f"#e{names.point('long', 'manual boundary').position} summary").first.click()


if __name__ == "__main__":
    sys.exit(main())
