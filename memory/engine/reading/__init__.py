"""Reading memory: a directory, its index, its topics, and what of the index is loaded."""

from __future__ import annotations

from memory.engine.reading.directory import Directory, DirectoryMissingError, directory_of, read_directory
from memory.engine.reading.file import INDEX_NAME, Kind, MemoryFile, MemoryType, parse_file
from memory.engine.reading.header import Field, Header
from memory.engine.reading.index import Entry, Index, IndexLine, Place, entry_line, read_index
from memory.engine.reading.links import Link
from memory.engine.reading.loading import Fate, Loaded, load
from memory.engine.reading.problem import Problem
from memory.engine.reading.text import Newline, Source, decode

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
