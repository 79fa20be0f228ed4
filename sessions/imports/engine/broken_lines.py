"""Reads what it can from a line that is not one JSON object: two glued together, cut off, full of NULs, wrongly
encoded.

The archive keeps the bytes. This module decides which ranges of them are records, and how each is decoded.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

import orjson

from sessions.imports.engine.json_objects import end_of_object, start_of_object
from sessions.text.engine.words import plural

Record = dict[str, Any]

_BLANK = b" \t\r\n\0\xef\xbb\xbf"
"""Between records: white space, NUL runs of torn writes, byte order marks."""
_SKIP = re.compile(rb"[ \t\r\n\0\xef\xbb\xbf]*")
_RECORD_START = re.compile(
    rb'\{"(?:type":(?!"(?:text|thinking|tool_use|tool_result|image|message)")'
    rb'|parentUuid":|uuid":|sessionId":|session_id":|isSidechain":|logicalParentUuid":|messageId":)'
)
_OWN_KEYS = ("sessionId", "parentUuid", "session_id", "leafUuid", "messageId")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)
_CONTROL = re.compile(r"[\x01-\x1f\ufffd]")
_LONGEST_INTEGER = 20
_RESYNC_PASSES = 8
"""How many times its own length may be scanned while looking for a record in the middle of a broken line."""


@dataclass(frozen=True, slots=True)
class RecoveredRecord:
    """One JSON object inside a line: where it is in the line, and what it contains."""

    start: int
    length: int
    record: Record

    @property
    def end(self) -> int:
        return self.start + self.length


@dataclass(frozen=True, slots=True)
class Recovery:
    records: tuple[RecoveredRecord, ...]
    kind: str
    """whole, blank, glued, truncated, partial, nul, encoding, number, deep, not-an-object or garbage."""
    detail: str
    """One sentence for people."""


class NotAnObjectError(ValueError):
    """JSON, but no record."""


class TooDeepError(ValueError):
    """Valid so far, but nested too deeply to read."""


def recover(line: bytes) -> Recovery:
    """Finds the records in a line. Never raises, and takes time linear in its length."""
    start, end = _skip_blanks(line, 0), len(line.rstrip(_BLANK))
    if start >= end:
        kind = "nul" if b"\0" in line else "blank"
        return Recovery((), kind, _DETAILS[kind])
    try:
        value, kind = _decode(line[start:end])
    except ValueError as error:
        return _recover_parts(line, start, end, too_deep=isinstance(error, TooDeepError))
    if not isinstance(value, dict):
        return Recovery((), "not-an-object", _DETAILS["not-an-object"])
    if kind == "whole":
        around = line[:start] + line[end:]
        kind = "nul" if b"\0" in around else "encoding" if b"\xef\xbb\xbf" in around else kind
    return Recovery((RecoveredRecord(start, end - start, value),), kind, _DETAILS[kind])


def parse_object(data: bytes) -> Record:
    """Decodes the bytes of one object, whatever damaged them. Raises ValueError if they are not an object."""
    value, _ = _decode(data)
    if not isinstance(value, dict):
        raise NotAnObjectError("not a JSON object")
    return value


def join_characters(record: Record) -> tuple[Record, str | None]:
    """Joins a message that was written as {"0": "h", "1": "i"}. Returns the record, and a sentence if it changed."""
    message = record.get("message")
    if not isinstance(message, dict):
        return record, None
    if "0" in message and "content" not in message:
        text, rest = _join_numbered(message)
        mended = {"role": record.get("type"), **rest, "content": text}
    elif isinstance(content := message.get("content"), dict) and "0" in content:
        text, rest = _join_numbered(content)
        if rest:
            return record, None
        mended = {**message, "content": text}
    else:
        return record, None
    if not text:
        return record, None
    return {
        **record,
        "message": mended,
    }, f"The message was written as {len(text)} numbered characters; they were joined."


def _join_numbered(spread: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The numbered characters in order, and the other values."""
    numbered = {
        key: value
        for key, value in spread.items()
        if isinstance(value, str) and key.isascii() and key.isdecimal() and len(key) <= _LONGEST_INTEGER
    }
    text = "".join(numbered[key] for key in sorted(numbered, key=int))
    return text, {key: value for key, value in spread.items() if key not in numbered}


_DETAILS = {
    "whole": "The line is one whole record.",
    "blank": "The line is empty.",
    "nul": "The line holds NUL bytes, as a write leaves them that never reached the disk.",
    "encoding": "The line holds bytes or escapes that are no text; they are shown as replacement characters.",
    "number": "The line holds numbers that JSON does not have; they are read as nothing.",
    "deep": "The record is nested too deeply to be read.",
    "not-an-object": "The line is valid JSON, but not an object.",
    "partial": "The line ends before its record does: it is still being written, or was cut off.",
    "garbage": "No record could be found in the line.",
}


