"""Orders compactions of the demo's long session as a person does: a form, a choice, a button."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.demo import names
from tests.e2e.browsing import Visit

COMPACT = f"/sessions/{names.LONG}/compact/"
KINDS = {
    "budget": ("kind=budget&set.per_result=400", "", "persisted"),
    "snip": ("kind=snip", "checkbox", "snipped"),
    "microcompact": ("kind=microcompact&set.keep=1", "", "cleared"),
    "collapse": ("kind=collapse", "", "collapsed"),
    "session-memory": ("kind=session-memory&set.keep_tokens=500", "", "summarised"),
    "full": ("kind=full", "", "summarised"),
    "partial-from": ("kind=partial-from", "radio", "summarised"),
    "partial-up-to": ("kind=partial-up-to", "radio", "summarised"),
    "auto": ("kind=auto&set.percent=1", "", "summarised"),
}
"""What the address says, what has to be picked, and what becomes of messages."""


def order(visit: Visit, query: str, choose: str = "") -> Page:
    page = visit.open(f"{COMPACT}?{query}")
    if choose:
        page.locator(f"#turns input[type={choose}]:enabled").first.check()
        visit.quiet()
    page.locator(".order .primary").click()
    return page


def ended(page: Page, state: str = "completed") -> None:
    expect(page).to_have_url(re.compile(r"/runs/\d+/$"))
    # A message that a killed worker had taken is sent again after half a minute, and another may have to start first.
    expect(page.locator(".state-chip")).to_contain_text(state, timeout=180_000)
