"""Includes: `@path` in an instruction file loads another file with it, except in code and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_SPAN = re.compile(r"(`+)(?!`).{0,2000}?(?<!`)\1(?!`)")
_AT = re.compile(r"(?:^|(?<=\s))@((?:\\ |[^\s`@\\]){1,1000})")
_PATH = re.compile(r"(?:~?/|\.{1,2}/|[A-Za-z0-9_.-])")
_MARKS = ".,;:!?)]}'\"*_"
_LIST = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
LOOKS_LIKE_A_FILE = re.compile(r"/|\.[A-Za-z0-9]{1,8}$")


@dataclass(frozen=True, slots=True)
class WrittenInclude:
    text: str
    """As written, without the `@`."""
    line: int

    @property
    def candidates(self) -> tuple[str, ...]:
        """Possible paths: as written, and without punctuation at the end."""
        plain = self.text.replace("\\ ", " ").partition("#")[0]
        return tuple(dict.fromkeys(path for path in (plain, plain.rstrip(_MARKS)) if path))

    @property
    def is_file_like(self) -> bool:
        """Does it look like a file? `@somebody` is a mention, not a failed include."""
        return bool(LOOKS_LIKE_A_FILE.search(self.candidates[-1])) if self.candidates else False


def find_includes(text: str) -> Iterator[WrittenInclude]:
    for number, line in prose_lines(text):
        if "@" in line:
            for match in _AT.finditer(_SPAN.sub(" ", line)):
                if _PATH.match(match[1]):
                    yield WrittenInclude(match[1], number)


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines outside code blocks, with their numbers."""
    fence, blank, listed = "", True, False
    for number, line in enumerate(text.split("\n"), start=1):
        mark = _FENCE.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            continue
        if fence:
            continue
        indented = blank and not listed and line.startswith(("    ", "\t")) and bool(line.strip())
        if line.strip():
            listed = bool(_LIST.match(line)) or (listed and line[0] in " \t")
        if indented:
            continue
        blank = not line.strip()
        yield number, line
