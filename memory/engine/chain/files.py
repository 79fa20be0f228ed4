"""Reads one file of instructions: regular, bounded, text."""

from __future__ import annotations

import os
import stat
from pathlib import Path

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
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(f"{path} is no regular file.")
        return file.read(LARGEST)
