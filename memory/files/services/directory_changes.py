"""A look at a whole directory: at sizes and times; only what may have changed is read, and rows are written only for
what has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inspector.web.clock import now_ms
from memory.files.engine.disk import (
    DirectoryGoneError,
    FileContent,
    FileStatus,
    FileTroubleError,
    Folder,
    NotAFileError,
    OutsideError,
    translate_error,
)
from memory.history.services.version_recording import (
    Noted,
    files_known,
    is_same,
    note,
)
from memory.models import Directory, File
from sessions.transcripts.engine.paths import kept


@dataclass(slots=True)
class Look:
    directory: Directory
    known: dict[str, File]
    found: dict[str, FileContent | None] = field(default_factory=dict)
    """What is new or may have changed; None for what is gone."""
    files: int = 0
    read: int = 0
    skipped: list[str] = field(default_factory=list)


def directory_look(
    directory: Directory, folder: Folder | None, read: Mapping[str, FileContent | None] | None = None
) -> Look:
    """`folder`: None if the directory is gone. `read`: what was read already."""
    look = Look(directory, files_known(directory))
    if folder is None:
        look.found = dict.fromkeys(look.known)
    else:
        _read(folder, look)
    look.found |= read or {}
    return look


def look_note(*, look: Look) -> Noted:
    """Makes versions of it. In a transaction, under the lock."""
    noted = note(directory=look.directory, found=look.found, known=look.known)
    if look.directory.scanned_at is None:
        look.directory.scanned_at = now_ms()
        look.directory.save(update_fields=["scanned_at"])
        noted.rows += 1
    return noted


def _read(folder: Folder, look: Look) -> None:
    seen: set[str] = set()
    closed: set[str] = set()
    for name, status in folder.files():
        key = kept(name)
        if not isinstance(status, FileStatus):
            closed.add(key)
            look.skipped.append(str(translate_error(status, name)))
            continue
        seen.add(key)
        look.files += 1
        if key in look.known and is_same(look.known[key], status):
            continue
        try:
            look.found[key] = folder.read(name)
            look.read += 1
        except (OutsideError, NotAFileError):
            look.found[key] = None  # a link took its place just now
        except DirectoryGoneError:
            raise
        except FileTroubleError as error:
            look.skipped.append(str(error))
    # What cannot be looked at is not gone.
    gone = (name for name in look.known.keys() - seen if not any(f"{name}/".startswith(f"{part}/") for part in closed))
    look.found |= dict.fromkeys(gone)
