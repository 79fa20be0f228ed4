"""Replaces blocks of messages. A message that keeps its blocks stays the same object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sessions.transcripts.engine.messages import Block, Message, replace_fields

BlockPosition = tuple[int, int]
"""The index of a message, and of a block in its content."""


def replace_blocks(messages: Sequence[Message], blocks: Mapping[BlockPosition, Block]) -> Sequence[Message]:
    if not blocks:
        return messages
    edited = list(messages)
    contents: dict[int, list[Block]] = {}
    for (message_index, block_index), block in blocks.items():
        contents.setdefault(message_index, list(messages[message_index].content))[block_index] = block
    for message_index, content in contents.items():
        edited[message_index] = replace_fields(messages[message_index], content=tuple(content))
    return edited
