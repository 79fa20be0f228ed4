"""Where a project's memory lies: what the environment says, then policy and user settings, then the project's path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory.files.engine.places.confined import shown
from memory.files.engine.places.repository import canonical_root
from memory.files.engine.places.safety import UnsafePathError, safe_directory
from memory.files.engine.places.settings import (
    POLICY_FILES,
    PROJECT_NAME,
    Origin,
    configured,
)
from memory.files.engine.places.slug import slug_of

NAME = "memory"


@dataclass(frozen=True, slots=True)
class Refused:
    """A configured path that no agent should write to."""

    value: str
    source: str
    why: str


@dataclass(frozen=True, slots=True)
class Place:
    path: Path
    origin: Origin
    source: str
    """The variable or file that named it; for a project, the directory whose path made the name."""
    refused: tuple[Refused, ...] = ()
    """What was configured and passed over."""


def memory_place(
    project: Path,
    *,
    config: Path,
    home: Path,
    environ: Mapping[str, str],
    policies: Sequence[Path] = POLICY_FILES,
) -> Place:
    """The memory directory of the project at `project`. It need not exist."""
    refused: list[Refused] = []
    for setting in configured(config, dict(environ), policies):
        try:
            path = safe_directory(setting.value, home)
        except UnsafePathError as error:
            refused.append(Refused(setting.value, setting.source, str(error)))
        else:
            return Place(path, setting.origin, setting.source, tuple(refused))
    root = canonical_root(project)
    name = environ.get(PROJECT_NAME, "")
    if name and name != slug_of(name):
        refused.append(Refused(name, PROJECT_NAME, f"{shown(name)} is no name of a project's directory."))
        name = ""
    path = config / "projects" / (name or slug_of(str(root))) / NAME
    return Place(path, Origin.PROJECT, PROJECT_NAME if name else str(root), tuple(refused))


def memory_directories(config: Path) -> list[Path]:
    """Every project's own memory directory that is there, in the order of their names."""
    try:
        projects = sorted((config / "projects").iterdir())
    except OSError:
        return []
    return [project / NAME for project in projects if _is_directory(project / NAME)]


def _is_directory(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False
