"""Transcripts that are written and read in: what the pages of a session are tested on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sessions.imports.services.sync import sync
from sessions.models import Transcript
from tests.sessions.writing import Writing


@dataclass
class Written(Writing):
    """A session of a project on disk, or one of its sub-agents."""

    project: Path = Path()
    agent: str = ""

    @property
    def path(self) -> Path:
        folder = self.project / self.session / "subagents" if self.agent else self.project
        return folder / (f"agent-{self.agent}.jsonl" if self.agent else f"{self.session}.jsonl")

    def row(self, kind: str, **fields: Any) -> str:
        mine = {"isSidechain": True, "agentId": self.agent, "uuid": f"{self.agent}-{self.count}"} if self.agent else {}
        return super().row(kind, **{**mine, **fields})

    def says(self, text: Any, **fields: Any) -> str:
        """What the user's role says, with any kind of content."""
        return self.row("user", message={"role": "user", "content": text}, **fields)

    def compacts(self, summary: str) -> str:
        self.row(
            "system",
            subtype="compact_boundary",
            content="Conversation compacted",
            compactMetadata={"trigger": "auto", "preTokens": 167_200},
            parent=None,
            logicalParentUuid=self.leaf,
        )
        return self.user(summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def read(self) -> Transcript:
        """Write the file, read the whole project in, and give the row of this file."""
        self.save(self.path.parent, self.path.stem)
        sync([self.project], workers=1)
        return Transcript.objects.get(source__path=str(self.path), source__state="present")
