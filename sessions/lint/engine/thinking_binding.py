"""Which thinking blocks an edit has made invalid.

Newer models sign everything before a thinking block: the system prompt, the tools and all earlier messages. If any of
it changes, that block and all later ones are refused. Thinking blocks themselves may be left out, the oldest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import orjson

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.request_reader import BlockSpot, MessageRow, read_rows, text_of
from sessions.transcripts.engine.messages import THINKING_TYPES, text_block
from sessions.usage.engine.billing_header import BILLING
from sessions.usage.engine.model_facts import facts_of

_API_ERROR = "Invalid `signature` in `thinking` block. The block is bound to a different conversation."


@dataclass(frozen=True, slots=True)
class DeadThinking:
    """A thinking block that is no longer valid: the indexes of its message and block after the edit."""

    message: int
    block: int

    @property
    def path(self) -> str:
        return f"messages[{self.message}].content[{self.block}]"

    def finding(self, body: Mapping[str, Any]) -> Finding:
        return Finding(
            "dead-thinking",
            Severity.COSTS if _drops_mismatches(body) else Severity.REFUSED,
            self.path,
            "Something before this thinking block was changed, and the model had signed it.",
            "Leave the block out, and all thinking after it.",
            "" if _drops_mismatches(body) else _API_ERROR,
        )


@dataclass(frozen=True, slots=True)
class _Thought:
    """A thinking block, the number of such blocks before it, and a hash of everything else before it."""

    spot: BlockSpot
    number: int
    prefix: bytes

    @property
    def key(self) -> tuple[str, str]:
        return self.spot.type, str(self.spot.block.get("signature") or self.spot.block.get("data"))


Conversation = Mapping[str, Any] | Sequence[Any]
"""A body, its array of messages alone, or a list of our own messages."""


def dead_thinking(before: Conversation, after: Conversation, model: str | None) -> list[DeadThinking]:
    """The thinking blocks of `after` that were valid in `before` and no longer are.

    Empty for models that do not bind thinking to what precedes it, or for which that is not known. A block that is not
    in `before` was made later, and is valid. So is what follows a summary of the API itself, which signs it again.
    """
    spots = find_dead_spots(before, _rows(after), model, body=after if isinstance(after, Mapping) else None)
    return [DeadThinking(spot.message, spot.index or 0) for spot in spots]


def find_dead_spots(
    before: Conversation, rows: list[MessageRow], model: str | None, *, body: Mapping[str, Any] | None = None
) -> list[BlockSpot]:
    """The same for rows that were read from `body`."""
    facts = facts_of(model)
    earlier_rows = _rows(before)
    if not facts or not facts.prefix_bound or _summaries(rows) - _summaries(earlier_rows):
        return []
    # Only what both sides hold can differ: an array alone has no tools and no system prompt.
    whole = isinstance(before, Mapping) and body is not None
    earlier: dict[tuple[str, str], list[_Thought]] = {}
    for thought in _iter_thoughts(earlier_rows, before if whole else None):
        earlier.setdefault(thought.key, []).append(thought)
    dead: list[BlockSpot] = []
    last: int | None = None
    broken = False
    for thought in _iter_thoughts(rows, body if whole else None):
        earlier_thoughts = earlier.get(thought.key)
        if not earlier_thoughts:
            continue
        same = earlier_thoughts.pop(0)
        broken = broken or same.prefix != thought.prefix or (last is not None and same.number != last + 1)
        last = same.number
        if broken:
            dead.append(thought.spot)
    return dead


def _iter_thoughts(rows: list[MessageRow], body: Conversation | None) -> Iterator[_Thought]:
    prefix = blake2b(digest_size=16)
    if isinstance(body, Mapping):
        prefix.update(
            _serialize([_without_marks(_system_blocks(body.get("system"))), _without_marks(body.get("tools") or [])])
        )
    number, role = 0, ""
    for row in rows:
        for spot in row.spots:
            if spot.type in THINKING_TYPES:
                yield _Thought(spot, number, prefix.digest())
                number += 1
                continue
            if row.role != role:
                role = row.role
                prefix.update(b"\0" + role.encode())
            prefix.update(_serialize(_without_marks(_normalize_result(spot.block))))


def _rows(side: Conversation) -> list[MessageRow]:
    messages = side.get("messages") if isinstance(side, Mapping) else side
    return list(read_rows(messages)) if isinstance(messages, list | tuple) else []


def _summaries(rows: list[MessageRow]) -> set[str]:
    spots = (spot for row in rows for spot in row.spots)
    return {str(spot.block.get("content")) for spot in spots if spot.type == "compaction"}


def _system_blocks(system: Any) -> list[Any]:
    """The system prompt without the client's billing header, which changes with every request."""
    blocks = _blocks(system)
    header = bool(blocks) and isinstance(blocks[0], Mapping) and text_of(blocks[0].get("text")).startswith(BILLING)
    return blocks[1:] if header else blocks


def _normalize_result(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """A result in its long form, which means the same as the short one."""
    if block["type"] != "tool_result":
        return block
    return {**block, "content": _blocks(block.get("content")), "is_error": bool(block.get("is_error"))}


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [text_block(content)] if content else []
    return list(content) if isinstance(content, list | tuple) else []


def _without_marks(value: Any) -> Any:
    """The same value without cache marks, which move from request to request."""
    if isinstance(value, Mapping):
        return {key: _without_marks(inner) for key, inner in value.items() if key != "cache_control"}
    if isinstance(value, list | tuple):
        return [_without_marks(inner) for inner in value]
    return value


def _serialize(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError, RecursionError):
        return repr(value).encode(errors="replace")


def _drops_mismatches(body: Mapping[str, Any]) -> bool:
    config = body.get("thinking")
    binding = config.get("block_binding") if isinstance(config, Mapping) else None
    return isinstance(binding, Mapping) and binding.get("prefix_mismatch_behavior") == "drop_block"
