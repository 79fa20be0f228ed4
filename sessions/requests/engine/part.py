"""A part of a request: a tool, a block of the system prompt or a message, with its size and its fate in the cache."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from sessions.requests.engine.sent_marks import CacheMark
from sessions.weights.engine import Weight


class CacheFate(StrEnum):
    """Whether a part was read from the cache, written to it, or neither. The values name the colours of bars."""

    READ = "read"
    WRITTEN = "written"
    FRESH = "fresh"


@dataclass(frozen=True, slots=True)
class RequestPart:
    place: str
    """`tools.3`, `system.0` or `12`: its name in an address."""
    number: int
    """Counted from one, for people."""
    label: str
    chars: int
    """The characters of its text or JSON."""
    tokens: int
    """Our estimate, scaled to the count of the API."""
    begin: float
    end: float
    """Where the part is in the prompt, in tokens as the API counted them."""
    fate: CacheFate | None
    """None if the API's count is not known."""
    marks: tuple[CacheMark, ...] = ()
    blocks: int = 1
    note: str = ""
    weight: Weight | None = None
    """As it was measured; None where nothing was."""


@dataclass(frozen=True, slots=True)
class RequestSection:
    name: str
    """`tools`, `system` or `messages`."""
    title: str
    parts: tuple[RequestPart, ...]
    unknown: str = ""
    """Why nothing is known about it."""
    begin: float = 0.0
    end: float = 0.0
    shares: tuple[tuple[CacheFate, float], ...] = field(default=())
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
