"""Relative dates: they mean something else on the day on which memory is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.edits import with_line
from memory.files.engine.reading.file import MemoryFile
from memory.files.engine.reading.text import split_lines, strip_line_end
from memory.lint.engine.finding import Changes, Finding, Fix, Severity
from memory.lint.engine.line_text import MOST_CHARACTERS, without_code
from memory.lint.engine.relative_dates import resolve_date
from memory.lint.engine.surroundings import Surroundings

_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_COUNT = (
    r"\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:a )?few|several|(?:a )?couple of"
)
RELATIVE = re.compile(
    rf"""\b(?:
        yesterday | tomorrow | tonight | today(?!['’]s\ date)
      | (?:last|next|this|past|coming)\ (?:week(?:end)?|month|quarter|year|night|{_DAYS})(?!s)
      | this\ (?:morning|afternoon|evening)
      | (?:{_COUNT})\ (?:day|week|month|year|hour|minute)s?\ (?:ago|from\ now)
      | (?:by|until|since)\ (?:{_DAYS})(?!s)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_HINTS = (
    "day",
    "week",
    "month",
    "quarter",
    "year",
    "night",
    "morrow",
    " ago",
    "from now",
    "morning",
    "noon",
    "evening",
)
_HABIT = re.compile(r"(?i)\b(every|each|always|never|whenever|daily|weekly|monthly|usually|typically|if|when|any)\b")
_ABSOLUTE = re.compile(r"\b\d{4}-\d{1,2}(?:-\d{1,2})?\b|\b(?:19|20)\d\d\b")
_NEAR = 14
"""Characters between a relative date and an absolute one that explains it."""


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    for topic in directory.topics:
        if not _may_hold(topic.text[:MOST_CHARACTERS]):
            continue
        field = topic.header.field("description")
        if field and field.first == field.last:
            yield from _check_line(topic, field.first, topic.text.split("\n", field.first)[field.first - 1])
        for line in topic.body_lines:
            if not line.in_code:
                yield from _check_line(topic, line.number, line.text)


def _may_hold(text: str) -> bool:
    lower = text.lower()
    return any(hint in lower for hint in _HINTS)


def _check_line(topic: MemoryFile, number: int, text: str) -> Iterator[Finding]:
    if not _may_hold(text):
        return
    plain = without_code(text)
    for match in RELATIVE.finditer(plain):
        around = plain[max(match.start() - _NEAR, 0) : match.end() + _NEAR]
        if _ABSOLUTE.search(around) or _HABIT.search(plain, 0, match.start()):
            continue
        written = topic.modified_at.date()
        meant = resolve_date(match[0], written)
        words = f"“{match[0]}” means something else on another day."
        fix = None
        if meant and topic.is_whole:
            words += f" Counted from {written:%Y-%m-%d}, when the topic was last changed, it is {meant}."
            make = partial(_replace_date, topic, number, match.start(), match.end(), meant)
            fix = Fix(f"Write {meant}", make)
        yield Finding("relative-date", topic.name, Severity.WARNING, words, number, fix=fix)


def _replace_date(topic: MemoryFile, number: int, start: int, end: int, meant: str) -> Changes:
    line = strip_line_end(split_lines(topic.source.text)[number - 1])
    before, phrase = line[:start], line[start:end]
    if phrase.split()[0].lower() in ("by", "until", "since"):
        meant = f"{phrase.split()[0]} {meant}"
    elif meant[0].isdigit() and not re.search(r"(?i)\b(?:by|until|on|since|before|after|from|of|till|for)\s*$", before):
        meant = f"on {meant}" if len(meant) == len("2026-01-01") else f"in {meant}"
    if phrase[0].isupper():
        meant = meant[0].upper() + meant[1:]
    return {topic.name: with_line(topic, number, before + meant + line[end:])}
