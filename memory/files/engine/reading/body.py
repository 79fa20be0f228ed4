"""The lines of a body, and which of them are code. Bounded, because files may have any size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count, repeat
from typing import NamedTuple

MOST_CHARACTERS = 200_000
"""Per body. The rest of a larger one is ignored."""
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")


class BodyLine(NamedTuple):
    number: int
    """In the file, from 1."""
    text: str
    in_code: bool


def body_lines(body: str, first: int) -> Iterator[BodyLine]:
    lines = body[:MOST_CHARACTERS].split("\n")
    if "```" not in body and "~~~" not in body:
        # The fast path for most bodies: thousands are linted at once.
        yield from map(BodyLine._make, zip(count(first), lines, repeat(False)))
        return
    fence = ""
    for number, text in enumerate(lines, start=first):
        mark = _FENCE.match(text)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
            yield BodyLine(number, text, True)
        else:
            yield BodyLine(number, text, bool(fence))
