"""The header (front matter) of a topic, in every form that agents have written: fields at the top or below `metadata`,
quoted or not, whole or broken. Each field knows its lines, so that one can be changed and the others stay."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.files.engine.reading.problem import Problem
from memory.files.engine.reading.scalar import Scalar, scalar
from memory.files.engine.reading.text import without_end

LONGEST = 200
"""Lines: a fence that is still open by then opened no header."""
_KEY = re.compile(r"(?P<indent>[ \t]*)(?P<key>[A-Za-z_][\w.-]*|\"[^\"]+\"|'[^']+')[ ]*:(?:[ \t]+(?P<value>.*))?$")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(?P<value>.*))?$")
_BLOCK = re.compile(r"[|>][+-]?\d?$")


@dataclass(frozen=True, slots=True)
class Field:
    key: str
    value: str
    first: int
    """Lines of the file, counted from 1."""
    last: int
    parent: str = ""
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Header:
    fields: tuple[Field, ...] = ()
    first: int = 0
    """The lines of the two fences; 0 where there is no header."""
    last: int = 0
    problems: tuple[Problem, ...] = ()

    def __bool__(self) -> bool:
        return self.last > 0

    def field(self, key: str) -> Field | None:
        """At the top, else below `metadata`: newer versions of the agent write it there."""
        found = [one for one in self.fields if one.key == key]
        return min(found, key=lambda one: (one.parent != "", one.first), default=None)

    def get(self, key: str) -> str:
        found = self.field(key)
        return found.value if found else ""


def read_header(lines: Sequence[str]) -> Header:
    """The header at the beginning of a file. Never raises."""
    if not lines or without_end(lines[0]).rstrip() != "---":
        return Header()
    for at, line in enumerate(lines[1:LONGEST], start=1):
        if without_end(line).rstrip() in ("---", "..."):
            reader = _Reader([without_end(one) for one in lines[1:at]])
            reader.read()
            return Header(tuple(reader.fields), 1, at + 1, tuple(reader.problems))
    return Header(problems=(Problem("invalid-yaml", "The header is opened with --- and never closed.", 1),))


@dataclass(slots=True)
class _Reader:
    lines: list[str]
    fields: list[Field] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    parent: str = ""

    def read(self) -> None:
        at = 0
        while at < len(self.lines):
            at = self._line(at)

    def _line(self, at: int) -> int:
        line = self.lines[at]
        if not line.strip() or line.lstrip().startswith("#"):
            return at + 1
        if "\t" in line[: len(line) - len(line.lstrip())]:
            self._refuse(at, "A tab cannot indent a line of YAML.")
        if pair := _KEY.match(line):
            return self._pair(at, pair)
        if (item := _ITEM.match(line)) and self.fields:
            self._extend(at, scalar(item["value"] or ""), listed=True)
        elif line[0] in " \t" and self.fields:
            self._extend(at, scalar(line), listed=False)
        else:
            self._refuse(at, "This line of the header is no `key: value`.")
        return at + 1

    def _pair(self, at: int, pair: re.Match[str]) -> int:
        key, raw = pair["key"].strip("'\""), (pair["value"] or "").strip()
        nested = bool(pair["indent"]) and bool(self.parent)
        if pair["indent"] and not self.parent:
            self._refuse(at, "This line is indented, and nothing above it opens a mapping.")
        parent = self.parent if nested else ""
        if any(one.key == key and one.parent == parent for one in self.fields):
            self._refuse(at, f"`{key}` stands twice in the header.")
        if _BLOCK.fullmatch(raw):
            return self._block(at, key, parent, len(pair["indent"]))
        value = scalar(raw)
        self._judge(at, key, value)
        self.fields.append(Field(key, "" if value.pairs else value.value, at + 2, at + 2, parent, value.items))
        for inner, text in value.pairs:
            self.fields.append(Field(inner, text, at + 2, at + 2, key))
        if not nested:
            self.parent = "" if raw and not raw.startswith("#") else key
        return at + 1

    def _block(self, at: int, key: str, parent: str, indent: int) -> int:
        end = at + 1
        while end < len(self.lines) and (
            not self.lines[end].strip() or len(self.lines[end]) - len(self.lines[end].lstrip()) > indent
        ):
            end += 1
        text = "\n".join(line.strip() for line in self.lines[at + 1 : end]).strip()
        self.fields.append(Field(key, text, at + 2, end + 1, parent))
        return end

    def _extend(self, at: int, value: Scalar, *, listed: bool) -> None:
        """A line that belongs to the field above it: an item of a list, or more of its text."""
        last = self.fields[-1]
        items = (*last.items, value.value) if listed else last.items
        text = last.value if listed else f"{last.value} {value.value}".strip()
        self._judge(at, last.key, value)
        self.fields[-1] = Field(last.key, text, last.first, at + 2, last.parent, items)

    def _judge(self, at: int, key: str, value: Scalar) -> None:
        if value.refused:
            self._refuse(at, f"`{key}`: {value.refused[0].lower()}{value.refused[1:]}")
        elif value.dropped and value.dropped != value.value:
            words = f"`{key}`: YAML reads “{value.dropped[:60]}” as a comment; quote the value."
            self.problems.append(Problem("header-comment", words, at + 2))

    def _refuse(self, at: int, why: str) -> None:
        self.problems.append(Problem("invalid-yaml", why, at + 2))
