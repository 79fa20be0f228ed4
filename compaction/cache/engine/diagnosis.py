"""The API's own word on why a prefix could not be reused, and whether it is ours too."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from compaction.cache.engine.names import Name
from sessions.linking.engine.raw_fields import mapping, text

_OURS: dict[str, frozenset[str]] = {
    "model_changed": frozenset({Name.MODEL, Name.SPEED}),
    "system_changed": frozenset({Name.SYSTEM}),
    "tools_changed": frozenset({Name.TOOLS}),
    "messages_changed": frozenset(
        {Name.MESSAGES, Name.COMPACTION, Name.DELETION, Name.REWIND, Name.EFFORT, Name.THINKING, Name.TOOL_CHOICE}
    ),
}
_MAIN = {
    "model_changed": Name.MODEL,
    "system_changed": Name.SYSTEM,
    "tools_changed": Name.TOOLS,
    "messages_changed": Name.MESSAGES,
}


@dataclass(frozen=True, slots=True)
class Diagnosis:
    reason: str
    missed: int | None = None
    """About how many tokens would have been read."""
    position: int | None = None
    """Of the record that holds it."""

    @classmethod
    def of(cls, diagnostics: object, position: int | None = None) -> Diagnosis | None:
        """Reads `message.diagnostics`; None while the API has not made up its mind."""
        given = mapping(mapping(diagnostics).get("cache_miss_reason"))
        reason = text(given.get("type"))
        missed = given.get("cache_missed_input_tokens")
        return cls(reason, missed if isinstance(missed, int) else None, position) if reason else None

    @property
    def name(self) -> Name | None:
        """In our words; None if it names no cause."""
        return _MAIN.get(self.reason)

    def agrees(self, causes: Collection[str]) -> bool | None:
        """None if one of the two does not know."""
        ours = _OURS.get(self.reason)
        if ours is None or not causes or Name.UNKNOWN in causes:
            return None
        return not ours.isdisjoint(causes)

    def to_json(self) -> dict[str, Any]:
        return {"reason": self.reason, "missed_tokens": self.missed, "position": self.position}
