"""One memory file: its bytes, and what they mean."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property

from memory.files.engine.locations.daily_logs import day_of
from memory.files.engine.reading.body import MOST_CHARACTERS, BodyLine, body_lines
from memory.files.engine.reading.header import LONGEST, Header, read_header
from memory.files.engine.reading.links import Link, find_file_links, find_wiki_links
from memory.files.engine.reading.problem import Problem
from memory.files.engine.reading.text import DecodedText, decode

INDEX_NAME = "MEMORY.md"
RECOVERED = "recovered-from-index.md"
"""Holds what the index said about missing files."""
_OUR_TIMES = range(1970, 2200)
_LATEST = datetime(2199, 12, 31, tzinfo=UTC).timestamp()


class MemoryType(StrEnum):
    USER = "user"
    FEEDBACK = "feedback"
    PROJECT = "project"
    REFERENCE = "reference"


_TYPES = frozenset(str(kind) for kind in MemoryType)


class FileKind(StrEnum):
    INDEX = "index"
    TOPIC = "topic"
    LOG = "log"
    """A daily log, `logs/Y/M/D.md`."""
    OTHER = "other"
    """The agent does not read it as memory."""


@dataclass(frozen=True)
class MemoryFile:
    name: str
    """Relative to the directory, with `/` as separator."""
    data: bytes
    source: DecodedText
    header: Header
    size: int
    """Bytes on disk; more than `len(data)` if the file was not read completely."""
    mtime_ns: int = 0
    problems: tuple[Problem, ...] = ()
    """Problems with reading the file or its header."""

    @property
    def kind(self) -> FileKind:
        return kind_of(self.name)

    @property
    def is_whole(self) -> bool:
        return len(self.data) == self.size

    @cached_property
    def text(self) -> str:
        """For display: invalid bytes are U+FFFD."""
        return self.source.displayed

    @cached_property
    def body(self) -> str:
        """What follows the header."""
        return self.text.split("\n", self.header.last)[-1]

    @cached_property
    def body_lines(self) -> tuple[BodyLine, ...]:
        """The lines of the body, up to a limit."""
        return tuple(body_lines(self.body, self.body_line))

    @property
    def body_line(self) -> int:
        """The number of the body's first line."""
        return self.header.last + 1

    @property
    def title(self) -> str:
        return self.header.get("name") or self.stem

    @property
    def stem(self) -> str:
        return self.name.rpartition("/")[2].removesuffix(".md")

    @property
    def description(self) -> str:
        return self.header.get("description")

    @property
    def written_type(self) -> str:
        """As written, even if it is not a known type."""
        return self.header.get("type")

    @property
    def type(self) -> MemoryType | None:
        """None if it is missing or unknown: the agent silently drops such a type."""
        written = self.written_type
        return MemoryType(written) if written in _TYPES else None

    @property
    def origin_session(self) -> str:
        return self.header.get("originSessionId")

    @property
    def modified_at(self) -> datetime:
        """The date in the header if it is plausible, otherwise the file's modification time."""
        try:
            written = datetime.fromisoformat(self.header.get("modified"))
        except ValueError:
            written = None
        if written is None or written.year not in _OUR_TIMES:
            return datetime.fromtimestamp(min(max(self.mtime_ns / 1e9, 0), _LATEST), tz=UTC)
        return written if written.tzinfo else written.replace(tzinfo=UTC)

    @cached_property
    def links(self) -> tuple[Link, ...]:
        body, first = self.body[:MOST_CHARACTERS], self.body_line
        return (*find_wiki_links(body, first), *find_file_links(body, first))


def parse_file(
    name: str, data: bytes, *, mtime_ns: int = 0, size: int | None = None, problems: tuple[Problem, ...] = ()
) -> MemoryFile:
    """Parses any bytes as a memory file; never raises."""
    source = decode(data)
    header = Header() if name == INDEX_NAME else _read_header(source)
    all_problems = (*problems, *_encoding_problems(source), *header.problems)
    return MemoryFile(name, data, source, header, len(data) if size is None else size, mtime_ns, all_problems)


def _read_header(source: DecodedText) -> Header:
    try:
        return read_header(source.displayed.split("\n", LONGEST))
    except Exception as error:
        # One bad file must not prevent the others from being read, nor itself from being deleted.
        words = f"The header cannot be read ({type(error).__name__}); the file is shown without it."
        return Header(problems=(Problem("invalid-yaml", words, 1),))


def kind_of(name: str) -> FileKind:
    if name == INDEX_NAME:
        return FileKind.INDEX
    if not name.endswith(".md"):
        return FileKind.OTHER
    return FileKind.LOG if day_of(name) else FileKind.TOPIC


def _encoding_problems(source: DecodedText) -> tuple[Problem, ...]:
    if not source.is_valid:
        index = next(position for position, char in enumerate(source.text) if "\udc80" <= char <= "\udcff")
        line = source.text.count("\n", 0, index) + 1
        return (Problem("not-utf-8", "Some bytes are no UTF-8; the agent sees replacement characters there.", line),)
    if source.encoding != "utf-8":
        return (Problem("not-utf-8", f"The file is written in {source.encoding.upper()}; the agent reads UTF-8.", 1),)
    return ()
