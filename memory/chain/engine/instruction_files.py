"""Reads an instruction file. It must be a regular text file, bounded, and inside its root: a link that leads out may
have been planted to show files that only we can read."""

from __future__ import annotations

import os
from pathlib import Path

from memory.files.engine.reading.regular_files import open_regular
from memory.files.engine.reading.text import decode

LARGEST = 4 * 1024 * 1024


class NotTextError(ValueError):
    """An image, an archive or the like."""


class LeadsOutError(ValueError):
    """A link on the way leads out of the directory."""

    def __init__(self, target: str) -> None:
        super().__init__(f"It leads to {target}.")
        self.target = target


def read_text(path: Path, root: Path) -> str:
    """Raises OSError if it cannot be read, NotTextError if it is no text, LeadsOutError if it is outside `root` after
    following all links. `root` itself is a path without links."""
    source = decode(read_bytes(path, root))
    if "\0" in source.text or not source.is_valid:
        raise NotTextError(f"{path} holds no text.")
    return source.text


def read_bytes(path: Path, root: Path) -> bytes:
    """The first `LARGEST` bytes of a regular file."""
    real = check_inside(path, root)
    with open_regular(real, follow=False) as file:
        # A directory of the path may have been replaced by a link meanwhile: check the opened file itself.
        opened = f"/proc/self/fd/{file.fileno()}"
        check_inside(Path(opened if os.path.exists(opened) else real), root)
        return file.read(LARGEST)


def check_inside(path: Path, root: Path) -> Path:
    """The real path. Raises LeadsOutError if it is outside `root`."""
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(root):
        raise LeadsOutError(str(real))
    return real
