"""Limits: an index that is cut, index lines that are too long, topics that are cut when recalled."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.edits import with_line, with_line_added, without_lines
from memory.files.engine.reading.file import MemoryFile
from memory.files.engine.reading.index import Index, IndexEntry, IndexLine
from memory.files.engine.reading.loaded_text import LONGEST_ENTRY, MOST_BYTES, MOST_LINES
from memory.lint.engine.finding import Changes, Finding, Fix, Severity
from memory.lint.engine.surroundings import Surroundings
from sessions.text.engine.excerpt import excerpt

RECALLED_LINES = 200
RECALLED_BYTES = 4_096
_NAMED = 5


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    index = directory.index
    if index.loaded.warning:
        yield _cut_finding(index)
    for line in index.lines:
        if len(line.text) > LONGEST_ENTRY and line.entries:
            yield _long_line_finding(directory, line)
    for topic in directory.topics:
        lines = topic.text.removesuffix("\n").count("\n") + 1
        if topic.size > RECALLED_BYTES or lines > RECALLED_LINES:
            words = (
                f"When recalled, only the first {RECALLED_LINES} lines or {RECALLED_BYTES:,} bytes are injected; "
                f"the topic has {lines:,} lines and {topic.size:,} bytes."
            )
            yield Finding("topic-too-large", topic.name, Severity.NOTE, words)


def _cut_finding(index: Index) -> Finding:
    first = index.loaded.cut_lines[0]
    lost = [entry.title or entry.written for line in index.lines[first - 1 :] for entry in line.entries]
    named = ", ".join(excerpt(title, 40) for title in lost[:_NAMED])
    more = f" and {len(lost) - _NAMED:,} more" if len(lost) > _NAMED else ""
    cut = f"Lines {first:,} to {index.line_count:,} are not loaded"
    lost_lines = f"{cut}: {named}{more}." if lost else f"{cut}."
    if index.line_count > MOST_LINES and index.loaded_lines >= MOST_LINES:
        words = f"The index has {index.line_count:,} lines; the agent gets the first {MOST_LINES}. {lost_lines}"
        return Finding("index-too-long", index.file.name, Severity.ERROR, words, first, fix=_blank_lines_fix(index))
    words = f"The index has {index.file.size:,} bytes; the agent gets {MOST_BYTES:,} at most. {lost_lines}"
    return Finding("index-too-large", index.file.name, Severity.ERROR, words, first)


def _blank_lines_fix(index: Index) -> Fix | None:
    """Blank lines count towards the limit: removes them if the rest fits."""
    blank = {line.number for line in index.lines if not line.text.strip()}
    if not index.file.is_whole or index.line_count - len(blank) > MOST_LINES or index.file.size > MOST_BYTES:
        return None
    return Fix("Take the blank lines out", partial(_remove_lines, index.file, blank))


def _remove_lines(index: MemoryFile, numbers: set[int]) -> Changes:
    return {index.name: without_lines(index, numbers)}


def _long_line_finding(directory: MemoryDirectory, line: IndexLine) -> Finding:
    words = f"The line has {len(line.text):,} characters; {LONGEST_ENTRY} are advised, so that many fit."
    fix = _shortening_fix(directory, line) if len(line.entries) == 1 else None
    return Finding("index-line-too-long", directory.index.file.name, Severity.WARNING, words, line.number, fix=fix)


def _shortening_fix(directory: MemoryDirectory, line: IndexLine) -> Fix | None:
    topic = directory.by_name.get(line.entries[0].target)
    shorter = shorten_line(line, line.entries[0])
    if topic is None or not topic.is_whole or not shorter:
        return None
    make = partial(_move_words, directory.index.file, line, shorter, topic)
    return Fix("Shorten the line and keep its words in the topic", make)


def shorten_line(line: IndexLine, entry: IndexEntry) -> str:
    """Cuts the line between two words; empty if the hook is not the reason for its length."""
    start = line.text.rfind(entry.hook) if entry.hook else -1
    room = LONGEST_ENTRY - start - 1
    if start < 0 or room < 20:
        return ""
    return line.text[:start] + entry.hook[:room].rpartition(" ")[0].rstrip(" ,;:—–-") + "…"


def _move_words(index: MemoryFile, line: IndexLine, shorter: str, topic: MemoryFile) -> Changes:
    changes: dict[str, bytes | None] = {index.name: with_line(index, line.number, shorter)}
    hook = line.entries[0].hook
    if hook not in topic.text:
        changes[topic.name] = with_line_added(topic, f"{topic.source.line_end}{hook}")
    return changes
