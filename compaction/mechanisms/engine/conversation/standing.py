"""What a client tells the model besides the conversation: the state of the session, not its words.

It opens a conversation, or lists what is available. It belongs to no turn, and after a summary the client tells it
again.
"""

from __future__ import annotations

from sessions.transcripts.engine.messages import Message

LISTS = ("deferred_tools_delta", "agent_listing_delta", "mcp_instructions_delta", "skill_listing")
"""Tools, agents, servers and skills that are there; later attachments say what changed since."""
SETTING = ("environment", "model")
OPENING = ("instructions", "session_context", "date", "remote_session_change")
"""CLAUDE.md and its like, the state of git, the date."""
DATE_CHANGE = "date_change"
STANDING = frozenset((*LISTS, *SETTING, *OPENING, DATE_CHANGE))


def is_standing(message: Message) -> bool:
    return message.attachment in STANDING
