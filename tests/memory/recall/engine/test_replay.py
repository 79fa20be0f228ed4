from __future__ import annotations

from memory.recall.engine import (
    CompactionEvent,
    Document,
    Event,
    KnownBy,
    KnownMemory,
    Outcome,
    Ranker,
    Tally,
    UserMessage,
    replay,
)

DOCUMENTS = [
    Document("tides.md", "tides", "When the tides come", ""),
    Document("boats.md", "boats", "Which boats sail", ""),
    Document("fog.md", "fog", "Where the fog lies", ""),
]


def replay_events(*events: Event, size: int = 100) -> tuple[Tally, list[tuple[Outcome, tuple[str, ...]]]]:
    tally = Tally(frozenset(document.name for document in DOCUMENTS))
    answers = replay(events, Ranker(DOCUMENTS), dict.fromkeys(tally.names, size), tally)
    return tally, [(answer.outcome, answer.names) for answer in answers]


def test_each_memory_is_given_once_until_a_compaction() -> None:
    tally, answers = replay_events(
        UserMessage(1, "the tides"),
        UserMessage(2, "the tides again"),
        UserMessage(3, "tides"),
        UserMessage(4, "an unknown thing"),
        CompactionEvent(5),
        UserMessage(6, "the tides"),
    )

    assert answers == [
        (Outcome.CHOSEN, ("tides.md",)),
        (Outcome.ALREADY, ()),
        (Outcome.SHORT, ()),
        (Outcome.NOTHING, ()),
        (Outcome.CHOSEN, ("tides.md",)),
    ]
    assert (tally.messages, tally.chosen["tides.md"], tally.never) == (5, 2, ["boats.md", "fog.md"])


def test_what_the_agent_read_counts_and_what_was_really_injected_does_not() -> None:
    _, answers = replay_events(
        KnownMemory("tides.md", KnownBy.READ, 1),
        KnownMemory("boats.md", KnownBy.SURFACED, 2, 400),
        UserMessage(3, "tides and boats"),
    )

    assert answers == [(Outcome.CHOSEN, ("boats.md",))]


def test_once_the_budget_is_spent_nothing_follows() -> None:
    _, answers = replay_events(UserMessage(1, "the tides"), UserMessage(2, "the boats"), size=60_000)

    assert [outcome for outcome, _ in answers] == [Outcome.CHOSEN, Outcome.SPENT]
