"""The last backup of this home, for pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from sessions.transcripts.engine.paths import decode_path

NOTE = "last-backup.json"
MOST_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class LastBackup:
    path: str
    at: int
    bytes: int
    is_there: bool
    """Whether a file of that size still exists where it was written."""


class _Note(msgspec.Struct):
    path: str
    at: int
    bytes: int


class UnreadableNoteError(Exception):
    """The note of the last backup cannot be read."""


def last_backup(home: Path) -> LastBackup | None:
    """None if there was none. Raises UnreadableNoteError."""
    try:
        with (home / NOTE).open("rb") as file:
            note = msgspec.json.decode(file.read(MOST_BYTES), type=_Note)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise UnreadableNoteError(str(error)) from error
    return LastBackup(note.path, note.at, note.bytes, _is_there(note))


def _is_there(note: _Note) -> bool:
    try:
        return decode_path(note.path).stat().st_size == note.bytes
    except (OSError, ValueError):
        return False
