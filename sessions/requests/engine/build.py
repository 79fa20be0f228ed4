"""Lays the parts of a request out along its prompt, and tells which of them the cache had.

The API counts a prompt as a whole. Its counts are laid over our estimates: what follows the last mark is `input`, what
stands before it was read or written, and what no record holds stands in front, where tools and system prompt are.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.rendering.array import Element
from sessions.linking.engine.raw_fields import text
from sessions.requests.engine.marks import CacheMark, marks_of
from sessions.requests.engine.part import Fate, Part, Section
from sessions.usage.engine.billing_header import BILLING
from sessions.usage.engine.tokens import estimate_block
from sessions.usage.engine.usage import Usage

_TITLES = {"tools": "Tools", "system": "System prompt", "messages": "Messages"}
_NO_RECORD = {
    "tools": "No record of this session holds the definitions of the tools.",
    "system": "No record of this session holds the system prompt.",
}


@dataclass(frozen=True, slots=True)
class _Raw:
    """A part before its place is known."""

    section: str
    number: int
    label: str
    chars: int
    tokens: int
    blocks: int = 1
    note: str = ""


@dataclass(frozen=True, slots=True)
class Anatomy:
    sections: tuple[Section, ...]
    usage: Usage | None
    total: float
    """Tokens of the prompt: as counted, else as estimated."""
    unseen: float
    """Of these, what no record holds."""
    marked: bool
    """Is it known where the marks stood?"""

    @property
    def marks(self) -> int:
        return sum(section.marks for section in self.sections)


def anatomy_of(given: RequestSetup, elements: Sequence[Element], usage: Usage | None) -> Anatomy:
    raw = [*_tools(given), *_system(given), *_messages(elements)]
    marks = marks_of(given, elements)
    mine: dict[tuple[str, int], list[CacheMark]] = {}
    for (section, number, _), mark in marks.items():
        mine.setdefault((section, number), []).append(mark)
    scale = _Scale.of(raw, mine, usage, whole=given.system is not None and given.tools is not None)
    parts: dict[str, list[Part]] = {"tools": [], "system": [], "messages": []}
    at = 0
    for one in raw:
        parts[one.section].append(_part(one, at, scale, mine.get((one.section, one.number), ()), usage))
        at += one.tokens
    unknown = {"tools": given.tools is None, "system": given.system is None}
    sections = tuple(
        _section(name, tuple(found), usage, unknown=_NO_RECORD[name] if unknown.get(name) else "")
        for name, found in parts.items()
    )
    return Anatomy(sections, usage, scale.at(at), scale.head, given.marks is not None or bool(marks))


def _tools(given: RequestSetup) -> Iterator[_Raw]:
    for at, tool in enumerate(given.tools or ()):
        deferred = "deferred: sent as a name until it is looked up" if tool.get("defer_loading") is True else ""
        yield _Raw(
            "tools", at, text(tool.get("name")) or "unnamed", _size(tool), estimate_block(dict(tool)), note=deferred
        )


def _system(given: RequestSetup) -> Iterator[_Raw]:
    for at, block in enumerate(given.system or ()):
        words = text(block.get("text"))
        billing = "changes without effect: it is no part of the cache's key" if words.startswith(BILLING) else ""
        label = "billing header" if billing else f"block {at + 1}"
        yield _Raw("system", at, label, len(words), estimate_block(dict(block)), note=billing)


def _messages(elements: Sequence[Element]) -> Iterator[_Raw]:
    for at, element in enumerate(elements):
        blocks = [piece.block for piece in element.pieces]
        chars = sum(map(_size, blocks))
        yield _Raw("messages", at, element.role, chars, sum(map(estimate_block, blocks)), len(blocks))


def _size(block: Mapping[str, Any]) -> int:
    words = block.get("text")
    if isinstance(words, str):
        return len(words)
    return len(orjson.dumps(dict(block), default=str, option=orjson.OPT_NON_STR_KEYS))


@dataclass(frozen=True, slots=True)
class _Scale:
    """From estimated tokens to counted ones: two straight lines that meet at the last mark."""

    head: float = 0.0
    """Counted tokens before the first part: what no record holds."""
    knee: int = 0
    knee_at: float = 0.0
    before: float = 1.0
    after: float = 1.0

    @classmethod
    def of(cls, raw: Sequence[_Raw], marks: Container[tuple[str, int]], usage: Usage | None, *, whole: bool) -> _Scale:
        estimated = sum(one.tokens for one in raw)
        if usage is None or not usage.context or not estimated:
            return cls()
        head = 0.0 if whole else max(0.0, usage.context - estimated)
        knee = _last_mark(raw, marks)
        cached = usage.context - usage.input
        if knee is None or cached <= head or not 0 < knee <= estimated or (knee == estimated) != (usage.input == 0):
            factor = (usage.context - head) / estimated
            return cls(head, 0, head, factor, factor)
        after = usage.input / (estimated - knee) if estimated > knee else 1.0
        return cls(head, knee, float(cached), (cached - head) / knee, after)

    def at(self, estimated: float) -> float:
        if estimated <= self.knee:
            return self.head + estimated * self.before
        return self.knee_at + (estimated - self.knee) * self.after


def _last_mark(raw: Sequence[_Raw], marks: Container[tuple[str, int]]) -> int | None:
    """The estimated tokens up to the end of the part with the last mark."""
    at, found = 0, None
    for one in raw:
        at += one.tokens
        if (one.section, one.number) in marks:
            found = at
    return found


def _part(one: _Raw, at: int, scale: _Scale, marks: Sequence[CacheMark], usage: Usage | None) -> Part:
    begin, end = scale.at(at), scale.at(at + one.tokens)
    place = str(one.number) if one.section == "messages" else f"{one.section}.{one.number}"
    fate = _fate(begin, end, usage)
    known = (one.chars, round(end - begin), begin, end, fate, tuple(marks), one.blocks, one.note)
    return Part(place, one.number + 1, one.label, *known)


def _edges(usage: Usage) -> list[tuple[Fate, float]]:
    """Where each fate ends."""
    read = float(usage.cache_read)
    written = read + usage.cache_write_5m + usage.cache_write_1h
    return [(Fate.READ, read), (Fate.WRITTEN, written), (Fate.FRESH, written + usage.input)]


def _fate(begin: float, end: float, usage: Usage | None) -> Fate | None:
    """That of the larger part of it: edges of the cache stand at ends of blocks, and our places are estimates."""
    if usage is None or not usage.context:
        return None
    fate, share = max(_overlaps(begin, end, usage), key=lambda one: one[1])
    if share > 0:
        return fate
    return next((name for name, edge in _edges(usage) if end <= edge), Fate.FRESH)


def _overlaps(begin: float, end: float, usage: Usage) -> list[tuple[Fate, float]]:
    last, found = 0.0, []
    for fate, edge in _edges(usage):
        found.append((fate, max(0.0, min(end, edge) - max(begin, last))))
        last = edge
    return found


def _section(name: str, parts: tuple[Part, ...], usage: Usage | None, unknown: str) -> Section:
    if not parts:
        return Section(name, _TITLES[name], parts, unknown)
    begin, end = parts[0].begin, parts[-1].end
    shares: tuple[tuple[Fate, float], ...] = ()
    if usage is not None and usage.context:
        shares = tuple((fate, length) for fate, length in _overlaps(begin, end, usage) if length > 0)
    return Section(name, _TITLES[name], parts, unknown, begin, end, shares)
