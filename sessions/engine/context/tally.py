"""The tokens of a context by what they are spent on. Estimates: only the whole request is ever counted by the API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from sessions.engine.context.array import Element, Piece
from sessions.engine.linking.extras import mapping
from sessions.engine.messages import Kind
from sessions.engine.tokens import estimate_blocks


class Category(StrEnum):
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


class Tally(NamedTuple):
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

    @property
    def total(self) -> int:
        return sum(self)

    def plus(self, other: Tally) -> Tally:
        return Tally(*map(sum, zip(self, other, strict=True)))


_PLACE = {category: at for at, category in enumerate(Category)}
_OF_KIND = {
    Kind.PROMPT: Category.USER_TEXT,
    Kind.SUMMARY: Category.SUMMARY,
    Kind.INJECTED: Category.ATTACHMENTS,
    Kind.RESULT: Category.ATTACHMENTS,
    Kind.ANSWER: Category.ASSISTANT_TEXT,
}
_OF_TYPE = {
    "thinking": Category.THINKING,
    "redacted_thinking": Category.THINKING,
    "tool_use": Category.TOOL_INPUTS,
    "server_tool_use": Category.TOOL_INPUTS,
    "image": Category.IMAGES,
    "document": Category.IMAGES,
}


def tally_of(elements: Iterable[Element]) -> Tally:
    counts = [0] * len(Category)
    for element in elements:
        for piece in element.pieces:
            for category, tokens in spent(piece):
                counts[_PLACE[category]] += tokens
    return Tally(*counts)


def spent(piece: Piece) -> Iterable[tuple[Category, int]]:
    """Usually one category; the pictures in a result are counted as pictures."""
    block = piece.block
    kind = block.get("type")
    tokens = estimate_blocks((block,))
    if kind == "tool_result":
        content = block.get("content")
        inside = (
            [part for part in content if mapping(part).get("type") in _OF_TYPE] if isinstance(content, list) else []
        )
        pictures = estimate_blocks(inside) if inside else 0
        return ((Category.TOOL_RESULTS, tokens - pictures), (Category.IMAGES, pictures))
    return ((_OF_TYPE.get(str(kind)) or _OF_KIND[piece.message.kind], tokens),)


def system_tally(system: Sequence[Mapping[str, Any]] | None, tools: Sequence[Mapping[str, Any]] | None) -> Tally:
    return Tally(estimate_blocks(system or ()), estimate_blocks(tools or ()))
