"""Reads what the client writes into a transcript for others: notices of tasks, and messages of other agents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sessions.linking.engine.raw_fields import blocks, mapping, text

_NOTICE = re.compile(r"<task-notification>(.*?)(?:</task-notification>|\Z)", re.DOTALL)
_MESSAGE = re.compile(r"<(teammate-message|agent-message|cross-session-message)\b([^>]*)>(.*?)(?:</\1>|\Z)", re.DOTALL)
_SENDER = re.compile(r"""\b(?:teammate_id|from|from_name)=(?:"([^"]*)"|'([^']*)')""")
_FIELD = r"<{0}>(.*?)</{0}>"
_HEAD = 8_000
"""Characters of a notice that are searched for fields."""


class Notice(NamedTuple):
    """From a task that ended or reports something."""

    task: str
    tool_use_id: str
    status: str
    summary: str
    result: str


class AgentMessage(NamedTuple):
    """A message from another agent, as received."""

    sender: str
    words: str
    topic: str
    """Type of a structured message: shutdown_request, idle_notification and so on."""


def incoming_text(record: Mapping[str, Any]) -> str:
    """Text in a record that may come from another agent or a task."""
    kind = record.get("type")
    if kind == "user":
        return "\n".join(text(block.get("text")) for block in blocks(record) if block.get("type") == "text")
    if kind == "queue-operation":
        return _joined_text(record.get("content")) if record.get("operation") == "enqueue" else ""
    if kind == "attachment":
        attachment = mapping(record.get("attachment"))
        return _joined_text(attachment.get("prompt")) if attachment.get("type") == "queued_command" else ""
    return ""


def parse_notices(words: str) -> Iterator[Notice]:
    for body in _NOTICE.findall(words):
        head, tag, rest = body.partition("<result>")
        result = rest.rpartition("</result>")[0] or rest if tag else ""
        task, tool, status, summary = (_field(head, name) for name in ("task-id", "tool-use-id", "status", "summary"))
        yield Notice(task, tool, status, summary, result.strip())


def parse_messages(words: str) -> Iterator[AgentMessage]:
    for _, attributes, body in _MESSAGE.findall(words):
        sender_match = _SENDER.search(attributes)
        sender = (sender_match[1] or sender_match[2] or "") if sender_match else ""
        yield AgentMessage(sender, *parse_body(body.strip()))


def parse_body(body: str) -> tuple[str, str]:
    """The words of a message, and its topic if it is structured."""
    if not body.startswith("{"):
        return body, ""
    try:
        values = mapping(json.loads(body))
    except ValueError:
        return body, ""
    return structured_words(values) or body, text(values.get("type"))


def structured_words(values: Mapping[str, Any]) -> str:
    """The text of a structured message."""
    for name in ("summary", "content", "message", "reason", "feedback", "idleReason"):
        if words := text(values.get(name)).strip():
            return words
    return text(values.get("type")).replace("_", " ")


def _field(head: str, name: str) -> str:
    match = re.search(_FIELD.format(name), head[:_HEAD], re.DOTALL)
    return match[1].strip() if match else ""


def _joined_text(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text(mapping(block).get("text")) for block in content)
    return ""
