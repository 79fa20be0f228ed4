"""The tokens of a context by category. These are estimates: the API counts only whole requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from operator import add
from typing import Any, NamedTuple

from sessions.context.engine.rendering.array import Element, Piece
from sessions.linking.engine.raw_fields import mapping, text
from sessions.transcripts.engine.messages import MessageKind
from sessions.usage.engine.tokens import estimate_block, estimate_blocks


class Category(StrEnum):
    HEAD = "head"
    """System prompt and tools, where they were only counted together."""
    SYSTEM = "system"
    TOOLS = "tools"
    USER_TEXT = "user_text"
    ASSISTANT_TEXT = "assistant_text"
    THINKING = "thinking"
    TOOL_INPUTS = "tool_inputs"
    TOOL_RESULTS = "tool_results"
    ATTACHMENTS = "attachments"
    SUMMARY = "summary"
    IMAGES = "images"
    UNEXPLAINED = "unexplained"
    """Counted by the API, and in no record."""


class Tally(NamedTuple):
    head: int = 0
    system: int = 0
    tools: int = 0
    user_text: int = 0
    assistant_text: int = 0
    thinking: int = 0
    tool_inputs: int = 0
    tool_results: int = 0
    attachments: int = 0
    summary: int = 0
    images: int = 0
    unexplained: int = 0

    @property
    def total(self) -> int:
        return sum(self)

    def plus(self, other: Tally) -> Tally:
        return Tally._make(map(add, self, other))


_CATEGORIES = len(Category)
_CATEGORY = tuple(Category)
_INDEX = {category: index for index, category in enumerate(Category)}
_BY_KIND = {
    MessageKind.PROMPT: _INDEX[Category.USER_TEXT],
    MessageKind.SUMMARY: _INDEX[Category.SUMMARY],
    MessageKind.INJECTED: _INDEX[Category.ATTACHMENTS],
    MessageKind.RESULT: _INDEX[Category.ATTACHMENTS],
    MessageKind.ANSWER: _INDEX[Category.ASSISTANT_TEXT],
}
_RESULTS, _IMAGES = _INDEX[Category.TOOL_RESULTS], _INDEX[Category.IMAGES]
_PICTURES = frozenset({"image", "document"})
_BY_TYPE: dict[Any, int] = {
    "thinking": _INDEX[Category.THINKING],
    "redacted_thinking": _INDEX[Category.THINKING],
    "tool_use": _INDEX[Category.TOOL_INPUTS],
    "server_tool_use": _INDEX[Category.TOOL_INPUTS],
    **dict.fromkeys(_PICTURES, _IMAGES),
}


def tally_of(elements: Iterable[Element]) -> Tally:
    counts = [0] * _CATEGORIES
    for element in elements:
        for piece in element.pieces:
            block = piece.block
            tokens = estimate_block(block)
            kind = block.get("type")
            if kind == "tool_result":
                content = block.get("content")
                pictures = 0 if type(content) is str else _pictures(content)
                counts[_RESULTS] += tokens - pictures
                counts[_IMAGES] += pictures
            else:
                counts[_BY_TYPE.get(text(kind)) or _BY_KIND[piece.message.kind]] += tokens
    return Tally(*counts)


def category_of(piece: Piece) -> Category:
    kind = text(piece.block.get("type"))
    if kind == "tool_result":
        return Category.TOOL_RESULTS
    return _CATEGORY[_BY_TYPE.get(kind) or _BY_KIND[piece.message.kind]]


def _pictures(content: object) -> int:
    """The pictures in a result are counted as pictures."""
    if not isinstance(content, list):
        return 0
    return estimate_blocks([part for part in content if text(mapping(part).get("type")) in _PICTURES])


def system_tally(system: Sequence[Mapping[str, Any]] | None, tools: Sequence[Mapping[str, Any]] | None) -> Tally:
    return Tally(system=estimate_blocks(system or ()), tools=estimate_blocks(tools or ()))
