"""A copy of a memory directory to work on: what is done to it reaches the directory only as a proposal."""

from __future__ import annotations

import os
from pathlib import Path

from memory.files.engine.disk import disk_name
from memory.files.selectors.disk_contents import read_all_files
from memory.models import Directory
from sessions.transcripts.engine.paths import decode_path


def copy_make(*, directory: Directory, to: Path) -> dict[str, bytes]:
    """Copies what is in the directory now, with the times of the files, into an empty place. Returns what it holds."""
    found = read_all_files(Path(decode_path(directory.path)))
    to.mkdir(parents=True)
    for name, one in found.items():
        path = to / disk_name(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(one.data)
        os.utime(path, ns=(one.status.mtime_ns, one.status.mtime_ns))
    return {name: one.data for name, one in found.items()}
