"""All messages of a project's sessions once more, with the memory as it is now: which memories are never chosen, and
for which messages nothing fits. The ranker chooses, because hundreds of questions to a model have their price."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from memory.recall.engine.ranking import Ranker
from memory.recall.engine.state import (
    CompactionEvent,
    KnownBy,
    KnownMemory,
    RecallState,
    why_not,
)


class Outcome(StrEnum):
    CHOSEN = "chosen"
    ALREADY = "already there"
    """What fits was injected or read before."""
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
    """Grows with every session that is replayed."""

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
    """One session. What the agent read by itself counts, what was really injected does not: the replay has its own
    injections. `sizes`: the bytes that an injection of each memory has."""
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


def _answer(said: UserMessage, ranker: Ranker, state: RecallState, names: frozenset[str]) -> Answer:
    if why_not(said.text, state):
        short = bool(why_not(said.text, RecallState()))
        return Answer(said.position, Outcome.SHORT if short else Outcome.SPENT)
    chosen = ranker.choose(said.text, names - state.known.keys()).chosen
    if chosen:
        return Answer(said.position, Outcome.CHOSEN, tuple(one.name for one in chosen))
    fits = bool(state.known) and bool(ranker.choose(said.text, names).chosen)
    return Answer(said.position, Outcome.ALREADY if fits else Outcome.NOTHING)
