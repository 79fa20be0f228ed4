"""Who may share the cache of a part of the system prompt."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    NONE = "none"
    """It has no mark of its own."""
    ORG = "org"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class Provider:
    """What decides whether a part may be shared by everybody."""

    first_party: bool = True
    mcp_tools: bool = False
    custom_prompt: bool = False

    @property
    def shares_globally(self) -> bool:
        return self.first_party and not self.mcp_tools and not self.custom_prompt
