"""Pages as tests read them."""

from __future__ import annotations

import re
from typing import NamedTuple

from django.test import Client

HTMX = {"HX-Request": "true"}


def flowing(page: str) -> str:
    """A page on one line: where its template breaks a line shows nowhere."""
    return re.sub(r"\s+", " ", page).strip()


def fetch(client: Client, address: str, **headers: str) -> str:
    """The page at an address, on one line."""
    response = client.get(address, headers={name.replace("_", "-"): value for name, value in headers.items()})
    assert response.status_code == 200, (address, response.content[:300])
    return flowing(response.content.decode())


def tight(page: str) -> str:
    """The same, without the white space around its tags."""
    return re.sub(r" ?(<[^>]*>) ?", r"\1", flowing(page))


class ShownSize(NamedTuple):
    of: str
    """What it is the size of: the same on every page."""
    tokens: int | None
    basis: str


_SIZE = re.compile(r'data-of="([^"]*)"(?: data-tokens="(\d+)" data-basis="(\w+)")?')


def sizes_in(page: str) -> list[ShownSize]:
    """Every size that a page shows and names."""
    return [
        ShownSize(of, int(tokens) if tokens else None, basis or "unknown")
        for of, tokens, basis in _SIZE.findall(flowing(page))
    ]
