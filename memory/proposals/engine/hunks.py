"""A change in pieces, each of which can be taken or left."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memory.files.engine.merging import match_lines
from memory.files.engine.reading.text import split_lines


@dataclass(frozen=True, slots=True)
class Hunk:
    number: int
    """From 0, in the order of the text."""
    old_start: int
    """The line before which it begins, from 0."""
    old: tuple[str, ...]
    new: tuple[str, ...]


def split_hunks(old: str, new: str) -> tuple[Hunk, ...]:
    """The changes that make `new` of `old`; at least one line between any two of them stays."""
    before, after = split_lines(old), split_lines(new)
    found: list[Hunk] = []
    i = j = 0
    for left, right, size in [*match_lines(before, after), (len(before), len(after), 0)]:
        if left > i or right > j:
            found.append(Hunk(len(found), i, tuple(before[i:left]), tuple(after[j:right])))
        i, j = left + size, right + size
    return tuple(found)


def apply_hunks(old: str, new: str, accepted: Collection[int]) -> str:
    """`old` with those changes alone. Numbers that are none of a hunk raise a ValueError."""
    before, parts = split_lines(old), split_hunks(old, new)
    strangers = set(accepted) - {hunk.number for hunk in parts}
    if strangers:
        raise ValueError(f"There is no change {min(strangers)}; there are {len(parts)}.")
    lines: list[str] = []
    at = 0
    for hunk in parts:
        lines += before[at : hunk.old_start]
        lines += hunk.new if hunk.number in accepted else hunk.old
        at = hunk.old_start + len(hunk.old)
    lines += before[at:]
    return "".join([line if line.endswith("\n") else f"{line}\n" for line in lines[:-1]] + lines[-1:])
