"""A fact is a line of text anywhere in a memory directory: in a topic, its header, the index, a log.

Lines without a word, and header fields that only do bookkeeping, are no facts. Of a pointer to another memory its
title counts, not its target."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from memory.files.engine.reading.file import parse_file
from memory.files.engine.reading.header import Header
from memory.files.engine.reading.links import MARKDOWN_LINK, resolve_target

BOOKKEEPING = frozenset({"type", "node_type", "originSessionId", "modified", "metadata"})
"""Fields that the agent keeps for itself; they mean nothing once a file is merged into another."""
_TEXT_FIELD = re.compile(r"^\s*(?:name|description)\s*:\s*")
"""Fields whose value says the same without the field name."""
_MARK = re.compile(r"^\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|>)?\s*(?:\[[ xX]\]\s*)?")
_WORD = re.compile(r"[^\W_]")
_PLAIN = re.compile(r"[\s*_`]+")


class Fact(NamedTuple):
    name: str
    """The file name."""
    line: int
    """Counted from 1."""
    text: str
    key: str
    """Equal for lines that say the same in the same words."""


def facts_of(contents: Mapping[str, bytes]) -> Iterator[Fact]:
    """The facts of all files, in the order of names and lines."""
    for name in sorted(contents):
        yield from facts_of_file(name, contents[name])


def facts_of_file(name: str, data: bytes) -> Iterator[Fact]:
    file = parse_file(name, data)
    skipped = _bookkeeping(file.header)
    for number, line in enumerate(file.text.split("\n"), start=1):
        text = line
        if number <= file.header.last:
            if number in skipped:
                continue
            text = _TEXT_FIELD.sub("", line).strip().strip("'\"")
        if _WORD.search(text):
            yield Fact(name, number, line.strip(), key_of(text))


def key_of(line: str) -> str:
    plain = MARKDOWN_LINK.sub(_title, line) if "](" in line else line
    return _PLAIN.sub(" ", _MARK.sub("", plain)).strip().lower()


def _title(link: re.Match[str]) -> str:
    return link["title"] or link["target"] if resolve_target(link["target"]).endswith(".md") else link[0]


def _bookkeeping(header: Header) -> frozenset[int]:
    """The lines that hold nothing else."""
    lines: dict[bool, set[int]] = {True: set(), False: set()}
    for field in header.fields:
        lines[field.key in BOOKKEEPING] |= set(range(field.first, field.last + 1))
    return frozenset(lines[True] - lines[False])
