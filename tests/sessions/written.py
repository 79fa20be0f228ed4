"""Transcripts written to disk as the agent writes them, and read in."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sessions.models import Transcript
from sessions.services.sync import sync

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


class Written:
    """A transcript file that grows: each record hangs on the one before and is a second younger."""

    def __init__(self, project: Path, session: str = "5e55-0001", *, agent: str = "") -> None:
        folder = project / session / "subagents" if agent else project
        self.path = folder / (f"agent-{agent}.jsonl" if agent else f"{session}.jsonl")
        self.session = session
        self.agent = agent
        self._project = project
        self._count = 0
        self._last: str | None = None
        folder.mkdir(parents=True, exist_ok=True)
        self.path.touch()

    def add(self, record: dict[str, Any]) -> str:
        uuid = f"{self.agent or self.session}-{self._count:06d}"
        at = START + timedelta(seconds=self._count)
        whole = {
            "parentUuid": self._last,
            "isSidechain": bool(self.agent),
            **({"agentId": self.agent} if self.agent else {}),
            "uuid": uuid,
            "timestamp": at.isoformat().replace("+00:00", "Z"),
            "sessionId": self.session,
            "cwd": "/home/dev/atlas",
            "gitBranch": "main",
            "version": "2.1.300",
            **record,
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(whole) + "\n")
        self._count += 1
        self._last = uuid
        return uuid

    def user(self, content: Any, **more: Any) -> str:
        return self.add({"type": "user", "message": {"role": "user", "content": content}, **more})

    def assistant(self, *blocks: dict[str, Any]) -> str:
        usage = {"input_tokens": 10, "output_tokens": 20, "cache_read_input_tokens": 100 + self._count}
        message = {
            "id": f"msg_{self.agent}{self.session}{self._count}",
            "role": "assistant",
            "model": "claude-opus-4-6",
            "content": list(blocks),
            "usage": usage,
        }
        return self.add({"type": "assistant", "requestId": f"req_{self.session}{self._count}", "message": message})

    def says(self, text: str) -> str:
        return self.assistant({"type": "text", "text": text})

    def calls(self, name: str, given: dict[str, Any], tool: str) -> str:
        return self.assistant({"type": "tool_use", "id": tool, "name": name, "input": given})

    def result(self, tool: str, content: Any, *, error: bool = False, twin: Any = None) -> str:
        block = {"type": "tool_result", "tool_use_id": tool, "content": content, "is_error": error}
        return self.user([block], **({"toolUseResult": twin} if twin is not None else {}))

    def compacts(self, summary: str) -> str:
        metadata = {"trigger": "auto", "preTokens": 167_200}
        self.add(
            {"type": "system", "subtype": "compact_boundary", "content": "Compacted", "compactMetadata": metadata}
            | {"parentUuid": None, "logicalParentUuid": self._last, "isMeta": False, "level": "info"}
        )
        return self.user(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def read(self) -> Transcript:
        """Read the whole project in, and give the row of this file."""
        sync([self._project], workers=1)
        return Transcript.objects.get(source__path=str(self.path), source__state="present")


def talk(file: Written, turns: int, *, output: str = "ok") -> None:
    """Turns of four records: a prompt, a call, its result, an answer."""
    for number in range(turns):
        file.user(f"Question {number}")
        file.calls("Bash", {"command": f"run {number}"}, f"toolu_{file.session}_{number}")
        file.result(f"toolu_{file.session}_{number}", f"{output} {number}")
        file.says(f"Answer {number}")
