"""The quick way and the thorough way of looking at a record say the same, or the quick way says nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions.imports.engine.broken_lines import recover
from sessions.imports.engine.known_names import find_unknowns
from sessions.imports.engine.scan.record_summary import summarise
from sessions.imports.engine.scan.shapes import is_sound, summarise_quickly
from tests.demo import names
from tests.samples import SHARED, needs_samples
from tests.sessions.mutating import WRONG

ENVELOPE = ("uuid", "parent", "sidechain", "branch", "version", "cwd", "session", "agent")
ASSISTANT = {
    "type": "assistant",
    "uuid": "u2",
    "parentUuid": "u1",
    "timestamp": "2026-03-01T10:00:00.123Z",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5-5",
        "content": [{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls", "more": ["a"]}}],
        "usage": {"input_tokens": 3, "output_tokens": 5, "cache_creation": {"ephemeral_1h_input_tokens": 7}},
    },
    "requestId": "req_1",
}


def summary_of(look: Any) -> tuple[Any, ...]:
    envelope = tuple(getattr(look.envelope, name) or None for name in ENVELOPE)
    return look.kind, envelope, look.at, look.content, look.answer


def agrees(line: bytes) -> bool:
    """Was it one of the shapes? Then everything that was seen of it is right."""
    look = summarise_quickly(line) if is_sound(line) else None
    if look is None:
        return False
    record = orjson.loads(line)
    assert summary_of(look) == summary_of(summarise(record))
    assert find_unknowns(record) == ()
    return True


@cache
def demo_lines() -> list[bytes]:
    return [line for label in names.labels() for line in names.expected(label).path.read_bytes().split(b"\n")]


@cache
def demo_records() -> list[bytes]:
    return [line for line in demo_lines() if (result := recover(line)).kind == "whole" and result.records]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(part, (*path, key))


def changed(record: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = record.copy()
    copy[path[0]] = changed(copy[path[0]], path[1:], value)
    return copy


def test_the_usual_rows_have_a_shape() -> None:
    assert agrees(orjson.dumps(ASSISTANT))


def test_most_of_the_demo_has_a_shape_and_all_of_it_agrees() -> None:
    result = [agrees(line) for line in demo_lines() if line]

    assert sum(result) > 0.6 * len(result)


@needs_samples
def test_all_the_sample_transcripts_agree() -> None:
    for folder in ("corpus", "realclient"):
        for path in (SHARED / folder).rglob("*.jsonl"):
            if path.name != "requests.jsonl":
                for line in path.read_bytes().split(b"\n"):
                    agrees(line)


@given(st.data())
def test_whatever_is_wrong_with_a_record_the_two_agree(data: st.DataObject) -> None:
    record = orjson.loads(data.draw(st.sampled_from(demo_records())))
    path = data.draw(st.sampled_from(list(places(record))[1:]))
    wrong = data.draw(st.sampled_from([value for value in WRONG if "\\ud800" not in repr(value) and value != 2**70]))

    agrees(orjson.dumps(changed(record, path, wrong)))


@given(st.data())
def test_a_line_that_is_not_json_has_no_shape(data: st.DataObject) -> None:
    line = data.draw(st.sampled_from(demo_records()))
    index = data.draw(st.integers(0, len(line)))
    damaged = line[:index] + data.draw(st.binary(max_size=3)) + line[index + data.draw(st.integers(0, 3)) :]

    agrees(damaged)  # reads it with orjson if it has a shape


@pytest.mark.parametrize(
    "line",
    [
        b'{"type": "user", "message": {"content": "\xff"}}',
        b'{"type": "user", "message": {"content": "x"}, "toolUseResult": "\xff"}',
        b'{"type": "user", "message": {"content": "x"}, "toolUseResult": "\\ud800"}',
        b'{"type": "user", "message": {"content": "x"}, "toolUseResult": "\\uDFFF"}',
    ],
)
def test_what_is_no_text_is_not_sound(line: bytes) -> None:
    assert not is_sound(line)


def test_other_than_ascii_is_sound() -> None:
    line = '{"type": "user", "message": {"content": "Übung – 潮"}, "toolUseResult": "✓"}'.encode()

    assert is_sound(line)
    assert agrees(line)


@pytest.mark.parametrize(
    "output", ["<persisted-output> 12 KB", "[Old tool result content cleared]", "\\u003cpersisted"]
)
def test_output_that_was_put_aside_is_seen(output: str) -> None:
    content = f'[{{"type": "tool_result", "tool_use_id": "t", "content": "{output}"}}]'

    assert agrees(f'{{"type": "user", "message": {{"content": {content}}}}}'.encode())


@pytest.mark.parametrize("output", ["0", "null", "{}", "[]", "true", '""', '"<"', '[{"type": "text"}]'])
def test_output_may_be_anything(output: str) -> None:
    content = f'[{{"type": "tool_result", "tool_use_id": "t", "content": {output}}}]'

    assert agrees(f'{{"type": "user", "message": {{"content": {content}}}}}'.encode())
