"""The part of an index that the agent loads: up to 200 lines or 25,000 bytes, and a warning if it was cut.

Front matter, HTML comments at the start of a line, and blank lines at both ends do not count and are not loaded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from memory.files.engine.reading.header import read_header
from memory.files.engine.reading.text import split_lines

MOST_LINES = 200
MOST_BYTES = 25_000
MOST_EXAMINED = 150_000
"""Lines that are examined one by one; the rest counts as one more line."""
LONGEST_ENTRY = 150
"""Characters of a line in the index that the agent is advised not to exceed."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_COMMENT = re.compile(r" {0,3}<!--")


class Fate(StrEnum):
    LOADED = "loaded"
    PARTLY = "partly"
    """The first line exceeds the limit by itself; its beginning is loaded."""
    CUT = "cut"
    LEFT_OUT = "left out"
    """A comment, front matter, or a blank line at either end."""


@dataclass(frozen=True, slots=True)
class LoadedText:
    text: str
    """The loaded text, without the warning."""
    warning: str
    """Empty if nothing was cut."""
    fates: tuple[Fate, ...]
    """One per line of the file."""
    bytes: int
    """Loaded bytes of the file. The ending of the last line counts if nothing was cut."""

    @property
    def lines(self) -> int:
        return sum(fate in (Fate.LOADED, Fate.PARTLY) for fate in self.fates)

    @property
    def cut_lines(self) -> tuple[int, ...]:
        """Line numbers, from 1."""
        return tuple(number for number, fate in enumerate(self.fates, start=1) if fate in (Fate.CUT, Fate.PARTLY))

    @property
    def agent_text(self) -> str:
        """The text that the agent gets."""
        return f"{self.text}\n\n> {self.warning}" if self.warning else self.text


def load_index(text: str) -> LoadedText:
    lines = split_lines(text, MOST_EXAMINED)
    candidates = _content_lines(lines)
    fates = [Fate.LEFT_OUT] * len(lines)
    for index, _ in candidates:
        fates[index] = Fate.CUT
    line_count, size = 0, 0
    for index, line in candidates[:MOST_LINES]:
        # The ending of the last line does not count: it is trimmed.
        if size + _byte_count(line.removesuffix("\n")) > MOST_BYTES:
            break
        size += _byte_count(line)
        fates[index] = Fate.LOADED
        line_count += 1
    loaded = "".join(line for _, line in candidates[:line_count])
    if candidates and not line_count:
        fates[candidates[0][0]] = Fate.PARTLY
        loaded = _truncate_line(candidates[0][1])
    if line_count == len(candidates):
        return LoadedText(loaded.strip(), "", tuple(fates), _byte_count(loaded))
    # The last examined line holds all the rest.
    rest = candidates[-1][1].rstrip("\n").count("\n")
    warning = _warning(len(candidates) + rest, _byte_count("".join(line for _, line in candidates).rstrip("\n")))
    loaded = loaded.rstrip("\n")
    return LoadedText(loaded.strip(), warning, tuple(fates), _byte_count(loaded))


def without_comments(text: str) -> str:
    """The text without front matter, comments, and blank lines at both ends: what the agent loads of other files."""
    return "".join(line for _, line in _content_lines(split_lines(text))).strip()


def blank_comments(text: str) -> str:
    """Like `without_comments`, but with blank lines in place of what is removed."""
    lines = split_lines(text)
    content = dict(_content_lines(lines))
    return "".join(content.get(index, "\n") for index in range(len(lines)))


def _byte_count(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))


def _truncate_line(line: str) -> str:
    return line.encode("utf-8", "surrogateescape")[:MOST_BYTES].decode("utf-8", "ignore")


def _content_lines(lines: list[str]) -> list[tuple[int, str]]:
    """Lines without front matter, comments and blank lines at both ends, with their indexes."""
    content: list[tuple[int, str]] = []
    fence, comment = "", False
    header = read_header(lines)
    for index in range(header.last if header.fields else 0, len(lines)):
        line = lines[index]
        if not comment and (mark := _FENCE.match(line)):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence:
            comment, line = _strip_comment(line, comment)
        if line:
            content.append((index, line))
    while content and not content[0][1].strip():
        content.pop(0)
    while content and not content[-1][1].strip():
        content.pop()
    return content


def _strip_comment(line: str, inside: bool) -> tuple[bool, str]:
    """Whether a comment is still open after this line, and what is left of the line."""
    if not inside and not _COMMENT.match(line):
        return False, line
    _, closed, rest = line.partition("-->")
    if not closed:
        return True, ""
    return False, rest if rest.strip() else ""


def _warning(lines: int, size: int) -> str:
    """The client's own wording, as seen in recordings."""
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
