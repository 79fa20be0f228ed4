"""A project's checkout on disk, for the linter. It is read once, within limits."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path

from memory.files.engine.reading.regular_files import open_regular

MOST_FILES = 50_000
MOST_BYTES = 24 * 1024 * 1024
LARGEST_FILE = 512 * 1024
_SKIPPED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache", ".ruff_cache", ".tox"})
_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_-]{2,60}")


class FolderCheckout:
    """Answers None if something was not found before a limit was reached."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def has_file(self, path: str) -> bool | None:
        paths, complete = self._paths
        name = path.rpartition("/")[2]
        exists = any(candidate == path or candidate.endswith(f"/{path}") for candidate in paths.get(name, ()))
        return True if exists else False if complete else None

    def has_word(self, word: str) -> bool | None:
        words, complete = self._words
        data = word.encode()
        return True if data in words or data.replace(b"-", b"_") in words else False if complete else None

    @cached_property
    def _paths(self) -> tuple[dict[str, list[str]], bool]:
        """Paths by their last part, directories too."""
        paths: dict[str, list[str]] = {}
        count = 0
        for folder, folders, files in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name not in _SKIPPED)
            prefix = os.path.relpath(folder, self.root)
            for name in [*files, *folders]:
                paths.setdefault(name, []).append(name if prefix == "." else f"{prefix}/{name}")
            count += len(files)
            if count > MOST_FILES:
                return paths, False
        return paths, True

    @cached_property
    def _words(self) -> tuple[set[bytes], bool]:
        paths, complete = self._paths
        words: set[bytes] = set()
        read = 0
        for path in (path for same in paths.values() for path in same):
            data = _read_beginning(self.root / path)
            if data is None or b"\0" in data[:4096]:
                continue
            complete = complete and len(data) < LARGEST_FILE
            words.update(_WORD.findall(data))
            read += len(data)
            if read > MOST_BYTES:
                return words, False
        return words, complete


def _read_beginning(path: Path) -> bytes | None:
    try:
        with open_regular(path, follow=False) as file:
            return file.read(LARGEST_FILE)
    except OSError:
        return None
