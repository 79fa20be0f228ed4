"""Old memories: project facts that were not changed for long, and topics that were never recalled."""

from __future__ import annotations

from collections.abc import Iterator

from memory.files.engine.reading.directory import MemoryDirectory
from memory.files.engine.reading.file import MemoryType
from memory.lint.engine.finding import Finding, Severity
from memory.lint.engine.surroundings import Surroundings

STALE_DAYS = 90
UNASKED_DAYS = 30
FEWEST_SESSIONS = 5
"""With fewer sessions, nothing can be said about recalls."""


def check(directory: MemoryDirectory, surroundings: Surroundings) -> Iterator[Finding]:
    for topic in directory.topics:
        if not topic.data:
            continue
        days = (surroundings.now - topic.modified_at).days
        if topic.type is MemoryType.PROJECT and days > STALE_DAYS:
            words = f"This fact of the project was last touched {days:,} days ago, on {topic.modified_at:%Y-%m-%d}."
            yield Finding("stale-project", topic.name, Severity.NOTE, words)
        recalls = surroundings.recalls
        if recalls is None or recalls.sessions < FEWEST_SESSIONS or days <= UNASKED_DAYS:
            continue
        if not recalls.counts.get(topic.name):
            words = f"In {recalls.sessions:,} sessions this topic was never given to the agent, nor read by it."
            yield Finding("never-recalled", topic.name, Severity.NOTE, words)
