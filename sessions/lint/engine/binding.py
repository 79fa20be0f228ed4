"""Which thinking blocks an edit has killed.

Newer models sign what stands before a thinking block: the system prompt, the tools and every earlier message. If any of
it changes, that block and all later ones are refused. Thinking blocks themselves may be left out, the oldest first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import orjson

from sessions.lint.engine.finding import Finding, Severity
from sessions.lint.engine.reading import (
    THINKING,
    Row,
    Spot,
    rows_of,
    text_of,
)
from sessions.transcripts.engine.messages import text_block
from sessions.usage.engine.billing_header import BILLING
from sessions.usage.engine.model_facts import facts_of

_API_ERROR = "Invalid `signature` in `thinking` block. The block is bound to a different conversation."


@dataclass(frozen=True, slots=True)
class Dead:
    """A thinking block that no longer holds; its place in the array after the edit."""

    message: int
    at: int

    @property
    def path(self) -> str:
        return f"messages[{self.message}].content[{self.at}]"

    def finding(self, body: Mapping[str, Any]) -> Finding:
        return Finding(
            "dead-thinking",
            Severity.COSTS if _drops(body) else Severity.REFUSED,
            self.path,
            "Something before this thinking block was changed, and the model had signed it.",
            "Leave the block out, and all thinking after it.",
            "" if _drops(body) else _API_ERROR,
        )


@dataclass(frozen=True, slots=True)
class _Thought:
    """A thinking block, how many are before it, and a print of everything else before it."""

    spot: Spot
    number: int
    prefix: bytes

    @property
    def key(self) -> tuple[str, str]:
        return self.spot.type, str(self.spot.block.get("signature") or self.spot.block.get("data"))


Side = Mapping[str, Any] | Sequence[Any]
"""A body, its array of messages alone, or a list of our own messages."""


def dead_thinking(before: Side, after: Side, model: str | None) -> list[Dead]:
    """The thinking blocks of `after` that held in `before` and no longer do.

    None for models that do not bind thinking to what precedes it, or of which that is not known. A block that `before`
    does not have was made later, and holds. So does what follows a summary of the API itself: it signs those anew.
    """
    spots = dead_spots(before, _rows(after), model, body=after if isinstance(after, Mapping) else None)
    return [Dead(spot.message, spot.at or 0) for spot in spots]


def dead_spots(
    before: Side, rows: list[Row], model: str | None, *, body: Mapping[str, Any] | None = None
) -> list[Spot]:
    """The same, of rows that have been read; `body` is where they are from."""
    facts = facts_of(model)
    earlier_rows = _rows(before)
    if not facts or not facts.prefix_bound or _summaries(rows) - _summaries(earlier_rows):
        return []
    # Only what both sides tell of can differ: an array alone says nothing of tools and system prompt.
    whole = isinstance(before, Mapping) and body is not None
    earlier: dict[tuple[str, str], list[_Thought]] = {}
    for thought in _thoughts(earlier_rows, before if whole else None):
        earlier.setdefault(thought.key, []).append(thought)
    dead: list[Spot] = []
    last: int | None = None
    broken = False
    for thought in _thoughts(rows, body if whole else None):
        known = earlier.get(thought.key)
        if not known:
            continue
        same = known.pop(0)
        broken = broken or same.prefix != thought.prefix or (last is not None and same.number != last + 1)
        last = same.number
        if broken:
            dead.append(thought.spot)
    return dead


def _thoughts(rows: list[Row], body: Side | None) -> Iterator[_Thought]:
    prefix = blake2b(digest_size=16)
    if isinstance(body, Mapping):
        prefix.update(_written([_unmarked(_said(body.get("system"))), _unmarked(body.get("tools") or [])]))
    number, role = 0, ""
    for row in rows:
        for spot in row.spots:
            if spot.type in THINKING:
                yield _Thought(spot, number, prefix.digest())
                number += 1
                continue
            if row.role != role:
                role = row.role
                prefix.update(b"\0" + role.encode())
            prefix.update(_written(_unmarked(_spelled_out(spot.block))))


def _rows(side: Side) -> list[Row]:
    messages = side.get("messages") if isinstance(side, Mapping) else side
    return list(rows_of(messages)) if isinstance(messages, list | tuple) else []


def _summaries(rows: list[Row]) -> set[str]:
    spots = (spot for row in rows for spot in row.spots)
    return {str(spot.block.get("content")) for spot in spots if spot.type == "compaction"}


def _said(system: Any) -> list[Any]:
    """Without the client's header, which would kill all thinking with every request."""
    blocks = _blocks(system)
    header = bool(blocks) and isinstance(blocks[0], Mapping) and text_of(blocks[0].get("text")).startswith(BILLING)
    return blocks[1:] if header else blocks


def _spelled_out(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """Short forms say the same as long ones."""
    if block["type"] != "tool_result":
        return block
    return {**block, "content": _blocks(block.get("content")), "is_error": bool(block.get("is_error"))}


def _blocks(content: Any) -> list[Any]:
    if isinstance(content, str):
        return [text_block(content)] if content else []
    return list(content) if isinstance(content, list | tuple) else []


def _unmarked(value: Any) -> Any:
    """Cache marks are moved from request to request; they are no part of what is said."""
    if isinstance(value, Mapping):
        return {key: _unmarked(inner) for key, inner in value.items() if key != "cache_control"}
    if isinstance(value, list | tuple):
        return [_unmarked(inner) for inner in value]
    return value


def _written(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError, RecursionError):
        return repr(value).encode(errors="replace")


def _drops(body: Mapping[str, Any]) -> bool:
    config = body.get("thinking")
    binding = config.get("block_binding") if isinstance(config, Mapping) else None
    return isinstance(binding, Mapping) and binding.get("prefix_mismatch_behavior") == "drop_block"
