"""Every page that docs/pages.md names, fetched from a server with all that it shows: styles, scripts and pictures."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

from tests.serving import ROOT, Server

ADDRESS = re.compile(r"/(?:[\w<>-]+/)*")
STYLE_ADDRESS = re.compile(r"url\([\"']?(?!data:)([^\"')]+)")


def addresses_of_the_pages() -> list[str]:
    table = re.search(r"^\| address \|.*?\n\n", (ROOT / "docs" / "pages.md").read_text(), re.MULTILINE | re.DOTALL)
    assert table is not None
    first = [line.split("|")[1] for line in table[0].splitlines()[2:] if line]
    return [word for cell in first for word in re.findall(r"`([^`]+)`", cell) if ADDRESS.fullmatch(word)]


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.assets: set[str] = set()
        self.links: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "link":
            self.assets.add(given["href"])
        elif tag in ("script", "img", "source"):
            self.assets |= {given[name].split()[0] for name in ("src", "srcset") if given.get(name)}
        elif tag == "a" and "href" in given:
            self.links.add(given["href"].partition("#")[0])


class Browser:
    def __init__(self, server: Server) -> None:
        self._server = server
        self.assets: dict[str, bytes] = {}
        """What pages showed, by address."""

    def page(self, address: str) -> set[str]:
        """Fetches it with its assets, and returns where its links lead."""
        answer = self._server.get(address)
        if answer.status == 302:
            answer = self._server.get(answer.headers["Location"])
        assert answer.status == 200, (address, answer.status, answer.body[:300])
        if not answer.headers["Content-Type"].startswith("text/html"):
            return set()
        page = _Page(answer.body.decode())
        for asset in page.assets:
            self._asset(urljoin(address, asset))
        return page.links

    def docs(self) -> set[str]:
        """All documents, from their list; returns their addresses."""
        result = {link for link in self.page("/docs/") if link.startswith("/docs/")}
        for address in result:
            self.page(address)
        return result

    def _asset(self, address: str) -> None:
        if address in self.assets or not address.startswith("/"):
            return
        answer = self._server.get(address)
        assert answer.status == 200, (address, answer.status)
        assert answer.body, address
        self.assets[address] = answer.body
        if ".css" in address:
            for inner in STYLE_ADDRESS.findall(answer.body.decode()):
                self._asset(urljoin(address, inner))

    def asset_names(self) -> set[str]:
        return {Path(address.partition("?")[0]).name for address in self.assets}
