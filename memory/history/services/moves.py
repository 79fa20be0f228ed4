"""A change to one file: its current location, its new location, and its new content."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from memory.models import Directory, File, Version
from sessions.models import Transcript


@dataclass(frozen=True, slots=True)
class FileLocation:
    directory: Directory
    name: str

    @property
    def key(self) -> tuple[int, str]:
        return self.directory.pk, self.name


@dataclass(frozen=True, slots=True)
class SourceEntry:
    """The session entry that a text comes from."""

    transcript: Transcript
    position: int


@dataclass(frozen=True, slots=True)
class Move:
    source: FileLocation | None
    """Where the file is; None to create it."""
    target: FileLocation | None
    """Where it goes; None to delete it."""
    content: bytes | str | None = None
    """Bytes are written as they are, a text with the line endings of the file. None: unchanged."""
    expected: str | None = None
    """The digest that the caller has seen; None: no file."""
    mode: int | None = None
    mtime_ns: int | None = None
    """None: the current time, or unchanged if the content is."""
    file: File | None = None
    """The file whose history continues; None: the file of that name."""
    restored: Version | None = None
    entry: SourceEntry | None = None
    clash_key: int = field(default=0)

    @property
    def locations(self) -> tuple[FileLocation, ...]:
        return tuple(location for location in (self.source, self.target) if location)


@dataclass(frozen=True, slots=True)
class FileStep:
    """The change to one name on disk. `before` and `after` are digests; None: no file."""

    directory: int
    name: str
    before: str | None
    after: str | None
    mode: int
    mtime_ns: int | None

    def to_json(self) -> dict[str, Any]:
        return {
            "directory": self.directory,
            "name": self.name,
            "before": self.before,
            "after": self.after,
            "mode": self.mode,
            "mtime_ns": self.mtime_ns,
        }
