"""What a linter has to be told, because no file of the directory says it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


class Checkout(Protocol):
    """The project's files, as far as they were looked at."""

    def has_file(self, path: str) -> bool | None:
        """Is there a file or a directory whose path is, or ends with, `path`? None where that is not known."""

    def has_word(self, word: str) -> bool | None:
        """Does a file of the project hold this word: a function's name, an option? None where that is not known."""


@dataclass(frozen=True, slots=True)
class Recalls:
    """How often the agent was given or has read each file."""

    counts: Mapping[str, int]
    sessions: int
    """In how many sessions that was looked for."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    now: datetime
    """With a time zone."""
    instructions: Mapping[str, str] = field(default_factory=dict)
    """Texts of the CLAUDE.md chain by path: memory need not repeat them."""
    checkout: Checkout | None = None
    recalls: Recalls | None = None
