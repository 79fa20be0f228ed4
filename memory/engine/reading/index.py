"""MEMORY.md: which lines point to which topics, and which of them the agent gets."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.engine.reading.file import INDEX_NAME, MemoryFile, parse_file
from memory.engine.reading.links import MARKDOWN_LINK, target_of, wiki_links
from memory.engine.reading.loading import Fate, Loaded, load
from memory.engine.reading.text import split_lines, without_end

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
class Index:
    file: MemoryFile
    lines: tuple[IndexLine, ...]
    loaded: Loaded

    @property
    def entries(self) -> tuple[Entry, ...]:
        return tuple(entry for line in self.lines for entry in line.entries)

    @property
    def loaded_lines(self) -> int:
        return self.loaded.lines

    @property
    def loaded_bytes(self) -> int:
        return self.loaded.bytes

    def is_loaded(self, target: str) -> bool:
        """Does a line that the agent gets point to this file?"""
        return any(entry.target == target for line in self.lines if line.fate is Fate.LOADED for entry in line.entries)


EMPTY_INDEX_FILE = parse_file(INDEX_NAME, b"")


def read_index(file: MemoryFile) -> Index:
    loaded = load(file.text)
    lines = tuple(
        IndexLine(number, without_end(line), _entries(without_end(line), number), fate)
        for number, (line, fate) in enumerate(zip(split_lines(file.text), loaded.fates, strict=True), start=1)
    )
    return Index(file, lines, loaded)


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
