"""Paths as text that databases, JSON and pages can hold. File names are bytes. Python reads bytes that are not UTF-8 as
halves of surrogate pairs, which none of the three accepts, so we turn those into private characters and back."""

from __future__ import annotations

from pathlib import Path, PurePath

_PLANE = 0xF0000
_ESCAPED = range(0xDC80, 0xDD00)
_KEPT = {code: _PLANE + code for code in _ESCAPED}
_OPENED = {_PLANE + code: code for code in _ESCAPED}


def encode_path(path: str | PurePath) -> str:
    text = str(path)
    return text if text.isascii() else text.translate(_KEPT)  # nearly all are


def decode_path(path: str) -> Path:
    """The path on disk, for opening the file."""
    return Path(path.translate(_OPENED))
