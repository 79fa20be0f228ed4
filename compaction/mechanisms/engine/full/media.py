"""Removes what a summariser does not need: pictures, skills that are attached again anyway, and thinking."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from compaction.mechanisms.engine.attachments.skills import is_skill_attachment
from compaction.mechanisms.engine.conversation.kept_range import has_thinking
from sessions.transcripts.engine.messages import THINKING_TYPES, Block, Message, replace_fields, text_block

PLACEHOLDERS = {"image": "[image]", "document": "[document]"}


def without_media(messages: Sequence[Message]) -> list[Message]:
    """Replaces pictures and documents. Messages without any stay the same objects."""
    return [_replace_media(message) if any(map(_holds_media, message.content)) else message for message in messages]


def without_skills(
    messages: Sequence[Message], is_skill: Callable[[Message], bool] = is_skill_attachment
) -> list[Message]:
    return [message for message in messages if not is_skill(message)]


def any_thinking(messages: Sequence[Message]) -> bool:
    return any(map(has_thinking, messages))


def without_thinking(messages: Sequence[Message]) -> list[Message]:
    """For a call that does not think: signatures of another conversation would be refused."""
    stripped = (
        replace_fields(
            message, content=tuple(block for block in message.content if block.get("type") not in THINKING_TYPES)
        )
        if has_thinking(message)
        else message
        for message in messages
    )
    return [message for message in stripped if message.content]


def _holds_media(block: Block) -> bool:
    content = block.get("content")
    return block.get("type") in PLACEHOLDERS or (
        block.get("type") == "tool_result" and isinstance(content, (list, tuple)) and any(map(_is_media, content))
    )


def _is_media(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") in PLACEHOLDERS


def _replace_media(message: Message) -> Message:
    return replace_fields(message, content=tuple(_replace_block(block) for block in message.content))


def _replace_block(block: Block) -> Block:
    if block.get("type") in PLACEHOLDERS:
        return text_block(PLACEHOLDERS[block["type"]])
    if _holds_media(block):
        return {
            **block,
            "content": [_replace_block(part) if isinstance(part, dict) else part for part in block["content"]],
        }
    return block
