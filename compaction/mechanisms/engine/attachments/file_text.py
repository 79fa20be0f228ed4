"""What is known about the text of a file: all of it, some of its lines, or the reason why nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

_NUMBERED = re.compile(r" *(\d+)(\t|→)(.*)")
_REMINDER = "<system-reminder>"


@dataclass(frozen=True, slots=True)
class LineForm:
    """How the client numbers lines and what it adds after them, which both changed between versions."""

    has_arrows: bool = False
    ending: str = ""

    def number(self, lines: Sequence[str], first: int) -> str:
        if self.has_arrows:
            return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, first))
        return "\n".join(f"{number}\t{line}" for number, line in enumerate(lines, first))


@dataclass(frozen=True, slots=True)
class FilePart:
    first: int
    """The number of its first line, from one."""
    lines: tuple[str, ...]

    @property
    def end(self) -> int:
        """The number of the line after it."""
        return self.first + len(self.lines)


@dataclass(frozen=True, slots=True)
class FileText:
    parts: tuple[FilePart, ...] = ()
    """In order, with gaps between them."""
    total: int | None = None
    """The lines of the whole file, if that is known."""
    unknown: str = ""
    """Why nothing is known of its text."""
    is_too_large: bool = False
    """The client has found it too large to attach."""
    raw: str = ""
    """What a tool showed of a file without lines, such as a notebook."""
    form: LineForm = LineForm()

    @classmethod
    def whole(cls, text: str) -> FileText:
        lines = tuple(text.split("\n"))
        return cls((FilePart(1, lines),), len(lines))

    @property
    def is_whole(self) -> bool:
        return self.total is not None and len(self.parts) == 1 and self.parts[0].end > self.total

    @property
    def text(self) -> str:
        """The known lines, with their numbers."""
        if self.raw:
            return self.raw
        return "\n".join(self.form.number(part.lines, part.first) for part in self.parts)

    @property
    def least_characters(self) -> int:
        """The least length of the whole file: that of the known lines, or an estimate for all lines based on them."""
        known = sum(len(part.lines) for part in self.parts)
        if not known or self.total is None or known >= self.total:
            return len(self.text)
        return max(len(self.text), len(self.text) * self.total // known)

    def describe_lines(self) -> str:
        """Which lines are known, for people."""
        ranges = " and ".join(f"{part.first:,} to {part.end - 1:,}" for part in self.parts)
        return f"lines {ranges} of {f'{self.total:,}' if self.total is not None else 'an unknown number'}"

    def with_part(self, part: FilePart, total: int | None) -> FileText:
        """Lines that were just read replace what was known of them."""
        others = [rest for known in self.parts for rest in _cut_out(known, part)]
        merged: list[FilePart] = []
        for piece in sorted([*others, part], key=lambda piece: piece.first):
            if merged and merged[-1].end == piece.first:
                merged[-1] = FilePart(merged[-1].first, (*merged[-1].lines, *piece.lines))
            else:
                merged.append(piece)
        return replace(self, parts=tuple(merged), total=total, unknown="", raw="", is_too_large=False)

    def edited(self, old: str, new: str, *, everywhere: bool) -> FileText | None:
        """After a replacement; None if the text to replace is in no known part."""
        shift, parts, done = 0, [], False
        for part in self.parts:
            text = "\n".join(part.lines)
            if old and old in text and (everywhere or not done):
                text, done = text.replace(old, new, -1 if everywhere else 1), True
            lines = tuple(text.split("\n"))
            parts.append(FilePart(part.first + shift, lines))
            shift += len(lines) - len(part.lines)
        return replace(self, parts=tuple(parts), total=self.total and self.total + shift) if done else None


def read_numbered(text: str) -> tuple[FilePart | None, LineForm]:
    """The lines of a result that numbers them, and how it does."""
    lines: list[str] = []
    first, arrows, rest = 0, False, ""
    numbered = text.split("\n")
    for index, line in enumerate(numbered):
        match = _NUMBERED.fullmatch(line)
        if match is None or (lines and int(match[1]) != first + len(lines)):
            rest = "\n".join(("", *numbered[index:]))
            break
        if not lines:
            first, arrows = int(match[1]), match[2] == "→"
        lines.append(match[3])
    ending = rest if rest.lstrip().startswith(_REMINDER) else ""
    return (FilePart(first, tuple(lines)) if lines else None), LineForm(arrows, ending)


def _cut_out(known: FilePart, part: FilePart) -> Iterator[FilePart]:
    if known.first < part.first:
        yield FilePart(known.first, known.lines[: part.first - known.first])
    if known.end > part.end:
        start = max(known.first, part.end)
        yield FilePart(start, known.lines[start - known.first :])
