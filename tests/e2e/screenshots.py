"""Takes the pictures of docs/screenshots/ from the demo: `python -m tests.e2e.screenshots`."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.archives import large_archive
from tests.demo import names
from tests.demo.reading import records
from tests.demo.story.transcript import SLUG
from tests.e2e.browsing import CHROMIUM, chromium, demo_site, visiting
from tests.e2e.ordering import KINDS, ended, order
from tests.e2e.shelves import Shelf, shelf_site
from tests.inspector.agents.server import Call, Say
from tests.serving import Server

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "screenshots"
THEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def _position(name: str) -> str:
    position = names.point("long", name).position
    return f"/sessions/{names.LONG}/?at={position}#e{position}"


MESSAGE = "msg_015834b3409264963180fe5f"
"""The answer that came first after the automatic compaction."""

PAGES = {
    "home": "/",
    "sessions": "/sessions/",
    "timeline": _position("edit hours"),
    "boundary": _position("manual boundary"),
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
MESSAGE_TO_RECALL = "How many decimals do the heights of the harbour office have?"
REMEMBERED = {
    "notes": f"/sessions/{names.LONG}/notes/",
    "memory": "/memory/1/",
    "memory-findings": "/memory/1/findings/",
    "memory-editor": "/memory/1/edit/?name=utc-inside.md",
    "memory-prune": "/memory/1/prune/?name=next-week.md&name=local-time-inside.md",
    "memory-recall": f"/memory/1/recall/?message={quote(MESSAGE_TO_RECALL)}",
    "memory-history": "/memory/1/history/",
    "dreams": "/dreams/",
    "proposal": "/memory/proposals/1/",
}
"""With a model to ask, and something that happened to memory."""
OLD = "lost a row that way."
NEW = "Local time was tried first, because the harbour office thinks in it."
LOCAL_TIME = "- [Local time inside](local-time-inside.md) — the package works in local time\n"
CONTACTS = "- [Harbour contacts](harbour-contacts.md) — whom to call\n"
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
        photograph(browser, server, PAGES)
        with shelf_site(Path(folder) / "remembered", age) as shelf:
            memory(browser, shelf)
            photograph(browser, shelf.site, REMEMBERED)
    return 0


def photograph(browser: Browser, server: Server, pages: dict[str, str]) -> None:
    for theme in THEMES:
        with visiting(browser, server, color_scheme=theme, reduced_motion="reduce") as visit:
            page = visit.page
            for name, address in pages.items():
                visit.open(address)
                prepare(page, name)
                page.screenshot(path=PICTURES / f"{name}-{theme}.png")
                if name == "run":
                    page.get_by_role("button", name="Kill").click()
                    expect(page.get_by_role("button", name="Retry")).to_be_visible()
                print(f"{name}-{theme}.png")


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


def memory(browser: Browser, shelf: Shelf) -> None:
    """Something for its history, a merge that somebody has to decide, and a dream that waits for a decision."""
    with visiting(browser, shelf.site, viewport=LOW, color_scheme="light", reduced_motion="reduce") as visit:
        page = visit.open("/memory/1/edit/?name=station-order.md")
        page.get_by_label("Type").select_option("project")
        page.get_by_role("button", name="Save").click()
        path = shelf.memory / "harbour-office.md"
        first = path.read_text()
        page = visit.open(f"/memory/1/edit/?name={path.name}")
        body = page.get_by_label("Body")
        body.fill(body.input_value().replace("typed by hand", "typed by dev"))
        path.write_text(first.replace("typed by hand", "read by a script") + "- The office opens at nine.\n")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".conflict")).to_be_visible()
        page.screenshot(path=PICTURES / "memory-merge.png")
        print("memory-merge.png")
        path.write_text(first)
        shelf.model.answer(*dreaming())
        page = visit.open("/dreams/")
        page.get_by_role("button", name="Dream now…").click()
        page.get_by_role("button", name="Dream now").click()
        ended(page)


def dreaming() -> list[Say]:
    """A model that finds out which of two memories is true, and tells why."""
    entry = {"session": names.LONG, "entry": names.uuid("long", "edit hours")}
    files = {
        "utc-inside.md": {
            "reason": "Says what became of local time, so that nobody tries it again.",
            "sources": [entry],
        },
        "local-time-inside.md": {"reason": "The package has worked in UTC since the clock change was fixed."},
        "MEMORY.md": {"reason": "Points to the topics that are left."},
    }
    account = {
        "files": files,
        "contradictions": [
            "Local time against UTC inside the package: the newer memory, and the fix of the tables, say UTC."
        ],
    }
    index = {"file_path": "MEMORY.md", "new_string": ""}
    return [
        Say("Orienting.", calls=[Call("Shell", {"command": "ls"}), Call("Read", {"file_path": "utc-inside.md"}, "r")]),
        Say(
            "Consolidating.",
            calls=[
                Call("Edit", {"file_path": "utc-inside.md", "old_string": OLD, "new_string": f"{OLD} {NEW}"}, "1"),
                Call("Write", {"file_path": "local-time-inside.md", "content": ""}, "2"),
                Call("Edit", {**index, "old_string": LOCAL_TIME}, "3"),
                Call("Edit", {**index, "old_string": CONTACTS}, "4"),
            ],
        ),
        Say(f"One contradiction is resolved.\n```json\n{json.dumps(account)}\n```"),
    ]


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
