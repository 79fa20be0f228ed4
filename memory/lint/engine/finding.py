"""A finding of the linter, and its fix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Changes = Mapping[str, bytes | None]
"""New bytes by file name; None deletes a file. A rename is one deleted and one new file."""


class Severity(StrEnum):
    ERROR = "error"
    """Something is lost or harmful: the agent does not get it, or gets something that nobody sees."""
    WARNING = "warning"
    """Something misleads or hinders the agent."""
    NOTE = "note"
    """Something worth knowing."""


@dataclass(frozen=True, slots=True)
class Fix:
    label: str
    """The label of its button."""
    make: Callable[[], Changes] = field(repr=False)
    """Computed on demand: a large file may have thousands of findings."""

    def changes(self) -> Changes:
        return self.make()


@dataclass(frozen=True, slots=True)
class Finding:
    rule: str
    file: str
    """Empty for the directory as a whole."""
    severity: Severity
    message: str
    """A sentence for people. It may quote the file: it is as untrusted as the file is."""
    line: int | None = None
    """From 1; None for the file as a whole."""
    others: tuple[str, ...] = ()
    """Other files that are involved."""
    fix: Fix | None = None
