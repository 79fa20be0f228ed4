"""Puts untrusted text into Markdown: in fences that it cannot close, in code spans, or escaped within a line."""

from __future__ import annotations

import re

_BACKTICKS = re.compile(r"`+")
_SPACE = re.compile(r"\s+")
_SPECIAL = re.compile(r"[\\`*\[\]<>#~]|(?<!\w)_|_(?!\w)|&(?=[#\w])")


def make_fence(text: str, language: str = "") -> str:
    """The text in a fence that is longer than any run of backticks in it."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def make_code_span(text: str) -> str:
    """One line as a code span; empty if there is no text."""
    flat = _SPACE.sub(" ", text).strip()
    if not flat:
        return ""
    longest = max((len(run) for run in _BACKTICKS.findall(flat)), default=0)
    ticks = "`" * (longest + 1)
    padding = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{ticks}{padding}{flat}{padding}{ticks}"


def escape_line(text: str) -> str:
    """The text on one line, with all markup escaped."""
    return _SPECIAL.sub(r"\\\g<0>", _SPACE.sub(" ", text).strip())
