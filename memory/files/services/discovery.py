"""Finds memory outside the agent's projects: that of agent types in their three scopes, and directories named by
settings. Links are not followed: a link in a repository could lead anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from django.conf import settings

from memory.files.engine.locations import LocationOrigin, Scope, find_agent_memories, locate_memory
from memory.files.services.writing import directory_register
from memory.models import Directory
from sessions.imports.engine.discovery import is_inside
from sessions.models import Project
from sessions.transcripts.engine.paths import decode_path, encode_path


def directories_find(*, config: Path) -> list[Directory]:
    """The existing directories, each with its row."""
    environ: Mapping[str, str] = settings.USER_ENVIRONMENT
    paths: dict[Path, None] = {}
    for path in _agent_paths(config, None):
        paths[path] = None
    for cwd in Project.objects.exclude(cwd="").values_list("cwd", flat=True).distinct():
        project = decode_path(cwd)
        if not project.is_absolute() or not project.is_dir():
            continue
        for path in _agent_paths(config, project):
            paths[path] = None
        place = locate_memory(project, config=config, home=Path.home(), environ=environ)
        if place.origin is not LocationOrigin.PROJECT and place.path.is_dir():
            paths[place.path] = None
    return [directory_register(path=encode_path(path)) for path in paths]


def _agent_paths(config: Path, project: Path | None) -> Iterator[Path]:
    for memory in find_agent_memories(config=config, project=project):
        root = config if memory.scope is Scope.USER or project is None else project
        if is_inside(root, memory.path):
            yield memory.path
