"""Files that belong to a person: read and replaced without ever losing what somebody else wrote."""

from __future__ import annotations

from memory.files.engine.disk.folder import (
    TEMPORARY,
    Folder,
    Found,
    Status,
    digest_of,
    file_name,
    name_check,
    parts_of,
    readable_name,
    real_path,
)
from memory.files.engine.disk.swap import Swap
from memory.files.engine.disk.trouble import (
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
    trouble_of,
)

__all__ = [
    "TEMPORARY",
    "AlreadyThereError",
    "DirectoryGoneError",
    "DisturbedError",
    "FileTroubleError",
    "Folder",
    "Found",
    "NoRoomError",
    "NotAFileError",
    "NotThereError",
    "OutsideError",
    "ReadOnlyError",
    "Status",
    "Swap",
    "TooLargeError",
    "digest_of",
    "file_name",
    "name_check",
    "parts_of",
    "readable_name",
    "real_path",
    "trouble_of",
]
