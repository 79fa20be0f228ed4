"""The current contents of a memory directory on disk."""

from __future__ import annotations

from pathlib import Path

from memory.files.engine.disk import DirectoryGoneError, FileContent, FileStatus, FileTroubleError, Folder, real_path
from sessions.transcripts.engine.paths import encode_path


def read_contents(*, path: Path) -> dict[str, bytes]:
    """All files below, by name as in the database. Hidden files, links and unreadable files are left out; a missing
    directory is empty."""
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
                    continue  # no change can be proposed to an unreadable file
                if content is not None:
                    contents[encode_path(name)] = content
    except DirectoryGoneError:
        return {}
    return contents
