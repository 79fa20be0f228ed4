"""The first step of a recall: lists the files by time, and reads the first lines of the newest."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory.files.engine.disk import DirectoryGoneError, FileStatus, FileTroubleError, Folder, translate_error
from memory.files.engine.reading.file import FileKind, kind_of, parse_file
from memory.files.engine.reading.text import split_lines
from memory.lint.engine.rules.reading import is_binary
from memory.recall.engine.age import saved_at
from sessions.transcripts.engine.paths import encode_path

MOST_FILES = 200
HEAD_LINES = 30
HEAD_BYTES = 16 * 1024
"""Per file: a line can have any length."""


@dataclass(frozen=True, slots=True)
class ScannedFile:
    name: str
    title: str
    description: str
    type: str
    """As written; may be empty."""
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
    """Newest first."""
    total: int
    """Memory files in the directory, without the index, which is always loaded."""
    skipped: tuple[SkippedFile, ...] = ()

    @property
    def older(self) -> int:
        """Files that were not opened, because enough newer ones exist."""
        return max(0, self.total - MOST_FILES)


def scan_memory(folder: Folder) -> MemoryScan:
    listed: list[tuple[str, FileStatus]] = []
    skipped: list[SkippedFile] = []
    for name, status in folder.files():
        if isinstance(status, OSError):
            skipped.append(SkippedFile(encode_path(name), str(translate_error(status, encode_path(name)))))
        elif kind_of(name) in (FileKind.TOPIC, FileKind.LOG):
            listed.append((name, status))
    # Files of the same time are sorted by name, so that the same directory gives the same list.
    listed.sort(key=lambda entry: (-entry[1].mtime_ns, entry[0]))
    files: list[ScannedFile] = []
    for name, _ in listed[:MOST_FILES]:
        file = _read_head(folder, name)
        if isinstance(file, ScannedFile):
            files.append(file)
        else:
            skipped.append(file)
    return MemoryScan(tuple(files), len(listed), tuple(skipped))


def _read_head(folder: Folder, name: str) -> ScannedFile | SkippedFile:
    path = encode_path(name)
    try:
        content = folder.read_beginning(name, HEAD_BYTES)
    except DirectoryGoneError:
        raise
    except FileTroubleError as error:
        return SkippedFile(path, str(error))
    if content is None:
        return SkippedFile(path, "The file was deleted before it could be read.")
    whole = parse_file(path, content.data)
    if is_binary(whole):
        return SkippedFile(path, "The file holds no text.")
    lines = "".join(split_lines(whole.text, HEAD_LINES)[:HEAD_LINES])
    file = parse_file(path, lines.encode())
    saved = saved_at(content.status.mtime_ns)
    return ScannedFile(path, file.title, file.description, file.written_type, content.status.size, saved)
