"""Records become the array of a request."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given, settings

from sessions.transcripts.engine.messages import Block, Message, MessageKind, join_messages, text_block
from tests.sessions.transcripts.engine.messages.conversations import conversations


def _call(name: str) -> Block:
    return {"type": "tool_use", "id": name, "name": "Read", "input": {}}


def _result(name: str) -> Block:
    return {"type": "tool_result", "tool_use_id": name, "content": "ok"}


def _answer(message_id: str, *blocks: Block) -> Message:
    return Message("assistant", blocks, MessageKind.ANSWER, message_id=message_id)


def _user(*blocks: Block) -> Message:
    return Message("user", blocks, MessageKind.RESULT)


def test_neighbours_of_one_role_are_one_element() -> None:
    array = join_messages([_user(text_block("a")), _user(text_block("b")), _answer("m", text_block("c"))])
    assert [(item["role"], len(item["content"])) for item in array] == [("user", 2), ("assistant", 1)]


def test_results_stand_before_text() -> None:
    array = join_messages([_answer("m", _call("1")), _user(text_block("wait")), _user(_result("1"))])
    assert [block["type"] for block in array[1]["content"]] == ["tool_result", "text"]


def test_records_of_one_response_are_one_element_with_the_results_after_it() -> None:
    records = [
        *(_answer("m", _call("1")), _answer("m", _call("2")), _user(_result("1"))),
        *(_answer("m", _call("3")), _user(_result("2")), _user(_result("3"))),
    ]
    array = join_messages(records)
    assert [[block.get("id") or block["tool_use_id"] for block in item["content"]] for item in array] == [
        ["1", "2", "3"],
        ["1", "2", "3"],
    ]


def test_another_response_is_another_element() -> None:
    array = join_messages(
        [_answer("m", _call("1")), _user(_result("1")), _answer("n", _call("2")), _user(_result("2"))]
    )
    assert [item["role"] for item in array] == ["assistant", "user", "assistant", "user"]


def test_answers_without_an_id_are_joined_only_as_neighbours() -> None:
    array = join_messages([_answer("", _call("1")), _user(_result("1")), _answer("", _call("2")), _user(_result("2"))])
    assert [item["role"] for item in array] == ["assistant", "user", "assistant", "user"]


@settings(deadline=None)
@given(conversations())
def test_each_call_of_a_conversation_is_answered_in_the_next_element(messages: list[Message]) -> None:
    array = join_messages(messages)
    assert array[0]["role"] == "user"
    assert sum(len(item["content"]) for item in array) == sum(len(message.content) for message in messages)
    for here, after in pairwise(array):
        assert {block["id"] for block in _of(here, "tool_use")} == {
            block["tool_use_id"] for block in _of(after, "tool_result")
        }


@settings(deadline=None)
@given(conversations())
def test_the_records_of_a_conversation_have_ids_of_their_own(messages: list[Message]) -> None:
    assert len({message.uuid for message in messages}) == len(messages)
    times = [message.at or 0 for message in messages]
    assert times == sorted(times)


def _of(element: dict[str, Any], kind: str) -> list[Any]:
    return [block for block in element["content"] if block["type"] == kind]
