"""Replays all messages of a project's sessions with the memory as it is now: which memories are never chosen, and
which messages nothing fits. The ranker chooses, because asking a model hundreds of times would be expensive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from memory.recall.engine.ranking import Ranker
from memory.recall.engine.state import CompactionEvent, KnownBy, KnownMemory, RecallState, why_not


class Outcome(StrEnum):
    CHOSEN = "chosen"
    ALREADY = "already there"
    """What fits had been injected or read before."""
    NOTHING = "nothing fitted"
    SHORT = "one word"
    SPENT = "budget spent"


@dataclass(frozen=True, slots=True)
class UserMessage:
    position: int
    text: str


Event = UserMessage | KnownMemory | CompactionEvent


@dataclass(frozen=True, slots=True)
class Answer:
    position: int
    outcome: Outcome
    names: tuple[str, ...] = ()


@dataclass(slots=True)
class Tally:
    """Grows with every replayed session."""

    names: frozenset[str]
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    chosen: Counter[str] = field(default_factory=Counter)

    @property
    def messages(self) -> int:
        return sum(self.outcomes.values())

    @property
    def never(self) -> list[str]:
        return sorted(self.names - self.chosen.keys())


def replay(events: Iterable[Event], ranker: Ranker, sizes: Mapping[str, int], tally: Tally) -> Iterable[Answer]:
    """Replays one session. What the agent read by itself counts; what was really injected does not, because the replay
    makes its own injections. `sizes`: bytes that each memory would inject."""
    state = RecallState()
    for event in events:
        if not isinstance(event, UserMessage):
            if isinstance(event, CompactionEvent) or event.how is KnownBy.READ:
                state = state.after(event)
            continue
        answer = _answer(event, ranker, state, tally.names)
        tally.outcomes[answer.outcome] += 1
        for name in answer.names:
            tally.chosen[name] += 1
            state = state.after(KnownMemory(name, KnownBy.SURFACED, event.position, sizes[name]))
        yield answer


def _answer(message: UserMessage, ranker: Ranker, state: RecallState, names: frozenset[str]) -> Answer:
    if why_not(message.text, state):
        short = bool(why_not(message.text, RecallState()))
        return Answer(message.position, Outcome.SHORT if short else Outcome.SPENT)
    chosen = ranker.choose(message.text, names - state.known.keys()).chosen
    if chosen:
        return Answer(message.position, Outcome.CHOSEN, tuple(memory.name for memory in chosen))
    fits = bool(state.known) and bool(ranker.choose(message.text, names).chosen)
    return Answer(message.position, Outcome.ALREADY if fits else Outcome.NOTHING)
