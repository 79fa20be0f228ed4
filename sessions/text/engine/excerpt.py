"""The beginning of a text that is too long for its place. Mask secrets before: a part of one may not be recognised."""

from __future__ import annotations


def cut(text: str, most: int) -> str:
    """At most so many characters, with an ellipsis as the last one if some are missing."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def excerpt(text: str, most: int = 60) -> str:
    """The same on one line."""
    return cut(" ".join(text.split()), most)
