"""The client's own log of what it sent: shapes (system, tools), blobs (injected messages), one delta a request."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from tests.demo.story.blocks import Record
from tests.demo.story.ids import uid
from tests.demo.story.transcript import encode

if TYPE_CHECKING:
    from tests.demo.story.session import Session

_BETAS = [
    "claude-code-20250219",
    "interleaved-thinking-2025-05-14",
    "context-management-2025-06-27",
    "effort-2025-11-24",
]
_SYSTEM = (
    "You are a coding agent that works in a terminal, in the user's own directory.",
    "Say what you are about to do in a sentence, do it with the tools, and report what you found.",
)
_TOOLS = {
    "Agent": "Start a sub-agent for a piece of work of its own.",
    "AskUserQuestion": "Ask the user to choose between a few options.",
    "Bash": "Run a shell command.",
    "Edit": "Replace a piece of text in a file.",
    "Glob": "Find files by pattern.",
    "Grep": "Search file contents.",
    "Read": "Read a file.",
    "Skill": "Follow a skill.",
    "ToolSearch": "Load the schema of a deferred tool.",
    "Write": "Write a file.",
}


def digest(value: Record | list[Record] | str) -> str:
    data = value.encode() if isinstance(value, str) else encode({"value": value})
    return hashlib.sha256(data).hexdigest()


class RequestLog:
    """`base`, `keep` and `tail` say which messages a request shares with the one before and which are new."""

    def __init__(self) -> None:
        self.extra: dict[str, str] = {}
        self.system: tuple[str, ...] = _SYSTEM
        self.base: str | None = None
        self.messages = 0
        self.count = 0
        self.written: set[str] = set()
        self.pending: str | None = None

    def shape(self) -> Record:
        tools = [
            {"name": name, "description": about, "input_schema": {"type": "object"}}
            for name, about in sorted((_TOOLS | self.extra).items())
        ]
        return {"system": [{"type": "text", "text": text} for text in self.system], "tools": tools}

    def snapshot(self) -> Record:
        """The attachment that keeps the system prompt, short here."""
        return {
            "type": "prompt_snapshot",
            "systemPrompt": list(self.system),
            "reminderFold": False,
            "echoWireToolInputs": False,
            "contextRendering": "announced",
        }

    def fresh(self) -> None:
        """Nothing is shared with what was sent before (a compaction, another model)."""
        self.base = None
        self.messages = 0

    def note(self, session: Session, blobs: tuple[Record, ...] = ()) -> str:
        """Writes the records of one request and gives its id."""
        self.count += 1
        ident = uid(f"{session.label}/request {self.count}")
        shape = self.shape()
        key = digest(shape)
        whose = {"sessionId": session.session, **({"agentId": session.setting.agent} if session.setting.agent else {})}
        now = {"timestamp": session.clock.stamp(), "version": session.setting.version}
        if key not in self.written:
            self.written.add(key)
            session.state({"type": "api-request-shape", **whose, "shapeHash": key, **now, "shape": shape})
        for message in blobs:
            session.state({"type": "api-request-blob", **whose, "hash": digest(message), "message": message})
        tail = [digest(message) for message in blobs] or [digest(f"{ident} {part}") for part in ("assistant", "user")]
        record: Record = {"type": "api-request", **whose, "id": ident, **now, "querySource": session.source}
        record |= {"shapeHash": key, "params": self._params(session)}
        if self.base:
            record["base"] = self.base
        record |= {"keep": self.messages, "tail": tail, "cacheControl": self._marks(self.messages + len(tail))}
        session.state(record | {"requestDigest": digest(f"{ident} {key}")})
        self.base, self.messages = ident, self.messages + len(tail)
        return ident

    def _params(self, session: Session) -> Record:
        return {
            "model": session.model,
            "betas": _BETAS,
            "max_tokens": 128000,
            "thinking": {"type": "adaptive", "display": "updates"},
            "context_management": {"edits": [{"type": "clear_thinking_20251015", "keep": "all"}]},
            "output_config": {"effort": session.effort},
        }

    def _marks(self, messages: int) -> list[Record]:
        paths: list[list[str | int]] = [["system", 0], ["system", 1], ["messages", messages - 1, "content", 0]]
        return [{"path": path, "value": {"type": "ephemeral"}} for path in paths]
