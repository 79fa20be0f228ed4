"""Keeps the line endings of a file. A browser sends text back with other endings; lines that were not edited keep their
bytes, even those that are not UTF-8."""

from __future__ import annotations

import codecs
from enum import StrEnum


class NewlineStyle(StrEnum):
    NONE = "none"
    LF = "lf"
    CRLF = "crlf"
    MIXED = "mixed"


def newline_style(data: bytes) -> NewlineStyle:
    feeds, pairs = data.count(b"\n"), data.count(b"\r\n")
    if not feeds:
        return NewlineStyle.NONE
    if pairs in (0, feeds):
        return NewlineStyle.CRLF if pairs else NewlineStyle.LF
    return NewlineStyle.MIXED


def text_for_editing(data: bytes) -> str:
    """The text for an editor: without byte order mark, with `\\n` endings, with invalid UTF-8 replaced."""
    return data.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").decode("utf-8", "replace")


def encode_like(text: str, old: bytes) -> bytes:
    """Encodes an edited text like `old`: its byte order mark, its line endings, and unchanged lines byte for byte."""
    # The models import this module, and every command loads them; to match lines takes much more.
    from memory.files.engine.merging import match_lines

    mark = codecs.BOM_UTF8 if old.startswith(codecs.BOM_UTF8) else b""
    before = _lines(old.removeprefix(mark))
    after = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    end = b"\r\n" if old.count(b"\r\n") * 2 > old.count(b"\n") else b"\n"
    encoded_lines = [line.encode("utf-8", "surrogatepass") for line in after]
    ends = [end] * (len(after) - 1) + [b""]
    for left, right, size in match_lines(
        [_split_line_end(line)[0].decode("utf-8", "replace") for line in before], after
    ):
        for step in range(size):
            encoded_lines[right + step], own = _split_line_end(before[left + step])
            if own and ends[right + step]:
                ends[right + step] = own
    return mark + b"".join(part for pair in zip(encoded_lines, ends, strict=True) for part in pair)


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def _split_line_end(line: bytes) -> tuple[bytes, bytes]:
    """The line without its ending, and the ending."""
    for end in (b"\r\n", b"\n"):
        if line.endswith(end):
            return line.removesuffix(end), end
    return line, b""
