"""Reads one file of instructions: regular, bounded, text."""

from __future__ import annotations

from pathlib import Path

from memory.engine.reading.opening import open_regular
from memory.engine.reading.text import decode

LARGEST = 4 * 1024 * 1024


class NotTextError(ValueError):
    """It is a picture, an archive or the like."""


def read_text(path: Path) -> str:
    """Raises OSError where it cannot be read, NotTextError where it holds no text."""
    source = decode(read_bytes(path))
    if "\0" in source.text or not source.valid:
        raise NotTextError(f"{path} holds no text.")
    return source.text


def read_bytes(path: Path) -> bytes:
    """The first `LARGEST` bytes of a regular file."""
    with open_regular(path, follow=True) as file:
        return file.read(LARGEST)
