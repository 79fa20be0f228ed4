"""What the client knows besides the conversation, and gives the model again after a compaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

ReadFile = Callable[[str], str | None]
"""The text of a file as it is now; None if it cannot be read."""


def read_nothing(path: str) -> str | None:
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
class Listing:
    """The names that the conversation has announced to the model, and what is available now, as name and line."""

    announced: tuple[str, ...] = ()
    available: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    plan: Plan | None = None
    plan_mode: bool = False
    memory_paths: tuple[str, ...] = ()
    """Files that reach the model in another way: they are not read again as files."""
    skills: tuple[Skill, ...] = ()
    agents: tuple[BackgroundAgent, ...] = ()
    tools: Listing = Listing()
    agent_types: Listing = Listing()
    mcp_instructions: Listing = Listing()
