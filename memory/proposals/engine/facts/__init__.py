"""Facts of memory: what they are, what became of each, and which changes lose none."""

from __future__ import annotations

from memory.proposals.engine.facts.comparing import (
    Facts,
    Reworded,
    facts_compare,
    lines_to_json,
)
from memory.proposals.engine.facts.fact import Fact, facts_of, facts_of_file
from memory.proposals.engine.facts.lossless import (
    Change,
    Chosen,
    applied,
    lossless,
)
from memory.proposals.engine.facts.saying import carries, says, stand_apart

__all__ = [
    "Change",
    "Chosen",
    "Fact",
    "Facts",
    "Reworded",
    "applied",
    "carries",
    "facts_compare",
    "facts_of",
    "facts_of_file",
    "lines_to_json",
    "lossless",
    "says",
    "stand_apart",
]
