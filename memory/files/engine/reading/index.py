"""MEMORY.md: which lines point to which topics, and which lines are loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from memory.files.engine.reading.file import INDEX_NAME, MemoryFile, parse_file
from memory.files.engine.reading.links import MARKDOWN_LINK, find_wiki_links, resolve_target
from memory.files.engine.reading.loaded_text import MOST_EXAMINED, Fate, LoadedText, load_index
from memory.files.engine.reading.text import split_lines, strip_line_end

LONGEST_LINE = 20_000
"""Characters: entries are not searched for in longer lines."""
_DASH = re.compile(r"\s*(?:—|–|--?|:|·|\|)\s*")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")


@dataclass(frozen=True, slots=True)
class IndexEntry:
    title: str
    target: str
    """The topic's file; empty if the link leads out of the directory or to the web."""
    written: str
    """The target as written."""
    hook: str
    """The text after the link: why one would open the topic."""
    line: int


@dataclass(frozen=True, slots=True)
class IndexLine:
    number: int
    text: str
    """Without its line ending."""
    entries: tuple[IndexEntry, ...]
    fate: Fate


@dataclass(frozen=True, slots=True)
class IndexPosition:
    """Where the index points to a topic."""

    line: int
    loaded: bool


@dataclass(frozen=True)
class Index:
    file: MemoryFile
    lines: tuple[IndexLine, ...]
    loaded: LoadedText

    @cached_property
    def line_count(self) -> int:
        """All lines of the file; `lines` is limited."""
        return self.file.text.count("\n") + (not self.file.text.endswith("\n") and bool(self.file.text))

    @cached_property
    def entries(self) -> tuple[IndexEntry, ...]:
        return tuple(entry for line in self.lines for entry in line.entries)

    @cached_property
    def loaded_lines(self) -> int:
        return self.loaded.lines

    @property
    def loaded_bytes(self) -> int:
        return self.loaded.bytes

    @cached_property
    def loaded_targets(self) -> frozenset[str]:
        """The files that loaded lines point to."""
        return frozenset(
            entry.target for line in self.lines if line.fate is Fate.LOADED for entry in line.entries if entry.target
        )

    @cached_property
    def positions(self) -> Mapping[str, IndexPosition]:
        """By file: the first loaded line, or else the first line."""
        positions: dict[str, IndexPosition] = {}
        for line in self.lines:
            for entry in line.entries:
                loaded = line.fate is Fate.LOADED
                if entry.target and (entry.target not in positions or (loaded and not positions[entry.target].loaded)):
                    positions[entry.target] = IndexPosition(line.number, loaded)
        return positions


EMPTY_INDEX_FILE = parse_file(INDEX_NAME, b"")


def read_index(file: MemoryFile) -> Index:
    loaded = load_index(file.text)
    lines = zip(split_lines(file.text, MOST_EXAMINED), loaded.fates, strict=True)
    read = tuple(_parse_line(number, strip_line_end(line), fate) for number, (line, fate) in enumerate(lines, start=1))
    return Index(file, read, loaded)


def _parse_line(number: int, text: str, fate: Fate) -> IndexLine:
    return IndexLine(number, text, _parse_entries(text, number) if len(text) <= LONGEST_LINE else (), fate)


def format_entry(title: str, target: str, hook: str) -> str:
    """A line of the index, in the agent's own format."""
    return f"- [{title}]({target}) — {hook}" if hook else f"- [{title}]({target})"


def _parse_entries(line: str, number: int) -> tuple[IndexEntry, ...]:
    if "](" not in line and "[[" not in line:
        return ()
    links = list(MARKDOWN_LINK.finditer(line))
    entries = []
    for position, link in enumerate(links):
        end = links[position + 1].start() if position + 1 < len(links) else len(line)
        dash = _DASH.match(line, link.end())
        hook = line[dash.end() if dash else link.end() : end]
        entries.append(
            IndexEntry(link["title"].strip(), resolve_target(link["target"]), link["target"], hook.strip(), number)
        )
    if not entries and _BULLET.match(line):
        entries += [IndexEntry(link.name, link.target, link.name, "", number) for link in find_wiki_links(line, number)]
    return tuple(entries)
