"""The rows that one stretch of a file gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sessions.transcripts.engine.rows import EntryRow

RequestRow = tuple[int, int, int, str, str, str, str, int | None, int, int, int, int, int, float | None]
"""message key, position, turn, message id, request id, agent, model, time, input, cache read, cache write (5 minutes),
cache write (1 hour), output, cost"""
TurnRow = tuple[int, int, int, int | None, int | None, int, int]
"""id, first, last, started, ended, calls, errors"""
ProblemRow = tuple[int, int, int, str, str]
"""line, offset, length, kind, detail"""


@dataclass(slots=True)
class Batch:
    entries: list[EntryRow] = field(default_factory=list)
    texts: list[tuple[int, str]] = field(default_factory=list)
    requests: list[RequestRow] = field(default_factory=list)
    turns: dict[int, TurnRow] = field(default_factory=dict)
    problems: list[ProblemRow] = field(default_factory=list)
    oddities: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    """(category, name) -> [count, first position]"""
    extras: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The records that linking has to see whole, by position."""
