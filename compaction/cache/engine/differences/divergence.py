"""Where two requests diverge: the block, and the byte inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class DivergenceSide:
    """One of the two requests at the divergence."""

    path: str = ""
    """Empty if there is nothing there."""
    characters: int = 0
    position: int | None = None
    """The record that the block came from."""


@dataclass(frozen=True, slots=True)
class Divergence:
    part: str
    """tools, system, messages, or the name of a parameter"""
    path: str
    """In the later request; in the earlier one if the later one has nothing there."""
    offset: int | None = None
    """Bytes at the start of the block that are the same, in UTF-8."""
    old: DivergenceSide = DivergenceSide()
    new: DivergenceSide = DivergenceSide()

    def to_json(self) -> dict[str, Any]:
        sides = {
            name: {"path": side.path, "chars": side.characters, "position": side.position}
            for name, side in (("old", self.old), ("new", self.new))
        }
        return {"part": self.part, "path": self.path, "offset": self.offset, **sides}


@dataclass(frozen=True, slots=True)
class TextEdit:
    """What differs between two texts apart from a common start and end."""

    same_characters: int
    """Characters at the start that are the same."""
    removed: int
    added: int

    def summary(self) -> str:
        return f"+{self.added:,}/-{self.removed:,} chars"


def edit_of(old: str, new: str) -> TextEdit:
    most = min(len(old), len(new))
    start = _common_start(old, new, most)
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return TextEdit(start, len(old) - start - end, len(new) - start - end)


def byte_offset(text: str, characters: int) -> int:
    return len(text[:characters].encode("utf-8", "surrogatepass"))


def _common_start(old: str, new: str, most: int) -> int:
    """A binary search, because the texts are long and mostly the same."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
