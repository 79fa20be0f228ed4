"""How long a mechanical summary may become."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MechanicalConfig:
    most_characters: int = 30_000
    """Of a summary, or of all notes together."""
    share: float = 0.3
    """Of the characters that are summarised: a summary of a short conversation has to be shorter still."""
    least_characters: int = 1_200
    """A shorter summary could not say anything."""

    def room(self, characters: int) -> int:
        return min(self.most_characters, max(self.least_characters, int(characters * self.share)))
