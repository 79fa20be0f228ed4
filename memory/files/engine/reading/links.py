"""Links from one memory file to another: `[Title](file.md)` and `[[name]]`."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

MARKDOWN_LINK = re.compile(r"\[(?P<title>[^\[\]\n]{0,500})\]\((?P<target>[^()\n]{1,500})\)")
_WIKI = re.compile(r"\[\[(?P<name>[^\[\]\n|]{1,200})(?:\|(?P<label>[^\[\]\n]{0,200}))?\]\]")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#")
_APART = re.compile(r"[\W_]+")
_TITLE = re.compile(r"\s+\"[^\"]*\"$")


@dataclass(frozen=True, slots=True)
class Link:
    name: str
    """As written."""
    target: str
    """The linked file, relative to the directory; empty if the link leads out of it or to the web."""
    line: int


def resolve_target(written: str) -> str:
    """The file in the directory that a Markdown link points to."""
    text = _TITLE.sub("", written.strip()).strip("<>")
    if _SCHEME.match(text) or text.startswith(("/", "~", "\\")):
        return ""
    path = posixpath.normpath(unquote(text.partition("#")[0].partition("?")[0]))
    return "" if path.startswith("..") or path == "." or "\0" in path else path


def find_wiki_links(text: str, first_line: int = 1) -> Iterator[Link]:
    for number, line in enumerate(text.split("\n"), start=first_line):
        if "[[" in line:
            for match in _WIKI.finditer(line):
                yield Link(match["name"].strip(), _target_file(match), number)


def split_wiki_links(text: str) -> Iterator[str | tuple[str, str]]:
    """Splits a text at its wiki links. Yields plain text, and label and file of each link."""
    position = 0
    for match in _WIKI.finditer(text):
        if match.start() > position:
            yield text[position : match.start()]
        yield (match["label"] or match["name"]).strip(), _target_file(match)
        position = match.end()
    if position < len(text):
        yield text[position:]


def normalize_name(name: str) -> str:
    """A common form for names that a person would consider the same."""
    return _APART.sub("-", name.lower().removesuffix(".md")).strip("-")


def _target_file(wiki: re.Match[str]) -> str:
    name = wiki["name"].strip()
    return name if name.endswith(".md") else f"{name}.md"


def find_file_links(text: str, first_line: int = 1) -> Iterator[Link]:
    """Markdown links to other Markdown files of the directory."""
    for number, line in enumerate(text.split("\n"), start=first_line):
        if "](" in line:
            for match in MARKDOWN_LINK.finditer(line):
                if (target := resolve_target(match["target"])).endswith(".md"):
                    yield Link(match["target"], target, number)
