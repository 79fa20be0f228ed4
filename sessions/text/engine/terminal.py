"""Makes text of a transcript safe for a terminal, which obeys control sequences: colours, titles, even input."""

from __future__ import annotations

import re

# Control characters, and those that change the direction of text.
_OBEYED = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text on one line, without anything that a terminal would obey."""
    return _OBEYED.sub("\ufffd", re.sub(r"\s+", " ", text))
