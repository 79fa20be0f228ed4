"""Makes texts fit: the longest are shortened first, and every gap is marked, so that no quote looks complete."""

from __future__ import annotations

from collections.abc import Sequence

GAP = "[...]"
LEAST = 80
"""Characters below which a shortened text says nothing."""


def shorten(text: str, most: int) -> str:
    """Keeps the beginning and the end: a request often begins with the subject and ends with the wish."""
    if len(text) <= most:
        return text
    left = max(0, most - len(GAP) - 2)
    head = left * 2 // 3
    tail = left - head
    return f"{text[:head].rstrip()} {GAP} {text[len(text) - tail :].lstrip()}".strip()


def to_one_line(text: str, most: int = 160) -> str:
    """Puts a text on one line, shortened if need be."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else shorten(flat, most)


def fit_texts(texts: Sequence[str], room: int) -> list[str]:
    """Shortens all texts to fit if that is possible; else only the first and the latest are left."""
    most = longest_length([len(text) for text in texts], room)
    if most >= LEAST or not texts:
        return [shorten(text, most) for text in texts]
    count = max(1, room // LEAST)
    if count >= len(texts):
        return [shorten(text, LEAST) for text in texts]
    chosen = [texts[0], GAP, *texts[len(texts) - (count - 1) :]] if count > 1 else [GAP, texts[-1]]
    return [shorten(text, LEAST) for text in chosen]


def longest_length(sizes: Sequence[int], room: int) -> int:
    """The length to which the longest have to be cut so that all fit."""
    left, waiting = room, sorted(sizes)
    for index, size in enumerate(waiting):
        share = left // (len(waiting) - index)
        if size > share:
            return share
        left -= size
    return max(sizes, default=0)
