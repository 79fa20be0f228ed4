"""A request as the cache sees it: model, tools, system prompt, messages, and what else is part of the key.

The API makes its key of the tools first, then of the system prompt, then of the messages, byte for byte. Tools that are
loaded on demand are not in the prompt until they are asked for, and the client's billing header is never compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from sessions.context.engine import Context, Exactness
from sessions.context.engine.digest import canonical, hashed_text
from sessions.context.engine.rendering.array import Element
from sessions.linking.engine.raw_fields import mapping, text
from sessions.transcripts.engine.messages import Block
from sessions.usage.engine.billing_header import BILLING

_ROOM, _SHARE = 1.25, 0.5
_LONGEST, _SHORTEST = 6, 2.5
"""Characters of a token of the messages, at the most and at the least."""
_PICTURE = 8_000
"""Characters that an image or a document is counted as: 2,000 tokens."""


@dataclass(frozen=True, slots=True)
class Part:
    """A tool or a block of the system prompt."""

    place: int
    """In the request as it was sent."""
    name: str
    words: str
    """What is compared: without marks."""


@dataclass(frozen=True, slots=True)
class Prompt:
    context: Context
    model: str
    effort: str
    speed: str
    tools: tuple[Part, ...] | None
    """None is what no record holds."""
    deferred: tuple[Part, ...]
    system: tuple[Part, ...] | None
    marks: Mapping[str, Mapping[str, Any]] | None
    """Path -> value; those of the messages, which move with every request, under the path of their part alone."""

    @property
    def elements(self) -> tuple[Element, ...]:
        return self.context.elements

    @property
    def exact(self) -> bool:
        return self.context.exactness is Exactness.RECORDED

    @property
    def params(self) -> Mapping[str, Any]:
        return self.context.setup.params

    @property
    def shape(self) -> str:
        """The client's own print of system prompt and tools, where it logged one."""
        return self.context.logged.shape if self.context.logged is not None else ""

    @property
    def sent_whole(self) -> bool:
        """System prompt and tools are those of the request itself, not of a snapshot from somewhere before it."""
        return self.context.setup.marks is not None

    @property
    def record(self) -> int:
        """The record that says what was sent: of the client's log, or else of the answer."""
        return self.context.logged.position if self.context.logged is not None else self.context.position


def prompt_of(context: Context, *, effort: str = "", speed: str = "") -> Prompt:
    """`effort` and `speed`: as the answer tells them, where the request itself is not recorded."""
    given = context.setup
    system = _system(given.system)
    tools = None if given.tools is None else [_tool(place, tool) for place, tool in enumerate(given.tools)]
    later = {place for place, tool in enumerate(given.tools or ()) if tool.get("defer_loading") is True}
    return Prompt(
        context,
        text(given.params.get("model")) or context.model,
        text(mapping(given.params.get("output_config")).get("effort")) or effort,
        text(given.params.get("speed")) or speed,
        None if tools is None else tuple(one for one in tools if one.place not in later),
        tuple(one for one in tools or () if one.place in later),
        system,
        None if given.marks is None else _marks(given.marks, _header(given.system)),
    )


def _tool(place: int, tool: Mapping[str, Any]) -> Part:
    return Part(place, text(tool.get("name")) or text(tool.get("type")), canonical(_unmarked(tool)))


def _system(blocks: Sequence[Mapping[str, Any]] | None) -> tuple[Part, ...] | None:
    if blocks is None:
        return None
    parts = (
        Part(place, "", text(block.get("text")) or canonical(_unmarked(block))) for place, block in enumerate(blocks)
    )
    return tuple(part for part in parts if not part.words.startswith(BILLING))


def _header(blocks: Sequence[Mapping[str, Any]] | None) -> bool:
    return blocks is not None and len(blocks) > 0 and text(blocks[0].get("text")).startswith(BILLING)


def _marks(marks: Sequence[Mapping[str, Any]], header: bool) -> dict[str, Mapping[str, Any]]:
    """The log counts the blocks of the system prompt without the billing header, a capture with it."""
    found: dict[str, Mapping[str, Any]] = {}
    for mark in marks:
        path, value = mark.get("path"), mapping(mark.get("value"))
        match path:
            case ["system", int(place), *_]:
                found[f"system[{place - header}]"] = value
            case ["tools", int(place), *_]:
                found[f"tools[{place}]"] = value
            case ["messages", *_]:
                found["messages"] = value
    return found


def _unmarked(block: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in block.items() if name != "cache_control"}


class Weights:
    """How far into a request a number of tokens reaches. The API counts only the whole, so this is shared out by
    characters, with room on both sides."""

    def __init__(self, prompt: Prompt, tokens: int) -> None:
        said = [sum(_characters(piece.block) for piece in element.pieces) for element in prompt.elements]
        self._sums = [0, *accumulate(said)]
        self._tokens = tokens
        head = sum(len(part.words) for part in (*(prompt.tools or ()), *(prompt.system or ())))
        known = prompt.tools is not None and prompt.system is not None
        self._head = head if known else None
        self._each = tokens / max(1, head + self._sums[-1])

    def most_before(self, message: int) -> float:
        """So many tokens at the most stand before the message with this index. What is recorded of the system prompt
        may be shorter than what was sent, so that its share alone does not tell."""
        rest = self._tokens - self.characters(message) / _LONGEST
        if self._head is None:
            return rest
        return max(rest, (self._head + self._sums[min(message, len(self._sums) - 1)]) * self._each * _ROOM)

    def least_head(self) -> float:
        """System prompt and tools have at least so many."""
        if self._head is None:
            return _SHARE * max(0.0, self._tokens - self._sums[-1] / _SHORTEST)
        return _SHARE * self._head * self._each

    def characters(self, message: int) -> int:
        """From the message with this index on."""
        return self._sums[-1] - self._sums[min(message, len(self._sums) - 1)]


def _characters(block: Block) -> int:
    kind = block.get("type")
    if kind in ("image", "document"):
        return _PICTURE
    if kind == "thinking":
        return len(text(block.get("thinking")) or text(block.get("signature")))
    content = block.get("content")
    if kind == "tool_result" and isinstance(content, list):
        return sum(_characters(mapping(one)) for one in content)
    return len(hashed_text(block))
