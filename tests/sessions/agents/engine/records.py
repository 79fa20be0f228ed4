"""Records of agents, as short as they can be told."""

from __future__ import annotations

from typing import Any

from sessions.agents.engine import RecordPosition


def calls(name: str, tool: str, /, **given: Any) -> dict[str, Any]:
    block = {"type": "tool_use", "id": tool, "name": name, "input": given}
    return {"type": "assistant", "message": {"role": "assistant", "content": [block]}}


def says(words: str, **fields: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": [{"type": "text", "text": words}]}
    return {"type": "assistant", "message": message, **fields}


def gets(tool: str, words: str, *, error: bool = False, **structured: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": tool, "content": words, "is_error": error}
    return {"type": "user", "message": {"role": "user", "content": [block]}, "toolUseResult": structured}


def hears(words: str) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": words}}


def queued(words: str, operation: str = "enqueue") -> dict[str, Any]:
    return {"type": "queue-operation", "operation": operation, "content": words}


def attached(words: Any) -> dict[str, Any]:
    return {"type": "attachment", "attachment": {"type": "queued_command", "prompt": words}}


def notice(task: str, tool: str = "", status: str = "completed", result: str = "", summary: str = "Agent done") -> str:
    text = f"<result>{result}</result>" if result else ""
    return (
        f"<task-notification>\n<task-id>{task}</task-id>\n<tool-use-id>{tool}</tool-use-id>\n<status>{status}</status>"
        f"\n<summary>{summary}</summary>\n{text}\n</task-notification>"
    )


def record_at(position: int, owner: str = "", when: int | None = None) -> RecordPosition:
    return RecordPosition(owner, position, position * 1000 if when is None else when)
