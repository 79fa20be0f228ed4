"""What of a session bears upon its next recall: which memories the model has in its context already, and how much was
injected. A compaction takes all of it away, so both counts begin anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

SESSION_BYTES = 60_000
"""Once so many were injected, nothing is recalled any more."""


class How(StrEnum):
    SURFACED = "surfaced"
    READ = "read"


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that the model got, and by which entry of the session."""

    name: str
    how: How
    position: int | None = None
    size: int = 0
    """Bytes that count for the budget; none for what the agent read itself."""


@dataclass(frozen=True, slots=True)
class Compacted:
    position: int | None = None


@dataclass(frozen=True, slots=True)
class State:
    known: Mapping[str, Known] = field(default_factory=dict)
    injected: int = 0
    compacted: Compacted | None = None
    """The compaction since which it counts; None for the beginning of the session."""

    def after(self, event: Known | Compacted) -> State:
        if isinstance(event, Compacted):
            return State(compacted=event)
        first = self.known.get(event.name, event)
        return State({**self.known, event.name: first}, self.injected + event.size, self.compacted)


def state_of(events: Iterable[Known | Compacted]) -> State:
    """Of what happened, in its order."""
    state = State()
    for event in events:
        state = state.after(event)
    return state


def why_not(message: str, state: State) -> str:
    """Why nothing is recalled for a message; empty if something may be."""
    if not message.strip():
        return "There is no message."
    if len(message.split()) < 2:
        return "A message of one word says too little: nothing is recalled for it."
    if state.injected >= SESSION_BYTES:
        return f"{state.injected:,} bytes were injected in this session; from {SESSION_BYTES:,} on nothing is recalled."
    return ""
