"""Three-way merge by lines: a change of one side, or the same change on both, is taken; the rest is a conflict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from memory.files.engine.merging.matching import LineMatch, match_lines
from memory.files.engine.reading.text import split_lines

Lines = tuple[str, ...]
Region = tuple[int, int, int, int]
"""Where a common region starts in base, ours and theirs, and its number of lines."""


class LineOrigin(StrEnum):
    UNCHANGED = "unchanged"
    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"
    """The same change on both sides."""


class Choice(StrEnum):
    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"
    """Ours, then theirs."""
    BASE = "base"


@dataclass(frozen=True, slots=True)
class AgreedLines:
    lines: Lines
    origin: LineOrigin


@dataclass(frozen=True, slots=True)
class Conflict:
    base: Lines
    ours: Lines
    theirs: Lines


@dataclass(frozen=True, slots=True)
class Merge:
    parts: tuple[AgreedLines | Conflict, ...]

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        return tuple(part for part in self.parts if isinstance(part, Conflict))

    @property
    def is_clean(self) -> bool:
        return not self.conflicts

    def text(self, choices: Sequence[Choice | str] = ()) -> str:
        """The merged text. `choices`: one per conflict, in order; any other string is used as the text itself."""
        if len(choices) != len(self.conflicts):
            raise ValueError(f"{len(self.conflicts)} conflicts need as many choices, not {len(choices)}.")
        chosen = iter(choices)
        parts = (
            part.lines if isinstance(part, AgreedLines) else _choose_lines(part, next(chosen)) for part in self.parts
        )
        return _join_lines(parts)


def merge(base: str, ours: str, theirs: str) -> Merge:
    """Merges two changes of `base`."""
    b, o, t = split_lines(base), split_lines(ours), split_lines(theirs)
    parts: list[AgreedLines | Conflict] = []
    b1 = o1 = t1 = 0
    for b2, o2, t2, size in _find_common_regions(match_lines(b, o), match_lines(b, t), (len(b), len(o), len(t))):
        parts += _resolve(tuple(b[b1:b2]), tuple(o[o1:o2]), tuple(t[t1:t2]))
        if size:
            parts.append(AgreedLines(tuple(b[b2 : b2 + size]), LineOrigin.UNCHANGED))
        b1, o1, t1 = b2 + size, o2 + size, t2 + size
    return Merge(tuple(parts))


def _find_common_regions(
    ours: Sequence[LineMatch], theirs: Sequence[LineMatch], end: tuple[int, int, int]
) -> Iterator[Region]:
    """The regions that all three share, and an empty one at the end."""
    our_index = their_index = 0
    while our_index < len(ours) and their_index < len(theirs):
        mine, yours = ours[our_index], theirs[their_index]
        start, stop = max(mine.left, yours.left), min(mine.left + mine.size, yours.left + yours.size)
        if start < stop:
            yield start, mine.right + start - mine.left, yours.right + start - yours.left, stop - start
        if mine.left + mine.size <= yours.left + yours.size:
            our_index += 1
        else:
            their_index += 1
    yield (*end, 0)


def _resolve(base: Lines, ours: Lines, theirs: Lines) -> list[AgreedLines | Conflict]:
    if ours == theirs:
        return [AgreedLines(ours, LineOrigin.BOTH)] if ours else []
    if ours == base:
        return [AgreedLines(theirs, LineOrigin.THEIRS)] if theirs else []
    if theirs == base:
        return [AgreedLines(ours, LineOrigin.OURS)] if ours else []
    most = min(len(ours), len(theirs))
    head = next((offset for offset in range(most) if ours[offset] != theirs[offset]), most)
    tail = next((offset for offset in range(most - head) if ours[-1 - offset] != theirs[-1 - offset]), most - head)
    conflict = Conflict(base, ours[head : len(ours) - tail], theirs[head : len(theirs) - tail])
    ends = ours[:head], ours[len(ours) - tail :]
    parts: list[AgreedLines | Conflict] = [AgreedLines(ends[0], LineOrigin.BOTH)] if head else []
    parts.append(conflict)
    return [*parts, AgreedLines(ends[1], LineOrigin.BOTH)] if tail else parts


def _choose_lines(conflict: Conflict, choice: Choice | str) -> Lines:
    if choice == Choice.OURS:
        return conflict.ours
    if choice == Choice.THEIRS:
        return conflict.theirs
    if choice == Choice.BASE:
        return conflict.base
    if choice == Choice.BOTH:
        return (*conflict.ours, *conflict.theirs)
    return tuple(split_lines(choice))


def _join_lines(parts: Iterator[Lines]) -> str:
    """Adds the missing ending to a line that used to be the last one."""
    lines = [line for part in parts for line in part]
    return "".join([line if line.endswith("\n") else f"{line}\n" for line in lines[:-1]] + lines[-1:])