def _recover_parts(line: bytes, start: int, end: int, *, too_deep: bool) -> Recovery:
    leading, reached = _read_leading(line, start, end)
    if reached >= end:
        detail = f"{len(leading)} records stand on this line without a line break between them."
        return Recovery(tuple(leading), "glued", detail)
    trailing = _read_trailing(line, start, end)
    edge = trailing[0].start if trailing else end
    leading = [record for record in leading if record.end <= edge]
    reached = _skip_blanks(line, leading[-1].end) if leading else start
    records = (*leading, *_find_between(line, reached + 1, edge), *trailing)
    if records:
        lost = end - start - sum(record.length for record in records)
        count = plural(len(records), "record was", "records were")
        detail = f"{count} read; {lost} bytes around belong to a record that was cut off."
        return Recovery(records, "truncated", detail)
    kind = "deep" if too_deep else "partial" if _is_open_ended(line, start, end) else "garbage"
    return Recovery((), kind, _DETAILS[kind])


def _is_open_ended(line: bytes, start: int, end: int) -> bool:
    return line[start : start + 1] == b"{" and end_of_object(line, start, end) is None


def _read_leading(line: bytes, position: int, end: int) -> tuple[list[RecoveredRecord], int]:
    """The whole objects at the start of the line, and where reading stopped."""
    records: list[RecoveredRecord] = []
    while position < end and (record := _read_object(line, position, end)):
        records.append(record)
        position = _skip_blanks(line, record.end)
    return records, position


def _read_trailing(line: bytes, start: int, end: int) -> list[RecoveredRecord]:
    """The whole records at the end of the line. Reading backwards cannot be misled by a string that was cut off
    earlier."""
    records: list[RecoveredRecord] = []
    flipped = line[::-1]
    while end > start and line[end - 1 : end] == b"}":
        object_start = start_of_object(flipped, end)
        record = None if object_start is None or object_start < start else _read_object(line, object_start, end)
        if record is None or record.end != end or not _is_record(record.record):
            break
        records.append(record)
        end = len(line) - _skip_blanks(flipped, len(line) - record.start)
    return records[::-1]


def _find_between(line: bytes, start: int, end: int) -> list[RecoveredRecord]:
    """Records between two broken stretches, recognised by how records begin."""
    records: list[RecoveredRecord] = []
    budget = (end - start) * _RESYNC_PASSES
    while budget > 0 and (match := _RECORD_START.search(line, start, end)):
        record = _read_object(line, match.start(), end)
        if record and _is_record(record.record):
            records.append(record)
        start = record.end if record else match.end()
        budget -= record.length if record else end - match.start()
    return records


def _read_object(line: bytes, start: int, stop: int) -> RecoveredRecord | None:
    if line[start : start + 1] != b"{":
        return None
    end = end_of_object(line, start, stop)
    if end is None:
        return None
    try:
        return RecoveredRecord(start, end - start, parse_object(line[start:end]))
    except ValueError:
        return None


def _is_record(value: Record) -> bool:
    """Tells a record from an object inside the one that was cut off, which may end with a brace too."""
    return isinstance(value.get("type"), str) and any(key in value for key in _OWN_KEYS)


def _skip_blanks(line: bytes, position: int) -> int:
    blank = _SKIP.match(line, position)
    return blank.end() if blank else position


def _decode(data: bytes) -> tuple[Any, str]:
    """The value, and "whole" or the kind of damage that was repaired."""
    try:
        return orjson.loads(data), "whole"
    except orjson.JSONDecodeError:
        return _decode_damaged(data)


def _decode_damaged(data: bytes) -> tuple[Any, str]:
    text = data.replace(b"\0", b"").decode("utf-8", "replace")
    if _SURROGATE.search(text):
        text = _ESCAPE.sub(_without_lone_surrogate, text)
    kind = "nul" if b"\0" in data else "encoding" if _CONTROL.search(text) or "\\ufffd" in text else "number"
    try:
        return _DECODER.decode(text), kind
    except RecursionError as error:
        raise TooDeepError("nested too deeply") from error


def _without_lone_surrogate(escape: re.Match[str]) -> str:
    return "\\ufffd" if escape.group(1) else escape.group()


def _parse_integer(digits: str) -> float | None:
    """As orjson reads them, because Python refuses to read integers of thousands of digits."""
    return int(digits) if len(digits) <= _LONGEST_INTEGER else _parse_real(digits)


def _parse_real(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _parse_constant(_constant: str) -> None:
    return None


_DECODER = json.JSONDecoder(
    strict=False, parse_int=_parse_integer, parse_float=_parse_real, parse_constant=_parse_constant
)
