"""Expands words with wild cards. Directories are read one level at a time, and only inside the roots: a link that leads
outside is not followed."""

from __future__ import annotations

import fnmatch
import glob
import itertools
import os
import re
from collections.abc import Iterator

from inspector.agents.tools.access import Readable
from inspector.agents.tools.tool import DeniedError

MOST_FILES = 2_000
MOST_LOOKED_AT = 100_000
"""Names; expanding a pattern cannot be cancelled, so it has to end soon."""
MOST_WILD_PARTS = 4


def expand_pattern(pattern: str, readable: Readable) -> list[str]:
    """The sorted paths, absolute or relative to the first root as the pattern is."""
    parts = pattern.split("/")
    if ".." in parts:
        raise DeniedError("a pattern with wild cards may not go up.")
    if sum(map(glob.has_magic, parts)) > MOST_WILD_PARTS:
        raise DeniedError("the pattern has wild cards in too many places.")
    plain = list(itertools.takewhile(lambda part: not glob.has_magic(part), parts))
    start = "".join(f"{part}/" for part in plain)
    readable.resolve(start or ".")
    walk = _Walk(readable)
    paths = [start]
    for number, part in enumerate(parts[len(plain) :], len(plain) + 1):
        slash = "" if number == len(parts) else "/"
        paths = list(itertools.islice(walk.expand(paths, part, slash), MOST_FILES + 1))
        if len(paths) > MOST_FILES:
            raise DeniedError("the pattern stands for too many files.")
    return sorted(paths)


class _Walk:
    def __init__(self, readable: Readable) -> None:
        self._readable = readable
        self._looked_at = 0

    def expand(self, folders: list[str], part: str, slash: str) -> Iterator[str]:
        """The matches of one part of the pattern. `slash` is empty for the last part."""
        form = re.compile(fnmatch.translate(part))
        for folder in folders:
            if part in ("", "."):  # a slash at the end of the pattern, or two in a row
                yield f"{folder}{part}{slash}"
                continue
            for name in self._names(folder):
                hides = name.startswith(".") and not part.startswith(".")
                if not hides and form.match(name) and (not slash or self._is_folder(f"{folder}{name}")):
                    yield f"{folder}{name}{slash}"

    def _names(self, folder: str) -> Iterator[str]:
        try:
            entries = os.scandir(self._readable.resolve(folder or "."))
        except OSError:  # it is gone, is a file, or may not be read: then nothing is in it
            return
        with entries:
            for entry in entries:
                self._looked_at += 1
                if self._looked_at > MOST_LOOKED_AT:
                    raise DeniedError("the pattern would have to be held against too many files.")
                yield entry.name

    def _is_folder(self, place: str) -> bool:
        try:
            return self._readable.resolve(place).is_dir()
        except DeniedError:
            return False
