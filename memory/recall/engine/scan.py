"""The first step of a recall: which files are looked at, and what the selector can know of each. All are listed by
their time, but only the newest are opened, and only their first lines are read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory.files.engine.disk import (
    DirectoryGoneError,
    FileStatus,
    FileTroubleError,
    Folder,
    translate_error,
)
from memory.files.engine.reading.file import FileKind, kind_of, parse_file
from memory.files.engine.reading.text import split_lines
from memory.lint.engine.rules.reading import is_binary
from memory.recall.engine.age import saved_at
from sessions.transcripts.engine.paths import encode_path

MOST_FILES = 200
HEAD_LINES = 30
HEAD_BYTES = 16 * 1024
"""Of one file: a line can be of any length."""


@dataclass(frozen=True, slots=True)
class ScannedFile:
    name: str
    title: str
    description: str
    type: str
    """As written; empty where there is none."""
    size: int
    saved: datetime


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that was not considered."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class MemoryScan:
    files: tuple[ScannedFile, ...]
    """The newest first."""
    found: int
    """Memory files that are there. The index is none of them: it is loaded in any case."""
    passed: tuple[SkippedFile, ...] = ()

    @property
    def older(self) -> int:
        """Files that were not opened, because as many newer ones as are looked at are there."""
        return max(0, self.found - MOST_FILES)


def scan_memory(folder: Folder) -> MemoryScan:
    listed: list[tuple[str, FileStatus]] = []
    passed: list[SkippedFile] = []
    for name, status in folder.files():
        if isinstance(status, OSError):
            passed.append(SkippedFile(encode_path(name), str(translate_error(status, encode_path(name)))))
        elif kind_of(name) in (FileKind.TOPIC, FileKind.LOG):
            listed.append((name, status))
    # By name among those of the same time, so that the same directory gives the same list.
    listed.sort(key=lambda one: (-one[1].mtime_ns, one[0]))
    files: list[ScannedFile] = []
    for name, _ in listed[:MOST_FILES]:
        seen = _read_head(folder, name)
        if isinstance(seen, ScannedFile):
            files.append(seen)
        else:
            passed.append(seen)
    return MemoryScan(tuple(files), len(listed), tuple(passed))


def _read_head(folder: Folder, name: str) -> ScannedFile | SkippedFile:
    shown = encode_path(name)
    try:
        found = folder.read_beginning(name, HEAD_BYTES)
    except DirectoryGoneError:
        raise
    except FileTroubleError as error:
        return SkippedFile(shown, str(error))
    if found is None:
        return SkippedFile(shown, "The file was deleted before it could be read.")
    whole = parse_file(shown, found.data)
    if is_binary(whole):
        return SkippedFile(shown, "The file holds no text.")
    lines = "".join(split_lines(whole.text, HEAD_LINES)[:HEAD_LINES])
    file = parse_file(shown, lines.encode())
    saved = saved_at(found.status.mtime_ns)
    return ScannedFile(shown, file.title, file.description, file.written_type, found.status.size, saved)
