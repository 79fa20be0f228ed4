"""What a hostile transcript, memory or capture does to whoever looks at it: every page, read by a parser, and some of
them in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from urllib.parse import quote

from playwright.sync_api import Dialog, Page

from tests.attack.area import Area
from tests.attack.world import HOSTILE, SHARED, World, addresses
from tests.e2e.browsing import CHROMIUM, chromium, visiting
from tests.sessions.crawling import walk
from tests.sessions.hostile import PAYLOAD, UNSEEN

MOST = 1_500
"""Pages; the walk ends by itself long before."""
QUICK = 60


def markup(world: World, *, thorough: bool) -> tuple[Area, Area]:
    """Every page that can be reached: nothing in it runs or hides, and no key stands in it."""
    output = Area("markup and unseen characters on every page")
    keys = Area("keys on every page")
    browser = world.browser()
    for visited in islice(walk(browser, _start(world)), MOST if thorough else QUICK):
        output.expect(not visited.troubles, (visited.address, visited.status, visited.troubles[:3]))
        if not _is_form(visited.address):
            left = [key[:12] for key in world.keys if key.encode() in visited.body]
            keys.expect(not left, (visited.address, left))
    for arguments in _commands(world) if thorough else ():
        result = world.lucid(*arguments)
        left = [key[:12] for key in world.keys if key in result.stdout]
        keys.expect(result.returncode == 0 and not left, (arguments, result.returncode, result.stderr[-300:], left))
    browser.close()
    return output, keys


def in_a_browser(world: World, *, thorough: bool) -> Area:
    """A sample in a real one: no dialog opens, nothing is fetched from elsewhere, the policy has nothing to stop."""
    area = Area("hostile pages in a real browser")
    if CHROMIUM is None:
        area.skipped = "chromium is not installed"
        return area
    number = world.memory_number
    sample = [f"/sessions/{HOSTILE}/", "/sessions/", "/captures/1/", f"/memory/{number}/", "/search/?q=tide", "/runs/"]
    sample += [f"/sessions/{HOSTILE}/{part}/" for part in ("context", "agents", "compactions", "cache", "compact")]
    sample += [f"/memory/{number}/{part}/" for part in ("chain", "findings", "history")]
    sample += [f"/memory/{number}/edit/?name=tides.md", f"/sessions/?text={quote(PAYLOAD)}", "/runs/1/", "/dreams/"]
    with chromium() as launched, visiting(launched, world.server) as visit, _alarms(visit.page) as alarms:
        for address in sample if thorough else sample[:4]:
            visit.open(address)
            visit.quiet()
            held = not alarms and visit.page.evaluate("window.attacked === undefined")
            area.expect(held, (address, list(alarms)))
            alarms.clear()
    return area


@contextmanager
def _alarms(page: Page) -> Iterator[list[str]]:
    rung: list[str] = []

    def close(dialog: Dialog) -> None:
        rung.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", close)
    page.on("request", lambda sent: None if "//127.0.0.1:" in sent.url else rung.append(f"asked for {sent.url}"))
    page.on("console", lambda words: rung.append(words.text) if "Content Security Policy" in words.text else None)
    yield rung


def _start(world: World) -> list[str]:
    text = quote(f"{PAYLOAD} {UNSEEN}")
    start = ["/", "/odd/", "/retention/", "/sessions/", "/memory/", "/cache/", "/captures/", "/runs/", "/dreams/"]
    start += [f"/search/?q={text}", f"/memory/search/?q={text}", f"/palette/?q={text}", "/cache/breaks.csv"]
    start += [f"/sessions/?{name}={text}" for name in ("text", "branch", "model", "sort", "project")]
    for session in (HOSTILE, SHARED):
        parts = (
            "",
            "?all=1",
            "agents/",
            "compact/",
            "context/",
            "cache/",
            "notes/",
            "live/?after=0",
            f"find/?q={text}",
        )
        start += [f"/sessions/{session}/{part}" for part in parts]
        start += [f"/sessions/{session}/export/{form}/" for form in ("html", "md")]
    return [*start, *addresses(world.numbers())]


def _is_form(address: str) -> bool:
    """The editor shows a file as it is, because it is saved as it is shown; an exported session stays one."""
    return any(part in address for part in ("/edit/", "/new/", "/export/", "/merge/", "/split/", "/enter/"))


def _commands(world: World) -> tuple[tuple[str, ...], ...]:
    return (
        ("sessions", "--json"),
        ("search", "tide", "--json"),
        ("requests", SHARED, "--json"),
        ("cache", SHARED, "--json"),
        ("capture", "list", "--json"),
        ("capture", "show", "1", "--json"),
        ("capture", "show", "1"),
        ("memory", "lint", str(world.memory), "--json"),
    )
