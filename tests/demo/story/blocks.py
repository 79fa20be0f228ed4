"""What the assistant can put into one message, and what a tool gave back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.demo.story.workspace import Workspace

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Think:
    text: str
    tokens: int = 0
    """About how long it was when the text itself was withheld."""

    @property
    def signed(self) -> int:
        """How many characters its signature has."""
        return round((self.tokens or len(self.text) / 2.75) * 3.7)


@dataclass(frozen=True, slots=True)
class Say:
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    content: Any
    twin: Any = None
    """The structured `toolUseResult` beside the text."""
    error: bool | None = None
    seconds: float = 0.4
    foot: Record = field(default_factory=dict)
    """More keys of the record."""


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    input: Record
    run: Callable[[Workspace], Outcome]
    name: str = ""
    tracked: str | None = None
    """The project file that the call changes, so that a backup is noted."""


Block = Think | Say | Call


def hidden(count: int) -> Think:
    """Thinking whose text was withheld: only the signature is on disk."""
    return Think("", count)
