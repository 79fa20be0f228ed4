"""What is to become of one file: where it is, where it shall be, and what it shall hold."""

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
    """The entry of a session that a text comes from."""

    transcript: Transcript
    position: int


@dataclass(frozen=True, slots=True)
class Move:
    source: FileLocation | None
    """Where the file is; None: it is made."""
    target: FileLocation | None
    """Where it shall be; None: it is deleted."""
    content: bytes | str | None = None
    """Bytes as they are; a text is written with the line ends of the file. None: as before."""
    expected: str | None = None
    """The digest that whoever asks for this has seen; None: no file."""
    mode: int | None = None
    mtime_ns: int | None = None
    """None: now, or, if the content stays, as before."""
    file: File | None = None
    """Whose history goes on; None: that of the file with the name."""
    restored: Version | None = None
    entry: SourceEntry | None = None
    clash_key: int = field(default=0)

    @property
    def locations(self) -> tuple[FileLocation, ...]:
        return tuple(location for location in (self.source, self.target) if location)


@dataclass(frozen=True, slots=True)
class FileStep:
    """What becomes of one name on the disk; digests, None for no file."""

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
