"""What a selector chose, whoever it was."""

from __future__ import annotations

from dataclasses import dataclass

MOST_CHOSEN = 5


@dataclass(frozen=True, slots=True)
class ChosenMemory:
    name: str
    why: str
    score: float | None = None
    """Of the ranker; a model gives none."""


@dataclass(frozen=True, slots=True)
class Choice:
    by: str
    """The model, or what the ranker is called."""
    chosen: tuple[ChosenMemory, ...] = ()
    """The best first."""
    refused: tuple[str, ...] = ()
    """What was named and does not count, a sentence each."""
    problem: str = ""
    """Why an answer could not be used; then nothing is chosen."""
