"""Where two requests part: to the block, and to the byte inside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two requests at that place."""

    path: str = ""
    """Empty if there is nothing there."""
    characters: int = 0
    position: int | None = None
    """Of the record that the block came from."""


@dataclass(frozen=True, slots=True)
class Place:
    part: str
    """tools, system, messages, or the name of a parameter"""
    path: str
    """In the later request, or in the earlier one for what is gone from the later."""
    offset: int | None = None
    """Bytes of the block that are the same, in UTF-8."""
    old: Side = Side()
    new: Side = Side()

    def to_json(self) -> dict[str, Any]:
        sides = {
            name: {"path": side.path, "chars": side.characters, "position": side.position}
            for name, side in (("old", self.old), ("new", self.new))
        }
        return {"part": self.part, "path": self.path, "offset": self.offset, **sides}


@dataclass(frozen=True, slots=True)
class Edit:
    """The stretch that differs between two texts, once what is the same at both ends is taken away."""

    same: int
    """Characters at the start."""
    removed: int
    added: int

    def words(self) -> str:
        return f"+{self.added:,}/-{self.removed:,} chars"


def edit_of(old: str, new: str) -> Edit:
    most = min(len(old), len(new))
    start = _common(old, new, most)
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return Edit(start, len(old) - start - end, len(new) - start - end)


def byte_offset(text: str, characters: int) -> int:
    return len(text[:characters].encode("utf-8", "surrogatepass"))


def _common(old: str, new: str, most: int) -> int:
    """By halves: the texts are long and mostly the same."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
