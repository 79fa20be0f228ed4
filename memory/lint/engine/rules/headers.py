"""Headers of topics: the agent chooses topics by them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from functools import partial

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.edits import with_field, with_header
from memory.files.engine.reading.file import MemoryFile, MemoryType
from memory.files.engine.reading.header import Field
from memory.lint.engine.finding import Changes, Finding, Fix, Severity
from memory.lint.engine.surroundings import Surroundings
from sessions.text.engine.excerpt import excerpt

_MARKUP = re.compile(r"^[#>*+\-\s\d.)]+|[*_`]+")
_SENTENCE = re.compile(r"(?<=[.!?])\s")
_LONGEST_DESCRIPTION = 150


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    for topic in directory.topics:
        if not topic.data or "\0" in topic.text:
            continue
        if topic.header:
            yield from _check_header(topic)
        else:
            yield from _check_missing_header(topic)


def _check_missing_header(topic: MemoryFile) -> Iterator[Finding]:
    broken = [problem for problem in topic.header.problems if problem.rule == "invalid-yaml"]
    if broken:
        yield Finding("invalid-yaml", topic.name, Severity.WARNING, broken[0].message, broken[0].line)
        return
    fix = Fix("Add a header", partial(_add_header, topic)) if topic.is_whole else None
    words = "The topic has no header: name, description and type are missing."
    yield Finding("no-header", topic.name, Severity.WARNING, words, 1, fix=fix)


def _check_header(topic: MemoryFile) -> Iterator[Finding]:
    rewrite = Fix("Write the header anew", partial(_rewrite_header, topic)) if topic.is_whole else None
    for problem in topic.header.problems:
        severity = Severity.WARNING if problem.rule == "invalid-yaml" else Severity.NOTE
        yield Finding(problem.rule, topic.name, severity, problem.message, problem.line, fix=rewrite)
    if not topic.description.strip():
        fix = None
        if (words := first_sentence(topic)) and topic.is_whole:
            fix = Fix(f"Describe it as “{excerpt(words, 50)}”", partial(_set_field, topic, "description", words))
        message = "The description is empty; by it the agent chooses what to read."
        field = topic.header.field("description")
        line = field.first if field else topic.header.first
        yield Finding("empty-description", topic.name, Severity.WARNING, message, line, fix=fix)
    if topic.type is None:
        yield _type_finding(topic)


def _type_finding(topic: MemoryFile) -> Finding:
    meant = _guess_type(topic)
    fix = Fix(f"Make it {meant}", partial(_set_field, topic, "type", meant)) if meant and topic.is_whole else None
    field = topic.header.field("type")
    if field is None or not field.value:
        words = "The header names no type."
        return Finding("missing-type", topic.name, Severity.WARNING, words, topic.header.first, fix=fix)
    words = f"“{excerpt(field.value, 30)}” is no type: the agent knows user, feedback, project and reference."
    return Finding("unknown-type", topic.name, Severity.WARNING, words, field.first, fix=fix)


def _guess_type(topic: MemoryFile) -> str:
    """The type that is closest to the written one or to the file's name; empty if there is none."""
    written = topic.written_type.strip().lower()
    if near := get_close_matches(written, list(MemoryType), n=1, cutoff=0.75) if written else []:
        return near[0]
    prefix = re.split(r"[-_]", topic.stem.lower())[0]
    return prefix if not written and prefix in {str(type_) for type_ in MemoryType} else ""


def first_sentence(topic: MemoryFile) -> str:
    """A possible description of a topic: the first sentence of its text."""
    for line in topic.body_lines:
        text = _MARKUP.sub("", line.text).strip()
        if text and not line.in_code and not text.startswith("<!--"):
            return excerpt(_SENTENCE.split(text)[0].rstrip("."), _LONGEST_DESCRIPTION)
    return ""


def _set_field(topic: MemoryFile, key: str, value: str) -> Changes:
    return {topic.name: with_field(topic, key, value)}


def _rewrite_header(topic: MemoryFile) -> Changes:
    """Writes all fields that could be read, in the agent's own format."""
    fields = {(field.parent, field.key): field for field in topic.header.fields}
    return {topic.name: with_header(topic, fields.values())}


def _add_header(topic: MemoryFile) -> Changes:
    fields = [Field("name", topic.stem, 0, 0), Field("description", first_sentence(topic), 0, 0)]
    if meant := _guess_type(topic):
        fields.append(Field("type", meant, 0, 0, "metadata"))
    return {topic.name: with_header(topic, fields)}
