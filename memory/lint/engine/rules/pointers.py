"""The index against the files: what points nowhere, and what nothing points to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.edits import with_line, with_line_added, without_lines
from memory.files.engine.reading.file import INDEX_NAME, RECOVERED, FileKind, MemoryFile
from memory.files.engine.reading.index import IndexEntry, IndexLine, format_entry
from memory.files.engine.reading.links import Link, normalize_name
from memory.files.engine.reading.loaded_text import LONGEST_ENTRY, Fate
from memory.files.engine.reading.text import split_lines, strip_line_end
from memory.lint.engine.finding import Changes, Finding, Fix, Severity
from memory.lint.engine.surroundings import Surroundings
from sessions.text.engine.excerpt import excerpt


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    if directory.topics and INDEX_NAME not in directory.by_name:
        fix = Fix("Write an index of all topics", partial(_write_index, directory))
        words = f"There are {len(directory.topics):,} topics and no {INDEX_NAME}: the agent does not know of them."
        yield Finding("no-index", "", Severity.ERROR, words, fix=fix)
    else:
        yield from _check_topics(directory)
    yield from _check_pointers(directory)
    yield from _check_links(directory)


def _check_topics(directory: MemoryDirectory) -> Iterator[Finding]:
    pointed: dict[str, bool] = {}
    for line in directory.index.lines:
        for entry in line.entries:
            pointed[entry.target] = pointed.get(entry.target, False) or line.fate is Fate.LOADED
    for topic in directory.topics:
        if topic.name not in pointed:
            fix = Fix("Add it to the index", partial(_add_pointer, directory.index.file, topic))
            words = "No line of the index points to this topic, so the agent does not know of it."
            yield Finding("orphan-topic", topic.name, Severity.WARNING, words, fix=fix)
        elif not pointed[topic.name]:
            words = "Only lines of the index that are not loaded point to this topic."
            yield Finding("pointer-cut", topic.name, Severity.WARNING, words)


def _check_pointers(directory: MemoryDirectory) -> Iterator[Finding]:
    first: dict[str, int] = {}
    near = {normalize_name(file.name): file.name for file in directory.files if file.kind is not FileKind.INDEX}
    for line in directory.index.lines:
        for entry in line.entries:
            if not entry.target.endswith(".md"):
                continue
            if entry.target not in directory.by_name:
                yield _dangling_finding(directory, line, entry, near.get(normalize_name(entry.target), ""))
            elif entry.target in first and first[entry.target] != line.number:
                words = f"Line {first[entry.target]} points to {entry.target} already."
                fix = _removal_fix(directory, line)
                yield Finding("duplicate-pointer", INDEX_NAME, Severity.WARNING, words, line.number, fix=fix)
            first.setdefault(entry.target, line.number)


def _dangling_finding(directory: MemoryDirectory, line: IndexLine, entry: IndexEntry, meant: str) -> Finding:
    words = f"“{excerpt(entry.title)}” points to {excerpt(entry.target)}, which is not there."
    fix = _removal_fix(directory, line)
    if meant:
        text = line.text.replace(f"({entry.written})", f"({meant})")
        words += f" {meant} may be meant."
        fix = Fix(f"Point to {meant}", partial(_rewrite_line, directory.index.file, line.number, text))
    return Finding("dangling-pointer", INDEX_NAME, Severity.ERROR, words, line.number, fix=fix)


def _removal_fix(directory: MemoryDirectory, line: IndexLine) -> Fix | None:
    """Only for a line without other links."""
    if len(line.entries) != 1:
        return None
    return Fix("Remove the line", partial(_remove_line, directory.index.file, line.number))


def _check_links(directory: MemoryDirectory) -> Iterator[Finding]:
    known_names = {name.removesuffix(".md") for name in directory.by_name}
    known_names |= {normalize_name(file.title) for file in directory.topics} | {
        normalize_name(name) for name in known_names
    }
    for topic in directory.topics:
        for link in topic.links if topic.name != RECOVERED else ():
            target = link.target.removesuffix(".md")
            if target not in known_names and normalize_name(target) not in known_names:
                words = f"“{excerpt(link.name)}” is not there (yet)."
                fix = Fix("Take the brackets off", partial(_unlink, topic, link)) if topic.is_whole else None
                yield Finding("dangling-link", topic.name, Severity.NOTE, words, link.line, fix=fix)


def _unlink(topic: MemoryFile, link: Link) -> Changes:
    line = strip_line_end(split_lines(topic.source.text)[link.line - 1])
    plain = re.sub(r"\[\[\s*" + re.escape(link.name) + r"\s*(?:\|([^\[\]]*))?\]\]", lambda m: m[1] or link.name, line)
    plain = re.sub(r"\[([^\[\]]*)\]\(" + re.escape(link.name) + r"\)", r"\1", plain)
    return {topic.name: with_line(topic, link.line, plain)}


def format_pointer(topic: MemoryFile) -> str:
    """The index line for a topic."""
    title = topic.title.replace("[", "(").replace("]", ")")
    room = max(LONGEST_ENTRY - len(format_entry(title, topic.name, "x")), 20)
    return format_entry(title, topic.name, excerpt(topic.description, room))


def _write_index(directory: MemoryDirectory) -> Changes:
    lines = ["# Memory", "", *(format_pointer(topic) for topic in directory.topics)]
    return {INDEX_NAME: "".join(f"{line}\n" for line in lines).encode()}


def _add_pointer(index: MemoryFile, topic: MemoryFile) -> Changes:
    return {index.name: with_line_added(index, format_pointer(topic))}


def _remove_line(index: MemoryFile, number: int) -> Changes:
    return {index.name: without_lines(index, {number})}


def _rewrite_line(index: MemoryFile, number: int, text: str) -> Changes:
    return {index.name: with_line(index, number, text)}
