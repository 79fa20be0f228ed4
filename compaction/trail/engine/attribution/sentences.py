"""Splits a section into the parts that are traced one by one: sentences, list items, quotes, pieces of code."""

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


class SentenceForm(StrEnum):
    TEXT = "text"
    ITEM = "item"
    """A list item, or a sentence after the first one of an item."""
    QUOTE = "quote"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Sentence:
    number: int
    """In the whole summary, from 1."""
    text: str
    form: SentenceForm = SentenceForm.TEXT
    depth: int = 0
    """Its indentation, in levels of a list."""
    is_first: bool = True
    """Whether it begins a paragraph or an item."""


@dataclass(slots=True)
class _Piece:
    form: SentenceForm
    indent: int
    lines: list[str]


def split_sentences(body: str, *, keep_whole: bool, first: int) -> list[Sentence]:
    """The sentences of a section, numbered from `first`. `keep_whole`: its items are quotes, which are not split."""
    lines = body.splitlines()
    sentences: list[Sentence] = []
    for piece in _items(lines) if keep_whole else _pieces(lines):
        depth = min(_DEEPEST, piece.indent // _PER_LEVEL)
        for index, part in enumerate(_parts(piece, keep_whole=keep_whole)):
            sentences.append(Sentence(first + len(sentences), part, piece.form, depth, is_first=index == 0))
    return sentences


def _parts(piece: _Piece, *, keep_whole: bool) -> list[str]:
    if piece.form is SentenceForm.CODE:
        return ["\n".join(line[piece.indent :] if line[: piece.indent].isspace() else line for line in piece.lines)]
    lines = [line.strip() for line in piece.lines]
    if keep_whole or piece.form is SentenceForm.QUOTE:
        return ["\n".join(lines).strip()]
    return [part for part in _split(" ".join(lines)) if part]


def _items(lines: Sequence[str]) -> Iterator[_Piece]:
    """Items, each with everything that is indented under it: paragraphs, lists and code."""
    current: _Piece | None = None
    for line in lines:
        item = _ITEM.match(line)
        if item is not None and (current is None or _indent(line) <= current.indent):
            if current is not None:
                yield current
            current = _Piece(SentenceForm.ITEM, _indent(line), [line[item.end() :]])
        elif current is not None:
            current.lines.append(line)
        elif line.strip():
            yield _Piece(SentenceForm.TEXT, _indent(line), [line])
    if current is not None:
        yield current


def _pieces(lines: Iterable[str]) -> Iterator[_Piece]:
    """Paragraphs, items, quotes and code in order."""
    current: _Piece | None = None
    fence = ""
    for line in lines:
        new_piece = _start_piece(line, current, fence)
        if current is not None and (new_piece is not None or not (fence or line.strip())):
            yield current
            current = None
        if new_piece is not None:
            current = new_piece
            fence = line.strip()[:_SHORTEST_FENCE] if new_piece.form is SentenceForm.CODE else ""
        elif current is not None:
            current.lines.append(line.lstrip()[1:] if current.form is SentenceForm.QUOTE else line)
            if fence and line.strip() == fence:
                yield current
                current, fence = None, ""
    if current is not None:
        yield current


def _start_piece(line: str, current: _Piece | None, fence: str) -> _Piece | None:
    """The piece that begins with this line; None if the line continues the current one."""
    if fence or not line.strip():
        return None
    indent = _indent(line)
    if _FENCE.match(line) is not None:
        return _Piece(SentenceForm.CODE, indent, [line])
    if (item := _ITEM.match(line)) is not None:
        return _Piece(SentenceForm.ITEM, indent, [line[item.end() :]])
    is_quote = line.lstrip().startswith(">")
    if current is not None and is_quote == (current.form is SentenceForm.QUOTE):
        return None
    return (
        _Piece(SentenceForm.QUOTE, indent, [line.lstrip()[1:]])
        if is_quote
        else _Piece(SentenceForm.TEXT, indent, [line])
    )


def _indent(line: str) -> int:
    start = line[: len(line) - len(line.lstrip(" \t"))]
    return len(start.replace("\t", _TAB))


def _split(text: str) -> Iterator[str]:
    begin = checked = 0
    marks = Counter[str]()
    for end in _END.finditer(text):
        marks.update(mark for mark in text[checked : end.end()] if mark in _PAIRED)
        checked = end.end()
        # No sentence ends inside code or a quote.
        before = text[max(begin, end.start() - 8) : end.start() + 1]
        if any(count % 2 for count in marks.values()) or _ABBREVIATION.search(before):
            continue
        yield text[begin : end.end()].strip()
        begin = end.end()
        marks.clear()
    yield text[begin:].strip()
