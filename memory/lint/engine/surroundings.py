"""What the linter needs to know beyond the files of the directory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


class Checkout(Protocol):
    """The project's files, as far as they were read."""

    def has_file(self, path: str) -> bool | None:
        """Is there a file or directory whose path is, or ends with, `path`? None if unknown."""

    def has_word(self, word: str) -> bool | None:
        """Does a file of the project contain this word, such as a function or an option? None if unknown."""


@dataclass(frozen=True, slots=True)
class Recalls:
    """How often the agent read each file or was given it."""

    counts: Mapping[str, int]
    sessions: int
    """Number of sessions examined."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    now: datetime
    """With a time zone."""
    instructions: Mapping[str, str] = field(default_factory=dict)
    """Texts of the CLAUDE.md chain by path: memory need not repeat them."""
    checkout: Checkout | None = None
    recalls: Recalls | None = None
