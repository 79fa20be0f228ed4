"""What became of each fact when memory was rewritten.

A fact whose line still stands is kept. It is merged if it stood twice, or if all its words stand in a line together
with another fact; an old line must say all of it. It is reworded if most of its words stand in a new line. All others
are lost, and are listed. Each fact is counted once."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from memory.proposals.engine.facts.fact import Fact, facts_of
from memory.proposals.engine.facts.wording import (
    CARRIED,
    CARRIED_HERE,
    count_denials,
    meaningful_words,
    rewords,
    says,
    share,
    words,
)

MOST_OF_A_WORD = 60
"""A word that stands in more lines does not help to find where a fact went."""


class RewordedFact(NamedTuple):
    fact: Fact
    now: str


@dataclass(frozen=True, slots=True)
class FactComparison:
    kept: int
    merged: int
    reworded: tuple[RewordedFact, ...]
    lost: tuple[Fact, ...]
    new: int

    @property
    def digest(self) -> str:
        """Identifies the losses, to tell whether a person was shown the same."""
        lines = "\n".join(f"{fact.name}\t{fact.line}\t{fact.text}" for fact in self.lost)
        return hashlib.sha256(lines.encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def to_json(self) -> dict[str, Any]:
        return {
            "kept": self.kept,
            "merged": self.merged,
            "reworded": len(self.reworded),
            "lost": len(self.lost),
            "new": self.new,
            "lost_lines": lines_to_json(self.lost),
        }


def lines_to_json(facts: Iterable[Fact]) -> list[dict[str, Any]]:
    return [{"file": fact.name, "line": fact.line, "text": fact.text} for fact in facts]


def compare_facts(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> FactComparison:
    """What became of the facts of `before` in `after`."""
    old, new = list(facts_of(before)), list(facts_of(after))
    had, has = Counter(fact.key for fact in old), Counter(fact.key for fact in new)
    kept = sum(min(count, has[key]) for key, count in had.items())
    merged = sum(max(count - has[key], 0) for key, count in had.items() if has[key])
    index = LineIndex(new)
    went: dict[str, list[Fact]] = defaultdict(list)
    lost: list[Fact] = []
    for fact in old:
        if has[fact.key]:
            continue
        target = index.find_line_carrying(fact, had)
        if target is None:
            lost.append(fact)
        elif target in had:
            merged += 1
        else:
            went[target].append(fact)
    reworded: list[RewordedFact] = []
    for line, facts in went.items():
        together, other, missing = _classify(line, facts)
        # What a new line has no room for may stand in an old one all the same.
        gone = [fact for fact in missing if not index.has_old_line_saying(fact.key, had)]
        merged += len(together) + len(missing) - len(gone)
        reworded += [RewordedFact(fact, line) for fact in other]
        lost += gone
    fresh = sum(count for key, count in has.items() if key not in had and key not in went)
    return FactComparison(kept, merged, tuple(sorted(reworded)), tuple(sorted(lost)), fresh)


def _classify(line: str, facts: list[Fact]) -> tuple[list[Fact], list[Fact], list[Fact]]:
    """Sorts the facts that went into a new line: merged, reworded, lost."""
    whole = [fact for fact in facts if share(fact.key, line) == 1.0]
    if len(whole) > 1 and count_denials(line) == sum(count_denials(key) for key in {fact.key for fact in whole}):
        return whole, [], [fact for fact in facts if fact not in whole]
    fitting = [fact for fact in facts if rewords(line, fact.key)]
    if len(within := [fact for fact in fitting if fact in whole]) > 1:
        return within, [], [fact for fact in facts if fact not in within]
    # The same words that stood twice are one fact.
    best = max(fitting, key=lambda fact: share(fact.key, line)).key if fitting else None
    same = [fact for fact in fitting if fact.key == best]
    return same[1:], same[:1], [fact for fact in facts if fact not in same]


class LineIndex:
    """Lines by the words in them."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.files: dict[str, set[str]] = defaultdict(set)
        for fact in facts:
            self.files[fact.key].add(fact.name)
        self.lines: dict[str, list[str]] = defaultdict(list)
        for key in self.files:
            for word in words(key):
                self.lines[word].append(key)

    def similar_lines(self, key: str) -> list[str]:
        """Lines that share a word with it which is not too common."""
        candidates = (self.lines.get(word, ()) for word in meaningful_words(key))
        shared = Counter(line for lines in candidates if len(lines) <= MOST_OF_A_WORD for line in lines)
        return [line for line, _ in shared.most_common(MOST_OF_A_WORD)]

    def find_line_saying(self, key: str) -> str | None:
        """A line that says the whole fact."""
        if key in self.files:
            return key
        return next((line for line in self.similar_lines(key) if says(line, key)), None)

    def has_old_line_saying(self, key: str, had: Container[str]) -> bool:
        return any(line in had and says(line, key) for line in self.similar_lines(key))

    def find_line_carrying(self, fact: Fact, had: Container[str]) -> str | None:
        """The line that says it now: the one with most of its words; new lines go before old ones."""
        matches = [
            (line not in had, part, line)
            for line in self.similar_lines(fact.key)
            if (part := share(fact.key, line)) >= self._least_share(fact, line)
            and (says(line, fact.key) if line in had else rewords(line, fact.key) or part == 1.0)
        ]
        return max(matches)[2] if matches else None

    def _least_share(self, fact: Fact, line: str) -> float:
        return CARRIED_HERE if fact.name in self.files[line] else CARRIED
