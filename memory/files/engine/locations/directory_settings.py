"""Where people and administrators may name another memory directory. A project's own settings are never asked: whoever
writes a repository could then choose where the agent of its reader writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import orjson

OVERRIDE = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
PROJECT_NAME = "CLAUDE_CODE_PROJECT_DIR_NAME"
"""Names the project's directory, instead of its path."""
SETTING = "autoMemoryDirectory"
POLICY_FILES = (
    Path("/etc/claude-code/managed-settings.json"),
    Path("/Library/Application Support/ClaudeCode/managed-settings.json"),
)
_LARGEST = 4 * 1024 * 1024


class LocationOrigin(StrEnum):
    ENVIRONMENT = "environment"
    POLICY = "policy settings"
    USER = "user settings"
    PROJECT = "project"
    """The directory that the project's path makes."""


@dataclass(frozen=True, slots=True)
class DirectorySetting:
    origin: LocationOrigin
    value: str
    source: str
    """The variable or the file that it stands in."""


def read_settings(
    config: Path, environ: dict[str, str], policies: Sequence[Path] = POLICY_FILES
) -> list[DirectorySetting]:
    """What names a memory directory, the strongest first."""
    from_environment = (
        [DirectorySetting(LocationOrigin.ENVIRONMENT, environ[OVERRIDE], OVERRIDE)] if environ.get(OVERRIDE) else []
    )
    files = [*((LocationOrigin.POLICY, policy) for policy in policies), (LocationOrigin.USER, config / "settings.json")]
    return from_environment + [
        DirectorySetting(origin, value, str(file)) for origin, file in files if (value := _read_value(file))
    ]


def _read_value(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            settings = orjson.loads(opened.read(_LARGEST))
    except (OSError, ValueError):
        return ""  # the agent, too, goes on without settings that it cannot read
    value = settings.get(SETTING) if isinstance(settings, dict) else None
    return value if isinstance(value, str) else ""
