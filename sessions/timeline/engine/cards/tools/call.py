"""What a tool's own sketch works on, and what it gives: the rest of the card is the same for every tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sessions.timeline.engine.cards.card import Part
from sessions.timeline.engine.cards.lens import Lens
from sessions.timeline.engine.cards.outcome import Outcome
from sessions.timeline.engine.cards.safe_get import text


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    input: dict[str, Any]
    outcome: Outcome | None

    def given(self, *keys: str) -> str:
        """The first of these inputs that is a text."""
        return next((value for key in keys if (value := text(self.input.get(key)))), "")

    @property
    def ok(self) -> bool:
        return self.outcome is not None and not self.outcome.error

    @property
    def failed(self) -> bool:
        return self.outcome is not None and self.outcome.error

    @property
    def text(self) -> str:
        """What the call gave back; empty when it failed, because the card shows errors in one way for all tools."""
        return self.outcome.text if self.outcome and not self.outcome.error else ""

    @property
    def facts(self) -> dict[str, Any]:
        return self.outcome.facts if self.outcome else {}


@dataclass(frozen=True, slots=True)
class Sketch:
    summary: str = ""
    facts: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    agent_id: str = ""
    title: str = ""
    """In place of the tool's name."""
    folded: bool = False
    """The header says enough; the rest opens on demand."""


Sketcher = Callable[[Call, Lens], Sketch]


def known(*facts: str) -> tuple[str, ...]:
    return tuple(fact for fact in facts if fact)
