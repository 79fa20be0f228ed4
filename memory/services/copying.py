"""A copy of a memory directory to work on: what is done to it reaches the directory only as a proposal."""

from __future__ import annotations

import os
from pathlib import Path

from memory.engine.disk import DirectoryGoneError, FileTroubleError, Folder, Found, Status, file_name, real_path
from memory.models import Directory
from sessions.engine.paths import kept, opened


def contents_read(*, path: Path) -> dict[str, bytes]:
    """Every file below, by its name as rows hold it. Hidden files, links and what cannot be read are left out; a
    directory that is not there holds nothing."""
    return {name: found.data for name, found in _found(path).items()}


def copy_make(*, directory: Directory, to: Path) -> dict[str, bytes]:
    """Copies what is in the directory now, with the times of the files, into an empty place. Returns what it holds."""
    found = _found(Path(opened(directory.path)))
    to.mkdir(parents=True)
    for name, one in found.items():
        path = to / file_name(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(one.data)
        os.utime(path, ns=(one.status.mtime_ns, one.status.mtime_ns))
    return {name: one.data for name, one in found.items()}


def _found(path: Path) -> dict[str, Found]:
    found: dict[str, Found] = {}
    try:
        with Folder(real_path(path)) as folder:
            for name, status in folder.files():
                if not isinstance(status, Status):
                    continue
                try:
                    one = folder.read(name)
                except DirectoryGoneError:
                    raise
                except FileTroubleError:
                    continue  # whatever cannot be read cannot be proposed to change
                if one is not None:
                    found[kept(name)] = one
    except DirectoryGoneError:
        return {}
    return found
