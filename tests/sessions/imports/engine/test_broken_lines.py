"""Broken lines: what is read out of them, and what is said about them."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sessions.imports.engine.broken_lines import RecoveredRecord, Recovery, join_characters, parse_object, recover

USER = {"type": "user", "sessionId": "s1", "uuid": "u1", "message": {"role": "user", "content": [{"type": "text"}]}}
MODE = {"type": "mode", "sessionId": "s1", "mode": "normal"}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(st.text(max_size=6), json_values, max_size=5)
records = objects.map(lambda extra: {"type": "user", "sessionId": "s1", **{f"x{key}": extra[key] for key in extra}})


def dump(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def read(line: bytes) -> list[dict[str, Any]]:
    return [record.record for record in recover(line).records]


def check(line: bytes, recovery: Recovery) -> None:
    before = 0
    for record in recovery.records:
        assert before <= record.start < record.end <= len(line)
        assert parse_object(line[record.start : record.end]) == record.record
        before = record.end
    assert recovery.kind
    assert recovery.detail.endswith(".")


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_it_never_raises_on_any_bytes(line: bytes) -> None:
    check(line, recover(line))


@settings(deadline=None)
@given(
    st.lists(st.sampled_from([b"{", b"}", b'"', b"\\", b":", b",", b"[", b"]", b'"type"', b"\0", b"1"]), max_size=40)
)
def test_it_never_raises_on_pieces_of_json(pieces: list[bytes]) -> None:
    line = b"".join(pieces)
    check(line, recover(line))


@settings(deadline=None)
@given(st.lists(objects, min_size=2, max_size=6), st.sampled_from([b"", b" ", b"\0\0", b"\r"]))
def test_it_finds_every_one_of_glued_objects(values: list[dict[str, Any]], between: bytes) -> None:
    line = between.join(dump(value) for value in values)
    recovery = recover(line)
    assert [record.record for record in recovery.records] == values
    assert recovery.kind == "glued"
    check(line, recovery)


@settings(deadline=None)
@given(records, records, st.data())
def test_it_finds_the_record_after_one_that_was_cut_off(
    first: dict[str, Any], second: dict[str, Any], data: st.DataObject
) -> None:
    whole = dump(first)
    cut = data.draw(st.integers(0, len(whole)))
    line = whole[:cut] + dump(second)
    recovery = recover(line)
    check(line, recovery)
    assert recovery.records[-1].record == second
    assert len(recovery.records) == (2 if cut == len(whole) else 1)


@settings(deadline=None)
@given(objects, st.data())
def test_a_line_that_is_still_being_written_gives_no_record(value: dict[str, Any], data: st.DataObject) -> None:
    whole = dump({"type": "user", "sessionId": "s1", "message": value})
    line = whole[: data.draw(st.integers(1, len(whole) - 1))]
    assert recover(line) == Recovery((), "partial", recover(line).detail)


def test_two_glued_records_are_both_read_with_their_ranges() -> None:
    recovery = recover(dump(USER) + dump(MODE))
    size = len(dump(USER))
    assert recovery.records == (RecoveredRecord(0, size, USER), RecoveredRecord(size, len(dump(MODE)), MODE))
    assert recovery.detail == "2 records stand on this line without a line break between them."


def test_several_records_after_a_cut_off_one_are_all_read() -> None:
    line = dump(USER)[:-9] + dump(MODE) + dump(USER) + dump(MODE)
    assert read(line) == [MODE, USER, MODE]
    assert recover(line).kind == "truncated"


def test_whole_records_before_and_after_a_cut_off_one_are_read() -> None:
    assert read(dump(MODE) + dump(USER)[:70] + dump(USER)) == [MODE, USER]


def test_a_record_between_two_cut_off_ones_is_read() -> None:
    assert read(dump(USER)[:-4] + dump(MODE) + dump(USER)[:40]) == [MODE]


def test_an_object_nested_in_a_cut_off_record_is_not_taken_for_a_record() -> None:
    line = (
        b'{"type":"progress","sessionId":"s1","data":{"type":"agent_progress","agentId":"a","message":{"type":"user"}}'
    )
    assert recover(line).records == ()
    assert recover(line).kind == "partial"


def test_text_before_a_record_does_not_hide_it() -> None:
    assert read(b"warning: low disk " + dump(USER)) == [USER]


@pytest.mark.parametrize(
    "line",
    [
        b"\0" * 50 + dump(MODE),
        dump(MODE) + b"\0\0\n",
        dump(MODE).replace(b"normal", b"nor\0mal"),
        b'{\0"type"' + dump(MODE)[7:],
    ],
    ids=["before", "after", "in a string", "between tokens"],
)
def test_nul_runs_do_not_hide_a_record(line: bytes) -> None:
    assert read(line) == [MODE]
    assert recover(line).kind == "nul"
    check(line, recover(line))


def test_a_run_of_nuls_alone_is_named() -> None:
    assert recover(b"\0" * 1000) == Recovery((), "nul", recover(b"\0").detail)


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (rb'"a\ud800b"', "a\ufffdb"),
        (rb'"\udc00\ud83d\ude00"', "\ufffd\U0001f600"),
        (rb'"\\ud800 stays\ud800"', "\\ud800 stays\ufffd"),
        (b'"caf\xe9"', "caf\ufffd"),
        (b'"\xed\xa0\x80"', "\ufffd\ufffd\ufffd"),
        (b'"a\x01\tb"', "a\x01\tb"),
    ],
)
def test_what_is_no_text_is_replaced(written: bytes, text: str) -> None:
    recovery = recover(b'{"type":"user","text":' + written + b"}")
    assert recovery.kind == "encoding"
    assert recovery.records[0].record["text"] == text
    text.encode()


def test_a_byte_order_mark_and_a_carriage_return_are_left_out_of_the_range() -> None:
    line = b"\xef\xbb\xbf" + dump(MODE) + b"\r\n"
    assert recover(line) == Recovery((RecoveredRecord(3, len(dump(MODE)), MODE),), "encoding", recover(line).detail)


def test_a_whole_line_is_called_whole() -> None:
    assert recover(dump(MODE) + b"\r\n").kind == "whole"
    assert recover(b"\r\n").kind == "blank"


@pytest.mark.parametrize("number", [b"NaN", b"-Infinity", b"1e999", b"1" + b"0" * 6000])
def test_numbers_that_json_does_not_have_are_read_as_nothing(number: bytes) -> None:
    recovery = recover(b'{"type":"mode","n":' + number + b"}")
    assert recovery.records[0].record == {"type": "mode", "n": None}
    assert recovery.kind == "number"


def test_a_large_integer_is_read_as_a_fast_parser_reads_it() -> None:
    digits = b"1" + b"0" * 30
    assert parse_object(b'{"n":' + digits + b',"m":NaN}')["n"] == orjson.loads(digits)


def test_the_last_of_duplicate_keys_wins() -> None:
    assert read(b'{"a":1,"a":2}{}') == [{"a": 2}, {}]


@pytest.mark.parametrize("depth", [1_100, 100_000])
def test_deep_nesting_is_reported_and_hides_nothing_after_it(depth: int) -> None:
    deep = b'{"type":"user","x":' + b"[" * depth + b"]" * depth + b"}"
    assert recover(deep).kind in {"deep", "whole", "number"}
    assert read(deep + dump(MODE))[-1] == MODE


@pytest.mark.parametrize("line", [b'"massive error"', b"42", b"[1]", b"null", b'[{"type":"user","sessionId":"s"}]'])
def test_json_that_is_not_an_object_is_named(line: bytes) -> None:
    assert recover(line) == Recovery((), "not-an-object", recover(line).detail)


@pytest.mark.parametrize("line", [b"hello", b"{bad}", b"}{", b"]]]]", b'"open'])
def test_a_line_without_any_record_is_called_garbage(line: bytes) -> None:
    assert recover(line) == Recovery((), "garbage", recover(line).detail)


@pytest.mark.parametrize("data", [b"[1]", b"", b"{", b"{}{}"])
def test_parse_refuses_what_is_not_one_object(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_object(data)


@pytest.mark.parametrize(
    "piece",
    [
        b'{"type":"user",',
        b'{"sessionId":"',
        b"{",
        b'"',
        b"\\",
        b'\\"',
        b'{"uuid":{}',
        b"}",
        b"{}",
        b'{"type":"mode","sessionId":1}',
    ],
)
def test_a_long_broken_line_is_read_in_a_few_passes(piece: bytes) -> None:
    line = piece * (300_000 // len(piece)) + b"\xff" + dump(MODE)
    assert read(line)[-1] == MODE


def test_a_message_of_numbered_characters_is_joined_in_numeric_order() -> None:
    spread = {str(place): letter for place, letter in enumerate("hello there!")}
    record = {"type": "user", "uuid": "u", "message": dict(sorted(spread.items()))}
    mended, note = join_characters(record)
    assert mended == {"type": "user", "uuid": "u", "message": {"role": "user", "content": "hello there!"}}
    assert note == "The message was written as 12 numbered characters; they were joined."
    assert "content" not in record["message"]


def test_what_stands_beside_the_characters_is_kept() -> None:
    mended, _ = join_characters({"type": "assistant", "message": {"0": "h", "1": "i", "id": "m", "7": 7}})
    assert mended["message"] == {"role": "assistant", "id": "m", "7": 7, "content": "hi"}


def test_content_of_numbered_characters_is_joined() -> None:
    mended, note = join_characters({"type": "user", "message": {"role": "user", "content": {"0": "h", "1": "i"}}})
    assert mended["message"] == {"role": "user", "content": "hi"}
    assert note


@pytest.mark.parametrize(
    "message",
    [
        None,
        "text",
        [],
        {"role": "user", "content": "x"},
        {"0": 5},
        {"0": "x", "content": "y"},
        {"content": {"0": "x", "a": 1}},
    ],
)
def test_other_messages_pass_unchanged(message: object) -> None:
    record = {"type": "user", "message": message}
    assert join_characters(record) == (record, None)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=3), json_values, max_size=5))
def test_joining_characters_never_raises(message: dict[str, Any]) -> None:
    join_characters({"type": "user", "message": message})
    join_characters({"message": {"content": message}})
