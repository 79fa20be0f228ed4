"""Places the parts of a request along its prompt, and tells which of them the cache had.

The API counts only whole prompts, so its counts are spread over our estimates: everything after the last mark is
`input`, everything before it was read or written. What no record holds comes first, as tools and system prompt do.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.rendering.array import Element
from sessions.linking.engine.raw_fields import text
from sessions.requests.engine.part import CacheFate, RequestPart, RequestSection
from sessions.requests.engine.sent_marks import CacheMark, marks_of
from sessions.usage.engine.billing_header import BILLING
from sessions.usage.engine.usage import Usage
from sessions.weights.engine import ContextWeights, Weight, combine
from sessions.weights.engine.rates import estimate_blocks
from sessions.weights.engine.setup_weights import SetupWeights, rest_label, setup_weights

_TITLES = {"tools": "Tools", "system": "System prompt", "messages": "Messages"}
_NO_RECORD = {
    "tools": "No record of this session holds the definitions of the tools.",
    "system": "No record of this session holds the system prompt.",
}


@dataclass(frozen=True, slots=True)
class _UnplacedPart:
    """A part whose place in the prompt is not known yet."""

    section: str
    number: int
    label: str
    chars: int
    tokens: int
    blocks: int = 1
    note: str = ""
    weight: Weight | None = None


@dataclass(frozen=True, slots=True)
class Anatomy:
    sections: tuple[RequestSection, ...]
    usage: Usage | None
    total: float
    """Tokens of the prompt, as the API counted them; else our estimate."""
    unrecorded: float
    """The tokens among these that no record holds."""
    unrecorded_label: str
    """What they are."""
    beside: float
    """The tokens among these that are beside system prompt and tools: what the client sent with messages."""
    marks_are_known: bool
    """Is it known where the cache marks were?"""

    @property
    def before_messages(self) -> float:
        """The tokens of system prompt and tools that no record holds."""
        return self.unrecorded - self.beside

    @property
    def marks(self) -> int:
        return sum(section.marks for section in self.sections)


def anatomy_of(
    setup: RequestSetup, elements: Sequence[Element], usage: Usage | None, weights: ContextWeights | None = None
) -> Anatomy:
    """`weights`: the measured weights of these elements; without them, tokens are estimated."""
    head = None if weights is None else setup_weights(setup, weights)
    raw = [*_tool_parts(setup, head), *_system_parts(setup, head), *_message_parts(elements, weights)]
    marks = marks_of(setup, elements)
    marks_by_part: dict[tuple[str, int], list[CacheMark]] = {}
    for (section, number, _), mark in marks.items():
        marks_by_part.setdefault((section, number), []).append(mark)
    scale = _TokenScale.of(raw, marks_by_part, usage, whole=setup.system is not None and setup.tools is not None)
    parts: dict[str, list[RequestPart]] = {"tools": [], "system": [], "messages": []}
    estimated = 0
    for part in raw:
        parts[part.section].append(
            _place_part(part, estimated, scale, marks_by_part.get((part.section, part.number), ()), usage)
        )
        estimated += part.tokens
    unknown = {"tools": setup.tools is None, "system": setup.system is None}
    sections = tuple(
        _section(name, tuple(section_parts), usage, unknown=_NO_RECORD[name] if unknown.get(name) else "")
        for name, section_parts in parts.items()
    )
    return Anatomy(
        sections,
        usage,
        scale.to_counted(estimated),
        scale.head,
        rest_label(setup),
        0.0 if weights is None else min(scale.head, weights.unrecorded),
        setup.marks is not None or bool(marks),
    )


def _tool_parts(setup: RequestSetup, head: SetupWeights | None) -> Iterator[_UnplacedPart]:
    for number, tool in enumerate(setup.tools or ()):
        deferred = "deferred: sent as a name until it is looked up" if tool.get("defer_loading") is True else ""
        weight = None if head is None else head.tools[number]
        name = text(tool.get("name")) or "unnamed"
        yield _UnplacedPart("tools", number, name, _size(tool), _tokens(weight, [tool]), note=deferred, weight=weight)


def _system_parts(setup: RequestSetup, head: SetupWeights | None) -> Iterator[_UnplacedPart]:
    for number, block in enumerate(setup.system or ()):
        words = text(block.get("text"))
        billing = "changes without effect: it is no part of the cache's key" if words.startswith(BILLING) else ""
        label = "billing header" if billing else f"block {number + 1}"
        weight = None if head is None else head.system[number]
        yield _UnplacedPart("system", number, label, len(words), _tokens(weight, [block]), note=billing, weight=weight)


def _message_parts(elements: Sequence[Element], weights: ContextWeights | None) -> Iterator[_UnplacedPart]:
    for number, element in enumerate(elements):
        blocks = [piece.block for piece in element.pieces]
        chars = sum(map(_size, blocks))
        weight = None if weights is None else combine(weights.messages[number])
        yield _UnplacedPart(
            "messages", number, element.role, chars, _tokens(weight, blocks), len(blocks), weight=weight
        )


def _tokens(weight: Weight | None, blocks: Sequence[Mapping[str, Any]]) -> int:
    return round((weight or estimate_blocks(blocks)).tokens)


def _size(block: Mapping[str, Any]) -> int:
    words = block.get("text")
    if isinstance(words, str):
        return len(words)
    return len(orjson.dumps(dict(block), default=str, option=orjson.OPT_NON_STR_KEYS))


@dataclass(frozen=True, slots=True)
class _TokenScale:
    """Converts estimated tokens to counted ones, by two straight lines that meet at the last mark."""

    head: float = 0.0
    """Counted tokens before the first part, which no record holds."""
    knee: int = 0
    knee_counted: float = 0.0
    before: float = 1.0
    after: float = 1.0

    @classmethod
    def of(
        cls, raw: Sequence[_UnplacedPart], marks: Container[tuple[str, int]], usage: Usage | None, *, whole: bool
    ) -> _TokenScale:
        estimated = sum(part.tokens for part in raw)
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

    def to_counted(self, estimated: float) -> float:
        if estimated <= self.knee:
            return self.head + estimated * self.before
        return self.knee_counted + (estimated - self.knee) * self.after


def _last_mark(raw: Sequence[_UnplacedPart], marks: Container[tuple[str, int]]) -> int | None:
    """The estimated tokens up to the end of the part with the last mark."""
    tokens, marked_end = 0, None
    for part in raw:
        tokens += part.tokens
        if (part.section, part.number) in marks:
            marked_end = tokens
    return marked_end


def _place_part(
    part: _UnplacedPart, start: int, scale: _TokenScale, marks: Sequence[CacheMark], usage: Usage | None
) -> RequestPart:
    begin, end = scale.to_counted(start), scale.to_counted(start + part.tokens)
    place = str(part.number) if part.section == "messages" else f"{part.section}.{part.number}"
    fate = _main_fate(begin, end, usage)
    tokens = round(end - begin) if part.weight is None else part.tokens
    details = (part.chars, tokens, begin, end, fate, tuple(marks), part.blocks, part.note, part.weight)
    return RequestPart(place, part.number + 1, part.label, *details)


def _fate_ends(usage: Usage) -> list[tuple[CacheFate, float]]:
    """The token at which each fate ends."""
    read = float(usage.cache_read)
    written = read + usage.cache_write_5m + usage.cache_write_1h
    return [(CacheFate.READ, read), (CacheFate.WRITTEN, written), (CacheFate.FRESH, written + usage.input)]


def _main_fate(begin: float, end: float, usage: Usage | None) -> CacheFate | None:
    """The fate of most of a part. The cache ends at the end of a block, but our positions are estimates."""
    if usage is None or not usage.context:
        return None
    fate, share = max(_overlaps(begin, end, usage), key=lambda overlap: overlap[1])
    if share > 0:
        return fate
    return next((name for name, edge in _fate_ends(usage) if end <= edge), CacheFate.FRESH)


def _overlaps(begin: float, end: float, usage: Usage) -> list[tuple[CacheFate, float]]:
    last, overlaps = 0.0, []
    for fate, edge in _fate_ends(usage):
        overlaps.append((fate, max(0.0, min(end, edge) - max(begin, last))))
        last = edge
    return overlaps


def _section(name: str, parts: tuple[RequestPart, ...], usage: Usage | None, unknown: str) -> RequestSection:
    if not parts:
        return RequestSection(name, _TITLES[name], parts, unknown)
    begin, end = parts[0].begin, parts[-1].end
    shares: tuple[tuple[CacheFate, float], ...] = ()
    if usage is not None and usage.context:
        shares = tuple((fate, length) for fate, length in _overlaps(begin, end, usage) if length > 0)
    return RequestSection(name, _TITLES[name], parts, unknown, begin, end, shares)
