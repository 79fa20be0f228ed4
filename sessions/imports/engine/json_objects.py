"""Finds where JSON objects begin and end in bytes that are not one whole document.

Only braces and strings matter, so each scan is one pass, however deep or long the object is.
"""

from __future__ import annotations

import re

_STRUCTURE = re.compile(rb'[{}"]')
_BACKSLASHES = re.compile(rb"\\*")
_BACKSLASH = ord("\\")


def end_of_object(data: bytes, start: int, stop: int) -> int | None:
    """Where the object that opens at `start` ends (exclusive), or None if that is not before `stop`."""
    return _balance(data, start, stop, opening=b"{", flipped=False)


def start_of_object(flipped: bytes, end: int) -> int | None:
    """Where the object that ends at `end` starts. Takes the bytes reversed, so that a caller reverses them once."""
    start = _balance(flipped, len(flipped) - end, len(flipped), opening=b"}", flipped=True)
    return None if start is None else len(flipped) - start


def _balance(data: bytes, position: int, stop: int, *, opening: bytes, flipped: bool) -> int | None:
    depth = 0
    while hit := _STRUCTURE.search(data, position, stop):
        position = hit.end()
        mark = hit.group()
        if mark == b'"':
            position = _after_string(data, position, stop, flipped=flipped)
            if position < 0:
                return None
        elif mark == opening:
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return position
    return None


def _after_string(data: bytes, position: int, stop: int, *, flipped: bool) -> int:
    while (quote := data.find(b'"', position, stop)) >= 0:
        if _backslashes(data, quote, stop, flipped=flipped) % 2 == 0:
            return quote + 1
        position = quote + 1
    return -1


def _backslashes(data: bytes, quote: int, stop: int, *, flipped: bool) -> int:
    """How many backslashes stand before a quote: after it, when the bytes are reversed."""
    if flipped:
        run = _BACKSLASHES.match(data, quote + 1, stop)
        return len(run.group()) if run else 0
    before = quote
    while before > 0 and data[before - 1] == _BACKSLASH:
        before -= 1
    return quote - before
