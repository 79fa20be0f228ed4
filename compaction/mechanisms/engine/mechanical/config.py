"""How long a mechanical summary may become."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from compaction.mechanisms.engine.setting_field import setting


@dataclass(frozen=True, slots=True)
class MechanicalConfig:
    TITLE: ClassVar[str] = "Mechanical summary"

    most_characters: int = setting(
        30_000, "Characters of a mechanical summary, at most.", label="Longest mechanical summary"
    )
    """Of a summary, or of all notes together."""
    share: float = setting(0.3, "The same as a share of what is summarised.", most=1)
    """Of the characters that are summarised: a summary of a short conversation has to be shorter still. What an earlier
    summary holds counts in full, or each compaction would shrink the last."""
    least_characters: int = setting(1_200, "Characters that a mechanical summary may always have.")
    """A shorter summary could not say anything."""

    def room(self, characters: int, earlier: int = 0) -> int:
        """`earlier`: how many of the characters are an earlier summary's."""
        share = earlier + int(max(0, characters - earlier) * self.share)
        return min(self.most_characters, max(self.least_characters, share))
