"""Puts changed blocks in the place of old ones; every message that keeps its blocks stays the object it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sessions.transcripts.engine.messages import Block, Message, replace_fields

BlockPosition = tuple[int, int]
"""A message's index and a block's place in its content."""


def replace_blocks(messages: Sequence[Message], blocks: Mapping[BlockPosition, Block]) -> Sequence[Message]:
    if not blocks:
        return messages
    edited = list(messages)
    contents: dict[int, list[Block]] = {}
    for (at, place), block in blocks.items():
        contents.setdefault(at, list(messages[at].content))[place] = block
    for at, content in contents.items():
        edited[at] = replace_fields(messages[at], content=tuple(content))
    return edited
