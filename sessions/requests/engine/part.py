"""A part of a request: a tool, a block of the system prompt or a message, with its size and its fate in the cache."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from sessions.requests.engine.marks import CacheMark


class Fate(StrEnum):
    """The values are the tones of every bar."""

    READ = "read"
    WRITTEN = "written"
    FRESH = "fresh"


@dataclass(frozen=True, slots=True)
class Part:
    place: str
    """`tools.3`, `system.0`, `12`: what an address calls it."""
    number: int
    """For people, who count from one."""
    label: str
    chars: int
    """Of its JSON, or of its text."""
    tokens: int
    """Our estimate, laid over what the API counted."""
    begin: float
    end: float
    """Where it stands in the prompt, in tokens as the API counted them."""
    fate: Fate | None
    """None: there is no count to tell by."""
    marks: tuple[CacheMark, ...] = ()
    blocks: int = 1
    note: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    name: str
    """tools, system, messages."""
    title: str
    parts: tuple[Part, ...]
    unknown: str = ""
    """Why nothing is known of it."""
    begin: float = 0.0
    end: float = 0.0
    shares: tuple[tuple[Fate, float], ...] = field(default=())
    """How many of its tokens have which fate."""

    @property
    def tokens(self) -> int:
        return sum(part.tokens for part in self.parts)

    @property
    def chars(self) -> int:
        return sum(part.chars for part in self.parts)

    @property
    def marks(self) -> int:
        return sum(len(part.marks) for part in self.parts)
