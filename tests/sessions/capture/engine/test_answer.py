from __future__ import annotations

import gzip
import json
import zlib

import brotli
import pytest
import zstandard

from sessions.capture.engine import Unreadable, decode_body, parse_answer
from tests.sessions.capture.capturing import Json, events, message

START: Json = {"type": "message_start", "message": {**message("msg_7", cache_read_input_tokens=9), "content": []}}
CALL = {"type": "tool_use", "id": "t", "name": "B", "input": {"a": 1}}
STREAM: list[Json] = [
    START,
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "High?"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "abc"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Let me "}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "look.\u2028"}},
    {
        "type": "content_block_start",
        "index": 2,
        "content_block": {"type": "tool_use", "id": "t", "name": "B", "input": {}},
    },
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": '{"a":'}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": " 1}"}},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 40, "input_tokens": None},
        "context_management": {"applied_edits": []},
    },
    {"type": "message_stop"},
]
CONTENT = [
    {"type": "thinking", "thinking": "High?", "signature": "abc"},
    {"type": "text", "text": "Let me look.\u2028"},
    CALL,
]


def test_a_stream_becomes_the_message_that_it_tells() -> None:
    answer = parse_answer(events(*STREAM), "text/event-stream; charset=utf-8")
    assert answer.message is not None
    assert answer.message["content"] == CONTENT
    assert answer.message["context_management"] == {"applied_edits": []}
    assert (answer.id, answer.stop_reason, answer.complete, answer.error) == ("msg_7", "tool_use", True, "")
    assert answer.usage is not None
    assert (answer.usage.input, answer.usage.cache_read, answer.usage.output) == (3, 9, 40)


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_lines_may_end_in_other_ways(end: str) -> None:
    body = events(*STREAM).replace(b"\n", end.encode())
    assert parse_answer(body, "text/event-stream").message == parse_answer(events(*STREAM), "text/event-stream").message


def test_what_arrived_of_a_stream_that_was_cut_off_counts() -> None:
    answer = parse_answer(events(*STREAM[:10])[:-9], "text/event-stream")
    assert (answer.id, answer.complete) == ("msg_7", False)
    assert answer.message is not None
    assert [block["type"] for block in answer.message["content"]] == ["thinking", "text", "tool_use"]


def test_an_error_in_the_middle_of_a_stream_is_told() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    answer = parse_answer(events(START, error), "text/event-stream")
    assert (answer.error, answer.complete, answer.id) == ("overloaded_error: Overloaded", False, "msg_7")


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"input_tokens": 7}', b"null"])
def test_what_is_no_message_is_none(body: bytes) -> None:
    assert parse_answer(body, "application/json").message is None


def test_events_in_any_disorder_are_survived() -> None:
    odd = b"data: {not json\n\ndata: [1]\n\ndata: 7\n\n" + events(*reversed(STREAM))
    assert parse_answer(odd, "text/event-stream").id == "msg_7"


PACKED = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "identity": bytes,
    "": bytes,
}


@pytest.mark.parametrize("encoding", PACKED)
def test_every_encoding_of_the_web_is_undone(encoding: str) -> None:
    body = json.dumps(message()).encode() * 3000
    assert decode_body(PACKED[encoding](body), encoding) == body


def test_raw_deflate_and_several_encodings_are_undone_too() -> None:
    raw = zlib.compressobj(wbits=-15)
    assert decode_body(raw.compress(b"tides") + raw.flush(), "deflate") == b"tides"
    assert decode_body(brotli.compress(gzip.compress(b"tides")), "gzip, br") == b"tides"


@pytest.mark.parametrize("encoding", ["gzip", "br", "zstd"])
def test_what_was_cut_off_gives_what_can_be_read(encoding: str) -> None:
    body = b"".join(b"%d tides\n" % number for number in range(60_000))
    result = decode_body(PACKED[encoding](body)[:-2000], encoding)
    assert isinstance(result, bytes)
    assert body.startswith(result)
    assert len(result) > 1000


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd", "rot13"])
def test_what_cannot_be_undone_says_why(encoding: str) -> None:
    result = decode_body(b"\x00\x01 not packed at all", encoding)
    assert isinstance(result, Unreadable)
    assert encoding in result.why
