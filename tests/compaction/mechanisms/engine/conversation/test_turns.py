from __future__ import annotations

from hypothesis import given

from compaction.mechanisms.engine.conversation.turns import turns_of
from sessions.transcripts.engine.messages import Message, MessageKind, replace_fields
from tests.sessions.transcripts.engine.messages.conversations import conversations
from tests.sessions.transcripts.engine.talk import answered, call, pairs, returned, typed


def test_a_turn_goes_from_one_input_to_the_next() -> None:
    messages = [answered("hello"), typed("one"), answered("1"), typed("two"), answered("2")]
    assert [turn.messages for turn in turns_of(messages)] == [(1, 2), (3, 4)]


def test_a_result_belongs_to_the_turn_of_its_call() -> None:
    messages = [typed("run it"), answered("", call("toolu_1")), typed("wait"), returned(("toolu_1", "ok"))]
    assert [turn.messages for turn in turns_of(messages)] == [(0, 1, 3), (2,)]


def test_later_records_of_an_answer_belong_to_the_turn_of_the_first() -> None:
    messages = [typed("run it"), answered("one", id="a"), typed("wait"), answered("two", id="a"), answered("three")]
    assert [turn.messages for turn in turns_of(messages)] == [(0, 1, 3), (2, 4)]


def test_a_summary_ends_a_turn_and_belongs_to_none() -> None:
    summary = replace_fields(typed("in short"), kind=MessageKind.SUMMARY)
    messages = [typed("one"), answered("1"), summary, answered("kept"), typed("two"), answered("2")]
    assert [turn.messages for turn in turns_of(messages)] == [(0, 1), (4, 5)]


def test_a_turn_with_a_call_that_still_runs_is_open() -> None:
    messages = [typed("one"), answered("1"), typed("two"), answered("", call("toolu_1"))]
    assert [turn.is_open for turn in turns_of(messages)] == [False, True]


def test_a_turn_that_waits_for_an_answer_is_open() -> None:
    messages = [typed("one"), answered("", call("toolu_1")), returned(("toolu_1", "ok"))]
    assert [turn.is_open for turn in turns_of(messages)] == [True]
    assert [turn.is_open for turn in turns_of([*messages, answered("done")])] == [False]


def test_turns_whose_results_share_a_message_are_entangled() -> None:
    messages = [
        typed("one"),
        answered("", call("toolu_1"), id="a"),
        typed("two"),
        answered("", call("toolu_2"), id="b"),
        returned(("toolu_1", "ok"), ("toolu_2", "ok")),
        typed("three"),
    ]
    assert [turn.is_entangled for turn in turns_of(messages)] == [True, True, False]


@given(conversations())
def test_no_turn_shares_a_pair_or_an_answer_with_another(messages: list[Message]) -> None:
    turns = turns_of(messages)
    assert [turn.first for turn in turns] == [
        index for index, message in enumerate(messages) if message.kind is MessageKind.PROMPT
    ]
    for turn in turns:
        inside = [messages[index] for index in turn.messages]
        outside = [message for index, message in enumerate(messages) if index not in turn.messages]
        assert not pairs(inside)[0] & pairs(outside)[1]
        assert not pairs(inside)[1] & pairs(outside)[0]
        assert not {message.message_id for message in inside if message.message_id} & {
            message.message_id for message in outside
        }
