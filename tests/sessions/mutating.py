"""Transcripts with accidents: what a crash, a bad disk, another tool or a new release may make of a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.demo import names

Lines = list[bytes]

WRONG: list[Any] = [
    *(None, True, False, 0, -1, 3.5, 1e308, 2**63, 2**70, "", "x", "\ud800", "\0", "9" * 400, "2026-13-99T99:99:99Z"),
    *([], [None], ["x", 3], [[[]]], {}, {"type": None}, {"0": "a", "1": "b"}, {"type": "text", "text": 5}),
    [{"type": "tool_use", "id": 7, "name": None, "input": []}],
    [{"type": "tool_result", "tool_use_id": {}, "content": [{"type": "image", "source": "x"}]}],
]
SLICES = ("long", "survey", "fork", "cleared", "old", "sibling", "odd", "survey/constants")
LONGEST = 45


@cache
def lines_of(label: str) -> tuple[bytes, ...]:
    return tuple(names.expected(label).path.read_bytes().split(b"\n"))


@dataclass(frozen=True, slots=True)
class Accident:
    """What happens, where, and two numbers and a value that say how."""

    kind: str
    line: int
    more: int
    value: Any

    def befall(self, lines: Lines) -> None:
        if lines:
            _ACCIDENTS[self.kind](lines, self.line % len(lines), self.more, self.value)


def _delete(lines: Lines, at: int, more: int, value: Any) -> None:
    del lines[at]


def _repeat(lines: Lines, at: int, more: int, value: Any) -> None:
    lines.insert(more % (len(lines) + 1), lines[at])


def _swap(lines: Lines, at: int, more: int, value: Any) -> None:
    other = more % len(lines)
    lines[at], lines[other] = lines[other], lines[at]


def _cut(lines: Lines, at: int, more: int, value: Any) -> None:
    lines[at] = lines[at][: more % (len(lines[at]) + 1)]


def _glue(lines: Lines, at: int, more: int, value: Any) -> None:
    if at + 1 < len(lines):
        lines[at : at + 2] = [lines[at][: len(lines[at]) - more % 3] + lines[at + 1]]


def _zero(lines: Lines, at: int, more: int, value: Any) -> None:
    place = more % (len(lines[at]) + 1)
    lines[at] = lines[at][:place] + b"\0" * (more % 50 + 1) + lines[at][place:]


def _spoil(lines: Lines, at: int, more: int, value: Any) -> None:
    place = more % (len(lines[at]) + 1)
    lines[at] = lines[at][:place] + bytes([more % 256]) + lines[at][place + 1 :]


def _wrong(lines: Lines, at: int, more: int, value: Any) -> None:
    """Another type somewhere in the record."""

    def put(record: dict[str, Any]) -> None:
        places = list(_places(record))
        if places:
            holder, key = places[more % len(places)]
            holder[key] = value

    _change(lines, at, put)


def _lose(lines: Lines, at: int, more: int, value: Any) -> None:
    def lose(record: dict[str, Any]) -> None:
        places = list(_places(record))
        if places:
            holder, key = places[more % len(places)]
            del holder[key]

    _change(lines, at, lose)


def _link(name: str, other: str) -> Callable[[Lines, int, int, Any], None]:
    """Give a record the id that another has: a repeated uuid, a parent below, a cycle."""

    def link(lines: Lines, at: int, more: int, value: Any) -> None:
        source = _record(lines[more % len(lines)])
        if source is not None and isinstance(source.get(other), str):
            _change(lines, at, lambda record: record.__setitem__(name, source[other]))

    return link


_ACCIDENTS: dict[str, Callable[[Lines, int, int, Any], None]] = {
    "a line is lost": _delete,
    "a line is repeated": _repeat,
    "two lines are swapped": _swap,
    "a line is cut": _cut,
    "two lines are glued": _glue,
    "zeros are written": _zero,
    "a byte is wrong": _spoil,
    "a value has another type": _wrong,
    "a key is missing": _lose,
    "a uuid is repeated": _link("uuid", "uuid"),
    "a parent is another": _link("parentUuid", "uuid"),
    "a record is its own parent": lambda lines, index, more, value: _link("parentUuid", "uuid")(
        lines, index, index, value
    ),
}


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _change(lines: Lines, at: int, change: Callable[[dict[str, Any]], None]) -> None:
    record = _record(lines[at])
    if record is not None:
        change(record)
        lines[at] = json.dumps(record).encode()


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every holder of a value in a record, with the key that it is held by."""
    results: list[tuple[Any, Any]] = []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        results += [(value, key), *_places(item)]
    return results


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A stretch of a demo transcript to which one or more accidents happened."""
    whole = lines_of(draw(st.sampled_from(SLICES)))
    start = draw(st.integers(0, max(0, len(whole) - LONGEST)))
    lines = list(whole[start : start + draw(st.integers(3, LONGEST))])
    number = st.integers(0, 100_000)
    for accident in draw(
        st.lists(
            st.builds(Accident, st.sampled_from(sorted(_ACCIDENTS)), number, number, st.sampled_from(WRONG)),
            min_size=1,
            max_size=8,
        )
    ):
        accident.befall(lines)
    return b"\n".join(lines) + draw(st.sampled_from([b"\n", b"\n", b""]))
