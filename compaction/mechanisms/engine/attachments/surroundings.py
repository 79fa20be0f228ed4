"""What the client knows besides the conversation, and tells the model again after a compaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from compaction.mechanisms.engine.attachments.client_process import ClientProcess
from compaction.mechanisms.engine.attachments.file_text import FileText
from sessions.transcripts.engine.messages import Message

ReadFile = Callable[[str], FileText | None]
"""The text of a file as it is now; None if it cannot be read."""


def read_nothing(path: str) -> FileText | None:
    return None


@dataclass(frozen=True, slots=True)
class Plan:
    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Skill:
    name: str
    text: str
    path: str = ""
    invoked_at: float = 0.0


@dataclass(frozen=True, slots=True)
class BackgroundAgent:
    id: str
    description: str
    status: str = "running"


@dataclass(frozen=True, slots=True)
class Surroundings:
    plan: Plan | None = None
    plan_mode: Message | bool | None = None
    """That plan mode is on: the message that said so, or just that it is."""
    memory_paths: tuple[str, ...] = ()
    """Files that reach the model in another way: they are not read again as files."""
    skills: tuple[Skill, ...] = ()
    agents: tuple[BackgroundAgent, ...] = ()
    process: ClientProcess = field(default_factory=ClientProcess)
