"""A file of the chain: why and when it is loaded, and what a compaction does to it."""

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
    """With the first request; read from disk again after each compaction."""
    ON_MATCH = "on match"
    """A rule for certain paths: when a matching file is read. Lost at a compaction until then."""
    ON_ENTRY = "on entry"
    """Below the working directory: when a file beside or below it is read. Lost at a compaction until then."""


class Outcome(StrEnum):
    INCLUDED = "included"
    ALREADY = "already loaded"
    CYCLE = "cycle"
    TOO_DEEP = "too deep"
    MISSING = "missing"
    EXTERNAL = "external"
    """Outside the project or the configuration: named, but not read. The agent asks the user first."""
    NOT_TEXT = "not text"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Include:
    written: str
    """As written after the `@`."""
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
    """The text that the agent gets: without header and comments; for an index, only the loaded part."""
    globs: tuple[str, ...] = ()
    """The paths that a rule applies to; empty for all."""
    includes: tuple[Include, ...] = ()
    included_by: str = ""
    hops: int = 0
    """Number of includes that lead here."""
    warning: str = ""
    """For an index that was cut."""

    @property
    def characters(self) -> int:
        return len(self.agent_text)

    @property
    def is_over(self) -> bool:
        return self.characters > MOST_CHARACTERS

    @property
    def survives_compaction(self) -> bool:
        return self.when is When.START
