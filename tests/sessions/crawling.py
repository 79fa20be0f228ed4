"""Walks the pages like a reader who follows every link, and looks at each for what a browser would execute, and for
characters that nobody sees."""

from __future__ import annotations

import re
import warnings
from collections import Counter, deque
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

from django.test import Client
from django.urls import resolve

ADDRESSES = ("href", "src", "action", "formaction", "hx-get", "xlink:href", "data", "poster", "srcset")
POLICY = "Content-Security-Policy"
PLAIN = ("text/plain", "text/markdown", "text/csv", "application/json", "image/png")
OF_A_KIND = 3
"""So many addresses are visited that differ only in the values of their parameters."""
OF_A_ROUTE = 20
"""So many of one page, whatever parameters it has."""
FORBIDDEN = frozenset({"iframe", "object", "embed", "base", "applet", "frame", "math", "foreignobject"})


TURNING = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
SENT_BACK = re.compile(r"<textarea\b[^>]*>[^<]*</textarea>|<[^>]*>")
"""What a form or a link sends back to us, where a control character has to stay what it is."""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.dangers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in FORBIDDEN or given.get("http-equiv", POLICY) != POLICY:
            self.dangers.append(f"<{tag}>")
        if tag in ("script", "link") and not given.get("src", given.get("href", "")).startswith("/static/"):
            self.dangers.append(f"<{tag}> from elsewhere: {given}")
        for name, value in given.items():
            if name.startswith(("on", "hx-on", "data-hx")) or name == "style":
                self.dangers.append(f"{tag} {name}={value}")
            if name in ADDRESSES:
                self._address(tag, value)

    def _address(self, tag: str, value: str) -> None:
        # Browsers ignore blanks and control characters in front of a scheme.
        plain = "".join(char for char in value if char > " ").lower()
        scheme = plain.partition(":")[0] if ":" in plain.split("/")[0] else ""
        if scheme not in ("", "http", "https", "mailto"):
            self.dangers.append(f"{tag} leads to {value}")
        elif not scheme and not value.startswith("//"):
            self.links.append(value)


def read(html: str) -> tuple[list[str], list[str]]:
    """The links of a page, and what is dangerous in it."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.links, reader.dangers


def crawl(client: Client, start: Iterable[str]) -> dict[str, int]:
    """The pages that can be reached, with their status. Fails at a page that errs or could execute something."""
    waiting = deque(start)
    seen: dict[str, int] = {}
    kinds: Counter[tuple[str, ...]] = Counter()
    routes: Counter[str] = Counter()
    while waiting:
        address = waiting.popleft()
        kind = _kind(address)
        if address in seen or (len(kind) > 1 and (kinds[kind] >= OF_A_KIND or routes[kind[0]] >= OF_A_ROUTE)):
            continue
        kinds[kind] += 1
        routes[kind[0]] += len(kind) > 1
        answer = client.get(address, headers={"host": "localhost"})
        seen[address] = answer.status_code
        assert answer.status_code < 500, address
        assert "script-src 'self'" in answer["Content-Security-Policy"]
        assert answer["X-Content-Type-Options"] == "nosniff"
        if answer.status_code in (301, 302):
            waiting.append(urljoin(address, answer["Location"]))
        elif answer["Content-Type"].startswith("text/html"):
            html = content(answer).decode()
            assert not unseen(html), (address, unseen(html)[:5])
            links, dangers = read(html)
            assert not dangers, (address, dangers[:5])
            assert "<script>" not in html, address
            waiting.extend(_own(address, link) for link in links)
        else:
            media = answer["Content-Type"].partition(";")[0]
            body = content(answer)
            assert media in PLAIN or address.startswith("/static/") or not body, address
            assert media == "image/png" or not unseen(body.decode()), address
    return seen


def unseen(page: str) -> list[str]:
    """Characters that nobody sees, as they stand on the page, each with what is around it."""
    found = [*TURNING.finditer(page), *CONTROL.finditer(SENT_BACK.sub("", page))]
    return [repr(match.string[max(0, match.start() - 40) : match.end() + 20]) for match in found]


def content(answer: Any) -> bytes:
    """All of an answer, also when it comes as a stream."""
    if not answer.streaming:
        return bytes(answer.content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is a stream for an asynchronous server
        return b"".join(answer)


def _kind(address: str) -> tuple[str, ...]:
    parts = urlsplit(address)
    route = "static" if parts.path.startswith("/static/") else resolve(parts.path).url_name or ""
    return route, *sorted(parse_qs(parts.query, keep_blank_values=True))


def _own(address: str, link: str) -> str:
    parts = urlsplit(urljoin(address, link))
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
