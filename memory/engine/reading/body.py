"""The lines of a body, and which of them are code. Bounded, because files can be of any size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MOST_CHARACTERS = 200_000
"""Of one body. The rest of a larger one is not looked at."""
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")


class Line(NamedTuple):
    number: int
    """In the file, counted from 1."""
    text: str
    in_code: bool


def body_lines(body: str, first: int) -> Iterator[Line]:
    lines = enumerate(body[:MOST_CHARACTERS].split("\n"), start=first)
    if "```" not in body and "~~~" not in body:
        for number, text in lines:
            yield Line(number, text, False)
        return
    fence = ""
    for number, text in lines:
        mark = _FENCE.match(text)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            yield Line(number, text, True)
        else:
            yield Line(number, text, bool(fence))
