"""A memory directory with pages, and a person who uses them."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.test import Client

from memory.models import Batch
from tests.memory.remembering import Shelf


def topic(name: str, description: str, body: str, kind: str = "project") -> bytes:
    return f"---\nname: {name}\ndescription: {description}\nmetadata:\n  type: {kind}\n---\n\n{body}\n".encode()


@contextmanager
def powerless() -> Iterator[None]:
    """Without root's right to ignore permissions, which others do not have anyhow."""
    if os.geteuid() != 0:
        yield
        return
    system = ctypes.CDLL(None)
    header, held = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert system.capget(header, held) == 0
    less = (ctypes.c_uint32 * 6)(*held)
    less[0] = less[3] = 0  # what is in effect; what may be taken up again stays
    assert system.capset(header, less) == 0
    try:
        yield
    finally:
        assert system.capset(header, held) == 0


class Person:
    """Somebody at the pages of one directory."""

    def __init__(self, path: Path) -> None:
        self.shelf = Shelf(path)
        self.client = Client()
        self.root = f"/memory/{self.shelf.directory.pk}/"

    def fill(self) -> None:
        """Three topics and an index with a line for each."""
        lines = [
            "# Memory",
            "",
            "- [Tides](tides.md) — when they come",
            "- [Fog](fog.md) — stay in",
            "- [Boat](boat.md)",
        ]
        self.shelf.outside("MEMORY.md", "\n".join([*lines, ""]).encode())
        self.shelf.outside("tides.md", topic("tides", "When they come", "Twice a day.\n\nSee [[fog]]."))
        self.shelf.outside("fog.md", topic("fog", "When to stay in", "Stay in.", "feedback"))
        self.shelf.outside("boat.md", topic("boat", "A boat", "It is small."))
        self.shelf.scan()

    def page(self, rest: str = "", **query: str) -> str:
        return self.refused(rest, 200, **query)

    def refused(self, rest: str, status: int, /, **query: str) -> str:
        address = f"{self.root}{rest}" + (f"?{urlencode(query)}" if query else "")
        response = self.client.get(address)
        assert response.status_code == status, flat(response.content.decode())
        return response.content.decode()

    def post(self, rest: str, **fields: Any) -> Any:
        return self.client.post(f"{self.root}{rest}", fields)

    def done(self, rest: str, **fields: Any) -> Batch:
        """Posts, and is led to a page with a toast that can undo it."""
        response = self.post(rest, **fields)
        assert response.status_code == 303, flat(response.content.decode())
        number = int(re.search(r"done=(\d+)", response["Location"])[1])  # type: ignore[index]
        html = self.client.get(response["Location"]).content.decode()
        assert f"{self.root}changes/{number}/undo/" in html or "/undo/" in html
        return Batch.objects.get(pk=number)

    def undo(self, batch: Batch) -> Batch:
        return self.done(f"changes/{batch.pk}/undo/")

    def form(self, rest: str, **query: str) -> dict[str, str]:
        """What the fields of a page hold."""
        html = self.page(rest, **query)
        fields: dict[str, str] = {}
        for tag in re.findall(r"<input[^>]*>", html):
            given = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
            chosen = given.get("type") not in ("checkbox", "radio") or " checked" in tag
            if chosen and given.get("name", "q") not in ("q", "csrfmiddlewaretoken"):
                fields[unescape(given["name"])] = unescape(given.get("value", ""))
        for name, text in re.findall(r'<textarea[^>]*name="([^"]+)"[^>]*>\n?(.*?)</textarea>', html, re.DOTALL):
            fields[name] = unescape(text).replace("\n", "\r\n")
        for name, options in re.findall(r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', html, re.DOTALL):
            option = re.search(r'<option(?: value="([^"]*)")? selected>([^<]*)', options)
            if option:
                fields[name] = option[2] if option[1] is None else option[1]
        return fields


def flat(html: str) -> str:
    """The words that a person reads."""
    main = html.partition("<main")[2].partition("</main>")[0] or html
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main)))
