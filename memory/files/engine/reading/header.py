"""The header (front matter) of a topic, in every form that agents have written: fields at the top level or below
`metadata`, quoted or not, valid or broken. Each field knows its lines, so that it can be edited alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.files.engine.reading.problem import Problem
from memory.files.engine.reading.scalar import Scalar, parse_scalar
from memory.files.engine.reading.text import strip_line_end

LONGEST = 200
"""Lines: a fence that is not closed by then does not start a header."""
_KEY = re.compile(r"(?P<indent>[ \t]*)(?P<key>[A-Za-z_][\w.-]*|\"[^\"]+\"|'[^']+')[ ]*:(?:[ \t]+(?P<value>.*))?$")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(?P<value>.*))?$")
_BLOCK = re.compile(r"[|>][+-]?\d?$")


@dataclass(frozen=True, slots=True)
class Field:
    key: str
    value: str
    first: int
    """Line numbers in the file, from 1."""
    last: int
    parent: str = ""
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Header:
    fields: tuple[Field, ...] = ()
    first: int = 0
    """The lines of the two fences; 0 if there is no header."""
    last: int = 0
    problems: tuple[Problem, ...] = ()

    def __bool__(self) -> bool:
        return self.last > 0

    def field(self, key: str) -> Field | None:
        """Looks at the top level first, then below `metadata`, where newer versions of the agent write fields."""
        matches = [header_field for header_field in self.fields if header_field.key == key]
        return min(matches, key=lambda header_field: (header_field.parent != "", header_field.first), default=None)

    def get(self, key: str) -> str:
        match = self.field(key)
        return match.value if match else ""


def read_header(lines: Sequence[str]) -> Header:
    """The header at the beginning of a file. Never raises."""
    if not lines or strip_line_end(lines[0]).rstrip() != "---":
        return Header()
    for index, line in enumerate(lines[1:LONGEST], start=1):
        if strip_line_end(line).rstrip() in ("---", "..."):
            reader = _Reader([strip_line_end(line) for line in lines[1:index]])
            reader.read()
            return Header(tuple(reader.fields), 1, index + 1, tuple(reader.problems))
    return Header(problems=(Problem("invalid-yaml", "The header is opened with --- and never closed.", 1),))


@dataclass(slots=True)
class _Reader:
    lines: list[str]
    fields: list[Field] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    parent: str = ""

    def read(self) -> None:
        index = 0
        while index < len(self.lines):
            index = self._read_line(index)

    def _read_line(self, index: int) -> int:
        line = self.lines[index]
        if not line.strip() or line.lstrip().startswith("#"):
            return index + 1
        if "\t" in line[: len(line) - len(line.lstrip())]:
            self._report(index, "A tab cannot indent a line of YAML.")
        if pair := _KEY.match(line):
            return self._read_pair(index, pair)
        if (item := _ITEM.match(line)) and self.fields:
            self._extend(index, parse_scalar(item["value"] or ""), is_item=True)
        elif line[0] in " \t" and self.fields:
            self._extend(index, parse_scalar(line), is_item=False)
        else:
            self._report(index, "This line of the header is no `key: value`.")
        return index + 1

    def _read_pair(self, index: int, pair: re.Match[str]) -> int:
        key, raw = pair["key"].strip("'\""), (pair["value"] or "").strip()
        nested = bool(pair["indent"]) and bool(self.parent)
        if pair["indent"] and not self.parent:
            self._report(index, "This line is indented, and nothing above it opens a mapping.")
        parent = self.parent if nested else ""
        if any(header_field.key == key and header_field.parent == parent for header_field in self.fields):
            self._report(index, f"`{key}` stands twice in the header.")
        if _BLOCK.fullmatch(raw):
            return self._read_block(index, key, parent, len(pair["indent"]))
        value = parse_scalar(raw)
        self._check_value(index, key, value)
        self.fields.append(Field(key, "" if value.pairs else value.value, index + 2, index + 2, parent, value.items))
        for inner, text in value.pairs:
            self.fields.append(Field(inner, text, index + 2, index + 2, key))
        if not nested:
            self.parent = "" if raw and not raw.startswith("#") else key
        return index + 1

    def _read_block(self, index: int, key: str, parent: str, indent: int) -> int:
        end = index + 1
        while end < len(self.lines) and (
            not self.lines[end].strip() or len(self.lines[end]) - len(self.lines[end].lstrip()) > indent
        ):
            end += 1
        text = "\n".join(line.strip() for line in self.lines[index + 1 : end]).strip()
        self.fields.append(Field(key, text, index + 2, end + 1, parent))
        return end

    def _extend(self, index: int, value: Scalar, *, is_item: bool) -> None:
        """Adds a line to the field above it: an item of a list, or more of its text."""
        last = self.fields[-1]
        items = (*last.items, value.value) if is_item else last.items
        text = last.value if is_item else f"{last.value} {value.value}".strip()
        self._check_value(index, last.key, value)
        self.fields[-1] = Field(last.key, text, last.first, index + 2, last.parent, items)

    def _check_value(self, index: int, key: str, value: Scalar) -> None:
        if value.refused:
            self._report(index, f"`{key}`: {value.refused[0].lower()}{value.refused[1:]}")
        elif value.dropped and value.dropped != value.value:
            words = f"`{key}`: YAML reads “{value.dropped[:60]}” as a comment; quote the value."
            self.problems.append(Problem("header-comment", words, index + 2))

    def _report(self, index: int, reason: str) -> None:
        self.problems.append(Problem("invalid-yaml", reason, index + 2))
