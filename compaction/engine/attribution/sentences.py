"""The parts of a section that can be traced one by one: sentences, items of lists, quotes, pieces of code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

_FENCE = re.compile(r"[ \t]*(```+|~~~+)")
_ITEM = re.compile(r"([ \t]*)([-*•+]|\d{1,4}[.)])[ \t]+(?=\S)")
_RULE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$")
_END = re.compile(r"[.!?…][\"'”’)\]*`]*[ \t]+(?=[\"'“‘(\[*`]*[A-Z0-9])")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|resp|[A-Z])\.$", re.IGNORECASE)
_PER_LEVEL = 2
_DEEPEST = 6
_TAB = "    "


class Form(StrEnum):
    TEXT = "text"
    ITEM = "item"
    """Of a list, or what follows the first sentence of one."""
    QUOTE = "quote"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Sentence:
    number: int
    """In the whole summary, from 1."""
    text: str
    form: Form = Form.TEXT
    depth: int = 0
    """How far it is indented, in levels of a list."""
    opens: bool = True
    """Begins a paragraph or an item; others go on in it."""


@dataclass(slots=True)
class _Piece:
    form: Form
    indent: int
    lines: list[str]


def sentences_in(body: str, *, whole: bool, first: int) -> list[Sentence]:
    """The sentences of a section, numbered from `first`. `whole`: its items are words of somebody, not to be cut."""
    found: list[Sentence] = []
    for piece in _pieces(body.splitlines()):
        text = "\n".join(piece.lines) if piece.form is Form.CODE else " ".join(line.strip() for line in piece.lines)
        if piece.form is not Form.CODE and whole:
            text = "\n".join(line.strip() for line in piece.lines)
        parts = [text] if whole or (piece.form is not Form.TEXT and piece.form is not Form.ITEM) else list(_split(text))
        depth = min(_DEEPEST, piece.indent // _PER_LEVEL)
        for at, part in enumerate(part for part in parts if part.strip()):
            found.append(Sentence(first + len(found), part.strip("\n"), piece.form, depth, opens=at == 0))
    return found


def _pieces(lines: Iterable[str]) -> Iterator[_Piece]:
    """Paragraphs, items, quotes and code. A line that is indented no less goes on with what stands above it."""
    current: _Piece | None = None
    fence = ""
    for line in lines:
        if fence:
            assert current is not None
            current.lines.append(line)
            if line.strip() == fence:
                yield current
                current, fence = None, ""
            continue
        opened = _FENCE.match(line)
        if opened is not None:
            if current is not None:
                yield current
            current, fence = _Piece(Form.CODE, _indent(line), [line]), opened[1]
            continue
        if not line.strip() or _RULE.match(line):
            if current is not None:
                yield current
            current = None
            continue
        item = _ITEM.match(line)
        if item is not None:
            if current is not None:
                yield current
            current = _Piece(Form.ITEM, _indent(line), [line[item.end() :]])
        elif line.lstrip().startswith(">"):
            if current is None or current.form is not Form.QUOTE:
                if current is not None:
                    yield current
                current = _Piece(Form.QUOTE, _indent(line), [])
            current.lines.append(line.lstrip()[1:])
        elif current is not None and current.form is not Form.QUOTE:
            current.lines.append(line)
        else:
            if current is not None:
                yield current
            current = _Piece(Form.TEXT, _indent(line), [line])
    if current is not None:
        yield current


def _indent(line: str) -> int:
    start = line[: len(line) - len(line.lstrip(" \t"))]
    return len(start.replace("\t", _TAB))


def _split(text: str) -> Iterator[str]:
    begin = 0
    for end in _END.finditer(text):
        part = text[begin : end.end()]
        if part.count("`") % 2 or part.count('"') % 2 or _ABBREVIATION.search(part[:-1].rstrip()[-8:]):
            continue
        yield part.strip()
        begin = end.end()
    yield text[begin:].strip()
