"""Text of a transcript on its way to a terminal, which obeys what stands in it: colours, titles, even answers."""

from __future__ import annotations

import re

# Control characters of both tables, and those that turn the direction of the text around.
_OBEYED = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """On one line, and only to be seen."""
    return _OBEYED.sub("\ufffd", re.sub(r"\s+", " ", text))
