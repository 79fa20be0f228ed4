"""Edits of one file, as new bytes. What is not edited keeps its bytes, line endings and encoding."""

from __future__ import annotations

from collections.abc import Iterable

from memory.files.engine.reading.file import MemoryFile
from memory.files.engine.reading.header import Field
from memory.files.engine.reading.scalar import quote_scalar
from memory.files.engine.reading.text import split_lines

_BELOW_METADATA = frozenset({"type", "node_type", "originSessionId", "modified"})


def with_field(file: MemoryFile, key: str, value: str) -> bytes:
    """Sets one field of the header, and adds a header if there is none."""
    lines, end = split_lines(file.source.text), file.source.line_end
    if not file.header:
        return with_header(file, [Field(key, value, 0, 0)])
    present = file.header.field(key)
    if present and not _shares_its_line(file, present):
        indent = _indent(lines[present.first - 1])
        lines[present.first - 1 : present.last] = [f"{indent}{key}: {quote_scalar(value)}{end}"]
    else:
        line_index, indent = _insert_position(file, key)
        lines.insert(line_index, f"{indent}{key}: {quote_scalar(value)}{end}")
    return file.source.encode("".join(lines))


def with_header(file: MemoryFile, fields: Iterable[Field]) -> bytes:
    """Replaces the header, for example one that is not valid YAML. The body keeps its bytes."""
    lines, end = split_lines(file.source.text), file.source.line_end
    parents: dict[str, list[Field]] = {}
    for part in fields:
        parents.setdefault(part.parent, []).append(part)
    header = [line for part in parents.get("", []) if part.key not in parents for line in _format_field(part, "")]
    for parent, below in parents.items():
        if parent:
            header += [f"{parent}:", *(line for part in below for line in _format_field(part, "  "))]
    gap = [] if file.header else [""]
    written = "".join(line + end for line in ["---", *header, "---", *gap])
    return file.source.encode(written + "".join(lines[file.header.last :]))


def _format_field(field: Field, indent: str) -> list[str]:
    if field.items:
        return [f"{indent}{field.key}:", *(f"{indent}  - {quote_scalar(item)}" for item in field.items)]
    return [f"{indent}{field.key}: {quote_scalar(field.value)}" if field.value else f"{indent}{field.key}:"]


def with_line(file: MemoryFile, number: int, text: str) -> bytes:
    """Replaces the text of line `number`."""
    lines = split_lines(file.source.text)
    old = lines[number - 1]
    lines[number - 1] = text + old[len(old.rstrip("\r\n")) :]
    return file.source.encode("".join(lines))


def without_lines(file: MemoryFile, numbers: set[int]) -> bytes:
    lines = split_lines(file.source.text)
    return file.source.encode("".join(line for number, line in enumerate(lines, start=1) if number not in numbers))


def with_line_added(file: MemoryFile, text: str) -> bytes:
    """Appends a line."""
    old, end = file.source.text, file.source.line_end
    gap = "" if not old or old.endswith("\n") else end
    return file.source.encode(f"{old}{gap}{text}{end}")


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _shares_its_line(file: MemoryFile, part: Field) -> bool:
    """Is it in braces, or does it contain other fields?"""
    return any(other is not part and part.first <= other.first <= part.last for other in file.header.fields)


def _insert_position(file: MemoryFile, key: str) -> tuple[int, str]:
    """Where to insert a new field: the index of the line, and the indentation."""
    below = [part for part in file.header.fields if part.parent == "metadata" and part.first > 1]
    opened = file.header.field("metadata")
    if key in _BELOW_METADATA and below and opened and below[-1].first > opened.first:
        return below[-1].last, "  "
    if key == "description" and (name := file.header.field("name")):
        return name.last, ""
    return file.header.last - 1, ""
