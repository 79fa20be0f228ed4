"""The last step of a recall: the text of each chosen memory as the model gets it, with its age, cut where it is too
long. No recording shows how the client frames it, so the words of the frame are our own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory.files.engine.disk import DirectoryGoneError, FileContent, FileTroubleError, Folder, disk_name
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
    excerpt: str
    """The part of the file that is injected."""
    lines: int
    size: int
    """Bytes of the file."""
    cut: str = ""
    """Where and why the text was cut, in words; empty if it is whole."""

    @property
    def bytes(self) -> int:
        """What counts for the budget: the part of the file, not the frame around it."""
        return len(self.excerpt.encode())

    @property
    def before(self) -> str:
        """The frame, down to the memory itself."""
        return f"<system-reminder>\nMemory {self.path}, {self.age}:\n\n"

    @property
    def note(self) -> str:
        """Tells the model that the text was cut; empty if it is whole."""
        return f"\n({self.cut} Read the file for the rest.)\n" if self.cut else ""

    @property
    def after(self) -> str:
        return "</system-reminder>"

    @property
    def text(self) -> str:
        """The text as the model gets it."""
        return f"{self.before}{self.body}{self.note}{self.after}"

    @property
    def body(self) -> str:
        """The excerpt, with a newline at its end."""
        return self.excerpt.removesuffix("\n") + "\n"


@dataclass(frozen=True, slots=True)
class MissingMemory:
    """A chosen memory that could no longer be read."""

    name: str
    why: str


def inject(folder: Folder, name: str, now: datetime) -> Injection | MissingMemory:
    try:
        content = folder.read_beginning(disk_name(name), MOST_BYTES + 1)
    except DirectoryGoneError:
        return MissingMemory(name, "The directory is gone: it was deleted or moved.")
    except FileTroubleError as error:
        return MissingMemory(name, str(error))
    if content is None:
        return MissingMemory(name, "The file was deleted after it was scanned.")
    return build_injection(name, f"{folder.path}/{name}", content, now)


def build_injection(name: str, path: str, content: FileContent, now: datetime) -> Injection:
    size = content.status.size
    lines = split_lines(parse_file(name, content.data).text)
    excerpt = lines[:MOST_LINES]
    why = f"the limit of {MOST_LINES} lines" if len(lines) > MOST_LINES else ""
    if len("".join(excerpt).encode()) > MOST_BYTES or (size > len(content.data) and not why):
        excerpt, why = _fit_lines(excerpt), f"the limit of {MOST_BYTES:,} bytes"
    cut = f"Cut after {plural(len(excerpt), 'line')} by {why}; the file has {size:,} bytes." if why else ""
    return Injection(name, path, age(saved_at(content.status.mtime_ns), now), "".join(excerpt), len(excerpt), size, cut)


def _fit_lines(lines: list[str]) -> list[str]:
    """Whole lines up to the limit. A first line that exceeds it is cut."""
    fitting: list[str] = []
    room = MOST_BYTES
    for line in lines:
        room -= len(line.encode())
        if room < 0:
            break
        fitting.append(line)
    return fitting or [lines[0].encode()[:MOST_BYTES].decode("utf-8", "ignore")]
