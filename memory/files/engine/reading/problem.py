"""What stands in the way of reading a file, in a sentence. The linter makes findings of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    rule: str
    """The name of the finding that it becomes."""
    message: str
    line: int | None = None
    """Counted from 1."""
