"""A change in pieces, each of which can be accepted on its own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memory.files.engine.merging import match_lines
from memory.files.engine.reading.text import split_lines


@dataclass(frozen=True, slots=True)
class Hunk:
    number: int
    """Counted from 0."""
    old_start: int
    """The first line, counted from 0."""
    old: tuple[str, ...]
    new: tuple[str, ...]


def split_hunks(old: str, new: str) -> tuple[Hunk, ...]:
    """The changes that turn `old` into `new`; at least one unchanged line stands between any two."""
    before, after = split_lines(old), split_lines(new)
    hunks: list[Hunk] = []
    i = j = 0
    for left, right, size in [*match_lines(before, after), (len(before), len(after), 0)]:
        if left > i or right > j:
            hunks.append(Hunk(len(hunks), i, tuple(before[i:left]), tuple(after[j:right])))
        i, j = left + size, right + size
    return tuple(hunks)


def apply_hunks(old: str, new: str, accepted: Collection[int]) -> str:
    """`old` with only the accepted changes. An unknown number raises ValueError."""
    before, hunks = split_lines(old), split_hunks(old, new)
    unknown = set(accepted) - {hunk.number for hunk in hunks}
    if unknown:
        raise ValueError(f"There is no change {min(unknown)}; there are {len(hunks)}.")
    lines: list[str] = []
    position = 0
    for hunk in hunks:
        lines += before[position : hunk.old_start]
        lines += hunk.new if hunk.number in accepted else hunk.old
        position = hunk.old_start + len(hunk.old)
    lines += before[position:]
    return "".join([line if line.endswith("\n") else f"{line}\n" for line in lines[:-1]] + lines[-1:])
