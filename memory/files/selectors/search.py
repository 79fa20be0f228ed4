"""Searches the memory of all projects, as it is on disk now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memory.files.engine.disk import FileStatus, FileTroubleError, Folder, disk_name
from memory.files.engine.newlines import text_for_editing
from memory.models import Directory
from sessions.secrets.engine import mask
from sessions.transcripts.engine.paths import decode_path, encode_path

LARGEST = 4_000_000
"""Bytes: larger files are reported instead of searched."""
AROUND = 70
Snippet = tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Hit:
    directory: Directory
    name: str
    line: int
    snippet: Snippet
    """Pieces of text, and whether each is a match."""
    count: int
    """Lines of the file that contain a word."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    hits: list[Hit]
    files: int
    """Files searched."""
    more: bool
    troubles: list[str]
    """Files that could not be searched."""


def memory_search(directories: Iterable[Directory], query: str, most: int) -> SearchResult:
    """Files that contain all words, ignoring case."""
    words = [word.casefold() for word in query.split()]
    result = SearchResult([], 0, False, [])
    if not words:
        return result
    files = 0
    for directory in directories:
        try:
            for name, text in _read_texts(directory, result.troubles):
                files += 1
                hit = _find_hit(directory, name, text, words)
                if hit is None:
                    continue
                if len(result.hits) == most:
                    return SearchResult(result.hits, files, True, result.troubles)
                result.hits.append(hit)
        except FileTroubleError as error:
            result.troubles.append(str(error))
    return SearchResult(result.hits, files, False, result.troubles)


def _read_texts(directory: Directory, troubles: list[str]) -> Iterator[tuple[str, str]]:
    with Folder(decode_path(directory.path)) as folder:
        for name, status in list(folder.files()):
            if not isinstance(status, FileStatus):
                troubles.append(f"{name} cannot be looked at.")
                continue
            if status.size > LARGEST:
                troubles.append(f"{name} has {status.size:,} bytes and was not looked through.")
                continue
            try:
                read = folder.read(disk_name(encode_path(name)))
            except FileTroubleError as error:
                troubles.append(str(error))
                continue
            if read is not None:
                yield encode_path(name), text_for_editing(read.data)


def _find_hit(directory: Directory, name: str, text: str, words: list[str]) -> Hit | None:
    whole = f"{name}\n{text}".casefold()
    if not all(word in whole for word in words):
        return None
    lines = text.split("\n")
    numbers = [number for number, line in enumerate(lines) if any(word in line.casefold() for word in words)]
    best = max(
        numbers, key=lambda number: (sum(word in lines[number].casefold() for word in words), -number), default=0
    )
    return Hit(directory, name, best + 1, _snippet(lines[best], words), len(numbers))


def _snippet(line: str, words: list[str]) -> Snippet:
    """Masks secrets before cutting, so that no part of one is left."""
    line = mask(line)
    pattern = re.compile("|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)), re.IGNORECASE)
    first = pattern.search(line)
    start = max(0, (first.start() if first else 0) - AROUND)
    cut = line[start : start + 4 * AROUND]
    parts: list[tuple[str, bool]] = [("…", False)] if start else []
    position = 0
    for match in pattern.finditer(cut):
        parts += [(cut[position : match.start()], False), (match[0], True)]
        position = match.end()
    return (*parts, (cut[position:], False))
