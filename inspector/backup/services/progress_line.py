"""What a person who waits for a backup sees on a terminal, and what all are told of it in the end."""

from __future__ import annotations

import sys
import time
from typing import Self

from inspector.backup.format.manifest import Manifest
from inspector.web.disk_errors import is_full
from sessions.text.engine.words import size

EVERY_SECONDS = 0.2
CLEAR = "\r\x1b[K"


class ProgressLine:
    """Progress, if somebody looks at standard error."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._due = 0.0

    def __call__(self, subject: str, bytes_done: int) -> None:
        if self._is_terminal and time.monotonic() >= self._due:
            self._due = time.monotonic() + EVERY_SECONDS
            print(f"{CLEAR}{size(bytes_done)}  {subject}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_terminal:
            print(CLEAR, end="", file=sys.stderr, flush=True)


def rows_by_table(manifest: Manifest) -> dict[str, int]:
    """How many rows of each."""
    return {stream.name: stream.rows for stream in manifest.of_kind("tables")}


def disk_error_sentence(error: OSError, where: str) -> str:
    if is_full(error):
        return f"there is not enough room in {where}. Nothing was changed there; make room and try again."
    return f"{error.filename or where} cannot be used ({(error.strerror or str(error)).lower()})."
