"""A browser that notes everything that a person would find in its console, and the small moves that tests share."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Response, ViewportSize, expect, sync_playwright

from tests.demo import names
from tests.serving import Server, serving, wait_until, worker

# The same engine without the parts that nobody sees, which takes half the time.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
WIDE: ViewportSize = {"width": 1440, "height": 900}
NARROW: ViewportSize = {"width": 380, "height": 780}

# A busy machine is slow, and what never comes is never seen, however long it is waited for.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)


@contextmanager
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def demo_site(
    folder: Path,
    prepare: Callable[[Path], None] = lambda config: None,
    environment: Mapping[str, str] | None = None,
    *,
    redis_url: str = "",
) -> Iterator[Server]:
    """A server over a copy of the demo, with everything imported, indexed and looked into; `prepare` gets the copy
    first. With Redis, two workers of their own work for it."""
    config, given = folder / "config", dict(environment or {})
    shutil.copytree(names.ROOT, config)
    prepare(config)
    with ExitStack() as stack:
        more = {"REDIS_URL": redis_url, "LUCID_WORKER": "off"} if redis_url else {}
        site = serving(folder / "home", CLAUDE_CONFIG_DIR=str(config), **given, **more)
        server = stack.enter_context(site)
        for _ in range(2 if redis_url else 0):
            stack.enter_context(worker(server.home, redis_url, **given))
        wait_until(lambda: _imported(server))
        yield server


def _imported(server: Server) -> bool:
    """The index comes last, so a word that is found means that everything is there; then the cache is looked into."""
    result = b"<mark>Azores</mark>" in server.get("/search/?q=Azores").body
    imported = result and server.get("/import/").headers["HX-Trigger"] == "imported"
    return imported and b"unexpected break" in server.get(f"/sessions/{names.LONG}/").body


@dataclass
class Visit:
    """A page of the site, with what went wrong on it."""

    page: Page
    site: Server
    troubles: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.troubles.append(f"{self.page.url}: {error}"))
        self.page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(f"{self.page.url}: {message.text}")

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self.troubles.append(f"{response.url}: {response.status}")

    def open(self, address: str) -> Page:
        self.page.goto(f"{self.site.url}{address}")
        return self.page

    def session(self, session: str, rest: str = "") -> Page:
        return self.open(f"/sessions/{session}/{rest}")

    def card(self, position: int) -> Locator:
        return self.page.locator(f"#e{position}")

    def cards(self) -> list[int]:
        """Positions of the cards that are loaded, from the top."""
        ids: list[str] = self.page.evaluate("[...document.querySelectorAll('.card[id^=e]')].map((card) => card.id)")
        return [int(match[1]) for identifier in ids if (match := re.fullmatch(r"e(\d+)", identifier))]

    def top_of(self, position: int) -> float:
        return float(self.card(position).evaluate("(card) => card.getBoundingClientRect().top"))

    def scrolled(self) -> float:
        return float(self.page.evaluate("scrollY"))

    def until(self, here: Callable[[], object], act: Callable[[], object]) -> None:
        """Do it again and again, as a person would, until what was waited for is here."""

        def once_more() -> bool:
            if here():
                return True
            act()
            self.page.wait_for_timeout(200)
            return False

        wait_until(once_more, PATIENCE / 1000)

    def settled(self) -> None:
        """Wait until the page is here with what it asks for at once."""
        self.page.wait_for_load_state("load")
        expect(self.page.locator(".htmx-request")).to_have_count(0)

    def quiet(self) -> None:
        """Wait until what has come into view was asked for and is here; the page looks five times a second."""
        self.page.wait_for_load_state("load")
        self.page.wait_for_timeout(300)
        expect(self.page.locator(".htmx-request")).to_have_count(0)


@contextmanager
def visiting(browser: Browser, site: Server, **options: Any) -> Iterator[Visit]:
    context = browser.new_context(**{"viewport": WIDE, **options})
    context.set_default_timeout(PATIENCE)
    name, _, value = site.cookie.partition("=")
    context.add_cookies([{"name": name, "value": value, "url": site.url, "httpOnly": True, "sameSite": "Strict"}])
    visit = Visit(context.new_page(), site)
    try:
        yield visit
    finally:
        context.close()
