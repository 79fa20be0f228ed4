"""Facts of memory: what they are, what became of each, and which changes lose none."""

from __future__ import annotations

from memory.proposals.engine.facts.comparison import FactComparison, RewordedFact, compare_facts, lines_to_json
from memory.proposals.engine.facts.fact import Fact, facts_of, facts_of_file
from memory.proposals.engine.facts.lossless import Change, ChosenHunks, apply_changes, choose_lossless
from memory.proposals.engine.facts.wording import carries, find_contradiction, says

__all__ = [
    "Change",
    "ChosenHunks",
    "Fact",
    "FactComparison",
    "RewordedFact",
    "apply_changes",
    "carries",
    "choose_lossless",
    "compare_facts",
    "facts_of",
    "facts_of_file",
    "find_contradiction",
    "lines_to_json",
    "says",
]
