"""Pictures and documents outside of results. How those of attachments are sent (a file that a prompt names, a prompt
that was sent while the model worked) no version records; all use the role `user`, which alone may hold a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sessions.context.engine.rendering.wording import queued_prompt_text, read_call_text
from sessions.linking.engine.raw_fields import mapping, text
from sessions.transcripts.engine.messages import Block, Message, replace_fields, text_block

_PICTURE = "image"


def name_media(message: Message, types: tuple[str, ...]) -> Message:
    """The message with a word in place of each block of these types; the same one if it has none."""
    if not any(block.get("type") in types for block in message.content):
        return message
    named = (text_block(f"[{block['type']}]") if block.get("type") in types else block for block in message.content)
    return replace_fields(message, content=tuple(named))


def picture_blocks(attachment: Mapping[str, Any], note: str) -> tuple[Block, ...]:
    """The blocks that are sent for an attachment; none if it has no picture. `note`: what is added to a prompt that was
    sent while the model worked."""
    kind = attachment.get("type")
    if kind == "file":
        return _file_blocks(attachment)
    return _prompt_blocks(attachment, note) if kind == "queued_command" else ()


def _file_blocks(attachment: Mapping[str, Any]) -> tuple[Block, ...]:
    content = mapping(attachment.get("content"))
    file = mapping(content.get("file"))
    data = file.get("base64")
    if content.get("type") != _PICTURE or not isinstance(data, str):
        return ()
    source = {"type": "base64", "data": data, "media_type": text(file.get("type"))}
    return (_reminder(read_call_text(attachment)), {"type": _PICTURE, "source": source})


def _prompt_blocks(attachment: Mapping[str, Any], note: str) -> tuple[Block, ...]:
    prompt = attachment.get("prompt")
    blocks = [block for block in prompt if isinstance(block, dict)] if isinstance(prompt, list) else []
    pictures = [block for block in blocks if block.get("type") == _PICTURE]
    return (_reminder(queued_prompt_text(prompt, note)), *pictures) if pictures else ()


def _reminder(words: str) -> Block:
    return text_block(f"<system-reminder>\n{words}\n</system-reminder>")
