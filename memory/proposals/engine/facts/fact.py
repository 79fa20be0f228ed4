"""A fact is a line of text, wherever in a memory directory it stands: in a topic, its header, the index, a log.

Lines without a word, and those fields of a header that only keep the books, are none. Of a pointer to another memory
its words count, not where it points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from memory.files.engine.reading.file import parse_file
from memory.files.engine.reading.header import Header
from memory.files.engine.reading.links import MARKDOWN_LINK, resolve_target

BOOKKEEPING = frozenset({"type", "node_type", "originSessionId", "modified", "metadata"})
"""Fields that the agent keeps for itself; a file that is merged into another has nothing to say by them."""
_SAYING = re.compile(r"^\s*(?:name|description)\s*:\s*")
"""Fields whose value says the same without the name of the field."""
_MARK = re.compile(r"^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|>)?\s*(?:\[[ xX]\]\s*)?")
_WORD = re.compile(r"[^\W_]")
_PLAIN = re.compile(r"[\s*_`]+")


class Fact(NamedTuple):
    name: str
    """Of its file."""
    line: int
    """Counted from 1."""
    text: str
    key: str
    """The same for lines that say the same in the same words."""


def facts_of(contents: Mapping[str, bytes]) -> Iterator[Fact]:
    """Those of all files, in the order of their names and lines."""
    for name in sorted(contents):
        yield from facts_of_file(name, contents[name])


def facts_of_file(name: str, data: bytes) -> Iterator[Fact]:
    file = parse_file(name, data)
    kept = _bookkeeping(file.header)
    for number, line in enumerate(file.text.split("\n"), start=1):
        said = line
        if number <= file.header.last:
            if number in kept:
                continue
            said = _SAYING.sub("", line).strip().strip("'\"")
        if _WORD.search(said):
            yield Fact(name, number, line.strip(), key_of(said))


def key_of(line: str) -> str:
    plain = MARKDOWN_LINK.sub(_title, line) if "](" in line else line
    return _PLAIN.sub(" ", _MARK.sub("", plain)).strip().lower()


def _title(link: re.Match[str]) -> str:
    return link["title"] or link["target"] if resolve_target(link["target"]).endswith(".md") else link[0]


def _bookkeeping(header: Header) -> frozenset[int]:
    """The lines that hold nothing else."""
    ours = {line for one in header.fields if one.key in BOOKKEEPING for line in range(one.first, one.last + 1)}
    others = {line for one in header.fields if one.key not in BOOKKEEPING for line in range(one.first, one.last + 1)}
    return frozenset(ours - others)
