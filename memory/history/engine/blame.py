"""Which version each line came with. A version that restores an earlier text also restores its authors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from memory.files.engine.merging import match_lines
from memory.files.engine.reading.text import split_lines

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class BlamedLine(Generic[V]):
    text: str
    """With its line ending."""
    version: V


def blame(versions: Iterable[tuple[V, str]]) -> tuple[BlamedLine[V], ...]:
    """The lines of the last text, each with the version that added it. `versions`: the oldest first."""
    lines: tuple[BlamedLine[V], ...] = ()
    blamed: dict[str, tuple[BlamedLine[V], ...]] = {}
    for version, text in versions:
        if text not in blamed:
            new = split_lines(text)
            current: list[BlamedLine[V]] = [BlamedLine(line, version) for line in new]
            for left, right, size in match_lines([line.text for line in lines], new):
                current[right : right + size] = lines[left : left + size]
            blamed[text] = tuple(current)
        lines = blamed[text]
    return lines
