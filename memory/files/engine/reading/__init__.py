"""Reads memory: a directory, its topics, its index, and the part of the index that is loaded."""

from __future__ import annotations

from memory.files.engine.reading.directory import (
    DirectoryMissingError,
    MemoryDirectory,
    directory_from_contents,
    read_directory,
)
from memory.files.engine.reading.file import INDEX_NAME, FileKind, MemoryFile, MemoryType, parse_file
from memory.files.engine.reading.header import Field, Header
from memory.files.engine.reading.index import Index, IndexEntry, IndexLine, IndexPosition, format_entry, read_index
from memory.files.engine.reading.links import Link
from memory.files.engine.reading.loaded_text import Fate, LoadedText, load_index
from memory.files.engine.reading.problem import Problem
from memory.files.engine.reading.text import DecodedText, Newline, decode

__all__ = [
    "INDEX_NAME",
    "DecodedText",
    "DirectoryMissingError",
    "Fate",
    "Field",
    "FileKind",
    "Header",
    "Index",
    "IndexEntry",
    "IndexLine",
    "IndexPosition",
    "Link",
    "LoadedText",
    "MemoryDirectory",
    "MemoryFile",
    "MemoryType",
    "Newline",
    "Problem",
    "decode",
    "directory_from_contents",
    "format_entry",
    "load_index",
    "parse_file",
    "read_directory",
    "read_index",
]
