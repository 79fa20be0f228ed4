"""Where the cache marks of a request are: one on the last tool, and exactly one among the messages.

A second mark among the messages would keep entries that no later request reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sessions.requests.engine.prompt_cache.ttl import Ttl, cache_control
from sessions.transcripts.engine.messages import THINKING_TYPES, Block


def mark_tools(tools: Sequence[Mapping[str, Any]], ttl: Ttl = Ttl.FIVE_MINUTES) -> list[dict[str, Any]]:
    """Marks the last tool that is not loaded on demand: such tools are not in the prompt, and the API refuses marks on
    them."""
    marked = [_without_mark(tool) for tool in tools]
    last = next((tool for tool in reversed(marked) if tool.get("defer_loading") is not True), None)
    if last is not None:
        last["cache_control"] = cache_control(ttl)
    return marked


def mark_messages(
    array: Sequence[Mapping[str, Any]], ttl: Ttl = Ttl.FIVE_MINUTES, *, writes: bool = True
) -> list[dict[str, Any]]:
    """Puts one mark on the last message; for a fork that must not write, on the one before.

    The parent's mark was there, so the fork reads what the parent wrote and adds nothing.
    """
    marked = [_as_blocks(element) for element in array]
    for message_index in range(len(marked) - (1 if writes else 2), -1, -1):
        content: list[Block] = marked[message_index]["content"]
        block_index = next(
            (index for index in range(len(content) - 1, -1, -1) if _can_carry_mark(content[index])), None
        )
        if block_index is not None:
            content[block_index] = {**content[block_index], "cache_control": cache_control(ttl)}
            break
    return marked


def mark_paths(request: Mapping[str, Any]) -> list[str]:
    """The path of each mark in the request."""
    paths = []
    for part in ("system", "tools"):
        blocks = request.get(part)
        for index, block in enumerate(blocks if isinstance(blocks, list) else []):
            if "cache_control" in block:
                paths.append(f"{part}[{index}]")
    for index, element in enumerate(request.get("messages", [])):
        content = element["content"]
        for block_index, block in enumerate(content if isinstance(content, list) else []):
            path = f"messages[{index}].content[{block_index}]"
            paths += [f"{path}.content[{part_index}]" for part_index, part in _parts(block) if "cache_control" in part]
            if "cache_control" in block:
                paths.append(path)
    return paths


def _as_blocks(element: Mapping[str, Any]) -> dict[str, Any]:
    content = element["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else [_without_mark(b) for b in content]
    return {**element, "content": blocks}


def _without_mark(block: Mapping[str, Any]) -> dict[str, Any]:
    clean = {key: value for key, value in block.items() if key != "cache_control"}
    if any("cache_control" in part for _, part in _parts(block)):
        clean["content"] = [_without_mark(part) if isinstance(part, Mapping) else part for part in block["content"]]
    return clean


def _parts(block: Mapping[str, Any]) -> list[tuple[int, Mapping[str, Any]]]:
    """The blocks inside a tool result with their indexes; they can carry marks too."""
    content = block.get("content") if block.get("type") == "tool_result" else None
    inside = content if isinstance(content, (list, tuple)) else ()
    return [(place, part) for place, part in enumerate(inside) if isinstance(part, Mapping)]


def _can_carry_mark(block: Block) -> bool:
    """The API refuses a mark on thinking and on empty text."""
    if block.get("type") in THINKING_TYPES:
        return False
    return block.get("type") != "text" or bool(str(block.get("text", "")).strip())
