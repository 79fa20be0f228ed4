"""What lies in a memory directory now."""

from __future__ import annotations

from pathlib import Path

from memory.files.engine.disk import (
    DirectoryGoneError,
    FileContent,
    FileStatus,
    FileTroubleError,
    Folder,
    real_path,
)
from sessions.transcripts.engine.paths import kept


def read_contents(*, path: Path) -> dict[str, bytes]:
    """Every file below, by its name as rows hold it. Hidden files, links and what cannot be read are left out; a
    directory that is not there holds nothing."""
    return {name: content.data for name, content in read_all_files(path).items()}


def read_all_files(path: Path) -> dict[str, FileContent]:
    contents: dict[str, FileContent] = {}
    try:
        with Folder(real_path(path)) as folder:
            for name, status in folder.files():
                if not isinstance(status, FileStatus):
                    continue
                try:
                    content = folder.read(name)
                except DirectoryGoneError:
                    raise
                except FileTroubleError:
                    continue  # whatever cannot be read cannot be proposed to change
                if content is not None:
                    contents[kept(name)] = content
    except DirectoryGoneError:
        return {}
    return contents
