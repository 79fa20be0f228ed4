"""A text that was edited in a browser becomes the bytes of its file again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.files.engine.newlines import NewlineStyle, encode_like, newline_style, text_for_editing

PARTS = [b"a", b"b", b"\n", b"\r\n", b"\xff", b"\xef\xbb\xbf", b"\xc3\xa9", b" "]
FILES = st.lists(st.sampled_from(PARTS)).map(b"".join)


@given(FILES)
def test_what_nobody_touched_is_the_same_byte_for_byte(data: bytes) -> None:
    as_sent = text_for_editing(data).replace("\n", "\r\n")
    if not text_for_editing(data).startswith("\ufeff"):  # a second mark cannot be told from the first
        assert encode_like(as_sent, data) == data


@pytest.mark.parametrize(
    ("data", "style"),
    [
        (b"a", NewlineStyle.NONE),
        (b"a\n", NewlineStyle.LF),
        (b"a\r\nb\r\n", NewlineStyle.CRLF),
        (b"a\r\nb\n", NewlineStyle.MIXED),
    ],
)
def test_the_style_of_a_file_is_told(data: bytes, style: NewlineStyle) -> None:
    assert newline_style(data) == style


def test_new_lines_end_as_most_of_the_others() -> None:
    assert encode_like("a\nnew\nb\nc\n", b"a\r\nb\nc\r\n") == b"a\r\nnew\r\nb\nc\r\n"
    assert encode_like("a\r\nb\r\n", b"") == b"a\nb\n"


def test_a_last_line_without_an_end_stays_so() -> None:
    assert encode_like("new\na", b"a") == b"new\na"
    assert encode_like("a\nb", b"a") == b"a\nb"
