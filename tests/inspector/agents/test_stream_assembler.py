from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.agents.errors import CutMidStreamError, ModelError
from inspector.agents.model import Reply
from inspector.agents.stream_assembler import StreamAssembler
from sessions.usage.engine.usage import Usage

START = {"type": "message_start", "message": {"id": "m", "model": "x", "usage": {"input_tokens": 9}}}
STOP = {"type": "message_stop"}


def gather(*events: Any) -> Reply:
    gathering = StreamAssembler(lambda _: None)
    for event in events:
        gathering.take(event)
    return gathering.reply(request_id=None, attempts=1)


def block(index: int, content: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": content},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def ended(reason: str) -> dict[str, Any]:
    usage = {"output_tokens": 4, "input_tokens": None}
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


CALL = {"type": "tool_use", "id": "t", "name": "Read", "input": {}}


def test_blocks_of_unknown_kinds_are_kept_as_they_came() -> None:
    odd = {"type": "compaction", "content": None, "other": [1]}
    reply = gather(
        START,
        *block(0, odd, {"type": "compaction_delta", "content": "sum"}, {"type": "new_delta", "x": 1}),
        *block(1, {"type": "text", "text": "a"}, {"type": "citations_delta", "citation": {"c": 1}}),
        {"type": "event_of_tomorrow"},
        ended("end_turn"),
        STOP,
    )
    assert reply.content == (
        {"type": "compaction", "content": "sum", "other": [1]},
        {"type": "text", "text": "a", "citations": [{"c": 1}]},
    )
    assert reply.usage == Usage(input=9, output=4)


def test_a_call_without_input_has_an_empty_one() -> None:
    reply = gather(START, *block(0, CALL, {"type": "input_json_delta", "partial_json": ""}), ended("tool_use"), STOP)
    assert reply.calls == (CALL,)


def test_a_call_without_the_end_of_its_block_keeps_its_input() -> None:
    *unended, _ = block(0, CALL, {"type": "input_json_delta", "partial_json": '{"file_path": "a"}'})
    reply = gather(START, *unended, ended("tool_use"), STOP)
    assert reply.calls == ({**CALL, "input": {"file_path": "a"}},)


def test_counts_that_are_written_as_text_are_billed() -> None:
    reply = gather({"type": "message_start", "message": {"usage": {"input_tokens": "12"}}}, ended("end_turn"), STOP)
    assert reply.usage == Usage(input=12, output=4)


def test_a_call_that_the_limit_cut_off_is_left_out() -> None:
    half = {"type": "input_json_delta", "partial_json": '{"file_path": "a'}
    text = block(0, {"type": "text", "text": "Now"})
    reply = gather(START, *text, *block(1, CALL, half), ended("max_tokens"), STOP)
    assert (reply.text, reply.calls, reply.stop_reason) == ("Now", (), "max_tokens")
    with pytest.raises(CutMidStreamError):
        gather(START, *text, *block(1, CALL, half), ended("tool_use"), STOP)


def test_an_answer_without_its_end_is_cut() -> None:
    with pytest.raises(CutMidStreamError) as raised:
        gather(START, *block(0, {"type": "text", "text": "a"}), ended("end_turn"))
    assert raised.value.usage == Usage(input=9, output=4)


_JSON = st.recursive(
    st.none() | st.integers(-1, 2) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["type", "index", "delta", "text"]), inner)
    ),
    max_leaves=6,
)
_EVENTS = st.one_of(
    _JSON,
    st.fixed_dictionaries(
        {"type": st.sampled_from(["message_start", "content_block_start", "content_block_delta", "message_delta"])},
        optional={"message": _JSON, "index": _JSON, "delta": _JSON, "content_block": _JSON, "usage": _JSON},
    ),
)


@given(st.lists(_EVENTS, max_size=6))
def test_whatever_arrives_it_is_an_answer_or_an_error_of_ours(events: list[Any]) -> None:
    try:
        gather(*events, STOP)
    except ModelError:
        return
