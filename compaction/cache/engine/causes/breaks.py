"""An explained break: its causes with their evidence, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from compaction.cache.engine.causes.cause_names import ADVICE
from compaction.cache.engine.costs.waste import NO_WASTE, Waste
from compaction.cache.engine.differences.divergence import Divergence
from compaction.cache.engine.requests.calls import Drop

HIGH, MEDIUM, LOW = "high", "medium", "low"
RECORDED, RECONSTRUCTED, USAGE = "recorded", "reconstructed", "usage"


@dataclass(frozen=True, slots=True)
class Cause:
    name: str
    confidence: str
    sentence: str
    positions: tuple[int, ...] = ()
    size: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "name": str(self.name),
            "confidence": self.confidence,
            "sentence": self.sentence,
            "positions": list(self.positions),
            "size": self.size,
        }


@dataclass(frozen=True, slots=True)
class Break:
    drop: Drop
    causes: tuple[Cause, ...]
    also: tuple[Cause, ...] = ()
    expected: str = ""
    """Why it was to be expected; empty if it was not."""
    waste: Waste = NO_WASTE
    divergence: Divergence | None = None
    server_diagnosis: dict[str, Any] = field(default_factory=dict)
    agrees: bool | None = None
    exactness: str = USAGE
    missing: tuple[str, ...] = ()

    @property
    def advice(self) -> str:
        return ADVICE.get(self.causes[0].name, "")
