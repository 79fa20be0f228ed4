"""The parts of a section that can be traced one by one: sentences, items of lists, quotes, pieces of code."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_SHORTEST_FENCE = 3
_ITEM = re.compile(r"([ \t]*)([-*•+]|\d{1,4}[.)])[ \t]+(?=\S)")
_END = re.compile(r"[.!?…][\"'”’)\]*`]*[ \t]+(?=[\"'“‘(\[*`]*[A-Z0-9])")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|resp|[A-Z])\.$", re.IGNORECASE)
_PAIRED = '`"'
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
    lines = body.splitlines()
    found: list[Sentence] = []
    for piece in _items(lines) if whole else _pieces(lines):
        depth = min(_DEEPEST, piece.indent // _PER_LEVEL)
        for at, part in enumerate(_parts(piece, whole=whole)):
            found.append(Sentence(first + len(found), part, piece.form, depth, opens=at == 0))
    return found


def _parts(piece: _Piece, *, whole: bool) -> list[str]:
    if piece.form is Form.CODE:
        return ["\n".join(line[piece.indent :] if line[: piece.indent].isspace() else line for line in piece.lines)]
    lines = [line.strip() for line in piece.lines]
    if whole or piece.form is Form.QUOTE:
        return ["\n".join(lines).strip()]
    return [part for part in _split(" ".join(lines)) if part]


def _items(lines: Sequence[str]) -> Iterator[_Piece]:
    """Items with all that is indented under them: paragraphs, lists and code that somebody has written."""
    current: _Piece | None = None
    for line in lines:
        item = _ITEM.match(line)
        if item is not None and (current is None or _indent(line) <= current.indent):
            if current is not None:
                yield current
            current = _Piece(Form.ITEM, _indent(line), [line[item.end() :]])
        elif current is not None:
            current.lines.append(line)
        elif line.strip():
            yield _Piece(Form.TEXT, _indent(line), [line])
    if current is not None:
        yield current


def _pieces(lines: Iterable[str]) -> Iterator[_Piece]:
    """Paragraphs, items, quotes and code, one after the other."""
    current: _Piece | None = None
    fence = ""
    for line in lines:
        begun = _begun(line, current, fence)
        if current is not None and (begun is not None or not (fence or line.strip())):
            yield current
            current = None
        if begun is not None:
            current = begun
            fence = line.strip()[:_SHORTEST_FENCE] if begun.form is Form.CODE else ""
        elif current is not None:
            current.lines.append(line.lstrip()[1:] if current.form is Form.QUOTE else line)
            if fence and line.strip() == fence:
                yield current
                current, fence = None, ""
    if current is not None:
        yield current


def _begun(line: str, current: _Piece | None, fence: str) -> _Piece | None:
    """What begins with this line, if it does not go on with what stands above it."""
    if fence or not line.strip():
        return None
    indent = _indent(line)
    if _FENCE.match(line) is not None:
        return _Piece(Form.CODE, indent, [line])
    if (item := _ITEM.match(line)) is not None:
        return _Piece(Form.ITEM, indent, [line[item.end() :]])
    quote = line.lstrip().startswith(">")
    if current is not None and quote == (current.form is Form.QUOTE):
        return None
    return _Piece(Form.QUOTE, indent, [line.lstrip()[1:]]) if quote else _Piece(Form.TEXT, indent, [line])


def _indent(line: str) -> int:
    start = line[: len(line) - len(line.lstrip(" \t"))]
    return len(start.replace("\t", _TAB))


def _split(text: str) -> Iterator[str]:
    begin = looked = 0
    marks = Counter[str]()
    for end in _END.finditer(text):
        marks.update(mark for mark in text[looked : end.end()] if mark in _PAIRED)
        looked = end.end()
        # Inside of code or a quote no sentence ends.
        before = text[max(begin, end.start() - 8) : end.start() + 1]
        if any(count % 2 for count in marks.values()) or _ABBREVIATION.search(before):
            continue
        yield text[begin : end.end()].strip()
        begin = end.end()
        marks.clear()
    yield text[begin:].strip()
