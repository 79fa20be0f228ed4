from __future__ import annotations

from dataclasses import replace

import msgspec

from compaction.mechanisms.engine.compaction.boundary import Direction
from compaction.mechanisms.engine.compaction.record import Compaction, rebase, replay_compactions, replay_with_misfits
from compaction.mechanisms.engine.full.compact import full_compact
from compaction.mechanisms.engine.partial.compact import partial_compact
from sessions.transcripts.engine.messages import Message
from tests.compaction.mechanisms.engine.summarising import Model
from tests.sessions.transcripts.engine.spoken import Talk, ids


def work(turns: int = 4) -> Talk:
    talk = Talk()
    for number in range(turns):
        talk.prompt(f"do {number}")
        talk.reads(f"{number}.py", "x" * 3_000)
        talk.says(f"done {number}")
    return talk


def made(messages: list[Message], pivot: str = "", direction: Direction = Direction.UP_TO) -> Compaction:
    outcome = partial_compact(messages, pivot, direction, Model()) if pivot else full_compact(messages, Model())
    assert outcome.state.compaction is not None
    return outcome.state.compaction


def test_the_record_makes_the_same_view_again() -> None:
    talk = work()
    outcomes = [
        full_compact(talk.messages, Model()),
        partial_compact(talk.messages, "m5", Direction.UP_TO, Model()),
        partial_compact(talk.messages, "m9", Direction.FROM, Model()),
    ]
    for outcome in outcomes:
        assert outcome.state.compaction is not None
        assert replay_compactions(talk.messages, [outcome.state.compaction]) == list(outcome.messages)


def test_what_came_later_follows_the_view() -> None:
    talk = work()
    compaction = made(talk.messages, "m5")
    view = replay_compactions(talk.messages, [compaction])
    talk.prompt("more")
    assert replay_compactions(talk.messages, [compaction]) == [*view, talk.messages[-1]]


def test_attachments_stay_where_they_were_put() -> None:
    talk = work()
    compaction = replace(made(talk.messages, "m5"), appended=(Talk().injected("attached"),))
    talk.prompt("more")
    assert ids(replay_compactions(talk.messages, [compaction]))[-3:] == ["m16", "m1", "m17"]


def test_without_the_record_everything_is_back() -> None:
    talk = work()
    made(talk.messages)
    assert replay_compactions(talk.messages, []) == talk.messages


def test_a_view_is_not_compacted_twice() -> None:
    talk = work()
    compaction = made(talk.messages, "m5")
    view = replay_compactions(talk.messages, [compaction])
    assert replay_compactions(view, [compaction]) == view


def test_a_compaction_may_be_made_of_another() -> None:
    talk = work()
    first = made(talk.messages, "m9")
    view = replay_compactions(talk.messages, [first])
    second = made(view, "m13")
    assert replay_compactions(talk.messages, [first, second]) == replay_compactions(view, [second])


def test_other_messages_with_the_same_ids_are_left_alone() -> None:
    talk, other = work(), Talk()
    compaction = made(talk.messages)
    for number in range(20):
        other.prompt(f"another conversation {number}")
    assert replay_compactions(other.messages, [compaction]) == other.messages


def test_compactions_that_do_not_fit_are_named_but_not_those_that_a_view_shows() -> None:
    talk = work()
    first = made(talk.messages, "m5")
    view = replay_compactions(talk.messages, [first])
    second = made(view)
    both = [first, second]
    assert replay_with_misfits(talk.messages, both)[1] == []
    assert replay_with_misfits(replay_compactions(talk.messages, both), both)[1] == []
    assert replay_with_misfits(view, both) == (replay_compactions(talk.messages, both), [])
    other = work(2).messages
    assert replay_with_misfits(other, both) == (other, both)


def test_a_compaction_can_be_saved_and_loaded() -> None:
    compaction = made(work().messages, "m5")
    assert msgspec.json.decode(msgspec.json.encode(compaction), type=Compaction) == compaction


def test_one_that_was_made_of_a_view_can_be_told_in_the_whole_conversation() -> None:
    talk = work()
    view_messages = [*talk.messages[:1], talk.messages[3], *talk.messages[4:]]
    compaction = rebase(made(view_messages, "m9"), view_messages, talk.messages)
    assert ids(replay_compactions(talk.messages, [compaction]))[2:] == [f"m{number}" for number in range(9, 17)]


def test_a_placeholder_at_the_edge_keeps_the_messages_that_it_stands_for() -> None:
    talk = work()
    placeholder = Message("user", ({"type": "text", "text": "m5 to m8"},), talk.messages[0].kind, "placeholder")
    view_messages = [*talk.messages[:4], placeholder, *talk.messages[8:]]
    compaction = rebase(made(view_messages, "placeholder"), view_messages, talk.messages)
    assert ids(replay_compactions(talk.messages, [compaction]))[2:4] == ["m5", "m6"]
    compaction = rebase(made(view_messages, "m9"), view_messages, talk.messages)
    assert ids(replay_compactions(talk.messages, [compaction]))[2:4] == ["m9", "m10"]
