"""Which results may be cleared: only those of tools whose output can be obtained again, or is a mere confirmation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from compaction.mechanisms.engine.conversation.calls import Call, Result, calls_of, results_of
from sessions.imports.engine.scan.content import CLEARED_TEXT as CLEARED
from sessions.transcripts.engine.messages import Block, Message

__all__ = ["CLEARED", "ClearableResult", "ResultPointer", "clear_block", "clearable_results", "point_to", "tool_of"]

READERS = frozenset({"Read", "Bash", "Grep", "Glob", "WebSearch", "WebFetch"})
"""Tools whose results are large."""
WRITERS = frozenset({"Edit", "Write"})
"""Tools whose inputs are large."""
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
class ClearableResult:
    """A result that may be cleared, and the call that it answers."""

    result: Result
    call: Call
    tool: str
    """The name of the tool, aliases resolved."""


@dataclass(frozen=True, slots=True)
class ResultPointer:
    """How to get the text of a cleared result again: the record has all of it, and the call can be repeated."""

    uuid: str
    """Of the record that holds the result."""
    tool_use_id: str
    tool: str
    again: str


def tool_of(name: str) -> str | None:
    """The tool that a name stands for, None if its results are never cleared."""
    name = ALIASES.get(name, name)
    return name if name in READERS or name in WRITERS else None


def clearable_results(messages: Sequence[Message]) -> Iterator[ClearableResult]:
    """Oldest first, without those that are already cleared or empty."""
    calls: Mapping[str, Call] = calls_of(messages)
    for result in results_of(messages):
        call = calls.get(result.tool_use_id)
        tool = tool_of(call.name) if call else None
        if call and tool and result.block.get("content") and result.block.get("content") != CLEARED:
            yield ClearableResult(result, call, tool)


def clear_block(block: Block) -> Block:
    return {**block, "content": CLEARED}


def point_to(messages: Sequence[Message], clearable: ClearableResult) -> ResultPointer:
    key, sentence = _AGAIN[clearable.tool]
    subject = clearable.call.input.get(key) or next(iter(clearable.call.input.values()), "")
    subject_text = str(subject)
    short = subject_text if len(subject_text) <= _LONGEST else subject_text[: _LONGEST - 1] + "…"
    return ResultPointer(
        messages[clearable.result.message_index].uuid, clearable.call.id, clearable.call.name, sentence.format(short)
    )
