"""Reads and replaces a user's files without losing what another program writes at the same time."""

from __future__ import annotations

from memory.files.engine.disk.errors import (
    AlreadyThereError,
    DirectoryGoneError,
    DisturbedError,
    FileTroubleError,
    NoRoomError,
    NotAFileError,
    NotThereError,
    OutsideError,
    ReadOnlyError,
    TooLargeError,
    translate_error,
)
from memory.files.engine.disk.folder import (
    TEMPORARY,
    FileContent,
    FileStatus,
    Folder,
    check_new_name,
    digest_of,
    disk_name,
    readable_name,
    real_path,
    split_name,
)
from memory.files.engine.disk.swap import Swap

__all__ = [
    "TEMPORARY",
    "AlreadyThereError",
    "DirectoryGoneError",
    "DisturbedError",
    "FileContent",
    "FileStatus",
    "FileTroubleError",
    "Folder",
    "NoRoomError",
    "NotAFileError",
    "NotThereError",
    "OutsideError",
    "ReadOnlyError",
    "Swap",
    "TooLargeError",
    "check_new_name",
    "digest_of",
    "disk_name",
    "readable_name",
    "real_path",
    "split_name",
    "translate_error",
]
