"""A request as the cache sees it: model, tools, system prompt, messages, and the other parts of the key.

The API builds its key from the tools, then the system prompt, then the messages, byte for byte. Tools that are loaded
on demand are not in the prompt until the model asks for them, and the client's billing header is never compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

from sessions.context.engine import Context, Exactness
from sessions.context.engine.certainty import RequestSetup
from sessions.context.engine.digest import canonical, hashed_text
from sessions.context.engine.rendering.array import Element
from sessions.linking.engine.raw_fields import mapping, text
from sessions.transcripts.engine.messages import Block
from sessions.usage.engine.billing_header import BILLING

_MARGIN, _LEAST_HEAD_SHARE = 1.25, 0.5
_MAX_CHARACTERS_PER_TOKEN, _MIN_CHARACTERS_PER_TOKEN = 6, 2.5
"""Bounds for the length of a token in the messages."""
_MEDIA_CHARACTERS = 8_000
"""An image or a document counts as this many characters, which is 2,000 tokens."""


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A tool or a block of the system prompt."""

    index: int
    """Its index in the request as it was sent."""
    name: str
    content: str
    """Without cache marks; this is what is compared."""


class SentMark(NamedTuple):
    path: str
    """In the request as it was sent: `system[2]`, `messages[4].content[0]`."""
    value: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Prompt:
    context: Context
    model: str
    effort: str
    speed: str
    tools: tuple[PromptPart, ...] | None
    """None if no record holds them."""
    deferred_tools: tuple[PromptPart, ...]
    system: tuple[PromptPart, ...] | None
    marks: Mapping[str, SentMark] | None
    """By place: `tools[3]`, `system[1]` without counting the billing header, or `messages`, where the mark moves with
    every request."""

    @property
    def elements(self) -> tuple[Element, ...]:
        return self.context.elements

    @property
    def is_recorded(self) -> bool:
        return self.context.exactness is Exactness.RECORDED

    @property
    def params(self) -> Mapping[str, Any]:
        return self.context.setup.params

    @property
    def head_fingerprint(self) -> str:
        """The client's own hash of system prompt and tools, if it logged one."""
        return self.context.logged.shape if self.context.logged is not None else ""

    @property
    def is_sent_whole(self) -> bool:
        """Whether system prompt and tools come from the request itself, not from an earlier snapshot."""
        return self.context.setup.marks is not None

    @property
    def record_position(self) -> int:
        """The position of the record that says what was sent: the client's log, or else the answer."""
        return self.context.logged.position if self.context.logged is not None else self.context.position


def prompt_of(context: Context, *, effort: str = "", speed: str = "") -> Prompt:
    """`effort` and `speed`: from the answer, for requests that are not recorded themselves."""
    request = context.setup
    system = _system_parts(request.system)
    tools = None if request.tools is None else [_tool_part(index, tool) for index, tool in enumerate(request.tools)]
    deferred = {index for index, tool in enumerate(request.tools or ()) if tool.get("defer_loading") is True}
    return Prompt(
        context,
        text(request.params.get("model")) or context.model,
        text(mapping(request.params.get("output_config")).get("effort")) or effort,
        text(request.params.get("speed")) or speed,
        None if tools is None else tuple(part for part in tools if part.index not in deferred),
        tuple(part for part in tools or () if part.index in deferred),
        system,
        sent_marks(request),
    )


def _tool_part(index: int, tool: Mapping[str, Any]) -> PromptPart:
    return PromptPart(index, text(tool.get("name")) or text(tool.get("type")), canonical(_without_mark(tool)))


def _system_parts(blocks: Sequence[Mapping[str, Any]] | None) -> tuple[PromptPart, ...] | None:
    if blocks is None:
        return None
    parts = (
        PromptPart(index, "", text(block.get("text")) or canonical(_without_mark(block)))
        for index, block in enumerate(blocks)
    )
    return tuple(part for part in parts if not part.content.startswith(BILLING))


def _has_billing_header(blocks: Sequence[Mapping[str, Any]] | None) -> bool:
    return blocks is not None and len(blocks) > 0 and text(blocks[0].get("text")).startswith(BILLING)


def sent_marks(request: RequestSetup) -> dict[str, SentMark] | None:
    """By place; None if no record holds them. The client's log counts the blocks of the system prompt without the
    billing header, a capture with it."""
    if request.marks is None:
        return None
    has_header, marks = _has_billing_header(request.system), dict[str, SentMark]()
    for mark in request.marks:
        path, value = mark.get("path"), mapping(mark.get("value"))
        match path:
            case ["system", int(index), *_]:
                marks[f"system[{index - has_header}]"] = SentMark(f"system[{index}]", value)
            case ["tools", int(index), *_]:
                marks[f"tools[{index}]"] = SentMark(f"tools[{index}]", value)
            case ["messages", *_]:
                marks["messages"] = SentMark(_path_text(path), value)
    return marks


def _path_text(path: Sequence[Any]) -> str:
    words = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return words.removeprefix(".")


def _without_mark(block: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in block.items() if name != "cache_control"}


class TokenEstimate:
    """Estimates how far into a request a number of tokens reaches. The API counts only the whole request, so its tokens
    are distributed by characters, with a margin on both sides."""

    def __init__(self, prompt: Prompt, tokens: int) -> None:
        sizes = [sum(_count_characters(piece.block) for piece in element.pieces) for element in prompt.elements]
        self._sums = [0, *accumulate(sizes)]
        self._tokens = tokens
        head = sum(len(part.content) for part in (*(prompt.tools or ()), *(prompt.system or ())))
        is_known = prompt.tools is not None and prompt.system is not None
        self._head = head if is_known else None
        self._tokens_per_character = tokens / max(1, head + self._sums[-1])

    def most_before(self, message: int) -> float:
        """The upper bound of the tokens before the message with this index. The recorded system prompt may be shorter
        than the one that was sent, so its share of characters alone is not enough."""
        rest = self._tokens - self.characters(message) / _MAX_CHARACTERS_PER_TOKEN
        if self._head is None:
            return rest
        return max(
            rest, (self._head + self._sums[min(message, len(self._sums) - 1)]) * self._tokens_per_character * _MARGIN
        )

    def least_head(self) -> float:
        """The lower bound of the tokens of system prompt and tools."""
        if self._head is None:
            return _LEAST_HEAD_SHARE * max(0.0, self._tokens - self._sums[-1] / _MIN_CHARACTERS_PER_TOKEN)
        return _LEAST_HEAD_SHARE * self._head * self._tokens_per_character

    def characters(self, message: int) -> int:
        """The characters from the message with this index on."""
        return self._sums[-1] - self._sums[min(message, len(self._sums) - 1)]


def _count_characters(block: Block) -> int:
    kind = block.get("type")
    if kind in ("image", "document"):
        return _MEDIA_CHARACTERS
    if kind == "thinking":
        return len(text(block.get("thinking")) or text(block.get("signature")))
    content = block.get("content")
    if kind == "tool_result" and isinstance(content, list):
        return sum(_count_characters(mapping(part)) for part in content)
    return len(hashed_text(block))
