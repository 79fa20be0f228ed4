"""The last step of a recall: the text that the model gets of each chosen memory, with its age, and cut where it is too
long. How the client frames it was never recorded, so the frame is in words of our own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory.files.engine.disk import (
    DirectoryGoneError,
    FileContent,
    FileTroubleError,
    Folder,
    disk_name,
)
from memory.files.engine.reading.file import parse_file
from memory.files.engine.reading.text import split_lines
from memory.recall.engine.age import age, saved_at
from sessions.text.engine.words import plural

MOST_LINES = 200
MOST_BYTES = 4_096


@dataclass(frozen=True, slots=True)
class Injection:
    name: str
    path: str
    age: str
    given: str
    """The part of the file that is given."""
    lines: int
    size: int
    """Bytes of the file."""
    cut: str = ""
    """Where and why it ends before the file does, in words; empty if all of it is given."""

    @property
    def bytes(self) -> int:
        """What counts for the budget: the part of the file, not the frame around it."""
        return len(self.given.encode())

    @property
    def before(self) -> str:
        """The frame, down to the memory itself."""
        return f"<system-reminder>\nMemory {self.path}, {self.age}:\n\n"

    @property
    def note(self) -> str:
        """What tells the model that something is missing; empty if nothing is."""
        return f"\n({self.cut} Read the file for the rest.)\n" if self.cut else ""

    @property
    def after(self) -> str:
        return "</system-reminder>"

    @property
    def text(self) -> str:
        """As the model gets it."""
        return f"{self.before}{self.body}{self.note}{self.after}"

    @property
    def body(self) -> str:
        """What is given, with an end to its last line."""
        return self.given.removesuffix("\n") + "\n"


@dataclass(frozen=True, slots=True)
class MissingMemory:
    """A memory that was chosen and could not be read any more."""

    name: str
    why: str


def inject(folder: Folder, name: str, now: datetime) -> Injection | MissingMemory:
    try:
        found = folder.read_beginning(disk_name(name), MOST_BYTES + 1)
    except DirectoryGoneError:
        return MissingMemory(name, "The directory is gone: it was deleted or moved.")
    except FileTroubleError as error:
        return MissingMemory(name, str(error))
    if found is None:
        return MissingMemory(name, "The file was deleted after it was scanned.")
    return build_injection(name, f"{folder.path}/{name}", found, now)


def build_injection(name: str, path: str, found: FileContent, now: datetime) -> Injection:
    size = found.status.size
    lines = split_lines(parse_file(name, found.data).text)
    given = lines[:MOST_LINES]
    why = f"the limit of {MOST_LINES} lines" if len(lines) > MOST_LINES else ""
    if len("".join(given).encode()) > MOST_BYTES or (size > len(found.data) and not why):
        given, why = _fit_lines(given), f"the limit of {MOST_BYTES:,} bytes"
    cut = f"Cut after {plural(len(given), 'line')} by {why}; the file has {size:,} bytes." if why else ""
    return Injection(name, path, age(saved_at(found.status.mtime_ns), now), "".join(given), len(given), size, cut)


def _fit_lines(lines: list[str]) -> list[str]:
    """Whole lines up to the limit; of a first line that is longer by itself, as many characters as fit."""
    kept: list[str] = []
    room = MOST_BYTES
    for line in lines:
        room -= len(line.encode())
        if room < 0:
            break
        kept.append(line)
    return kept or [lines[0].encode()[:MOST_BYTES].decode("utf-8", "ignore")]
