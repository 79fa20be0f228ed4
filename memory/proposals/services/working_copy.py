"""A copy of a memory directory to work on: its changes reach the directory only as a proposal."""

from __future__ import annotations

import os
from pathlib import Path

from memory.files.engine.disk import disk_name
from memory.files.selectors.disk_contents import read_all_files
from memory.models import Directory
from sessions.transcripts.engine.paths import decode_path


def copy_make(*, directory: Directory, to: Path) -> dict[str, bytes]:
    """Copies the directory, with the times of its files, to a new place. Returns the contents."""
    files = read_all_files(Path(decode_path(directory.path)))
    to.mkdir(parents=True)
    for name, file in files.items():
        path = to / disk_name(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.data)
        os.utime(path, ns=(file.status.mtime_ns, file.status.mtime_ns))
    return {name: file.data for name, file in files.items()}
