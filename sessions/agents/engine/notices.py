"""What the client tells an agent in the name of others: notices of tasks that ended, and messages of other agents."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from sessions.linking.engine.raw_fields import blocks, mapping, text

_NOTICE = re.compile(r"<task-notification>(.*?)(?:</task-notification>|\Z)", re.DOTALL)
_LETTER = re.compile(r"<(teammate-message|agent-message|cross-session-message)\b([^>]*)>(.*?)(?:</\1>|\Z)", re.DOTALL)
_SENDER = re.compile(r"""\b(?:teammate_id|from|from_name)=(?:"([^"]*)"|'([^']*)')""")
_FIELD = r"<{0}>(.*?)</{0}>"
_HEAD = 8_000
"""Characters of a notice that its fields are looked for in."""


class Notice(NamedTuple):
    """Of a task that ended, or has something to say."""

    task: str
    tool_use_id: str
    status: str
    summary: str
    result: str


class Letter(NamedTuple):
    """A message of another agent, as it arrived."""

    sender: str
    words: str
    topic: str
    """Of a structured one: shutdown_request, idle_notification and so on."""


def said_to(record: Mapping[str, Any]) -> str:
    """The words that a record brings to the agent whose file it stands in: those that others may have sent."""
    kind = record.get("type")
    if kind == "user":
        return "\n".join(text(block.get("text")) for block in blocks(record) if block.get("type") == "text")
    if kind == "queue-operation":
        return _joined(record.get("content")) if record.get("operation") == "enqueue" else ""
    if kind == "attachment":
        attachment = mapping(record.get("attachment"))
        return _joined(attachment.get("prompt")) if attachment.get("type") == "queued_command" else ""
    return ""


def notices(words: str) -> Iterator[Notice]:
    for body in _NOTICE.findall(words):
        head, found, rest = body.partition("<result>")
        result = rest.rpartition("</result>")[0] or rest if found else ""
        task, tool, status, summary = (_field(head, name) for name in ("task-id", "tool-use-id", "status", "summary"))
        yield Notice(task, tool, status, summary, result.strip())


def letters(words: str) -> Iterator[Letter]:
    for _, attributes, body in _LETTER.findall(words):
        named = _SENDER.search(attributes)
        sender = (named[1] or named[2] or "") if named else ""
        yield Letter(sender, *read(body.strip()))


def read(body: str) -> tuple[str, str]:
    """The words of a message, and its topic if it is a structured one."""
    if not body.startswith("{"):
        return body, ""
    try:
        said = mapping(json.loads(body))
    except ValueError:
        return body, ""
    return told(said) or body, text(said.get("type"))


def told(said: Mapping[str, Any]) -> str:
    """What a structured message says to people."""
    for name in ("summary", "content", "message", "reason", "feedback", "idleReason"):
        if words := text(said.get(name)).strip():
            return words
    return text(said.get("type")).replace("_", " ")


def _field(head: str, name: str) -> str:
    found = re.search(_FIELD.format(name), head[:_HEAD], re.DOTALL)
    return found[1].strip() if found else ""


def _joined(content: object) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text(mapping(block).get("text")) for block in content)
    return ""
