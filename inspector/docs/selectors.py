"""The documents that come with Lucid, as pages. A name is looked up in a listing of the directory, which is made once,
and never joined to a path. Without Lucid's sources there are no documents."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from django.conf import settings
from django.urls import reverse

from inspector.docs.html import Document, LinkTargets, render_document, title_of

INDEX = "README.md"
DECISIONS = "adr/"
"""Names of decisions begin with it."""
_LINE = re.compile(r"^- \[[^]]+\]\(([\w-]+)\.md\): (.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    name: str
    title: str
    about: str
    """One line; empty for a decision, whose title says enough."""

    @property
    def is_decision(self) -> bool:
        return self.name.startswith(DECISIONS)


def has_docs() -> bool:
    return bool(_paths(settings.DOCS_DIR))


def documents() -> tuple[DocumentEntry, ...]:
    """In the order of the index, then the decisions."""
    return _document_entries(settings.DOCS_DIR)


def document(name: str) -> Document | None:
    path = _paths(settings.DOCS_DIR).get(name)
    return _document(settings.DOCS_DIR, name, path) if path else None


def screenshot(name: str) -> bytes | None:
    path = _pictures(settings.DOCS_DIR).get(name)
    return path.read_bytes() if path else None


def docs_address(section: str) -> str:
    """`cache#causes` -> the address of that section; empty if there is no such document."""
    name, _, anchor = section.partition("#")
    if name not in _paths(settings.DOCS_DIR):
        return ""
    return reverse("docs-page", args=[name]) + (f"#{anchor}" if anchor else "")


@lru_cache(maxsize=4)
def _paths(folder: Path) -> Mapping[str, Path]:
    pages = {path.stem: path for path in sorted(folder.glob("*.md")) if path.name != INDEX}
    decisions = {f"{DECISIONS}{path.stem}": path for path in sorted((folder / "adr").glob("*.md"))}
    return MappingProxyType(pages | decisions)


@lru_cache(maxsize=4)
def _pictures(folder: Path) -> Mapping[str, Path]:
    paths = sorted((folder / "screenshots").glob("*.png"))
    return MappingProxyType({path.name: path for path in paths if path.is_file() and not path.is_symlink()})


@lru_cache(maxsize=4)
def _document_entries(folder: Path) -> tuple[DocumentEntry, ...]:
    index = folder / INDEX
    about = dict(_LINE.findall(index.read_text(encoding="utf-8"))) if index.is_file() else {}
    order = {name: index for index, name in enumerate(about)}
    paths = sorted(_paths(folder).items(), key=lambda item: (order.get(item[0], len(order)), item[0]))
    return tuple(
        DocumentEntry(name, title_of(path.read_text(encoding="utf-8"), name), about.get(name, ""))
        for name, path in paths
    )


@lru_cache(maxsize=64)
def _document(folder: Path, name: str, path: Path) -> Document:
    addresses = {each: reverse("docs-page", args=[each]) for each in _paths(folder)}
    pictures = {each: (reverse("docs-screenshot", args=[each]), file) for each, file in _pictures(folder).items()}
    return render_document(path.read_text(encoding="utf-8"), name, LinkTargets(addresses, pictures))
