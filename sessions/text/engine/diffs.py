"""Diffs by line and by word, from the patch that a tool recorded or from the old and the new text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any

from sessions.text.engine.matching import common_ends

Segment = tuple[str, bool]
"""A run of text, and whether it changed within its line."""

CONTEXT = 3
MAX_LINES = 1500
"""difflib is quadratic on unlike texts: past this many lines a side, the middle counts as replaced."""
MAX_WORDS = 80
MAX_LINE = 500
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Line:
    kind: str
    """A blank, `+` or `-`; `~` for a word of ours about lines left out."""
    segments: tuple[Segment, ...]

    @property
    def text(self) -> str:
        return "".join(text for text, _ in self.segments)


@dataclass(frozen=True, slots=True)
class Hunk:
    old: int | None
    new: int | None
    """First line in the old and in the new text; None where the record does not say."""
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Diff:
    hunks: tuple[Hunk, ...]

    @property
    def added(self) -> int:
        return sum(line.kind == "+" for hunk in self.hunks for line in hunk.lines)

    @property
    def removed(self) -> int:
        return sum(line.kind == "-" for hunk in self.hunks for line in hunk.lines)

    @property
    def length(self) -> int:
        return sum(len(hunk.lines) for hunk in self.hunks)

    def head(self, lines: int) -> Diff:
        """About the first `lines` lines, with whole hunks where they fit."""
        hunks: list[Hunk] = []
        for hunk in self.hunks:
            if lines <= 0:
                break
            hunks.append(hunk if len(hunk.lines) <= lines else replace(hunk, lines=_cut(hunk.lines, lines)))
            lines -= len(hunk.lines)
        return Diff(tuple(hunks))

    def narrow(self, characters: int) -> Diff:
        """The same with lines of at most so many characters, because a file can be a single line of any length."""
        return Diff(
            tuple(replace(hunk, lines=tuple(_narrow(line, characters) for line in hunk.lines)) for hunk in self.hunks)
        )


def _narrow(line: Line, characters: int) -> Line:
    if len(line.text) <= characters:
        return line
    return plain_line(line.kind, f"{line.text[:characters]}… {len(line.text) - characters:,} more characters")


def _cut(lines: tuple[Line, ...], room: int) -> tuple[Line, ...]:
    """The first lines of a hunk. If a long removal would fill them all, its head and the head of its replacement."""
    removed = next((i for i, line in enumerate(lines) if line.kind == "-"), len(lines))
    added = next((i for i, line in enumerate(lines[removed:], removed) if line.kind != "-"), len(lines))
    if room - removed < 4 or added < room or added >= len(lines) or lines[added].kind != "+":
        return lines[:room]
    half = (room - removed) // 2
    left_out = added - removed - half
    note = (plain_line("~", f"{left_out} more removed"),) if left_out > 0 else ()
    return (*lines[: removed + half], *note, *lines[added : added + half])


def from_patch(patch: Any) -> Diff | None:
    """The diff of a `structuredPatch`; None if it is empty or not one."""
    if not isinstance(patch, list):
        return None
    hunks = [hunk for part in patch if isinstance(part, dict) and (hunk := _hunk(part))]
    return Diff(tuple(hunks)) if hunks else None


def _hunk(part: dict[str, Any]) -> Hunk | None:
    lines = part.get("lines")
    if not isinstance(lines, list):
        return None
    texts = [line for line in lines if isinstance(line, str) and line[:1] in (" ", "+", "-")]
    if not texts:
        return None
    return Hunk(
        _start(part.get("oldStart")), _start(part.get("newStart")), tuple(plain_line(t[0], t[1:]) for t in texts)
    )


def _start(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def from_texts(old: str, new: str) -> Diff:
    """The diff between two texts, without line numbers, because the texts are usually parts of a file."""
    before, after = old.split("\n"), new.split("\n")
    if not old:
        before = []
    if not new:
        after = []
    hunks = [_group(group, before, after) for group in _groups(before, after)]
    return Diff(tuple(hunks))


Opcode = tuple[str, int, int, int, int]


def _groups(before: Sequence[str], after: Sequence[str]) -> Iterator[list[Opcode]]:
    """Runs of changes with a little context. Only the part between the common start and end is compared."""
    head, tail = common_ends(before, after)
    if head == len(before) == len(after):
        return
    start, trail = max(0, head - CONTEXT), min(CONTEXT, tail)
    left, right = before[start : len(before) - tail + trail], after[start : len(after) - tail + trail]
    if max(len(left), len(right)) > MAX_LINES:
        lead, old, new = head - start, len(left) - trail, len(right) - trail
        yield _shift(
            [
                ("equal", 0, lead, 0, lead),
                ("replace", lead, old, lead, new),
                ("equal", old, len(left), new, len(right)),
            ],
            start,
        )
        return
    for group in SequenceMatcher(None, left, right).get_grouped_opcodes(CONTEXT):
        yield _shift(group, start)


def _shift(group: Iterable[Opcode], start: int) -> list[Opcode]:
    return [(tag, i1 + start, i2 + start, j1 + start, j2 + start) for tag, i1, i2, j1, j2 in group]


def _group(group: list[Opcode], before: Sequence[str], after: Sequence[str]) -> Hunk:
    lines: list[Line] = []
    for tag, i1, i2, j1, j2 in group:
        if tag == "equal":
            lines += [plain_line(" ", line) for line in before[i1:i2]]
            continue
        lines += [plain_line("-", line) for line in before[i1:i2]]
        lines += [plain_line("+", line) for line in after[j1:j2]]
    return Hunk(None, None, tuple(lines))


def plain_line(kind: str, text: str) -> Line:
    return Line(kind, ((text, False),))


def mark_words(hunk: Hunk) -> Hunk:
    """The hunk with changed words marked, where as many lines were added as removed."""
    runs = [(kind, list(run)) for kind, run in groupby(hunk.lines, key=lambda line: line.kind)]
    lines: list[Line] = []
    for (kind, run), (next_kind, next_run) in zip(runs, [*runs[1:], ("", [])], strict=False):
        if kind == "-" and next_kind == "+" and len(run) == len(next_run):
            pairs = [mark_changed_words(old.text, new.text) for old, new in zip(run, next_run, strict=True)]
            run[:] = [Line("-", old) for old, _ in pairs]
            next_run[:] = [Line("+", new) for _, new in pairs]
        lines += run
    return replace(hunk, lines=tuple(lines))


def split_words(text: str) -> list[str]:
    """Words, spaces and punctuation, which together are the whole text."""
    return _WORD.findall(text)


def mark_changed_words(old: str, new: str) -> tuple[tuple[Segment, ...], tuple[Segment, ...]]:
    """Both lines in segments, with changed words marked, unless the lines are too long or have too little in common."""
    whole = ((old, False),), ((new, False),)
    if old == new or len(old) > MAX_LINE or len(new) > MAX_LINE:
        return whole
    left, right = split_words(old), split_words(new)
    if not left or not right or max(len(left), len(right)) > MAX_WORDS:
        return whole
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    if matcher.quick_ratio() < 0.4:
        return whole
    codes = matcher.get_opcodes()
    return (
        _segments((left[i1:i2], tag != "equal") for tag, i1, i2, _, _ in codes),
        _segments((right[j1:j2], tag != "equal") for tag, _, _, j1, j2 in codes),
    )


def _segments(runs: Iterable[tuple[Sequence[str], bool]]) -> tuple[Segment, ...]:
    return tuple(("".join(run), changed) for run, changed in runs if run)
