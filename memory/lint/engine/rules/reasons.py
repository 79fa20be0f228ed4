"""Feedback and project facts need a reason: without it, nobody can tell later whether they still apply."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.file import MemoryType
from memory.lint.engine.finding import Finding, Severity
from memory.lint.engine.line_text import MOST_CHARACTERS
from memory.lint.engine.surroundings import Surroundings

_WITH_REASON = frozenset({MemoryType.FEEDBACK, MemoryType.PROJECT})
_HEAD = r"(?im)^[\s>#*_+\-]*(?:{})\b[^\n:]{{0,40}}(?::|\*\*|$)"
_WHY = re.compile(_HEAD.format("why|reasons?|rationale|because|motivation|background"))
_SAID = re.compile(r"(?i)\b(because|the reason|since\s+(?:the|it|they|we)\b|so that|in order to|due to)\b")
_HOW = re.compile(_HEAD.format("how to apply|how to|how|apply|usage|when to|rule|rules|do|always|never|action"))


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    for topic in directory.topics:
        if topic.type not in _WITH_REASON or not topic.body.strip():
            continue
        body = topic.body[:MOST_CHARACTERS]
        line = topic.body_line
        if not _WHY.search(body) and not _SAID.search(body):
            words = f"A memory of type {topic.type} should say why (**Why:** …), so that it can be judged later."
            yield Finding("missing-why", topic.name, Severity.WARNING, words, line)
        if not _HOW.search(body):
            words = f"A memory of type {topic.type} should say what follows from it (**How to apply:** …)."
            yield Finding("missing-how", topic.name, Severity.NOTE, words, line)
