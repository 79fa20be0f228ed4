"""The state of a session that its next recall depends on: which memories the model has in its context, and how much
was injected. A compaction removes all of it, so both start again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

SESSION_BYTES = 60_000
"""Once this much was injected, nothing more is recalled."""


class KnownBy(StrEnum):
    SURFACED = "surfaced"
    READ = "read"


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """A memory that the model has, and the entry that gave it."""

    name: str
    how: KnownBy
    position: int | None = None
    size: int = 0
    """Bytes that count towards the budget; 0 if the agent read the file itself."""


@dataclass(frozen=True, slots=True)
class CompactionEvent:
    position: int | None = None


@dataclass(frozen=True, slots=True)
class RecallState:
    known: Mapping[str, KnownMemory] = field(default_factory=dict)
    injected: int = 0
    compacted: CompactionEvent | None = None
    """The compaction since which it counts; None: since the session began."""

    def after(self, event: KnownMemory | CompactionEvent) -> RecallState:
        if isinstance(event, CompactionEvent):
            return RecallState(compacted=event)
        first = self.known.get(event.name, event)
        return RecallState({**self.known, event.name: first}, self.injected + event.size, self.compacted)


def state_of(events: Iterable[KnownMemory | CompactionEvent]) -> RecallState:
    """The state after these events, in their order."""
    state = RecallState()
    for event in events:
        state = state.after(event)
    return state


def why_not(message: str, state: RecallState) -> str:
    """Why nothing is recalled for a message; empty if something may be."""
    if not message.strip():
        return "There is no message."
    if len(message.split()) < 2:
        return "A message of one word says too little: nothing is recalled for it."
    if state.injected >= SESSION_BYTES:
        return f"{state.injected:,} bytes were injected in this session; from {SESSION_BYTES:,} on nothing is recalled."
    return ""
