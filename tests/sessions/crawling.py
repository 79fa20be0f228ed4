"""Walks the pages like a reader who follows every link, and looks at each for what a browser would execute, and for
characters that nobody sees."""

from __future__ import annotations

import re
import warnings
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any, Protocol
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest
from django.urls import resolve

ADDRESSES = ("href", "src", "action", "formaction", "hx-get", "xlink:href", "data", "poster", "srcset")
POLICY = "Content-Security-Policy"
BYTES = ("image/png", "application/zip")
PLAIN = ("text/plain", "text/markdown", "text/csv", "application/json", *BYTES)
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


class Asks(Protocol):
    """Django's test client, or a browser over a real connection."""

    def get(self, path: str, *, headers: Mapping[str, str]) -> Any: ...


@dataclass(frozen=True)
class Visited:
    address: str
    status: int
    body: bytes
    troubles: list[str]
    """What a browser would execute, characters that nobody sees, errors."""


FAR_OR_NEAR = pytest.mark.parametrize(
    "most", [pytest.param(2, id="a few of each page"), pytest.param(None, id="all pages", marks=pytest.mark.long)]
)
"""A walk takes long, and pages that differ in an id alone seldom differ in what is wrong with them."""


def crawl(client: Asks, start: Iterable[str], *, most: int | None = None) -> dict[str, int]:
    """The pages that can be reached, with their status. Fails at a page that errs or could execute something."""
    seen: dict[str, int] = {}
    for visited in walk(client, start, most=most):
        assert not visited.troubles, (visited.address, visited.troubles[:5])
        seen[visited.address] = visited.status
    return seen


def walk(client: Asks, start: Iterable[str], *, most: int | None = None) -> Iterator[Visited]:
    """Every page that can be reached, each of a kind a few times; beyond those to start with, at most so many of one
    route."""
    waiting = deque(start)
    items = set(waiting)
    visits: Counter[str] = Counter()
    seen: set[str] = set()
    kinds: Counter[tuple[str, ...]] = Counter()
    routes: Counter[str] = Counter()
    while waiting:
        address = waiting.popleft()
        kind = _kind(address)
        if address in seen or (len(kind) > 1 and (kinds[kind] >= OF_A_KIND or routes[kind[0]] >= OF_A_ROUTE)):
            continue
        if address not in items and most is not None and visits[kind[0]] >= most:
            continue
        visits[kind[0]] += 1
        kinds[kind] += 1
        routes[kind[0]] += len(kind) > 1
        seen.add(address)
        answer = client.get(address, headers={"host": "localhost"})
        body = content(answer)
        troubles, links = _examine(address, answer, body)
        waiting.extend(_own(address, link) for link in links)
        yield Visited(address, answer.status_code, body, troubles)


def _examine(address: str, answer: Any, body: bytes) -> tuple[list[str], list[str]]:
    """What is wrong with an answer, and where it leads."""
    troubles = [f"it answers {answer.status_code}"] if answer.status_code >= 500 else []
    if "script-src 'self'" not in answer["Content-Security-Policy"] or answer["X-Content-Type-Options"] != "nosniff":
        troubles.append("a header is missing")
    if answer.status_code in (301, 302):
        return troubles, [answer["Location"]]
    if answer["Content-Type"].startswith("text/html"):
        html = body.decode()
        links, dangers = read(html)
        troubles += unseen(html) + dangers + (["<script>"] if "<script>" in html else [])
        return troubles, links
    media = answer["Content-Type"].partition(";")[0]
    if media not in PLAIN and not address.startswith("/static/") and body:
        troubles.append(f"it is of the type {media}")
    return troubles + ([] if media in BYTES else unseen(body.decode())), []


def unseen(page: str) -> list[str]:
    """Characters that nobody sees, as they stand on the page, each with what is around it."""
    result = [*TURNING.finditer(page), *CONTROL.finditer(SENT_BACK.sub("", page))]
    return [repr(match.string[max(0, match.start() - 40) : match.end() + 20]) for match in result]


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
