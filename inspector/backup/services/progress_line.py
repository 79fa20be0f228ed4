"""The progress of a backup on a terminal, and the summary at its end."""

from __future__ import annotations

import sys
import time
from typing import Self

from inspector.backup.format.manifest import Manifest
from inspector.web.disk_errors import is_full
from sessions.text.engine.error_reason import reason_of
from sessions.text.engine.words import size

EVERY_SECONDS = 0.2
CLEAR = "\r\x1b[K"


class ProgressLine:
    """Shows progress if standard error is a terminal."""

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
    """Number of rows by table."""
    return {stream.name: stream.rows for stream in manifest.of_kind("tables")}


def disk_error_sentence(error: OSError, where: str) -> str:
    if is_full(error):
        return f"there is not enough room in {where}. Nothing was changed there; make room and try again."
    return f"{error.filename or where} cannot be used ({reason_of(error)})."
