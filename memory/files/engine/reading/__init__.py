"""Reading memory: a directory, its index, its topics, and what of the index is loaded."""

from __future__ import annotations

from memory.files.engine.reading.directory import (
    Directory,
    DirectoryMissingError,
    directory_of,
    read_directory,
)
from memory.files.engine.reading.file import (
    INDEX_NAME,
    Kind,
    MemoryFile,
    MemoryType,
    parse_file,
)
from memory.files.engine.reading.header import Field, Header
from memory.files.engine.reading.index import (
    Entry,
    Index,
    IndexLine,
    Place,
    entry_line,
    read_index,
)
from memory.files.engine.reading.links import Link
from memory.files.engine.reading.loading import Fate, Loaded, load
from memory.files.engine.reading.problem import Problem
from memory.files.engine.reading.text import Newline, Source, decode

__all__ = [
    "INDEX_NAME",
    "Directory",
    "DirectoryMissingError",
    "Entry",
    "Fate",
    "Field",
    "Header",
    "Index",
    "IndexLine",
    "Kind",
    "Link",
    "Loaded",
    "MemoryFile",
    "MemoryType",
    "Newline",
    "Place",
    "Problem",
    "Source",
    "decode",
    "directory_of",
    "entry_line",
    "load",
    "parse_file",
    "read_directory",
    "read_index",
]
