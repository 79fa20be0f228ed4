"""Reads one file of instructions: regular, bounded, text, and inside of the directory that it is at home in. A link
that leads out of there may have been put there by anybody, to show what only we can read."""

from __future__ import annotations

import os
from pathlib import Path

from memory.files.engine.reading.regular_files import open_regular
from memory.files.engine.reading.text import decode

LARGEST = 4 * 1024 * 1024


class NotTextError(ValueError):
    """It is a picture, an archive or the like."""


class LeadsOutError(ValueError):
    """A link on the way leads out of the directory."""

    def __init__(self, target: str) -> None:
        super().__init__(f"It leads to {target}.")
        self.target = target


def read_text(path: Path, root: Path) -> str:
    """Raises OSError where it cannot be read, NotTextError where it holds no text, LeadsOutError where it lies outside
    of `root`, followed through all links. `root` itself is a path without links."""
    source = decode(read_bytes(path, root))
    if "\0" in source.text or not source.is_valid:
        raise NotTextError(f"{path} holds no text.")
    return source.text


def read_bytes(path: Path, root: Path) -> bytes:
    """The first `LARGEST` bytes of a regular file."""
    real = check_inside(path, root)
    with open_regular(real, follow=False) as file:
        # A directory on the way may have been exchanged for a link since: what was opened tells where it lies.
        opened = f"/proc/self/fd/{file.fileno()}"
        check_inside(Path(opened if os.path.exists(opened) else real), root)
        return file.read(LARGEST)


def check_inside(path: Path, root: Path) -> Path:
    """Where it lies. Raises LeadsOutError if that is outside of `root`."""
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(root):
        raise LeadsOutError(str(real))
    return real
