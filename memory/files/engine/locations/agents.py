"""The memory of sub-agents: one directory per agent type, in three scopes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Scope(StrEnum):
    USER = "user"
    """In the configuration directory: for all projects."""
    PROJECT = "project"
    """In the project, meant to be committed."""
    LOCAL = "local"
    """In the project, for this machine only."""


@dataclass(frozen=True, slots=True)
class AgentMemory:
    agent: str
    """The agent type as its directory spells it: with `-` for `:`."""
    scope: Scope
    path: Path


def find_agent_memories(*, config: Path, project: Path | None = None) -> list[AgentMemory]:
    """The existing ones; without a project, only those of the user."""
    roots = _scope_roots(config, project) if project else {Scope.USER: config / "agent-memory"}
    memories = []
    for scope, root in roots.items():
        try:
            folders = sorted(root.iterdir())
        except OSError:
            continue
        # A project may contain links that lead out of it.
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
