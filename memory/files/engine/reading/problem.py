"""A problem with reading a file, as a sentence. The linter turns it into a finding."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    rule: str
    """The rule name of that finding."""
    message: str
    line: int | None = None
    """From 1."""
