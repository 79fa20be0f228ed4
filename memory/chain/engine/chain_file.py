"""One file of the chain: why it is loaded, when, and what becomes of it at a compaction."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

MOST_CHARACTERS = 40_000
"""Of one file. Nothing is cut there; the client warns, because the more there is the less of it is heeded."""


class Layer(StrEnum):
    MANAGED = "managed"
    USER = "user"
    PROJECT = "project"
    LOCAL = "local"
    INDEX = "index"
    """MEMORY.md of the project's memory."""


class When(StrEnum):
    START = "start"
    """With the first request, and again after each compaction, read anew from disk."""
    ON_MATCH = "on match"
    """A rule for certain paths: once a file is read that it is for. A compaction loses it until then."""
    ON_ENTRY = "on entry"
    """Below the working directory: once a file beside or below it is read. A compaction loses it until then."""


class Outcome(StrEnum):
    INCLUDED = "included"
    ALREADY = "already loaded"
    CYCLE = "cycle"
    TOO_DEEP = "too deep"
    MISSING = "missing"
    EXTERNAL = "external"
    """Outside of the project, or of the configuration: it is named and not read. The agent asks before it does."""
    NOT_TEXT = "not text"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Include:
    written: str
    """Behind the `@`."""
    path: str
    line: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ChainFile:
    path: str
    layer: Layer
    when: When
    text: str
    """As it lies on disk."""
    agent_text: str
    """What the agent gets of it: without header and comments; of an index, without what is cut."""
    globs: tuple[str, ...] = ()
    """The paths that a rule is for; none where it is for all."""
    includes: tuple[Include, ...] = ()
    included_by: str = ""
    hops: int = 0
    """How many includes led here."""
    warning: str = ""
    """Of an index that was cut."""

    @property
    def characters(self) -> int:
        return len(self.agent_text)

    @property
    def is_over(self) -> bool:
        return self.characters > MOST_CHARACTERS

    @property
    def survives_compaction(self) -> bool:
        return self.when is When.START
