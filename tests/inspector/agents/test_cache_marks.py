from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from inspector.agents.cache_marks import find_mark, remove_marks, set_mark
from tests.inspector.agents.marked import mark_positions

HOUR = {"type": "ephemeral", "ttl": "1h"}
MARK = st.sampled_from([{}, {"cache_control": HOUR}, {"cache_control": {"type": "ephemeral"}}])


def _block(kind: str, mark: dict[str, Any], text: str) -> dict[str, Any]:
    if kind == "text":
        return {"type": "text", "text": text, **mark}
    if kind == "tool_use":
        return {"type": "tool_use", "id": "t", "name": "x", "input": {"cache_control": text}, **mark}
    if kind == "tool_result":
        return {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": text, **mark}]}
    return {"type": "thinking", "thinking": text, "signature": "s"}


BLOCKS = st.builds(
    _block, st.sampled_from(["text", "tool_use", "tool_result", "thinking"]), MARK, st.sampled_from(["", " ", "a", "b"])
)
CONTENT = st.one_of(st.sampled_from(["", "hello"]), st.lists(BLOCKS, max_size=4))
MESSAGES = st.lists(
    st.builds(
        lambda role, content: {"role": role, "content": content}, st.sampled_from(["user", "assistant"]), CONTENT
    ),
    max_size=5,
)


def as_lists(messages: Any) -> list[Any]:
    return [
        {**m, "content": [{"type": "text", "text": m["content"]}]} if isinstance(m["content"], str) else m
        for m in messages
    ]


@given(MESSAGES, st.integers(1, 3))
def test_there_is_never_more_than_one_mark_and_nothing_else_changes(messages: list[Any], from_end: int) -> None:
    marked = set_mark(messages, from_end=from_end)
    assert len(mark_positions(marked)) <= 1
    assert as_lists(remove_marks(marked)) == as_lists(remove_marks(messages))
    assert "cache_control" not in str(
        [b for m in remove_marks(messages) for b in m["content"] if "input" not in str(b)]
    )


def test_the_mark_goes_on_the_last_block_that_can_carry_one() -> None:
    messages: list[Any] = [
        {"role": "user", "content": "a"},
        {"role": "assistant", "content": [{"type": "text", "text": "b"}, {"type": "thinking", "thinking": "c"}]},
        {"role": "user", "content": [{"type": "text", "text": " "}]},
    ]
    assert mark_positions(set_mark(messages)) == ((1, 0),)
    assert mark_positions(set_mark(messages, from_end=3)) == ((0, 0),)
    assert mark_positions(set_mark(messages, from_end=9)) == ((0, 0),)
    assert mark_positions(set_mark([])) == ()


def test_the_last_mark_is_found_with_its_time_to_live() -> None:
    block = {"type": "text", "text": "a", "cache_control": HOUR}
    assert find_mark([{"role": "user", "content": [block]}, {"role": "assistant", "content": "b"}]) == HOUR
    assert find_mark([{"role": "user", "content": "b"}]) is None


def test_messages_without_marks_stay_the_same_objects() -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "a"}]}
    assert remove_marks([message])[0] is message
