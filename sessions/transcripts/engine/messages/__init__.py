"""Messages: the one form in which contexts are computed and edited."""

from __future__ import annotations

from sessions.transcripts.engine.messages.message import (
    Block,
    Kind,
    Message,
    Role,
    changed,
    joined,
    messages_of,
    text_block,
)

__all__ = ["Block", "Kind", "Message", "Role", "changed", "joined", "messages_of", "text_block"]
