"""Changes to one file, as new bytes: what is not changed keeps its bytes, its line ends and its encoding."""

from __future__ import annotations

from collections.abc import Iterable

from memory.files.engine.reading.file import MemoryFile
from memory.files.engine.reading.header import Field
from memory.files.engine.reading.scalar import quote_scalar
from memory.files.engine.reading.text import split_lines

_BELOW_METADATA = frozenset({"type", "node_type", "originSessionId", "modified"})


def with_field(file: MemoryFile, key: str, value: str) -> bytes:
    """The file with one field of its header set; with a header, if it had none."""
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
    """The file with a header written anew: for one that YAML cannot read. The body keeps its bytes."""
    lines, end = split_lines(file.source.text), file.source.line_end
    parents: dict[str, list[Field]] = {}
    for field_ in fields:
        parents.setdefault(field_.parent, []).append(field_)
    header = [line for field_ in parents.get("", []) if field_.key not in parents for line in _format_field(field_, "")]
    for parent, below in parents.items():
        if parent:
            header += [f"{parent}:", *(line for field_ in below for line in _format_field(field_, "  "))]
    gap = [] if file.header else [""]
    written = "".join(line + end for line in ["---", *header, "---", *gap])
    return file.source.encode(written + "".join(lines[file.header.last :]))


def _format_field(field: Field, indent: str) -> list[str]:
    if field.items:
        return [f"{indent}{field.key}:", *(f"{indent}  - {quote_scalar(item)}" for item in field.items)]
    return [f"{indent}{field.key}: {quote_scalar(field.value)}" if field.value else f"{indent}{field.key}:"]


def with_line(file: MemoryFile, number: int, text: str) -> bytes:
    """Another text in line `number`."""
    lines = split_lines(file.source.text)
    old = lines[number - 1]
    lines[number - 1] = text + old[len(old.rstrip("\r\n")) :]
    return file.source.encode("".join(lines))


def without_lines(file: MemoryFile, numbers: set[int]) -> bytes:
    lines = split_lines(file.source.text)
    return file.source.encode("".join(line for number, line in enumerate(lines, start=1) if number not in numbers))


def with_line_added(file: MemoryFile, text: str) -> bytes:
    """One more line at the end."""
    old, end = file.source.text, file.source.line_end
    gap = "" if not old or old.endswith("\n") else end
    return file.source.encode(f"{old}{gap}{text}{end}")


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _shares_its_line(file: MemoryFile, field_: Field) -> bool:
    """Stands in braces, or holds others below it."""
    return any(other is not field_ and field_.first <= other.first <= field_.last for other in file.header.fields)


def _insert_position(file: MemoryFile, key: str) -> tuple[int, str]:
    """Before which line a new field goes, and how far in."""
    below = [field_ for field_ in file.header.fields if field_.parent == "metadata" and field_.first > 1]
    opened = file.header.field("metadata")
    if key in _BELOW_METADATA and below and opened and below[-1].first > opened.first:
        return below[-1].last, "  "
    if key == "description" and (name := file.header.field("name")):
        return name.last, ""
    return file.header.last - 1, ""
