"""Whose results may be cleared: only those of tools whose output can be had again, or was a mere confirmation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.conversation.calls import (
    Call,
    Result,
    calls_of,
    results_of,
)
from sessions.imports.engine.scan.content import CLEARED_TEXT as CLEARED
from sessions.transcripts.engine.messages import Block, Message

__all__ = ["CLEARED", "Clearable", "Pointer", "clearable", "cleared", "pointer", "tool_of"]

READERS = frozenset({"Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch"})
"""What is large about them is the result."""
WRITERS = frozenset({"Edit", "Write"})
"""What is large about them is the input."""
ALIASES = {
    "FileRead": "Read",
    "View": "Read",
    "NotebookRead": "Read",
    "LS": "Glob",
    "PowerShell": "Bash",
    "MultiEdit": "Edit",
    "FileEdit": "Edit",
    "FileWrite": "Write",
}
_AGAIN = {
    "Read": ("file_path", "Read {} again."),
    "Bash": ("command", "Run `{}` again."),
    "Grep": ("pattern", "Search for {} again."),
    "Glob": ("pattern", "Look for {} again."),
    "WebSearch": ("query", "Search the web for {} again."),
    "WebFetch": ("url", "Fetch {} again."),
    "Edit": ("file_path", "Read {} to see what the edit made of it."),
    "Write": ("file_path", "Read {} to see what was written."),
}
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class Clearable:
    """A result that may be cleared, and the call that it answers."""

    result: Result
    call: Call
    tool: str
    """Without its alias."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """Where the text of a cleared result can be had again: the record has it whole, the call can be repeated."""

    uuid: str
    """Of the record that holds the result."""
    tool_use_id: str
    tool: str
    again: str


def tool_of(name: str) -> str | None:
    """The tool that a name stands for, None if its results are never cleared."""
    name = ALIASES.get(name, name)
    return name if name in READERS or name in WRITERS else None


def clearable(messages: Sequence[Message]) -> Iterator[Clearable]:
    """Oldest first; not those that are cleared or empty already."""
    calls: Mapping[str, Call] = calls_of(messages)
    for result in results_of(messages):
        call = calls.get(result.tool_use_id)
        tool = tool_of(call.name) if call else None
        if call and tool and result.block.get("content") and result.block.get("content") != CLEARED:
            yield Clearable(result, call, tool)


def cleared(block: Block) -> Block:
    return {**block, "content": CLEARED}


def pointer(messages: Sequence[Message], one: Clearable) -> Pointer:
    key, sentence = _AGAIN[one.tool]
    given = one.call.input.get(key) or next(iter(one.call.input.values()), "")
    what = str(given)
    short = what if len(what) <= _LONGEST else what[: _LONGEST - 1] + "…"
    return Pointer(messages[one.result.message_index].uuid, one.call.id, one.call.name, sentence.format(short))
