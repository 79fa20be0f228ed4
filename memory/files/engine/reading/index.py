"""MEMORY.md: which lines point to which topics, and which of them the agent gets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from memory.files.engine.reading.file import INDEX_NAME, MemoryFile, parse_file
from memory.files.engine.reading.links import MARKDOWN_LINK, target_of, wiki_links
from memory.files.engine.reading.loading import (
    MOST_LOOKED_AT,
    Fate,
    Loaded,
    load,
)
from memory.files.engine.reading.text import split_lines, without_end

LONGEST_LINE = 20_000
"""Characters of a line that is looked through for entries."""
_DASH = re.compile(r"\s*(?:—|–|--?|:|·|\|)\s*")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")


@dataclass(frozen=True, slots=True)
class Entry:
    title: str
    target: str
    """The topic's file; empty where it points out of the directory, or to the web."""
    written: str
    """The target as written."""
    hook: str
    """What follows the pointer: why one would open it."""
    line: int


@dataclass(frozen=True, slots=True)
class IndexLine:
    number: int
    text: str
    """Without its end."""
    entries: tuple[Entry, ...]
    fate: Fate


@dataclass(frozen=True, slots=True)
class Place:
    """Where the index points to a topic."""

    line: int
    loaded: bool


@dataclass(frozen=True)
class Index:
    file: MemoryFile
    lines: tuple[IndexLine, ...]
    loaded: Loaded

    @cached_property
    def line_count(self) -> int:
        """Of the file, which may have more than were looked at."""
        return self.file.text.count("\n") + (not self.file.text.endswith("\n") and bool(self.file.text))

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(entry for line in self.lines for entry in line.entries)

    @cached_property
    def loaded_lines(self) -> int:
        return self.loaded.lines

    @property
    def loaded_bytes(self) -> int:
        return self.loaded.bytes

    @cached_property
    def loaded_targets(self) -> frozenset[str]:
        """The files that lines which the agent gets point to."""
        return frozenset(
            entry.target for line in self.lines if line.fate is Fate.LOADED for entry in line.entries if entry.target
        )

    @cached_property
    def places(self) -> Mapping[str, Place]:
        """By file: the first line that is loaded, else the first one."""
        found: dict[str, Place] = {}
        for line in self.lines:
            for entry in line.entries:
                loaded = line.fate is Fate.LOADED
                if entry.target and (entry.target not in found or (loaded and not found[entry.target].loaded)):
                    found[entry.target] = Place(line.number, loaded)
        return found


EMPTY_INDEX_FILE = parse_file(INDEX_NAME, b"")


def read_index(file: MemoryFile) -> Index:
    loaded = load(file.text)
    lines = zip(split_lines(file.text, MOST_LOOKED_AT), loaded.fates, strict=True)
    read = tuple(_line(number, without_end(line), fate) for number, (line, fate) in enumerate(lines, start=1))
    return Index(file, read, loaded)


def _line(number: int, text: str, fate: Fate) -> IndexLine:
    return IndexLine(number, text, _entries(text, number) if len(text) <= LONGEST_LINE else (), fate)


def entry_line(title: str, target: str, hook: str) -> str:
    """A line of the index, in the form that the agent writes."""
    return f"- [{title}]({target}) — {hook}" if hook else f"- [{title}]({target})"


def _entries(line: str, number: int) -> tuple[Entry, ...]:
    if "](" not in line and "[[" not in line:
        return ()
    links = list(MARKDOWN_LINK.finditer(line))
    entries = []
    for at, link in enumerate(links):
        end = links[at + 1].start() if at + 1 < len(links) else len(line)
        dash = _DASH.match(line, link.end())
        hook = line[dash.end() if dash else link.end() : end]
        entries.append(Entry(link["title"].strip(), target_of(link["target"]), link["target"], hook.strip(), number))
    if not entries and _BULLET.match(line):
        entries += [Entry(link.name, link.target, link.name, "", number) for link in wiki_links(line, number)]
    return tuple(entries)
