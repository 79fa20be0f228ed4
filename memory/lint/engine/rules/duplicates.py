"""Topics that repeat another one or CLAUDE.md."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from functools import partial

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.edits import with_line_added, without_lines
from memory.files.engine.reading.file import MemoryFile
from memory.lint.engine.finding import Changes, Finding, Fix, Severity
from memory.lint.engine.line_text import MOST_CHARACTERS
from memory.lint.engine.rules.reading import is_binary
from memory.lint.engine.similarity import find_similar_pairs
from memory.lint.engine.stems import words_of
from memory.lint.engine.surroundings import Surroundings
from sessions.text.engine.excerpt import excerpt

FEWEST_WORDS = 8
"""Words: shorter repetitions do not count."""
_LOOKED_AT = 20_000
_GAP = re.compile(r"\n[ \t\r]*\n")


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    topics = [topic for topic in directory.topics if topic.body.strip() and not is_binary(topic)]
    same = yield from _find_duplicates(directory, topics)
    others = [topic for topic in topics if topic.name not in same]
    for pair in find_similar_pairs([_compared_text(topic) for topic in others]):
        first, second = others[pair.first], others[pair.second]
        words = f"{second.name} says nearly the same as {first.name} (similarity {pair.similarity:.2f} of 1)."
        fix = (
            Fix("Merge the two", partial(_merge, directory, first, second))
            if first.is_whole and second.is_whole
            else None
        )
        yield Finding("near-duplicate", second.name, Severity.WARNING, words, others=(first.name,), fix=fix)
    if surroundings.instructions:
        yield from _find_repetitions(topics, surroundings.instructions)


def _compared_text(topic: MemoryFile) -> str:
    return f"{topic.description}\n{topic.body[:_LOOKED_AT]}"


def _find_duplicates(directory: MemoryDirectory, topics: list[MemoryFile]) -> Generator[Finding, None, set[str]]:
    """Finds identical texts. Returns the names of all but the first of each group."""
    first: dict[str, MemoryFile] = {}
    same: set[str] = set()
    for topic in topics:
        text = _normalize(topic.body[:MOST_CHARACTERS])
        original = first.setdefault(text, topic)
        if original is topic or not topic.is_whole:
            continue
        same.add(topic.name)
        words = f"{topic.name} has the same text as {original.name}."
        fix = Fix("Delete it, and its line in the index", partial(_delete, directory, topic))
        yield Finding("duplicate-topic", topic.name, Severity.WARNING, words, others=(original.name,), fix=fix)
    return same


def _delete(directory: MemoryDirectory, topic: MemoryFile) -> Changes:
    index = directory.index
    numbers = {entry.line for entry in index.entries if entry.target == topic.name}
    alone = {line.number for line in index.lines if line.number in numbers and len(line.entries) == 1}
    changes: dict[str, bytes | None] = {topic.name: None}
    if alone:
        changes[index.file.name] = without_lines(index.file, alone)
    return changes


def _merge(directory: MemoryDirectory, first: MemoryFile, second: MemoryFile) -> Changes:
    """Appends paragraphs that only the older topic has to the newer one, and deletes the older one."""
    older, newer = sorted((first, second), key=lambda topic: topic.modified_at)
    paragraphs = {_normalize(paragraph) for paragraph in _paragraphs(newer)}
    more = [paragraph for paragraph in _paragraphs(older) if _normalize(paragraph) not in paragraphs]
    end = newer.source.line_end
    text = f"{end}{end}".join(paragraph.replace("\r\n", "\n").replace("\n", end) for paragraph in more)
    changes = dict(_delete(directory, older))
    if text:
        changes[newer.name] = with_line_added(newer, f"{end}{text}")
    return changes


def _paragraphs(topic: MemoryFile) -> list[str]:
    body = topic.source.text.split("\n", topic.header.last)[-1]
    return [paragraph.strip() for paragraph in _GAP.split(body) if paragraph.strip()]


def _normalize(text: str) -> str:
    return " ".join(text.lower().split())


def _find_repetitions(topics: list[MemoryFile], instructions: Mapping[str, str]) -> Iterator[Finding]:
    instruction_runs = {
        run: path for path, text in instructions.items() for run in _runs(words_of(text[:MOST_CHARACTERS]))
    }
    for topic in topics:
        for line in topic.body_lines:
            if line.in_code or len(line.text) < 2 * FEWEST_WORDS:
                continue
            runs = _runs(words_of(line.text))
            if runs and runs[0] in instruction_runs and all(run in instruction_runs for run in runs):
                message = f"{instruction_runs[runs[0]]} says this already: “{excerpt(line.text)}”"
                fix = Fix("Remove the line", partial(_remove_line, topic, line.number)) if topic.is_whole else None
                yield Finding("repeats-instructions", topic.name, Severity.WARNING, message, line.number, fix=fix)


def _remove_line(topic: MemoryFile, number: int) -> Changes:
    return {topic.name: without_lines(topic, {number})}


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[start : start + FEWEST_WORDS]) for start in range(len(words) - FEWEST_WORDS + 1)]
