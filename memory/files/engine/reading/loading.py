"""What the agent gets of an index: 200 lines or 25,000 bytes, whichever comes first, and a warning where it was cut.

Front matter and HTML comments that begin a line do not count and are not loaded; blank lines at both ends neither.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from memory.files.engine.reading.header import read_header
from memory.files.engine.reading.text import split_lines

MOST_LINES = 200
MOST_BYTES = 25_000
MOST_LOOKED_AT = 150_000
"""Lines that get a fate of their own; all that follows is one more."""
LONGEST_ENTRY = 150
"""Characters of a line in the index, as advised to the agent."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_COMMENT = re.compile(r" {0,3}<!--")


class Fate(StrEnum):
    LOADED = "loaded"
    PARTLY = "partly"
    """The first line alone is larger than the limit; its beginning is loaded."""
    CUT = "cut"
    LEFT_OUT = "left out"
    """A comment, front matter, or a blank line at either end: not loaded, and not missed."""


@dataclass(frozen=True, slots=True)
class Loaded:
    text: str
    """What is loaded of the file, without the warning."""
    warning: str
    """Empty where nothing was cut."""
    fates: tuple[Fate, ...]
    """Of each line of the file."""
    bytes: int
    """Of the file that are loaded; the end of the last line counts where nothing was cut."""

    @property
    def lines(self) -> int:
        return sum(fate in (Fate.LOADED, Fate.PARTLY) for fate in self.fates)

    @property
    def cut_lines(self) -> tuple[int, ...]:
        """Their numbers, counted from 1."""
        return tuple(at for at, fate in enumerate(self.fates, start=1) if fate in (Fate.CUT, Fate.PARTLY))

    @property
    def given(self) -> str:
        """The text as the agent gets it."""
        return f"{self.text}\n\n> {self.warning}" if self.warning else self.text


def load(text: str) -> Loaded:
    lines = split_lines(text, MOST_LOOKED_AT)
    kept = _kept(lines)
    fates = [Fate.LEFT_OUT] * len(lines)
    for at, _ in kept:
        fates[at] = Fate.CUT
    taken, size = 0, 0
    for at, line in kept[:MOST_LINES]:
        # The end of a line that is the last one does not count: it is trimmed.
        if size + _size(line.removesuffix("\n")) > MOST_BYTES:
            break
        size += _size(line)
        fates[at] = Fate.LOADED
        taken += 1
    loaded = "".join(line for _, line in kept[:taken])
    if kept and not taken:
        fates[kept[0][0]] = Fate.PARTLY
        loaded = _beginning(kept[0][1])
    if taken == len(kept):
        return Loaded(loaded.strip(), "", tuple(fates), _size(loaded))
    # The last one of the lines that are looked at is all the rest.
    rest = kept[-1][1].rstrip("\n").count("\n")
    warning = _warning(len(kept) + rest, _size("".join(line for _, line in kept).rstrip("\n")))
    loaded = loaded.rstrip("\n")
    return Loaded(loaded.strip(), warning, tuple(fates), _size(loaded))


def without_comments(text: str) -> str:
    """What the agent gets of a file that has no limit: without front matter, comments, and blank lines at both ends."""
    return "".join(line for _, line in _kept(split_lines(text))).strip()


def blanked(text: str) -> str:
    """The same with its lines in their places."""
    lines = split_lines(text)
    kept = dict(_kept(lines))
    return "".join(kept.get(at, "\n") for at in range(len(lines)))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _beginning(line: str) -> str:
    return line.encode("utf-8", "surrogateescape")[:MOST_BYTES].decode("utf-8", "ignore")


def _kept(lines: list[str]) -> list[tuple[int, str]]:
    """Lines without front matter and comments, with their places, from the first that says something to the last."""
    kept: list[tuple[int, str]] = []
    fence, comment = "", False
    header = read_header(lines)
    for at in range(header.last if header.fields else 0, len(lines)):
        line = lines[at]
        if not comment and (mark := _FENCE.match(line)):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence:
            comment, line = _uncommented(line, comment)
        if line:
            kept.append((at, line))
    while kept and not kept[0][1].strip():
        kept.pop(0)
    while kept and not kept[-1][1].strip():
        kept.pop()
    return kept


def _uncommented(line: str, inside: bool) -> tuple[bool, str]:
    """Is a comment open behind this line, and what is left of the line; nothing at all where it was a comment."""
    if not inside and not _COMMENT.match(line):
        return False, line
    _, closed, rest = line.partition("-->")
    if not closed:
        return True, ""
    return False, rest if rest.strip() else ""


def _warning(lines: int, size: int) -> str:
    """In the words that the client was seen to use."""
    if lines > MOST_LINES and size > MOST_BYTES:
        reason = f"{lines} lines and {_kilobytes(size)}"
    elif lines > MOST_LINES:
        reason = f"{lines} lines (limit: {MOST_LINES})"
    else:
        reason = f"{_kilobytes(size)} (limit: {_kilobytes(MOST_BYTES)}) — index entries are too long"
    return (
        f"WARNING: MEMORY.md is {reason}. Only part of it was loaded. "
        "Keep index entries to one line under ~200 chars; move detail into topic files."
    )


def _kilobytes(size: int) -> str:
    return f"{size / 1024:.1f}".removesuffix(".0") + "KB"
