"""The parts of a topic that rules look at: bounded, because files can be of any size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.engine.reading.file import MemoryFile

MOST_CHARACTERS = 200_000
"""Of one file. The rest of a larger one is not looked at, and a finding says so."""
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_SPAN = re.compile(r"`[^`\n]{0,500}`")
_QUOTED = re.compile(r"“[^”\n]{0,300}”|\"[^\"\n]{0,300}\"")


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    text: str
    in_code: bool


def body_lines(file: MemoryFile) -> Iterator[Line]:
    """The lines behind the header."""
    fence = ""
    for number, text in enumerate(file.body[:MOST_CHARACTERS].split("\n"), start=file.body_line):
        mark = _FENCE.match(text)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            yield Line(number, text, in_code=True)
        else:
            yield Line(number, text, in_code=bool(fence))


def without_code(text: str) -> str:
    """The line with its code spans and quotations blanked, everything else in its place."""
    text = _SPAN.sub(_blank, text) if "`" in text else text
    return _QUOTED.sub(_blank, text) if '"' in text or "“" in text else text


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def excerpt(text: str, most: int = 60) -> str:
    """A few words of a line, for a message."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
