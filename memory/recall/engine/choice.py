"""The choice of memories, by a model or by the local ranker."""

from __future__ import annotations

from dataclasses import dataclass

MOST_CHOSEN = 5


@dataclass(frozen=True, slots=True)
class ChosenMemory:
    name: str
    why: str
    score: float | None = None
    """Only the ranker gives one."""


@dataclass(frozen=True, slots=True)
class Choice:
    by: str
    """The name of the model or of the ranker."""
    chosen: tuple[ChosenMemory, ...] = ()
    """Best first."""
    refused: tuple[str, ...] = ()
    """What was named but does not count, a sentence each."""
    problem: str = ""
    """Why the answer could not be used; then nothing is chosen."""
