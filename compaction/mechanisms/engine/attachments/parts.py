"""A part of what follows a compaction, and how long texts are cut to a budget."""

from __future__ import annotations

from dataclasses import dataclass

from sessions.transcripts.engine.messages import Role

CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class AttachmentPart:
    name: str
    texts: tuple[str, ...]
    """Of its message, each in a block of its own; nothing is attached without any."""
    why: str
    remarks: tuple[str, ...] = ()
    role: Role = "user"


def as_reminder(text: str) -> str:
    return f"<system-reminder>\n{text}\n</system-reminder>"


def count_tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def cut_to_tokens(text: str, tokens: int) -> str:
    """Cuts at the end of a line if one is near, so that half a line does not look like a whole one."""
    room = tokens * CHARACTERS_PER_TOKEN
    if len(text) <= room:
        return text
    end = text.rfind("\n", room // 2, room)
    return text[:room] if end < 0 else text[:end]
