"""What a rule found in a memory directory, and what a button could do about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Changes = Mapping[str, bytes | None]
"""Files by name with their new bytes; None deletes one. A file under another name is one deleted and one written."""


class Severity(StrEnum):
    ERROR = "error"
    """Something is lost, or does harm: the agent does not get it, or gets what nobody sees."""
    WARNING = "warning"
    """Something misleads the agent, or is in its way."""
    NOTE = "note"
    """Somebody may want to know."""


@dataclass(frozen=True, slots=True)
class Fix:
    label: str
    """What it does, as words on a button."""
    make: Callable[[], Changes] = field(repr=False)
    """Worked out when asked for: there may be thousands of findings in one large file."""

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
    """Counted from 1; None where the file as a whole is meant."""
    others: tuple[str, ...] = ()
    """Other files that have to do with it."""
    fix: Fix | None = None
