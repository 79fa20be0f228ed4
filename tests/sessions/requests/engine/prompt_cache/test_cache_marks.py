from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from sessions.requests.engine.prompt_cache.cache_marks import mark_messages, mark_paths, mark_tools
from sessions.requests.engine.prompt_cache.ttl import Ttl
from sessions.transcripts.engine.messages import join_messages
from tests.sessions.transcripts.engine.spoken import Talk


def array() -> list[dict[str, Any]]:
    talk = Talk()
    talk.prompt("hello")
    talk.reads("a.py")
    talk.says("done")
    talk.prompt("thanks")
    return join_messages(talk.messages)


def places(messages: list[dict[str, Any]]) -> list[str]:
    return mark_paths({"messages": messages})


def test_the_one_mark_stands_on_the_last_message() -> None:
    assert places(mark_messages(array())) == ["messages[4].content[0]"]


def test_a_fork_that_must_not_write_marks_the_one_before() -> None:
    assert places(mark_messages(array(), writes=False)) == ["messages[3].content[0]"]


def test_marks_of_an_earlier_request_are_taken_away() -> None:
    second = mark_messages([*mark_messages(array()), {"role": "assistant", "content": "ok"}])
    assert places(second) == ["messages[5].content[0]"]


def test_marks_inside_of_results_are_taken_away_too() -> None:
    part = {"type": "text", "text": "x"}
    result = {"type": "tool_result", "tool_use_id": "toolu_1"}
    marked = {**result, "content": [{**part, "cache_control": {"type": "ephemeral"}}]}
    messages: list[dict[str, Any]] = [{"role": "user", "content": [marked]}, {"role": "assistant", "content": "ok"}]
    assert places(messages) == ["messages[0].content[0].content[0]"]
    second = mark_messages(messages)
    assert places(second) == ["messages[1].content[0]"]
    assert second[0]["content"] == [{**result, "content": [part]}]


def test_text_given_as_a_string_can_carry_it() -> None:
    (message,) = mark_messages([{"role": "user", "content": "hi"}], Ttl.ONE_HOUR)
    assert message["content"] == [{"type": "text", "text": "hi", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]


def test_a_fork_of_a_single_message_marks_nothing() -> None:
    assert places(mark_messages([{"role": "user", "content": "hi"}], writes=False)) == []


def test_thinking_is_never_marked() -> None:
    content = [{"type": "text", "text": "x"}, {"type": "thinking", "thinking": "hm", "signature": "s"}]
    assert places(mark_messages([{"role": "assistant", "content": content}])) == ["messages[0].content[0]"]


def test_only_the_last_tool_carries_a_mark() -> None:
    tools = mark_tools([{"name": "Read", "cache_control": {"type": "ephemeral"}}, {"name": "Bash"}])
    assert mark_paths({"tools": tools}) == ["tools[1]"]
    assert mark_tools([]) == []


def test_a_tool_that_is_loaded_on_demand_is_never_marked() -> None:
    tools = mark_tools([{"name": "Read"}, {"name": "Grep", "defer_loading": True}])
    assert mark_paths({"tools": tools}) == ["tools[0]"]
    assert mark_paths({"tools": mark_tools([{"name": "Grep", "defer_loading": True}])}) == []


@given(st.lists(st.sampled_from(["user", "assistant"]), min_size=1, max_size=8), st.booleans())
def test_nothing_but_the_marks_changes(roles: list[str], writes: bool) -> None:
    given_array = [
        {"role": role, "content": [{"type": "text", "text": f"{index}"}]} for index, role in enumerate(roles)
    ]
    marked = mark_messages(given_array, writes=writes)
    assert len(places(marked)) == (1 if writes or len(roles) > 1 else 0)
    for element in marked:
        for block in element["content"]:
            block.pop("cache_control", None)
    assert marked == given_array
