"""A captured request as a page lists it: each part with its size, its mark and its first words, masked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sessions.engine.capture.documents import dumps
from sessions.engine.capture.sent import Sent
from sessions.engine.linking.extras import mapping, text

Mask = Callable[[str], str]
WORDS = 160
LOOKED_AT = 4000
"""Characters that are searched for secrets before the first words are cut out of them."""
FIRST, LAST = 12, 48
"""Messages that are shown of a long request."""


@dataclass(frozen=True, slots=True)
class Part:
    """A system block, a tool, or a block of a message."""

    number: int
    kind: str
    name: str
    size: int
    """Bytes of its JSON."""
    words: str
    mark: str
    """How long it lives in the cache; empty without a mark."""


@dataclass(frozen=True, slots=True)
class SentMessage:
    number: int
    role: str
    size: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Anatomy:
    system: tuple[Part, ...]
    tools: tuple[Part, ...]
    first: tuple[SentMessage, ...]
    last: tuple[SentMessage, ...]
    left_out: int
    """Messages between the two."""
    messages: int
    system_size: int
    tools_size: int
    messages_size: int


def anatomy(sent: Sent, mask: Mask) -> Anatomy:
    marks = {tuple(mark["path"]): mark.get("value") for mark in sent.marks if isinstance(mark.get("path"), list)}
    system = tuple(_part(block, ("system", at), marks, mask) for at, block in enumerate(sent.system_blocks))
    tools = tuple(_part(tool, ("tools", at), marks, mask) for at, tool in enumerate(sent.tools or ()))
    total = len(sent.messages)
    first = range(total) if total <= FIRST + LAST else range(FIRST)
    last = range(0) if total <= FIRST + LAST else range(total - LAST, total)
    return Anatomy(
        system,
        tools,
        tuple(_message(sent.messages[at], at, marks, mask) for at in first),
        tuple(_message(sent.messages[at], at, marks, mask) for at in last),
        total - len(first) - len(last),
        total,
        sum(part.size for part in system),
        sum(part.size for part in tools),
        sum(len(dumps(message)) for message in sent.messages),
    )


def answer_parts(answer: Mapping[str, Any], mask: Mask) -> tuple[Part, ...]:
    return _message(answer, 0, {}, mask).parts


def _message(message: Mapping[str, Any], at: int, marks: Mapping[Any, Any], mask: Mask) -> SentMessage:
    content = message.get("content")
    blocks: Sequence[Any] = content if isinstance(content, list) else [{"type": "text", "text": content}]
    parts = tuple(
        _part(mapping(block), ("messages", at, "content", place), marks, mask) for place, block in enumerate(blocks)
    )
    return SentMessage(at + 1, text(message.get("role"))[:20], len(dumps(message)), parts)


def _part(block: Mapping[str, Any], path: tuple[str | int, ...], marks: Mapping[Any, Any], mask: Mask) -> Part:
    mark = marks.get(path)
    kind = text(block.get("type")) or ("tool" if path[0] == "tools" else "")
    words = " ".join(mask(_said(block)[:LOOKED_AT]).split())
    return Part(
        int(path[-1]) + 1,
        kind[:40],
        text(block.get("name"))[:80],
        len(dumps(block)),
        f"{words[:WORDS]}…" if len(words) > WORDS else words,
        "" if mark is None else text(mapping(mark).get("ttl")) or "5m",
    )


def _said(block: Mapping[str, Any]) -> str:
    for name in ("text", "thinking", "description", "content", "input"):
        value = block.get(name)
        if isinstance(value, str) and value:
            return value
        if value:
            return dumps(value)[:LOOKED_AT].decode(errors="replace")
    return ""
