"""Messages, the form in which contexts are computed and edited."""

from __future__ import annotations

from sessions.transcripts.engine.messages.message import (
    THINKING_TYPES,
    Block,
    Message,
    MessageKind,
    Role,
    count_messages,
    join_messages,
    read_messages,
    replace_fields,
    text_block,
)

__all__ = [
    "THINKING_TYPES",
    "Block",
    "Message",
    "MessageKind",
    "Role",
    "count_messages",
    "join_messages",
    "read_messages",
    "replace_fields",
    "text_block",
]
