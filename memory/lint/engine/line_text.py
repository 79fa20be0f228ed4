"""Prepares lines for rules and for quoting in messages."""

from __future__ import annotations

import re

from memory.files.engine.reading.body import MOST_CHARACTERS

__all__ = ["MOST_CHARACTERS", "without_code"]

_SPAN = re.compile(r"`[^`\n]{0,500}`")
_QUOTED = re.compile(r"“[^”\n]{0,300}”|\"[^\"\n]{0,300}\"")


def without_code(text: str) -> str:
    """The line with code spans and quotations blanked; positions stay the same."""
    text = _SPAN.sub(_blank_out, text) if "`" in text else text
    return _QUOTED.sub(_blank_out, text) if '"' in text or "“" in text else text


def _blank_out(match: re.Match[str]) -> str:
    return " " * len(match[0])
