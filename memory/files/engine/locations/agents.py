"""Memory of sub-agents: one directory for each type of agent, in three scopes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memory.files.engine.locations.confined_directory import ConfinedDirectory


class Scope(StrEnum):
    USER = "user"
    """In the configuration directory: for all projects."""
    PROJECT = "project"
    """In the project, to be committed."""
    LOCAL = "local"
    """In the project, for this machine."""


@dataclass(frozen=True, slots=True)
class AgentMemory:
    agent: str
    """The type as its directory is called: `:` is written as `-`."""
    scope: Scope
    path: Path


def agent_memory(agent: str, scope: Scope, *, config: Path, project: Path) -> AgentMemory:
    """Where one type of agent keeps its memory. Raises OutsideError for a type that is no name of a directory."""
    root = _scope_roots(config, project)[scope]
    name = ConfinedDirectory(root).normalize(agent.replace(":", "-"))
    return AgentMemory(name, scope, root / name)


def find_agent_memories(*, config: Path, project: Path | None = None) -> list[AgentMemory]:
    """Those that are there; without a project, those of the user alone."""
    roots = _scope_roots(config, project) if project else {Scope.USER: config / "agent-memory"}
    memories = []
    for scope, root in roots.items():
        try:
            folders = sorted(root.iterdir())
        except OSError:
            continue
        # Whoever can write to a project could lead us out of it by a link.
        home = config if scope is Scope.USER or project is None else project
        inside = [
            folder
            for folder in folders
            if folder.is_dir() and Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(home))
        ]
        memories += [AgentMemory(folder.name, scope, folder) for folder in inside]
    return memories


def _scope_roots(config: Path, project: Path) -> dict[Scope, Path]:
    return {
        Scope.USER: config / "agent-memory",
        Scope.PROJECT: project / ".claude" / "agent-memory",
        Scope.LOCAL: project / ".claude" / "agent-memory-local",
    }
