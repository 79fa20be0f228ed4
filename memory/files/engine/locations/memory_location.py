"""Finds a project's memory directory: from the environment, then policy and user settings, then the project's path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.files.engine.locations.confined_directory import displayable
from memory.files.engine.locations.directory_settings import POLICY_FILES, PROJECT_NAME, LocationOrigin, read_settings
from memory.files.engine.locations.repository import find_canonical_root
from memory.files.engine.locations.safety import UnsafePathError, check_directory
from sessions.transcripts.engine.slug import slug

NAME = "memory"


@dataclass(frozen=True, slots=True)
class RefusedSetting:
    """A configured path that is not safe for an agent to write to."""

    value: str
    source: str
    why: str


@dataclass(frozen=True, slots=True)
class MemoryLocation:
    path: Path
    origin: LocationOrigin
    source: str
    """The variable or file that names it; otherwise the project directory from whose path the name is made."""
    refused: tuple[RefusedSetting, ...] = ()
    """Settings that were ignored."""


def locate_memory(
    project: Path, *, config: Path, home: Path, environ: Mapping[str, str], policies: Sequence[Path] = POLICY_FILES
) -> MemoryLocation:
    """The memory directory of the project at `project`. It need not exist."""
    refused: list[RefusedSetting] = []
    for setting in read_settings(config, dict(environ), policies):
        try:
            path = check_directory(setting.value, home)
        except UnsafePathError as error:
            refused.append(RefusedSetting(setting.value, setting.source, str(error)))
        else:
            return MemoryLocation(path, setting.origin, setting.source, tuple(refused))
    root = find_canonical_root(project)
    name = environ.get(PROJECT_NAME, "")
    if name and name != slug(name):
        refused.append(RefusedSetting(name, PROJECT_NAME, f"{displayable(name)} is no name of a project's directory."))
        name = ""
    path = config / "projects" / (name or slug(str(root))) / NAME
    return MemoryLocation(path, LocationOrigin.PROJECT, PROJECT_NAME if name else str(root), tuple(refused))
