"""What a function that describes a call gets and returns. The rest of the card is the same for every tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sessions.timeline.engine.cards.card import Part
from sessions.timeline.engine.cards.lens import Lens
from sessions.timeline.engine.cards.safe_get import as_text
from sessions.timeline.engine.cards.tool_results import ToolResult


@dataclass(frozen=True, slots=True)
class Call:
    name: str
    input: dict[str, Any]
    result: ToolResult | None

    def input_text(self, *keys: str) -> str:
        """The first of these inputs that is a non-empty text."""
        return next((value for key in keys if (value := as_text(self.input.get(key)))), "")

    @property
    def has_succeeded(self) -> bool:
        return self.result is not None and not self.result.error

    @property
    def has_failed(self) -> bool:
        return self.result is not None and self.result.error

    @property
    def text(self) -> str:
        """The result; empty if the call failed, because cards show the errors of all tools in the same way."""
        return self.result.text if self.result and not self.result.error else ""

    @property
    def facts(self) -> dict[str, Any]:
        return self.result.facts if self.result else {}


@dataclass(frozen=True, slots=True)
class CallDescription:
    summary: str = ""
    facts: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    agent_id: str = ""
    title: str = ""
    """Replaces the name of the tool."""
    folded: bool = False
    """The header says enough; the rest is folded."""


Describer = Callable[[Call, Lens], CallDescription]


def drop_empty(*facts: str) -> tuple[str, ...]:
    return tuple(fact for fact in facts if fact)
