"""What records and meta files tell about sub-agents: their own facts, and their ids in other agents' records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sessions.linking.engine.raw_fields import blocks, mapping, text

_TAIL = re.compile(r"^agentId: ([A-Za-z0-9_-]+)", re.MULTILINE)
_TASK = re.compile(r"<task-id>([^<\s]+)</task-id>")
_TOOL = re.compile(r"<tool-use-id>([^<\s]+)</tool-use-id>")
_NOTIFICATION = re.compile(r"<task-notification>.*?(?:</task-notification>|\Z)", re.DOTALL)


class Evidence(StrEnum):
    """How we know who started an agent, the surest first."""

    META = "meta"
    """Its meta file names the call, or the agent that made it."""
    RESULT = "result"
    """The call's result carries its id (`toolUseResult.agentId`)."""
    PROGRESS = "progress"
    NOTIFICATION = "notification"
    TEXT = "text"
    """The words of a result end with its id."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class AgentFacts:
    """What an agent's own files say about it."""

    id: str
    tool_use_id: str = ""
    parent_id: str = ""
    depth: int | None = None

    @classmethod
    def from_meta(cls, agent_id: str, meta: Mapping[str, Any]) -> AgentFacts:
        depth = meta.get("spawnDepth")
        is_known = isinstance(depth, int) and not isinstance(depth, bool)
        return cls(agent_id, text(meta.get("toolUseId")), text(meta.get("parentAgentId")), depth if is_known else None)


@dataclass(frozen=True, slots=True)
class Sighting:
    """An agent's id in a record of `owner` ("" for the main thread), with the call that it belongs to."""

    agent: str
    tool_use_id: str
    owner: str
    how: Evidence


def find_sightings(record: Mapping[str, Any], owner: str) -> Iterator[Sighting]:
    kind = record.get("type")
    if kind == "user":
        yield from _read_results(record, owner)
        for block in blocks(record):
            if block.get("type") == "text":
                yield from _read_notifications(block.get("text"), owner)
    elif kind == "progress":
        data = mapping(record.get("data"))
        agent = text(data.get("agentId"))
        if data.get("type") == "agent_progress" and agent:
            yield Sighting(agent, text(record.get("parentToolUseID")), owner, Evidence.PROGRESS)
    elif kind == "queue-operation":
        yield from _read_notifications(record.get("content"), owner)
    elif kind == "attachment":
        yield from _read_notifications(mapping(record.get("attachment")).get("prompt"), owner)


def _read_results(record: Mapping[str, Any], owner: str) -> Iterator[Sighting]:
    results = [block for block in blocks(record) if block.get("type") == "tool_result"]
    agent = text(mapping(record.get("toolUseResult")).get("agentId"))
    if agent and results:
        yield Sighting(agent, text(results[0].get("tool_use_id")), owner, Evidence.RESULT)
    for result in results:
        for words in _words(result.get("content")):
            tails = _TAIL.findall(words)
            if tails:
                yield Sighting(tails[-1], text(result.get("tool_use_id")), owner, Evidence.TEXT)


def _read_notifications(content: object, owner: str) -> Iterator[Sighting]:
    for words in _words(content):
        for notification in _NOTIFICATION.findall(words):
            task, tool = _TASK.search(notification), _TOOL.search(notification)
            if task:
                yield Sighting(task[1], tool[1] if tool else "", owner, Evidence.NOTIFICATION)


def _words(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        yield from (text(mapping(block).get("text")) for block in content)
