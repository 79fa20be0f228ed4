"""A directory that no name can lead out of: names are normalised, and links refused."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

LONGEST_NAME = 255
"""Bytes of one part of a path: the limit of file systems."""
_DRIVE = re.compile(r"[A-Za-z]:")


class InvalidNameError(ValueError):
    """The name is not valid inside the directory; the message says why."""


@dataclass(frozen=True, slots=True)
class ConfinedDirectory:
    root: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "root", Path(os.path.realpath(self.root)))

    def resolve(self, name: str) -> Path:
        """The path of a file in the directory, which need not exist. Raises InvalidNameError for anything else: the
        directory itself, absolute names, drives, network shares, `..`, NUL and links."""
        path = self.root
        for part in self.normalize(name).split("/"):
            path = path / part
            if path.is_symlink():
                raise InvalidNameError(f"{displayable(name)} leads through a link; links are not followed.")
        return path

    def normalize(self, name: str) -> str:
        """The normalised name, checked without looking at the disk."""
        if not name or not name.strip():
            raise InvalidNameError("That is no name.")
        if "\0" in name:
            raise InvalidNameError("A name cannot hold a NUL character.")
        if name.startswith(("/", "~")):
            raise InvalidNameError(f"{displayable(name)} is not relative to the directory.")
        if "\\" in name or _DRIVE.match(name):
            raise InvalidNameError(f"{displayable(name)} looks like a path of Windows; write it with /.")
        parts = os.path.normpath(name).split("/")
        if ".." in name.split("/"):
            raise InvalidNameError(f"{displayable(name)} leads out of the directory.")
        if parts == ["."]:
            raise InvalidNameError(f"{displayable(name)} is the directory itself.")
        if any(len(part.encode("utf-8", "surrogatepass")) > LONGEST_NAME for part in parts):
            raise InvalidNameError("The name is too long.")
        return "/".join(parts)


def displayable(name: str) -> str:
    return ascii(name[:80]) if not name.isprintable() else name[:80]
