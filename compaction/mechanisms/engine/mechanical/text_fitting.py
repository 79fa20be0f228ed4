"""Texts made to fit: the longest are shortened first, and every gap is marked, so that no quote looks complete."""

from __future__ import annotations

from collections.abc import Sequence

GAP = "[...]"
LEAST = 80
"""Characters below which a shortened text says nothing."""


def shortened(text: str, most: int) -> str:
    """Its beginning and its end: a request often begins with the matter and ends with the wish."""
    if len(text) <= most:
        return text
    left = max(0, most - len(GAP) - 2)
    head = left * 2 // 3
    tail = left - head
    return f"{text[:head].rstrip()} {GAP} {text[len(text) - tail :].lstrip()}".strip()


def line(text: str, most: int = 160) -> str:
    """One line of it."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else shortened(flat, most)


def fitted(texts: Sequence[str], room: int) -> list[str]:
    """All of them within the room if that is possible; else the first and the latest, with a gap between."""
    most = _level([len(text) for text in texts], room)
    if most >= LEAST or not texts:
        return [shortened(text, most) for text in texts]
    count = max(1, room // LEAST)
    if count >= len(texts):
        return [shortened(text, LEAST) for text in texts]
    chosen = [texts[0], GAP, *texts[len(texts) - (count - 1) :]] if count > 1 else [GAP, texts[-1]]
    return [shortened(text, LEAST) for text in chosen]


def _level(sizes: Sequence[int], room: int) -> int:
    """The length to which the longest have to be cut so that all fit."""
    left, waiting = room, sorted(sizes)
    for at, size in enumerate(waiting):
        share = left // (len(waiting) - at)
        if size > share:
            return share
        left -= size
    return max(sizes, default=0)
