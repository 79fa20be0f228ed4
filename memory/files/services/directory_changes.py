"""Compares a whole directory with the database by sizes and times. Only files that may have changed are read, and rows
are written only for files that have."""

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
from memory.history.services.version_recording import RecordedChanges, files_known, is_same, versions_record
from memory.models import Directory, File
from sessions.transcripts.engine.paths import encode_path


@dataclass(slots=True)
class DirectoryChanges:
    directory: Directory
    files_known: dict[str, File]
    contents: dict[str, FileContent | None] = field(default_factory=dict)
    """Files that are new or may have changed; None for deleted ones."""
    files: int = 0
    read: int = 0
    skipped: list[str] = field(default_factory=list)


def directory_compare(
    directory: Directory, folder: Folder | None, read: Mapping[str, FileContent | None] | None = None
) -> DirectoryChanges:
    """`folder`: None if the directory is gone. `read`: files that were already read."""
    changes = DirectoryChanges(directory, files_known(directory))
    if folder is None:
        changes.contents = dict.fromkeys(changes.files_known)
    else:
        _read(folder, changes)
    changes.contents |= read or {}
    return changes


def changes_record(*, changes: DirectoryChanges) -> RecordedChanges:
    """Records the changes as versions. Needs a transaction and the memory lock."""
    recorded = versions_record(directory=changes.directory, contents=changes.contents, files=changes.files_known)
    if changes.directory.scanned_at is None:
        changes.directory.scanned_at = now_ms()
        changes.directory.save(update_fields=["scanned_at"])
        recorded.rows += 1
    return recorded


def _read(folder: Folder, changes: DirectoryChanges) -> None:
    listed: set[str] = set()
    unreadable: set[str] = set()
    for name, status in folder.files():
        key = encode_path(name)
        if not isinstance(status, FileStatus):
            unreadable.add(key)
            changes.skipped.append(str(translate_error(status, name)))
            continue
        listed.add(key)
        changes.files += 1
        if key in changes.files_known and is_same(changes.files_known[key], status):
            continue
        try:
            changes.contents[key] = folder.read(name)
            changes.read += 1
        except (OutsideError, NotAFileError):
            changes.contents[key] = None  # just replaced by a link
        except DirectoryGoneError:
            raise
        except FileTroubleError as error:
            changes.skipped.append(str(error))
    # Files that cannot be read are not deleted.
    deleted = (
        name
        for name in changes.files_known.keys() - listed
        if not any(f"{name}/".startswith(f"{part}/") for part in unreadable)
    )
    changes.contents |= dict.fromkeys(deleted)
