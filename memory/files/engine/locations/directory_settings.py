"""Settings of users and administrators that name another memory directory. A project's own settings are not read: the
author of a repository could otherwise choose where its readers' agents write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import orjson

OVERRIDE = "CLAUDE_COWORK_MEMORY_PATH_OVERRIDE"
PROJECT_NAME = "CLAUDE_CODE_PROJECT_DIR_NAME"
"""Overrides the directory name that is made from the project's path."""
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
    """The default directory, named after the project's path."""


@dataclass(frozen=True, slots=True)
class DirectorySetting:
    origin: LocationOrigin
    value: str
    source: str
    """The variable or file that it comes from."""


def read_settings(
    config: Path, environ: dict[str, str], policies: Sequence[Path] = POLICY_FILES
) -> list[DirectorySetting]:
    """All settings that name a memory directory, by precedence."""
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
        return ""  # the agent ignores settings that it cannot read, too
    value = settings.get(SETTING) if isinstance(settings, dict) else None
    return value if isinstance(value, str) else ""
